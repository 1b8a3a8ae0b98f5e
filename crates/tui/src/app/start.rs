//! The start: what is read in the background while the composer is already on the screen, and what the terminal answers.

use std::sync::Arc;

use toolsmith::{SessionSource, agent::session::Sessions, tool::NoticeLevel};

use super::{
    asking::{DialogApprover, DialogReviewer},
    event::Event,
    host::{OpenError, OpenRequest, Options, TrustQuestion},
    interface::App,
    transcript::Item,
};
use crate::{
    composer::{History, Submission, load_history},
    dialog::ConfirmDialog,
    input::{ModeState, Reply, Rgb},
    text::{ImageProtocol, Row, Style, Theme, Token},
    tty::Size,
};

/// The file of earlier prompts of a directory.
fn history_file(options: &Options) -> Option<std::path::PathBuf> {
    let folder = Sessions::at(options.home.toolsmith()).folder(&options.cwd);
    let name = folder.file_name()?.to_string_lossy().into_owned();
    Some(options.home.toolsmith().join("history").join(format!("{name}.jsonl")))
}

pub(super) fn history(options: &Options) -> History {
    History::new(history_file(options))
}

/// Returns whether the terminal wraps rows again when it becomes narrower. Most do.
pub(super) fn reflows() -> bool {
    !matches!(std::env::var("TERM").as_deref(), Ok("linux" | "vt100" | "vt220"))
}

/// Returns how the terminal shows images, as the environment says. Inside tmux and screen images do not reach it.
pub(super) fn image_protocol(variable: impl Fn(&str) -> Option<String>) -> Option<ImageProtocol> {
    if variable("TMUX").is_some() || variable("STY").is_some() {
        return None;
    }
    let named = |name: &str| variable(name).unwrap_or_default();
    if variable("KITTY_WINDOW_ID").is_some()
        || matches!(named("TERM").as_str(), "xterm-kitty" | "xterm-ghostty")
    {
        return Some(ImageProtocol::Kitty);
    }
    protocol_of(&named("TERM_PROGRAM"))
}

/// Returns the image protocol of a terminal by its name, as `TERM_PROGRAM` or the terminal itself tells it.
fn protocol_of(terminal: &str) -> Option<ImageProtocol> {
    let terminal = terminal.to_ascii_lowercase();
    let is = |names: &[&str]| names.iter().any(|name| terminal.starts_with(name));
    if is(&["kitty", "ghostty"]) {
        Some(ImageProtocol::Kitty)
    } else if is(&["iterm", "wezterm", "vscode", "mintty"]) {
        Some(ImageProtocol::ITerm2)
    } else {
        None
    }
}

/// Returns the theme: the one that was chosen, else one for the background.
pub(super) fn theme(options: &Options, background: Option<Rgb>) -> Theme {
    if options.depth == crate::text::ColorDepth::None {
        return Theme::none();
    }
    let by_background = || match background {
        Some(colour) if !colour.is_dark() => Theme::light(),
        _ => Theme::dark(),
    };
    match options.theme.as_deref() {
        None | Some("auto") => by_background(),
        Some(name) => Theme::built_in(name)
            .or_else(|| {
                let file = options.home.toolsmith().join("themes").join(format!("{name}.json"));
                Theme::parse(&std::fs::read_to_string(file).ok()?).ok()
            })
            .unwrap_or_else(by_background),
    }
}

impl App {
    /// Starts everything that takes time.
    pub(super) fn begin(&mut self) {
        self.transcript.push(Item::Plain(self.header()));
        for notice in std::mem::take(&mut self.options.notices) {
            self.notice(NoticeLevel::Warning, &notice);
        }
        if let Some(file) = history_file(&self.options) {
            self.spawn_blocking(move || Event::History(load_history(&file)));
        }
        self.refresh_branch();
        let host = Arc::clone(&self.host);
        self.spawn_blocking(move || Event::Trust(host.trust_question()));
    }

    fn header(&self) -> Vec<Row> {
        let (accent, dim) = (self.theme.style(Token::Accent).bold(), self.theme.style(Token::Dim));
        let help = format!(
            "  /help for commands, {} to stop, {} twice to quit",
            self.keys.hint(crate::keys::Action::Interrupt),
            self.keys.hint(crate::keys::Action::Clear)
        );
        vec![
            Row::styled("Toolsmith", accent).and(format!(" {}", self.options.version), dim),
            Row::styled(help.trim_start(), dim),
        ]
    }

    /// Runs work that may wait for the disk.
    pub(super) fn spawn_blocking(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || events.send(work()));
    }

    /// Runs work in the background.
    pub(super) fn spawn(&self, work: impl Future<Output = Event> + Send + 'static) {
        let events = self.events.clone();
        tokio::spawn(async move { events.send(work.await) });
    }

    pub(super) fn refresh_branch(&self) {
        let cwd = self.options.cwd.clone();
        self.spawn_blocking(move || Event::Branch(toolsmith::agent::git_branch(&cwd)));
    }

    /// Builds the session; the trust question was answered.
    pub(super) fn open(&mut self, source: Option<SessionSource>) {
        self.is_busy = true;
        let host = Arc::clone(&self.host);
        let approver = Arc::new(DialogApprover(Arc::clone(&self.bridge)));
        let mut request = OpenRequest::new(source, Arc::clone(&self.bridge) as _, approver);
        let (bridge, cwd) = (Arc::clone(&self.bridge), self.options.cwd.clone());
        request.reviewer = Some(Arc::new(DialogReviewer { bridge, cwd }));
        self.spawn(async move { Event::Opened(Box::new(host.open(request).await)) });
    }

    pub(super) fn trust_known(&mut self, question: Option<TrustQuestion>) {
        let Some(question) = question else { return self.open(None) };
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let mut message = format!("{} is not trusted yet. It has\n", question.folder);
        for entry in &question.entries {
            message.push_str(&format!("  {entry}\n"));
        }
        message.push_str("Tools can do whatever you can.");
        let dialog = ConfirmDialog::new("Trust this directory?", &message, sender, None).explicit();
        self.panels.push(None, Box::new(dialog));
        self.spawn(async move {
            Event::Do(match receiver.await {
                Ok(answer) => super::effect::Effect::Trust(answer),
                Err(_) => super::effect::Effect::Reopen(None),
            })
        });
        self.changed();
    }

    pub(super) fn opened(&mut self, opened: Result<toolsmith::Session, OpenError>) {
        self.is_busy = false;
        match opened {
            Ok(session) => {
                self.subscription = Some(session.subscribe());
                if let Some(notice) = self.host.open_notice() {
                    self.notice(NoticeLevel::Warning, &notice);
                }
                for error in session.loaded().errors.iter().take(20) {
                    self.notice(NoticeLevel::Error, &error.to_string());
                }
                for warning in session.loaded().warnings.iter().take(20) {
                    self.notice(NoticeLevel::Warning, &warning.to_string());
                }
                session.watch_tools();
                self.session = Some(session);
                self.load_shortcuts();
                self.refresh_status();
                self.restore_transcript();
                self.commands = None;
                if let Some(prompt) = self.options.prompt.take() {
                    self.send_first(prompt);
                }
                self.send_waiting();
                if std::mem::take(&mut self.options.picks_session) {
                    self.resume_command("");
                }
            }
            Err(error) if error.needs_model => self.first_run(&error.message),
            Err(error) => self.notice(NoticeLevel::Error, &error.message),
        }
        self.changed();
    }

    /// Sends prompts that were typed before there was a session, or too late for the last run.
    /// Sends the prompt of the command line, or runs the command it names.
    fn send_first(&mut self, prompt: toolsmith::Prompt) {
        let text = match prompt.content.as_slice() {
            [block] => block.as_text().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let is_command = self.session.as_ref().is_some_and(|session| session.find_command(&text).is_some());
        match is_command {
            true => self.submit(Submission { text, images: Vec::new() }, false),
            false => self.send_prompt(prompt),
        }
    }

    pub(super) fn send_waiting(&mut self) {
        for submission in std::mem::take(&mut self.waiting) {
            self.submit(submission, false);
        }
    }

    /// Handles an answer of the terminal.
    pub(super) fn reply(&mut self, reply: Reply) {
        let mut abilities = self.inline.abilities();
        match reply {
            Reply::Mode { mode: 2026, state: ModeState::Set | ModeState::Reset } => {
                abilities.synchronized = true
            }
            Reply::Version(name) if name.starts_with("XTerm") => abilities.reflows = false,
            Reply::Version(name) => self.image_protocol = protocol_of(&name),
            Reply::Background(colour) => self.set_background(Some(colour)),
            Reply::Scheme(_) => self.controls.push_str("\x1b]11;?\x1b\\"),
            Reply::Attributes(_) => self.is_answered = true,
            Reply::Size { rows, columns } if rows > 0 && columns > 0 && !self.ignores_size => {
                abilities.tells_size = true;
                self.inline.set_abilities(abilities);
                return self.told_size(Size { rows, columns });
            }
            _ => return,
        }
        self.inline.set_abilities(abilities);
    }

    fn set_background(&mut self, colour: Option<Rgb>) {
        self.background = colour;
        let theme = theme(&self.options, colour);
        if theme != self.theme {
            self.theme = theme;
            self.theme_version += 1;
            self.changed();
        }
    }

    /// Shows which keys and servers were looked for, and offers to store a key.
    fn first_run(&mut self, message: &str) {
        tracing::info!(message, "no model");
        let rows = vec![
            Row::styled("No model is configured yet.", self.style(Token::Warning).bold()),
            Row::plain(
                "Choose a provider below and paste its key, or set the variable that it names. A server on this",
            ),
            Row::plain(
                "machine (Ollama, LM Studio, llama.cpp) needs no key. The demo needs no model at all.",
            ),
        ];
        self.transcript.push(Item::Plain(rows));
        self.choose_provider(true);
    }

    pub(super) fn style(&self, token: Token) -> Style {
        self.theme.style(token)
    }

    /// Queues a prompt until there is a session.
    pub(super) fn wait(&mut self, submission: Submission) {
        self.waiting.push(submission);
    }
}
