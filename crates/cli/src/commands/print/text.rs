//! The answer on standard output; progress on standard error, if it is a terminal.

use std::{collections::BTreeSet, io::Write as _, pin::pin, time::Duration};

use anyhow::Result;
use tokio::time::Instant;
use toolsmith::Session;
use toolsmith_agent::{AgentEvent, RunEnd, Subscription, is_refused_unasked};
use toolsmith_llm::StreamEvent;
use toolsmith_tool::{CompactionTrigger, SessionEvent};

use toolsmith_text::plain;

use crate::{
    interface::TerminalUi,
    interrupts::Interrupts,
    output::{indented, one_line},
    streams,
    terminal::{self, DIM, WARNING, paint},
    tool_view::CallView,
};

/// Longest text that is printed after a signal: whoever stops an endless answer does not wait for all of it.
const MAX_STOPPED_TEXT: usize = 1 << 20;

/// Shortest time between two drawings of partial results, as in the terminal interface.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Shows runs until `work` is done, then the model's final text.
pub(super) async fn follow(
    mut events: Subscription,
    session: &Session,
    terminal: Option<&TerminalUi>,
    interrupts: &Interrupts,
    work: impl Future<Output = Result<()>>,
) -> Result<RunEnd> {
    let watched = terminal::is_error_terminal();
    let mut answer = Answer { terminal, is_streamed: terminal::is_output_terminal(), has_text: false };
    let mut calls = Calls { session, terminal, running: Vec::new(), drawn: Instant::now(), is_stale: false };
    let mut refused = BTreeSet::new();
    let mut last = None;
    let mut work = pin!(work);
    let mut done = None;
    loop {
        let event = match &done {
            Some(_) => events.try_next(),
            None => tokio::select! {
                biased;
                event = events.next() => event,
                () = tokio::time::sleep_until(calls.drawn + UPDATE_INTERVAL), if calls.is_stale => {
                    calls.draw().await;
                    continue;
                }
                outcome = &mut work => {
                    done = Some(outcome);
                    continue;
                }
            },
        };
        let Some(event) = event else { break };
        if interrupts.exit_code().is_none() {
            answer.show(&event);
        }
        if watched && !calls.show(&event).await {
            show(&event, terminal);
        }
        // The model is informed each time; the user once per tool.
        if let AgentEvent::ToolExecutionEnd { tool_name, result, .. } = event.as_ref()
            && is_refused_unasked(result)
            && refused.insert(tool_name.clone())
        {
            tell_refused(tool_name);
        }
        if let AgentEvent::Session(retry @ SessionEvent::AutoRetryStart(_)) = event.as_ref()
            && !watched
            && let Some(line) = session_line(retry)
        {
            let _ = writeln!(streams::stderr(), "{line}");
        }
        if let AgentEvent::Notice { message } = event.as_ref()
            && !watched
            && (message.starts_with("Extension ") || message.contains("(budget.warn."))
        {
            let _ = writeln!(streams::stderr(), "{} {}", paint(WARNING, "warning:"), indented(message));
        }
        if let AgentEvent::AgentEnd { end, .. } = event.as_ref() {
            last = Some(end.clone());
        }
    }
    done.unwrap_or(Ok(()))?;
    let Some(end) = last else { return Ok(RunEnd::Completed) };
    let summary = session.wait_for_idle().await;
    let text = summary.as_ref().map_or("", |summary| summary.text.trim_end());
    let is_shown = interrupts.exit_code().is_none() || text.len() <= MAX_STOPPED_TEXT;
    if !text.is_empty() && !answer.is_streamed && is_shown {
        writeln!(streams::stdout(), "{}", plain(text))?;
    }
    if text.is_empty() && end == RunEnd::Completed {
        let _ = writeln!(streams::stderr(), "{} the model returned no text", paint(WARNING, "warning:"));
    }
    Ok(end)
}

/// The model's text as it arrives, where a person reads standard output.
struct Answer<'a> {
    terminal: Option<&'a TerminalUi>,
    is_streamed: bool,
    /// The current text has more than white space.
    has_text: bool,
}

impl Answer<'_> {
    fn show(&mut self, event: &AgentEvent) {
        let AgentEvent::MessageUpdate { assistant_message_event } = event else { return };
        if !self.is_streamed {
            return;
        }
        match assistant_message_event {
            StreamEvent::TextStart { .. } => self.has_text = false,
            StreamEvent::TextDelta { delta, .. } => {
                let delta = if self.has_text { delta } else { delta.trim_start() };
                self.has_text |= !delta.is_empty();
                self.write(delta);
            }
            StreamEvent::TextEnd { .. } if self.has_text => self.write("\n"),
            _ => {}
        }
    }

    fn write(&self, text: &str) {
        match self.terminal {
            Some(terminal) => terminal.stream(text),
            None => {
                let mut out = streams::stdout();
                let _ = write!(out, "{}", plain(text)).and_then(|()| out.flush());
            }
        }
    }
}

/// Reports that a call was refused because nobody could be asked, and how to allow it (CONTRACT 5.4).
fn tell_refused(tool: &str) {
    let tool = one_line(tool);
    let _ = writeln!(
        streams::stderr(),
        "{} {tool} needs approval and nobody can be asked here; --set tools.approval.{tool}=allow allows it, \
         --auto-approve allows everything",
        paint(WARNING, "refused:")
    );
}

/// The calls of the run as views: running ones are drawn over at the end of the output, finished ones stay.
struct Calls<'a> {
    session: &'a Session,
    terminal: Option<&'a TerminalUi>,
    running: Vec<(String, CallView)>,
    drawn: Instant,
    /// A partial result is not drawn yet.
    is_stale: bool,
}

impl Calls<'_> {
    /// Shows an event of a call; returns whether it was one.
    async fn show(&mut self, event: &AgentEvent) -> bool {
        let columns = terminal::error_width().unwrap_or(80).max(20);
        match event {
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                let registry = self.session.agent().dispatcher().registry();
                let tool = registry.read(|registry| registry.get(tool_name).map(|found| found.tool.clone()));
                let view = CallView::new(tool, tool_call_id, tool_name, args.clone());
                self.running.push((tool_call_id.clone(), view));
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, partial_result, .. } => {
                if let Some((_, view)) = self.running.iter_mut().find(|(id, _)| id == tool_call_id) {
                    view.update(partial_result.clone());
                }
                if self.drawn.elapsed() < UPDATE_INTERVAL {
                    self.is_stale = true;
                    return true;
                }
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, result, is_error, duration_ms, .. } => {
                let Some(at) = self.running.iter().position(|(id, _)| id == tool_call_id) else {
                    return true;
                };
                let (_, mut view) = self.running.remove(at);
                view.finish(result.clone(), *is_error, Duration::from_millis(*duration_ms));
                let rows = view.rows(columns, false).await;
                match self.terminal {
                    Some(terminal) => terminal.print_rows(&rows),
                    None => {
                        let mut out = streams::stderr();
                        rows.iter().for_each(|row| drop(out.row(row)));
                    }
                }
            }
            _ => return false,
        }
        self.draw().await;
        true
    }

    /// Draws the running calls.
    async fn draw(&mut self) {
        if let Some(terminal) = self.terminal {
            let columns = terminal::error_width().unwrap_or(80).max(20);
            let mut live = Vec::new();
            for (_, view) in &mut self.running {
                live.extend(view.rows(columns, false).await);
            }
            terminal.show_live(live);
        }
        (self.drawn, self.is_stale) = (Instant::now(), false);
    }
}

fn show(event: &AgentEvent, terminal: Option<&TerminalUi>) {
    let line = match event {
        // An error that ends the run is reported at the end.
        AgentEvent::Session(event) => match session_line(event) {
            Some(line) => paint(DIM, line),
            None => return,
        },
        AgentEvent::Notice { message } => {
            let lines: Vec<String> = indented(message).split('\n').map(|line| paint(DIM, line)).collect();
            lines.join("\n")
        }
        _ => return,
    };
    match terminal {
        Some(terminal) => terminal.print(line),
        None => {
            let _ = writeln!(streams::stderr(), "{line}");
        }
    }
}

/// Shows session events that are relevant to a waiting user.
fn session_line(event: &SessionEvent) -> Option<String> {
    Some(match event {
        SessionEvent::AutoRetryStart(start) => {
            let wait = Duration::from_millis(start.delay_ms);
            let of = format_args!("{} of {}", start.attempt, start.max_attempts);
            format!("retrying in {:.1} s ({of}): {}", wait.as_secs_f64(), one_line(&start.error_message))
        }
        SessionEvent::AutoCompactionStart { trigger: CompactionTrigger::Overflow, .. } => {
            "compacting the session: it is too long for the model".to_owned()
        }
        SessionEvent::AutoCompactionStart { .. } => {
            "compacting the session: it exceeds the threshold".to_owned()
        }
        SessionEvent::AutoCompactionEnd(end) => {
            let result = end.result.as_ref()?;
            format!("compacted from about {} to {} tokens", result["tokensBefore"], result["tokensAfter"])
        }
        SessionEvent::TtsrTriggered { rules } => {
            let names: Vec<&str> = rules.iter().filter_map(|rule| rule["name"].as_str()).collect();
            format!("response interrupted by a rule: {}", one_line(&names.join(", ")))
        }
        SessionEvent::TodoReminder(reminder) => {
            let (open, attempt, most) = (reminder.todos.len(), reminder.attempt, reminder.max_attempts);
            format!("reminded of {open} open tasks ({attempt}/{most})")
        }
        _ => return None,
    })
}
