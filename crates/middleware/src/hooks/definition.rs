//! A hook as it is configured: when it runs, what it runs, and what its failure means.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use toolsmith_tool::visible_line;

use super::matcher::{CallRule, Matcher};

/// Maximum characters of a command in messages.
const MAX_LABEL_CHARS: usize = 80;

/// Events that run hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HookEvent {
    /// Before a call; for file hooks `pre`.
    PreToolUse,
    /// After a call that succeeded; for file hooks `post`, also after one that failed.
    PostToolUse,
    /// After a call that failed.
    PostToolUseFailure,
    /// Before the person is asked about a call.
    PermissionRequest,
    /// Before a prompt is sent.
    UserPromptSubmit,
    /// When a session starts or continues.
    SessionStart,
    /// When a session ends.
    SessionEnd,
    /// When the model is done.
    Stop,
    /// When a subagent is done.
    SubagentStop,
    /// Before a compaction.
    PreCompact,
    /// After a compaction.
    PostCompact,
    /// When the person's attention is wanted.
    Notification,
}

impl HookEvent {
    /// All events.
    pub const ALL: [Self; 12] = [
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PermissionRequest,
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::SessionEnd,
        Self::Stop,
        Self::SubagentStop,
        Self::PreCompact,
        Self::PostCompact,
        Self::Notification,
    ];

    /// Returns the name in hook files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PermissionRequest => "PermissionRequest",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::Notification => "Notification",
        }
    }

    /// Returns the event of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Returns whether matchers are compared with tool names.
    pub fn is_about_a_call(self) -> bool {
        matches!(
            self,
            Self::PreToolUse | Self::PostToolUse | Self::PostToolUseFailure | Self::PermissionRequest
        )
    }
}

/// Names and inputs that a hook sees: those of the agent it was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Our own names.
    Toolsmith,
    /// Those of Claude Code.
    Claude,
    /// Those of Codex, which are Claude Code's for the tools that both have.
    Codex,
}

/// A hook's command or request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Handler {
    /// A file hook: an executable, or a script with its interpreter.
    File {
        /// The file.
        path: PathBuf,
        /// Program and arguments that run it; empty if it is executable.
        interpreter: Vec<String>,
    },
    /// A command line for the shell.
    Shell {
        /// The command line.
        command: String,
    },
    /// A program with arguments.
    Program {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// A URL that the event is posted to.
    Http {
        /// The URL.
        url: String,
        /// Headers. `$NAME` and `${NAME}` stand for variables in `allowed_env`.
        headers: Vec<(String, String)>,
        /// Names of environment variables that headers may contain.
        allowed_env: Vec<String>,
    },
}

/// Checks before each run that a hook is still what was confirmed; the error is the reason why it is not.
pub type Check = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// A hook.
#[non_exhaustive]
pub struct Hook {
    /// When it runs.
    pub event: HookEvent,
    /// Tools or sources it runs for.
    pub matcher: Matcher,
    /// Calls it runs for, by their arguments.
    pub rule: Option<CallRule>,
    /// Command or request.
    pub handler: Handler,
    /// Names and inputs it sees.
    pub dialect: Dialect,
    /// Maximum time of a run.
    pub timeout: Duration,
    /// A failure blocks the call or the prompt.
    pub fails_closed: bool,
    /// Nobody waits for it, and its answer is ignored.
    pub in_background: bool,
    /// It runs once in a session.
    pub once: bool,
    /// File that defines it.
    pub source: PathBuf,
    /// Additional environment variables.
    pub env: Vec<(String, String)>,
    /// Check before each run.
    pub check: Option<Check>,
    has_run: AtomicBool,
    /// The person knows that its check failed.
    is_reported: AtomicBool,
}

impl Hook {
    /// Creates a hook for all tools, with a deadline of 60 s, that fails open.
    pub fn new(event: HookEvent, handler: Handler, source: impl Into<PathBuf>) -> Self {
        Self {
            event,
            matcher: Matcher::All,
            rule: None,
            handler,
            dialect: Dialect::Toolsmith,
            timeout: Duration::from_secs(60),
            fails_closed: false,
            in_background: false,
            once: false,
            source: source.into(),
            env: Vec::new(),
            check: None,
            has_run: AtomicBool::new(false),
            is_reported: AtomicBool::new(false),
        }
    }

    /// Returns whether it is a file hook.
    pub fn is_file(&self) -> bool {
        matches!(self.handler, Handler::File { .. })
    }

    /// Returns what it runs, in one line.
    pub fn label(&self) -> String {
        let text = match &self.handler {
            Handler::File { path, .. } => path.display().to_string(),
            Handler::Shell { command } => command.clone(),
            Handler::Program { program, args } => {
                std::iter::once(program).chain(args).map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            // What follows may be a key.
            Handler::Http { url, .. } => url.split(['?', '#']).next().unwrap_or_default().to_owned(),
        };
        let line = visible_line(&text);
        match line.char_indices().nth(MAX_LABEL_CHARS) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line.into_owned(),
        }
    }

    /// Notes that its failed check was reported. Returns whether it was before.
    pub(super) fn was_reported(&self) -> bool {
        self.is_reported.swap(true, Ordering::Relaxed)
    }

    /// Returns whether it may run now; a hook that runs once may the first time only.
    pub(super) fn take_turn(&self) -> bool {
        !(self.has_run.swap(true, Ordering::Relaxed) && self.once)
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("event", &self.event)
            .field("matcher", &self.matcher)
            .field("handler", &self.handler)
            .field("dialect", &self.dialect)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}
