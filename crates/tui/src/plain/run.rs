//! The loop of the plain interface.

use std::{io, sync::Arc, time::Instant};

use toolsmith::{
    CommandOutcome, Prompt, Session,
    agent::{AgentEvent, PendingChoice, PendingView, RunEnd, Subscription},
    llm::{Message, StreamEvent},
    tool::{CancelToken, Name, visible_line},
};

use super::{
    review::action_lines,
    ui::{Lines, PlainUi, TOO_EARLY, indented, is_early, is_yes, say, say_message, say_part},
};
use crate::{
    app::{Exit, Host, OpenRequest, Options},
    tty::{Signal, Signals},
};

/// Rows of a result that are printed.
const MAX_LINES: usize = 20;
/// Commands of the session that `/help` lists.
const MAX_COMMANDS: usize = 100;

/// Runs the plain interface until the person quits.
///
/// # Errors
/// Fails if input cannot be read or the session cannot be built.
pub async fn run(host: Arc<dyn Host>, options: Options) -> io::Result<Exit> {
    let trust = host.trust_question();
    if trust.is_some() {
        // What was typed before the question is not an answer to it.
        crate::tty::discard_typed();
    }
    let lines = Lines::start()?;
    let mut signals = Signals::listen()?;
    let ui = Arc::new(PlainUi::new(Arc::clone(&lines), Arc::clone(&host)));
    say(&format!("Toolsmith {}. Type a prompt and press enter. /help lists the commands.", options.version));
    for notice in &options.notices {
        say_message("Warning", notice);
    }
    if let Some(question) = trust {
        say(&format!("{} is not trusted yet. It has:", visible_line(&question.folder)));
        question.entries.iter().for_each(|entry| say(&format!("  {}", visible_line(entry))));
        say("Tools can do whatever you can. Trust this directory?\n  1. Yes\n  2. No\nType a number.");
        let mut asked = Instant::now();
        // Only an answer is one; without any, the question is asked again the next time.
        while let Some(answer) = lines.next().await {
            let is_trusted = match answer.trim().to_ascii_lowercase().as_str() {
                answer if is_yes(answer) && is_early(asked) => {
                    crate::tty::discard_typed();
                    say(TOO_EARLY);
                    asked = Instant::now();
                    continue;
                }
                answer if is_yes(answer) => true,
                "2" | "n" | "no" => false,
                _ => {
                    say("Type 1 for yes or 2 for no.");
                    continue;
                }
            };
            if let Err(error) = host.answer_trust(is_trusted) {
                say_message("Error", &error);
            }
            break;
        }
    }
    let mut request = OpenRequest::new(None, Arc::clone(&ui) as _, Arc::clone(&ui) as _);
    request.reviewer = Some(ui);
    let session = match host.open(request).await {
        Ok(session) => session,
        Err(error) => {
            say_message("Error", &error.message);
            return Ok(Exit { code: 1, ..Exit::default() });
        }
    };
    for error in &session.loaded().errors {
        say_message("Error", &error);
    }
    let mut plain =
        Plain { events: session.subscribe(), session, is_in_line: false, shown: None, code: None };
    if let Some(prompt) = options.prompt {
        plain.prompt(prompt);
    }
    while plain.code.is_none() {
        tokio::select! {
            signal = signals.next() => plain.signal(signal),
            event = plain.events.next() => match event {
                Some(event) => plain.event(&event),
                None => break,
            },
            line = lines.next() => match line {
                Some(line) => plain.line(&line).await,
                None => plain.code = Some(0),
            },
        }
    }
    Ok(plain.finish().await)
}

struct Plain {
    session: Session,
    events: Subscription,
    /// The last output did not end with a line break.
    is_in_line: bool,
    /// The staged action that `/pending` showed last.
    shown: Option<u64>,
    code: Option<u8>,
}

impl Plain {
    fn prompt(&mut self, prompt: Prompt) {
        let sent = match self.session.agent().is_idle() {
            true => self.session.prompt(prompt),
            false => self.session.steer(prompt),
        };
        if let Err(error) = sent {
            say_message("Error", &error);
        }
    }

    fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Interrupt if !self.session.agent().is_idle() => {
                self.session.abort("interrupted by the user")
            }
            Signal::Interrupt => self.code = Some(130),
            Signal::Terminate => self.code = Some(143),
            Signal::HangUp => self.code = Some(129),
            Signal::Stop => crate::tty::stop_process_group(),
            Signal::Resize | Signal::Continue => {}
        }
    }

    async fn line(&mut self, line: &str) {
        let line = line.trim();
        let Some(command) = line.strip_prefix('/') else {
            if !line.is_empty() {
                self.prompt(line.into());
            }
            return;
        };
        let (name, argument) = command.split_once(' ').unwrap_or((command, ""));
        match name {
            "help" => {
                say(
                    "/help, /model NAME, /pending, /pending apply, /pending discard, /undo, /new, /compact, /session, /stop, /quit",
                );
                for info in self.session.commands().iter().take(MAX_COMMANDS) {
                    let hint =
                        info.argument_hint.as_deref().map(|hint| format!(" {hint}")).unwrap_or_default();
                    let line = format!("/{}{hint}: {}", info.name, info.description);
                    say(&visible_line(&line));
                }
            }
            "quit" | "exit" => self.code = Some(0),
            "stop" => self.session.abort("interrupted by the user"),
            "model" => match self.session.set_model(argument.trim()).await {
                Ok(model) => say(&format!("Model: {}", model.reference())),
                Err(error) => say_message("Error", &error),
            },
            "new" => self.report(self.session.new_session().await.map(|_| "New session.".to_owned())),
            "compact" => self.report(self.session.compact(None).await.map(|_| "Compacted.".to_owned())),
            "session" => say(&format!("Session {}", self.session.log().id())),
            "undo" => self.report(
                self.session.undo(None).await.map(|change| format!("Undid: {}", Name(&change.entry.label))),
            ),
            "pending" => self.pending(argument.trim()).await,
            _ => match self.session.find_command(line) {
                None => say(&format!("Error: unknown command \"/{name}\". /help lists the commands.")),
                Some((name, arguments)) => self.session_command(&name, &arguments).await,
            },
        }
    }

    async fn session_command(&mut self, name: &str, arguments: &str) {
        match self.session.run_command(name, arguments, CancelToken::new()).await {
            Ok(CommandOutcome::Prompt(prompt)) => self.prompt(prompt),
            Ok(_) => {}
            Err(error) => say_message("Error", &error),
        }
    }

    fn report(&self, outcome: Result<String, impl std::fmt::Display>) {
        match outcome {
            Ok(text) => say(&text),
            Err(error) => say_message("Error", &error),
        }
    }

    async fn pending(&mut self, argument: &str) {
        let actions = self.session.pending_actions();
        let Some(top) = actions.first() else { return say("Nothing is pending.") };
        let choice = PendingChoice::Id(top.id);
        match argument {
            // Only what was read is applied: another action may have been staged since (CONTRACT 5.8).
            "apply" if self.shown != Some(top.id) => {
                self.show_pending(top, actions.len()).await;
                say("This was not shown before. Type /pending apply again to apply it.");
            }
            "apply" => {
                let outcome = self.session.apply_pending(choice, None, "applied by the user").await;
                self.report(outcome.map(|result| indented(&result.joined_text())));
            }
            "discard" => {
                let outcome = self.session.discard_pending(choice, "discarded by the user").await;
                self.report(outcome.map(|result| indented(&result.joined_text())));
            }
            _ => {
                self.show_pending(top, actions.len()).await;
                say("/pending apply or /pending discard decides.");
            }
        }
    }

    async fn show_pending(&mut self, action: &PendingView, count: usize) {
        match self.session.view_pending(PendingChoice::Id(action.id)).await {
            Ok(files) => {
                action_lines(action, &files, None).iter().for_each(|line| say(line));
                self.shown = Some(action.id);
            }
            Err(error) => say_message("Error", &error),
        }
        if count > 1 {
            say(&format!("{} more actions are pending.", count - 1));
        }
    }

    fn event(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::MessageUpdate { assistant_message_event: StreamEvent::TextDelta { delta, .. } } => {
                if !self.is_in_line {
                    say("Answer:");
                    say_part("  ");
                }
                say_part(delta);
                self.is_in_line = true;
            }
            AgentEvent::MessageEnd { message: Message::Assistant(_) } => self.end_line(),
            AgentEvent::ToolExecutionStart { tool_name, args, .. } => {
                self.end_line();
                say(&format!(
                    "Tool {}: {}",
                    visible_line(tool_name),
                    shortened(&visible_line(&args.to_string()), 1)
                ));
            }
            AgentEvent::ToolExecutionEnd { tool_name, result, is_error, .. } => {
                let word = if *is_error { "failed" } else { "done" };
                let text = shortened(&result.joined_text(), MAX_LINES);
                say_message(&format!("Tool {} {word}", visible_line(tool_name)), &text);
            }
            AgentEvent::PendingPushed { action, .. } => {
                say(&format!("Pending: {}. /pending shows it.", visible_line(&action.label)))
            }
            AgentEvent::Error { message, .. } => {
                self.end_line();
                say_message("Error", message);
            }
            AgentEvent::Notice { message } => say_message("Notice", message),
            AgentEvent::AgentEnd { end, .. } => {
                self.end_line();
                match end {
                    RunEnd::Completed => say("Done."),
                    other => say_message("Stopped", &other.message().unwrap_or("the run ended early")),
                }
                // A sound that screen readers and terminals announce.
                let _ = io::Write::write_all(&mut io::stdout(), b"\x07");
                let _ = io::Write::flush(&mut io::stdout());
            }
            _ => {}
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_in_line) {
            say("");
        }
    }

    async fn finish(self) -> Exit {
        let log = self.session.log();
        let is_stored = log.file().is_some_and(std::path::Path::exists);
        self.session.dispose().await;
        Exit { session: is_stored.then(|| log.id()), code: self.code.unwrap_or(0), ..Exit::default() }
    }
}

/// The first lines of a text, and how many are missing.
fn shortened(text: &str, max: usize) -> String {
    let lines: Vec<&str> = text.lines().take(max).map(|line| line.get(..400).unwrap_or(line)).collect();
    let missing = text.lines().count().saturating_sub(max);
    match missing {
        0 => lines.join("\n"),
        missing => format!("{}\n({missing} more lines)", lines.join("\n")),
    }
}
