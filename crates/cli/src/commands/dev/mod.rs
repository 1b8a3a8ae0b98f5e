//! `toolsmith dev NAME`: loads, checks and calls a tool, and repeats this whenever one of its files changes.

mod show;

use std::{
    io::{BufRead as _, Read as _},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, Result};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use toolsmith::{Discovered, FoundModule, LoadScope, Warning, Watch, trust_store};
use toolsmith_agent::CallOutcome;
use toolsmith_js::{LoadedModule, ModuleHandle, ModuleRequest};
use toolsmith_text::Row;
use toolsmith_tool::{
    CWD_MARK, CallTape, CancelToken, PendingHandle, PendingStack, Recording, Tool, ToolContext, ToolResult,
    UpdateSink, closest_names,
};

use super::call::arguments as typed;
use crate::{
    arguments::Shared,
    calling::call_alone,
    failure::{self, Problem},
    lint::Examiner,
    logging,
    project::Project,
    project_views::with_views,
    recorded_calls::NewCase,
    runtime, terminal,
    tool_view::CallView,
};
use show::{Run, Screen};

/// The most bytes of a recorded call.
const MAX_RECORDING: usize = 8 << 20;
/// Partial results drawn before the result.
const DRAWN_UPDATES: usize = 3;

/// Arguments of `dev`.
#[derive(Debug, clap::Args)]
pub(crate) struct DevArguments {
    /// Name of the tool, or path of its module.
    #[arg(value_name = "NAME")]
    name: String,
    /// Arguments, as for `call`. Without any, a tool with required arguments is only checked.
    #[arg(value_name = "KEY=VALUE")]
    pairs: Vec<String>,
    /// All arguments as JSON, as @FILE, or - for standard input.
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    args: Option<String>,
}

pub(crate) fn run(shared: &Shared, own: &DevArguments) -> Result<ExitCode> {
    let mut project = Project::open(shared)?;
    project.warn();
    if !shared.json {
        logging::show_tool_output();
    }
    let given = match own.args.as_deref() {
        // Standard input can be read only once, but calls repeat.
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("could not read standard input")?;
            Some(text)
        }
        other => other.map(str::to_owned),
    };
    let path = project.cwd.join(&own.name);
    let discovered = if path.is_file() { None } else { Some(project.discover_asking()?) };
    runtime::block_on_while_read(async {
        let module = match discovered {
            None => {
                let request = ModuleRequest::new(path.clone());
                Target { path, request, tool: None, is_given: true }
            }
            Some(discovered) => find(&project, discovered, &own.name).await?,
        };
        let mut session = Session {
            screen: Screen::new(shared.json, shared.verbose),
            watch: Watch::new()?,
            module,
            pairs: &own.pairs,
            args: given.as_deref(),
            project: &mut project,
            working: ModuleHandle::default(),
            // Standard input is read for the arguments then.
            keys: (own.args.as_deref() != Some("-")).then(listen_for_keys),
        };
        tokio::select! {
            outcome = session.go_on() => outcome,
            interrupt = tokio::signal::ctrl_c() => interrupt.context("could not listen for Ctrl-C"),
        }?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The module under development.
struct Target {
    path: PathBuf,
    request: ModuleRequest,
    /// The tool's name; the module's only one unless given.
    tool: Option<String>,
    /// It is a path on the command line, which needs no trust.
    is_given: bool,
}

impl Target {
    fn found(module: &FoundModule, tool: Option<String>) -> Self {
        Self { path: module.path.clone(), request: module.request(), tool, is_given: false }
    }

    /// Finds the module again: it may have lost its trust, or lead elsewhere (CONTRACT 2.8).
    fn look_again(&mut self, project: &Project) -> Result<(), Problem> {
        if self.is_given {
            return Ok(());
        }
        let discovered = project.discover();
        let is_same = |module: &&FoundModule| module.path == self.path;
        if let Some(module) = discovered.ready().find(is_same) {
            self.request = module.request();
            return Ok(());
        }
        let waiting: Vec<_> = discovered.waiting().filter(is_same).cloned().collect();
        let name = waiting.first().map(FoundModule::name).unwrap_or_default();
        let gone = || Problem::failed(format!("{} is not a module any more", project.show(&self.path)));
        Err(failure::waiting_for_trust(&name, &waiting, project).unwrap_or_else(gone))
    }
}

/// Finds the module by the name of its file or directory, which also works for one that does not load, or by its tool's
/// name.
async fn find(project: &Project, discovered: Discovered, name: &str) -> Result<Target> {
    let waiting: Vec<_> = discovered.waiting().cloned().collect();
    if waiting.iter().any(|module| module.name() == name)
        && let Some(problem) = failure::waiting_for_trust(name, &waiting, project)
    {
        return Err(problem.into());
    }
    if let Some(module) = discovered.ready().find(|module| module.name() == name) {
        return Ok(Target::found(module, None));
    }
    let engine = project.engine(&discovered);
    let modules: Vec<_> = discovered.ready().cloned().collect();
    let loaded = project.load(discovered, &engine, LoadScope::Scan).await;
    let found = loaded.get(name).and_then(|tool| modules.iter().find(|module| module.path == tool.path));
    match found {
        Some(module) => Ok(Target::found(module, Some(name.to_owned()))),
        None => {
            if let Some(problem) = failure::waiting_for_trust(name, &waiting, project) {
                return Err(problem.into());
            }
            let known: Vec<&str> = loaded.tools.iter().map(toolsmith::CustomTool::name).collect();
            let close = closest_names(name, known.iter().copied());
            let problem = Problem::wrong_use(format!("no tool or file named \"{name}\""));
            let hint = match close.first() {
                Some(close) => format!("Did you mean \"{close}\"?"),
                None => format!("`toolsmith new {name}` creates one; `toolsmith list` shows all tools."),
            };
            Err(problem.hint(hint).into())
        }
    }
}

/// A tool under development.
struct Session<'a> {
    screen: Screen,
    watch: Watch,
    module: Target,
    pairs: &'a [String],
    args: Option<&'a str>,
    project: &'a mut Project,
    /// The last version that loaded. It gives its state to the next one.
    working: ModuleHandle,
    keys: Option<UnboundedReceiver<String>>,
}

impl Session<'_> {
    /// Repeats rounds until stopped.
    async fn go_on(&mut self) -> Result<()> {
        let mut changed = Vec::new();
        loop {
            changed = self.once(&changed).await?;
        }
    }

    /// Runs one round: load, check, call, wait for a change. A change during the call stops it.
    async fn once(&mut self, changed: &[PathBuf]) -> Result<Vec<PathBuf>> {
        // Recorded before loading, so that a write during loading counts as a change.
        self.watch.add([&self.module.path]);
        if !self.module.is_given {
            self.watch.add([&trust_store(&self.project.home).file().to_path_buf()]);
        }
        self.watch.look();
        self.project.follow_trust();
        let was_restricted = self.module.request.imports.is_some();
        let path = self.module.path.clone();
        if let Err(problem) = self.module.look_again(self.project) {
            let context = with_views(ToolContext::detached(), self.project);
            std::mem::take(&mut self.working).revoke(None, &context).await;
            let mut run = Run::new(&path, changed, Vec::new());
            self.screen.begin(&run, self.project)?;
            run.called = Some(Called::Not(problem.into()));
            self.screen.end(&run, self.watched(), self.project)?;
            return self.wait(&run).await;
        }
        let found = self.project.discover_given(std::slice::from_ref(&self.module.path));
        let engine = self.project.recordable_engine(&found);
        let requests = vec![self.module.request.clone()];
        let module = engine.load_modules(requests).await.into_iter().next().context("nothing was loaded")?;
        self.watch.add(module.files.iter().filter(|path| is_own(path)));
        let findings = Examiner::new(&toolsmith::BUILT_IN_NAMES).examine(&module);
        let mut run = Run::new(&path, changed, findings);
        self.screen.begin(&run, self.project)?;
        if module.errors.is_empty() {
            let context = with_views(ToolContext::detached(), self.project);
            let old = std::mem::replace(&mut self.working, module.handle.clone());
            // A version that may no longer run as it did is not asked for its state.
            let problem = if self.module.request.imports.is_some() == was_restricted {
                old.hand_over(Some(&module.handle), &context).await
            } else {
                old.revoke(Some(&module.handle), &context).await;
                None
            };
            if let Some(problem) = problem {
                failure::warn_all(&[Warning::new(format!("the state was not taken over: {problem}"))]);
            }
        }
        let cancel = CancelToken::new();
        let call = call(&module, self.module.tool.as_deref(), self.pairs, self.args, self.project, &cancel);
        let change = tokio::select! {
            called = call => {
                run.called = Some(called);
                None
            }
            changed = self.watch.changed() => Some(changed),
        };
        self.screen.end(&run, self.watched(), self.project)?;
        Ok(match change {
            Some(changed) => {
                cancel.force("the tool's files changed");
                changed
            }
            None => self.wait(&run).await?,
        })
    }

    /// Returns the number of the module's files. The list of what is trusted is watched too, if the module needs trust.
    fn watched(&self) -> usize {
        self.watch.count() - usize::from(!self.module.is_given)
    }

    /// Waits for a change. Meanwhile `r` saves the call as a case.
    async fn wait(&mut self, run: &Run<'_>) -> Result<Vec<PathBuf>> {
        loop {
            let key = async {
                match &mut self.keys {
                    Some(keys) => match keys.recv().await {
                        Some(key) => key,
                        // Standard input ended.
                        None => std::future::pending().await,
                    },
                    None => std::future::pending().await,
                }
            };
            let key = tokio::select! {
                changed = self.watch.changed() => return Ok(changed),
                key = key => key,
            };
            if key == "r" {
                match save(run, &self.module.path, self.project) {
                    Ok(path) => self.screen.saved(&path, self.project)?,
                    Err(error) => explain(&error),
                }
            }
        }
    }
}

/// Writes the last call as a case beside the tool.
fn save(run: &Run<'_>, module: &Path, project: &Project) -> Result<PathBuf> {
    let Some(Called::Ended { tool, result, arguments, recording, .. }) = &run.called else {
        return Err(Problem::failed("there is no call to save").into());
    };
    if let Some(why) = &recording.incomplete {
        return Err(Problem::failed(format!("the call was not recorded: {why}")).into());
    }
    let secrets = toolsmith::secret_values();
    let recording = recording.clone().redacted(&secrets).replacing(&project.cwd.to_string_lossy(), CWD_MARK);
    let taken = |number: &usize| {
        let stem = module.file_stem().unwrap_or_default().to_string_lossy();
        module.with_file_name(format!("{stem}.recorded-{number}.case.json")).exists()
    };
    let number = (1..).find(|number| !taken(number)).unwrap_or_default();
    let case = NewCase {
        about: "Recorded by toolsmith dev".to_owned(),
        module,
        tool,
        arguments,
        recording: Some(recording),
        result,
        cwd: &project.cwd,
        mark: format!("recorded-{number}"),
    };
    case.write(&secrets)
}

/// Package files are not watched.
fn is_own(path: &Path) -> bool {
    !path.components().any(|part| part.as_os_str() == "node_modules")
}

/// Outcome of a round's call.
#[expect(clippy::large_enum_variant, reason = "there is one per round")]
pub(super) enum Called {
    /// No call was made: the module has no such tool, or the arguments are invalid.
    Not(anyhow::Error),
    /// The call was made.
    Ended {
        tool: String,
        result: ToolResult,
        updates: Vec<ToolResult>,
        staged: Vec<String>,
        arguments: Value,
        recording: Recording,
        /// As the tool draws it, on a terminal: the last partial results, and the result.
        drawn: Option<Vec<Row>>,
    },
}

async fn call(
    module: &LoadedModule,
    name: Option<&str>,
    pairs: &[String],
    args: Option<&str>,
    project: &Project,
    cancel: &CancelToken,
) -> Called {
    let mut tools = module.tools.iter();
    let found = match name {
        Some(name) => tools.find(|tool| tool.tool.spec().name == name),
        None => tools.next(),
    };
    let Some(found) = found else {
        // The load error is among the findings.
        let what =
            name.map_or_else(|| "no tool to call".to_owned(), |name| format!("no tool \"{name}\" any more"));
        return Called::Not(Problem::failed(what).into());
    };
    let spec = found.tool.spec();
    let arguments = match typed::read(spec, pairs, args) {
        Ok(arguments) => arguments,
        Err(error) => return Called::Not(error),
    };
    let updates = Arc::new(Mutex::new(Vec::new()));
    let sink = UpdateSink::new({
        let updates = Arc::clone(&updates);
        move |partial| updates.lock().unwrap_or_else(PoisonError::into_inner).push(partial)
    });
    let pending = PendingStack::new();
    let tape = CallTape::record(MAX_RECORDING);
    let sent = arguments.clone();
    let context = with_views(ToolContext::detached(), project)
        .with_tape(tape.clone())
        .with_cancel(cancel.clone())
        .with_updates(sink)
        .with_pending(PendingHandle::new(Arc::clone(&pending)));
    let settings = &project.loaded.settings;
    let deadline = settings.tool(&spec.name).timeout.unwrap_or(settings.limits.call);
    match call_alone(Arc::clone(&found.tool), arguments, context, deadline).await {
        Ok(outcome) => {
            let mut staged = Vec::new();
            while let Some(action) = pending.pop() {
                staged.push(action.label);
            }
            let updates = std::mem::take(&mut *updates.lock().unwrap_or_else(PoisonError::into_inner));
            let drawn = draw(&found.tool, &outcome, &updates).await;
            Called::Ended {
                tool: spec.name.clone(),
                result: outcome.result,
                updates,
                staged,
                arguments: sent,
                recording: tape.take(),
                drawn,
            }
        }
        Err(error) => Called::Not(error.into()),
    }
}

/// Draws the call in the view of the interactive interface, if the tool draws its calls and there is a terminal.
async fn draw(tool: &Arc<dyn Tool>, outcome: &CallOutcome, updates: &[ToolResult]) -> Option<Vec<Row>> {
    let width = terminal::output_width().filter(|_| CallView::is_drawn_by_tool(tool))?;
    let arguments = outcome.arguments.clone().unwrap_or_default();
    let mut view = CallView::new(Some(Arc::clone(tool)), "dev", &tool.spec().name, arguments);
    let mut rows = Vec::new();
    for partial in updates.iter().skip(updates.len().saturating_sub(DRAWN_UPDATES)) {
        view.update(partial.clone());
        rows.extend(view.rows(width, true).await);
        rows.push(Row::new());
    }
    view.finish(outcome.result.clone(), outcome.is_error(), outcome.duration);
    rows.extend(view.rows(width, true).await);
    Some(rows)
}

/// Shows why a round made no call.
fn explain(error: &anyhow::Error) {
    let _ = failure::failed(error, false);
}

/// Reads the keys, which are lines of standard input, in a thread of its own that ends with the program.
fn listen_for_keys() -> UnboundedReceiver<String> {
    let (sender, keys) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            // A line that is not text is not a key.
            let Ok(line) = line else { return };
            if sender.send(line.trim().to_owned()).is_err() {
                return;
            }
        }
    });
    keys
}
