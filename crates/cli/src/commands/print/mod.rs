//! `toolsmith -p PROMPT`: one prompt, one answer, as text or as JSON events.

pub(crate) mod input;
mod json;
mod text;

use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use clap::{CommandFactory as _, ValueEnum};
use serde_json::{Value, json};
use toolsmith::{
    BuiltIns, CommandOutcome, Discovered, KeyStore, ModelChoice, Session, SessionBuildError, SessionBuilder,
    SessionMode, SessionSource, Warning,
};
use toolsmith_agent::{AgentLimits, ApprovalMode, Prompt, RunEnd, session::Sessions};
use toolsmith_llm::ThinkingLevel;
use toolsmith_tool::{CancelToken, Ui, closest_names};

use crate::{
    approver::TerminalApprover,
    arguments::{Arguments, Shared},
    commands::rpc,
    failure,
    failure::Problem,
    interface::TerminalUi,
    interrupts, logging,
    progress::Progress,
    project::Project,
    review::TerminalReviewer,
    runtime, terminal,
};

/// Arguments of a prompt.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Prompt options")]
pub(crate) struct PrintArguments {
    /// Prompt. `@FILE` attaches a text file or an image; standard input is appended.
    #[arg(value_name = "PROMPT")]
    prompt: Vec<String>,
    /// Print the answer and exit.
    #[arg(long, short)]
    print: bool,
    /// Output: the answer, JSON events, or a session for another program (without a prompt).
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<Mode>,
    /// Model, such as anthropic/claude-sonnet-4-5, gpt-5.2:high, ollama/NAME or script:FILE.
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Provider: anthropic, openai, openai-chat, google, one from the settings, or any name with --base-url.
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// Base URL of the provider.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Environment variable with the provider's key.
    #[arg(long, value_name = "VAR")]
    api_key_env: Option<String>,
    /// Thinking level: off, minimal, low, medium, high, xhigh.
    #[arg(long, value_name = "LEVEL")]
    thinking: Option<ThinkingLevel>,
    /// Built-in tools to activate, separated by commas. Custom tools are always active.
    #[arg(long = "tools", id = "built_ins", value_name = "NAMES", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// Disable all built-in tools.
    #[arg(long, conflicts_with = "built_ins")]
    no_tools: bool,
    /// Approval mode: always-ask, write, yolo.
    #[arg(long, value_name = "MODE")]
    approval_mode: Option<ApprovalMode>,
    /// Run all calls without asking, except those denied in the settings.
    #[arg(long, conflicts_with = "approval_mode")]
    auto_approve: bool,
    /// Replace the system prompt; @FILE reads a file.
    #[arg(long, value_name = "TEXT")]
    system_prompt: Option<String>,
    /// Append to the system prompt; @FILE reads a file. Can be repeated.
    #[arg(long, value_name = "TEXT")]
    append_system_prompt: Vec<String>,
    /// Continue the most recent session in this directory.
    #[arg(long = "continue", short = 'c', conflicts_with = "resume")]
    go_on: bool,
    /// Continue the session with this id, id prefix or file (see `toolsmith sessions list`); without one, choose it.
    #[arg(long, short, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    resume: Option<String>,
    /// Do not store the session.
    #[arg(long, conflicts_with_all = ["go_on", "resume"])]
    no_session: bool,
    /// Use the plain interface: no cursor movement, numbered choices (also ACCESSIBLE=1).
    #[arg(long)]
    pub(crate) plain: bool,
    /// Maximum number of model turns per prompt.
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    max_turns: Option<usize>,
    /// Options that only extensions know, by name.
    #[arg(skip)]
    pub(crate) flags: Vec<(String, Option<String>)>,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|count| *count > 0).ok_or("expected a number, 1 or more")
}

/// Output mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// The answer.
    Text,
    /// One JSON event per line.
    Json,
    /// Requests on standard input, replies and events on standard output; see docs/rpc.md.
    Rpc,
}

impl PrintArguments {
    /// Returns whether any of these options was given.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.print || !self.prompt.is_empty()
    }

    /// A single word is more likely a mistyped command than a prompt, and so is a first word that is almost a command.
    pub(crate) fn check_word(&self) -> Result<()> {
        let [word, more @ ..] = self.prompt.as_slice() else { return Ok(()) };
        if self.print || word.contains(char::is_whitespace) || word.starts_with('@') {
            return Ok(());
        }
        let commands = Arguments::command();
        let closest = closest_names(word, commands.get_subcommands().map(clap::Command::get_name));
        let is_almost = |name: &&str| name.len().abs_diff(word.len()) <= 1 && name.get(..1) == word.get(..1);
        if !more.is_empty() && !closest.iter().any(is_almost) {
            return Ok(());
        }
        let hint = match closest.as_slice() {
            [] => {
                format!("`toolsmith --help` lists the commands; `toolsmith -p {word}` sends it to a model.")
            }
            closest => {
                format!("Did you mean {}? `toolsmith -p {word}` sends it to a model.", closest.join(", "))
            }
        };
        Err(Problem::wrong_use(format!("unknown command \"{word}\"")).hint(hint).into())
    }

    fn choice(&self) -> ModelChoice {
        let endpoint =
            self.provider.clone().or_else(|| self.base_url.as_ref().map(|_| "endpoint".to_owned()));
        match (endpoint, &self.model) {
            (Some(provider), model) => ModelChoice::Endpoint {
                provider,
                model: model.clone(),
                base_url: self.base_url.clone(),
                api_key_env: self.api_key_env.clone(),
            },
            (None, Some(model)) => ModelChoice::Named(model.clone()),
            (None, None) => ModelChoice::Settings,
        }
    }

    fn session_source(&self) -> SessionSource {
        match &self.resume {
            _ if self.no_session => SessionSource::Memory,
            Some(name) => SessionSource::Named(name.clone()),
            None if self.go_on => SessionSource::Latest,
            None => SessionSource::New,
        }
    }

    /// Returns whether the terminal interface is meant: no output mode was chosen.
    pub(crate) fn is_interactive(&self) -> bool {
        !self.print && self.mode.is_none()
    }

    /// Returns whether the list of sessions is opened first.
    pub(crate) fn picks_session(&self) -> bool {
        self.resume.as_deref() == Some("")
    }

    /// Returns whether no option or prompt was given.
    pub(crate) fn prompt_words(&self) -> &[String] {
        &self.prompt
    }

    /// Returns where the session of the terminal interface is stored, and why not in a file if that is not possible.
    pub(crate) fn interactive_source(&self, project: &Project) -> (SessionSource, Option<String>) {
        if self.picks_session() {
            return (SessionSource::New, None);
        }
        let source = self.session_source();
        match (&source, Sessions::at(project.home.toolsmith()).check_writable(&project.cwd)) {
            (SessionSource::New | SessionSource::Latest, Err(error)) => {
                (SessionSource::Memory, Some(format!("The session is not stored: {error}")))
            }
            _ => (source, None),
        }
    }

    /// Returns where the session is stored; in memory with a warning if its file cannot be created.
    fn stored_source(&self, project: &Project) -> SessionSource {
        let sessions = Sessions::at(project.home.toolsmith());
        let source = self.session_source();
        let is_new = match source {
            SessionSource::New => true,
            SessionSource::Latest => sessions.list(&project.cwd).is_ok_and(|list| list.is_empty()),
            _ => false,
        };
        if is_new && let Err(error) = sessions.check_writable(&project.cwd) {
            failure::warn_all(&[Warning::new(format!("the session is not stored: {error}"))]);
            return SessionSource::Memory;
        }
        source
    }

    fn built_ins(&self) -> BuiltIns {
        match &self.tools {
            _ if self.no_tools => BuiltIns::None,
            Some(names) => BuiltIns::Named(
                names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
            ),
            None => BuiltIns::All,
        }
    }

    /// Returns how extensions see the session.
    fn session_mode(&self) -> SessionMode {
        match self.mode {
            Some(Mode::Rpc) => SessionMode::Rpc,
            Some(Mode::Json) => SessionMode::Json,
            _ => SessionMode::Print,
        }
    }

    /// Checks options that only extensions know.
    pub(crate) fn check_flags(&self, session: &Session) -> Result<()> {
        let known = session.flags();
        for (name, value) in &self.flags {
            let Some(flag) = known.iter().find(|flag| flag.name == *name) else {
                let hint =
                    "`toolsmith --help` lists the options; `toolsmith list` lists those of extensions.";
                return Err(Problem::wrong_use(format!("unexpected argument '--{name}'")).hint(hint).into());
            };
            if flag.takes_text && value.is_none() {
                let what = format!("--{name} needs a value: --{name}=VALUE");
                return Err(Problem::wrong_use(what).into());
            }
            if !flag.takes_text && value.is_some() {
                return Err(Problem::wrong_use(format!("--{name} takes no value")).into());
            }
        }
        Ok(())
    }

    /// Builds the session from the command line.
    pub(crate) fn session(&self, project: &Project, discovered: Discovered) -> Result<SessionBuilder> {
        if self.picks_session() {
            let hint = "`toolsmith sessions list` shows the ids.";
            return Err(Problem::wrong_use("--resume needs a session here").hint(hint).into());
        }
        self.session_at(project, discovered, self.stored_source(project))
    }

    /// Builds a session that is stored as given.
    pub(crate) fn session_at(
        &self,
        project: &Project,
        discovered: Discovered,
        source: SessionSource,
    ) -> Result<SessionBuilder> {
        project.check_settings()?;
        let mut builder = Session::builder(&project.cwd)
            .home(project.home.clone())
            .settings(project.loaded.settings.clone())
            .discovered(discovered)
            .environment(KeyStore::at(&project.home).environment())
            .model_choice(self.choice())
            .built_ins(self.built_ins())
            .trust(project.trust.clone())
            .mode(self.session_mode())
            .mcp_servers(project.mcp_configuration().servers)
            .hooks(project.hooks())
            .prepared_definitions(project.prepared.clone())
            .session(source);
        for (name, value) in &self.flags {
            builder = builder.flag(name, value.as_ref().map_or(Value::Bool(true), |text| json!(text)));
        }
        if let Some(level) = self.thinking {
            builder = builder.thinking(level);
        }
        if let Some(mode) = self.approval_mode.or(self.auto_approve.then_some(ApprovalMode::Yolo)) {
            builder = builder.approval_mode(mode);
        }
        if let Some(text) = &self.system_prompt {
            builder = builder.system_prompt(input::text_or_file(text, &project.cwd)?);
        }
        for text in &self.append_system_prompt {
            builder = builder.append_system_prompt(input::text_or_file(text, &project.cwd)?);
        }
        if let Some(turns) = self.max_turns {
            builder = builder.limits(AgentLimits::default().max_turns(turns));
        }
        Ok(builder)
    }
}

pub(crate) fn run(shared: &Shared, own: &PrintArguments) -> Result<ExitCode> {
    if own.mode == Some(Mode::Rpc) {
        if own.is_asked_for() {
            let hint = "Send {\"type\": \"prompt\", \"message\": …} once it is ready.";
            return Err(Problem::wrong_use("--mode rpc takes no prompt on the command line")
                .hint(hint)
                .into());
        }
        return rpc::run(shared, own);
    }
    let as_json = shared.json || own.mode == Some(Mode::Json);
    own.check_word()?;
    if shared.verbose && !as_json {
        logging::show_tool_output();
    }
    let mut project = Project::open_for_session(shared)?;
    project.warn();
    let prompt = input::read(&own.prompt, &project.cwd, &project.mcp_configuration().servers)?;
    let discovered = project.discover_asking()?;
    let waiting: Vec<_> = discovered.waiting().cloned().collect();
    runtime::block_on(async {
        let progress = Progress::start("Loading tools");
        let mut builder = own.session(&project, discovered)?;
        let terminal = terminal::is_interactive()
            .then(|| Arc::new(TerminalUi::new(project.loaded.settings.ui.accessible)));
        if let Some(terminal) = &terminal {
            builder = builder.ui(Arc::clone(terminal) as Arc<dyn Ui>);
            builder = builder.approver(Arc::new(TerminalApprover(Arc::clone(terminal))));
            builder = builder.reviewer(Arc::new(TerminalReviewer::new(Arc::clone(terminal), &project.cwd)));
        }
        let session = builder.build().await;
        progress.end();
        let session = session.map_err(|error| match &error {
            SessionBuildError::UnknownTools(unknown) => {
                let name = unknown.names.first().map(|(name, _)| name.as_str()).unwrap_or_default();
                failure::waiting_for_trust(name, &waiting, &project).map_or(error.into(), anyhow::Error::from)
            }
            _ => error.into(),
        })?;
        failure::warn_about_tools(&session.loaded());
        failure::warn_about_extensions(&session);
        own.check_flags(&session)?;

        let cancel = CancelToken::new();
        let (stopper, command) = (session.clone(), cancel.clone());
        let came = interrupts::listen(move |reason, force| {
            if force {
                command.force(reason);
                stopper.force_stop(reason);
            } else {
                command.cancel(reason);
                stopper.abort(reason);
            }
        });
        let prompt =
            session.expand_prompt(prompt).await.map_err(|error| Problem::failed(error.to_string()))?;
        let events = session.subscribe();
        let work = work(&session, prompt, cancel);
        let told = match as_json {
            true => json::follow(events, work).await,
            false => text::follow(events, &session, terminal.as_deref(), &came, work).await,
        };
        let end = match told {
            Ok(end) => end,
            // The reader of the answer is gone: exit without a message, but with an error code.
            Err(error) if failure::is_broken_pipe(&error) => {
                session.dispose().await;
                return Ok(ExitCode::from(128 + interrupts::SIGPIPE));
            }
            Err(error) => return Err(error),
        };
        session.dispose().await;
        Ok(match (came.exit_code(), end) {
            (Some(code), _) => ExitCode::from(code),
            (None, RunEnd::Completed) => ExitCode::SUCCESS,
            // In JSON mode the last event has it.
            (None, _) if as_json => ExitCode::FAILURE,
            (None, end) => return Err(ended_early(&end, own.no_session).into()),
        })
    })
}

/// Sends the prompt, or runs the command it names (`/name arguments`), and waits until everything it started is over.
async fn work(session: &Session, prompt: Prompt, cancel: CancelToken) -> Result<()> {
    let text = match prompt.content.as_slice() {
        [block] => block.as_text().unwrap_or_default(),
        _ => "",
    };
    let prompt = match session.find_command(text) {
        None => Some(prompt),
        Some((name, arguments)) => match session.run_command(&name, &arguments, cancel).await? {
            CommandOutcome::Prompt(prompt) => Some(prompt),
            _ => None,
        },
    };
    if let Some(prompt) = prompt {
        session.prompt(prompt)?;
    }
    session.wait_until_settled().await;
    Ok(())
}

/// Explains why the run failed, and which options help.
fn ended_early(end: &RunEnd, no_session: bool) -> Problem {
    let problem = Problem::failed(end.message().unwrap_or("the run ended early"));
    match end {
        // The message names the setting.
        RunEnd::Limit { message } if message.contains("budget") => match no_session {
            true => problem,
            false => problem.hint("--continue continues from here once the limit is raised."),
        },
        RunEnd::Limit { .. } if no_session => problem.hint("--max-turns raises the limit."),
        RunEnd::Limit { .. } => {
            problem.hint("--max-turns raises the limit, and --continue continues from here.")
        }
        RunEnd::Fatal { .. } => problem.hint("Use --no-session to run without storing the session."),
        _ => problem,
    }
}
