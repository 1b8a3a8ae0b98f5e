//! `toolsmith call NAME`: runs a tool without a model, in the same way as a model's call.

pub(super) mod arguments;
mod preview;
mod show;
mod usage;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Result;
use clap_complete::engine::ArgValueCompleter;
use serde_json::Value;
use toolsmith::{BUILT_IN_NAMES, Discovered, LoadScope, LoadedTools};
use toolsmith_agent::{
    ApprovalMode, ApprovalRequest, Approver, CallEnd, CallRequest, Decision, Dispatcher, OutputCut, RESOLVE,
    Resolver,
};
use toolsmith_js::Engine;
use toolsmith_mcp::Servers;
use toolsmith_middleware::{Telemetry, hooks::HookGate};
use toolsmith_tool::{
    ArgumentSchema, CancelToken, Origin, OriginKind, PendingHandle, PendingStack, Registry, Tool,
    ToolContext, Ui, UiHandle, UiSlot, async_trait, closest_names,
};

use super::completions::{complete_pair, complete_tool};
use crate::{
    arguments::Shared,
    failure::{self, Problem},
    interface::TerminalUi,
    interrupts, logging,
    progress::Progress,
    project::Project,
    project_views::with_views,
    runtime, terminal, thrown,
};

/// Maximum number of modules that get their own runtime at once; more are only scanned, and the called one is loaded
/// again.
const MANY_MODULES: usize = 4;

/// Arguments of `call`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolsmith call hello name=World\n  toolsmith call ./hello.ts name=World\n  toolsmith call search 'filter.kind=open' tags=a tags=b\n  toolsmith call hello --args '{\"name\":\"World\"}'\n\nExit codes: 0 fine, 1 the tool failed, 2 wrong use, 3 a preview was not decided on, 130 Ctrl-C."
)]
pub(crate) struct CallArguments {
    /// Name of the tool, or the path of a module with one tool.
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(complete_tool))]
    name: String,
    /// Arguments, converted by the tool's schema. `a.b=1` sets a nested value; repeat a key to give a list.
    #[arg(value_name = "KEY=VALUE", add = ArgValueCompleter::new(complete_pair))]
    pairs: Vec<String>,
    /// All arguments as JSON, as @FILE, or - for standard input.
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    args: Option<String>,
    /// Deadline without progress, such as 30s.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    timeout: Option<Duration>,
    /// Apply a staged preview: all of it, or the files and parts with these numbers, such as 1,3 or 2.1.
    #[arg(long, value_name = "PARTS", num_args = 0..=1, default_missing_value = "")]
    apply: Option<String>,
    /// Discard a staged preview.
    #[arg(long, conflicts_with = "apply")]
    discard: bool,
}

impl CallArguments {
    /// `--apply key=value` is `--apply` and a pair: the value of the option is optional.
    fn pairs(&self) -> Vec<String> {
        let taken = self.apply.iter().filter(|parts| parts.contains('='));
        taken.chain(&self.pairs).cloned().collect()
    }

    /// Returns the parts to apply; empty for all of them.
    fn parts(&self) -> Option<&str> {
        self.apply.as_deref().map(|parts| if parts.contains('=') { "" } else { parts.trim() })
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    toolsmith::settings::parse_duration(text)
}

pub(crate) fn run(shared: &Shared, own: &CallArguments) -> Result<ExitCode> {
    let mut project = Project::open(shared)?;
    project.warn();
    logging::show_tool_output();
    let file = module_file(&project, &own.name);
    let discovered = match &file {
        Some(file) => project.discover_given(std::slice::from_ref(file)),
        None => project.discover_asking()?,
    };
    runtime::block_on_briefly(async {
        let engine = project.caching_engine(&discovered);
        // Prepares argument validation on another core while the tool is loaded.
        let _ = std::thread::Builder::new().name("schema".to_owned()).spawn(ArgumentSchema::warm_up);
        let progress = Progress::start("Loading tools");
        let loaded = load(&project, discovered, &engine, own.name.as_str(), file.is_some()).await;
        progress.end();
        mention_refused(&loaded);
        let name = match &file {
            Some(file) => only_tool(file, &loaded)?,
            None => own.name.clone(),
        };
        let remote = Remote::find(&project, &loaded, &name).await?;
        let slot = UiSlot::headless();
        let outcome = async {
            let call = Call::prepare(&project, &loaded, remote.as_ref(), &engine, (&name, own), slot)?;
            call.run(&project, shared, own).await
        };
        let outcome = outcome.await;
        if let Some(remote) = remote {
            remote.servers.close().await;
        }
        outcome
    })
}

/// Loads the tool of this name. All modules are loaded at a terminal, where problems with other tools are mentioned, and if no
/// tool has the name, to suggest others.
async fn load(
    project: &Project,
    discovered: Discovered,
    engine: &Engine,
    name: &str,
    is_file: bool,
) -> LoadedTools {
    if !is_file && !terminal::is_interactive() {
        let loaded = project.load_tool(name, discovered.clone(), engine, MANY_MODULES).await;
        if loaded.get(name).is_some() || BUILT_IN_NAMES.contains(&name) {
            return loaded;
        }
    }
    let mode = if discovered.ready().count() > MANY_MODULES { LoadScope::Scan } else { LoadScope::Call };
    project.load(discovered, engine, mode).await
}

/// Returns the module that a name is the path of.
fn module_file(project: &Project, name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let is_path = path.components().count() > 1 || path.extension().is_some();
    Some(project.cwd.join(path)).filter(|path| is_path && path.is_file())
}

/// Returns the name of the only tool of a module.
fn only_tool(file: &Path, loaded: &LoadedTools) -> Result<String> {
    let names: Vec<&str> = loaded.tools.iter().map(toolsmith::CustomTool::name).collect();
    match (names.as_slice(), loaded.errors.first()) {
        ([name], _) => Ok((*name).to_owned()),
        ([], Some(error)) => {
            let mut lines = Vec::new();
            failure::show_load_error(&mut lines, error, false)?;
            let drawn = toolsmith_text::plain(&String::from_utf8_lossy(&lines)).into_owned();
            Err(Problem::failed(format!("{} could not be loaded", file.display())).more(drawn).into())
        }
        ([], None) => Err(Problem::failed(format!("{} has no tool", file.display())).into()),
        (names, _) => {
            let hint = format!("Call one of them: toolsmith --tool {} call NAME", file.display());
            let what = format!("{} has several tools: {}", file.display(), names.join(", "));
            Err(Problem::wrong_use(what).hint(hint).into())
        }
    }
}

/// Other load errors are one line here; `list` shows them. Scripts do not need them.
fn mention_refused(loaded: &LoadedTools) {
    let count = loaded.errors.len();
    if count > 0 && terminal::is_interactive() {
        let noun = if count == 1 { "problem" } else { "problems" };
        failure::warn_all(&[toolsmith::Warning::new(format!("{count} {noun} with other tools"))
            .hint("`toolsmith list` shows the errors.")]);
    }
}

/// A tool of an MCP server, and the client that holds the server.
struct Remote {
    tool: Arc<dyn Tool>,
    servers: Servers,
}

impl Remote {
    /// Looks for the name among MCP tools if nothing else has it. Only the server it belongs to is started.
    async fn find(project: &Project, loaded: &LoadedTools, name: &str) -> Result<Option<Self>> {
        if !name.starts_with("mcp_") || loaded.get(name).is_some() {
            return Ok(None);
        }
        let configuration = project.mcp_configuration();
        failure::warn_all(&project.mcp_warnings(&configuration));
        let terminal = UiSlot::headless();
        if terminal::is_interactive() {
            terminal.set(Arc::new(TerminalUi::new(project.loaded.settings.ui.accessible)));
        }
        let servers = project.mcp_servers(configuration.servers, terminal.handle());
        let progress = Progress::start("Starting the MCP server");
        let found = toolsmith::find_mcp_tool(&servers, name).await;
        progress.end();
        let disabled = &project.loaded.settings.tools.disabled;
        match found {
            Ok(Some(tool)) if !disabled.iter().any(|own| tool.spec().is_named(own)) => {
                Ok(Some(Self { tool, servers }))
            }
            Ok(_) => Ok(None),
            Err(error) => {
                servers.close().await;
                Err(Problem::failed(error.to_string()).into())
            }
        }
    }

    fn origin(&self) -> Origin {
        let server = self.tool.spec().mcp.as_ref().map(|mcp| mcp.server.clone()).unwrap_or_default();
        Origin::new(OriginKind::Mcp, server)
    }
}

/// The user typed the call, so it is allowed without asking; only a `deny` overrides that.
struct TypedByUser;

#[async_trait]
impl Approver for TypedByUser {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        Decision::Allow
    }
}

/// A prepared call.
struct Call {
    tool: Arc<dyn Tool>,
    arguments: Value,
    dispatcher: Dispatcher,
    deadline: Option<Duration>,
    resolver: Resolver,
    ui: UiHandle,
    terminal: Option<Arc<TerminalUi>>,
    cancel: CancelToken,
    /// The context of the call, without what the call itself adds.
    context: ToolContext,
    telemetry: Option<Telemetry>,
}

impl Call {
    fn prepare(
        project: &Project,
        loaded: &LoadedTools,
        remote: Option<&Remote>,
        engine: &Engine,
        (name, own): (&str, &CallArguments),
        slot: UiSlot,
    ) -> Result<Self> {
        project.check_settings()?;
        let custom = loaded
            .get(name)
            .map(|custom| (Arc::clone(&custom.tool), custom.origin()))
            .or_else(|| remote.map(|remote| (Arc::clone(&remote.tool), remote.origin())));
        // A call that cannot be made leaves nothing in the user's directory.
        if custom.is_none() && !BUILT_IN_NAMES.contains(&name) {
            return Err(unknown(project, loaded, name));
        }
        let changes = toolsmith::change_store(&project.home)?;
        let (tool, origin) = custom
            .or_else(|| Some((project.built_in_tool(name, &changes)?, Origin::built_in())))
            .ok_or_else(|| unknown(project, loaded, name))?;
        let arguments = arguments::read(tool.spec(), &own.pairs(), own.args.as_deref())?;
        let settings = &project.loaded.settings;
        let mut registry = Registry::new();
        registry.register(Arc::clone(&tool), origin)?;
        let mut approval = settings.approval.clone();
        approval.mode = ApprovalMode::Yolo;
        let found = project.hooks();
        failure::warn_all(&found.all_warnings());
        let hooks = found.session();
        hooks.set_notify(|message| failure::warn_all(&[toolsmith::Warning::from_lines(&message)]));
        let gate = Arc::new(HookGate::new(hooks));
        // A file or a program that reads the result gets all of it.
        let output = match terminal::is_output_terminal() {
            true => settings.output.cut(),
            false => OutputCut::new(usize::MAX, usize::MAX),
        };
        let telemetry = Telemetry::from_environment(|name| std::env::var(name).ok());
        let mut dispatcher = Dispatcher::builder(registry);
        for monitor in toolsmith::monitors(settings, &project.home, telemetry.as_ref()) {
            dispatcher = dispatcher.monitor(monitor);
        }
        let dispatcher = dispatcher
            .gate(gate.clone())
            .approval(approval)
            .approver(Arc::new(TypedByUser))
            .deadlines(settings.deadlines())
            .output(output)
            .build();
        let rules = toolsmith::write_rules(&project.cwd, &project.home, &changes, Arc::default());
        let pending = PendingStack::with_file_tiers(rules);
        engine.set_pending(PendingHandle::new(Arc::clone(&pending)));
        let resolver =
            Resolver::new(pending, changes, &project.cwd).deadlines(settings.deadlines()).gate(gate);
        let terminal = terminal::is_interactive()
            .then(|| Arc::new(TerminalUi::new(project.loaded.settings.ui.accessible)));
        if let Some(terminal) = &terminal {
            let ui: Arc<dyn Ui> = Arc::clone(terminal) as Arc<dyn Ui>;
            engine.set_ui_context(Arc::clone(&ui));
            slot.set(ui);
        }
        Ok(Self {
            tool,
            arguments,
            dispatcher,
            deadline: own.timeout,
            resolver,
            ui: slot.handle(),
            terminal,
            cancel: CancelToken::new(),
            context: with_views(ToolContext::detached(), project),
            telemetry,
        })
    }

    /// Creates the context for the tool.
    fn context(&self, as_json: bool) -> ToolContext {
        self.context
            .clone()
            .with_cancel(self.cancel.clone())
            .with_ui(self.ui.clone())
            .with_pending(PendingHandle::new(Arc::clone(self.resolver.stack())))
            .with_updates(show::updates(as_json))
    }

    async fn run(self, project: &Project, shared: &Shared, own: &CallArguments) -> Result<ExitCode> {
        let cancel = self.cancel.clone();
        let came = interrupts::listen(
            move |reason, force| {
                if force { cancel.force(reason) } else { cancel.cancel(reason) }
            },
        );
        let live = if shared.json {
            None
        } else {
            show::LiveView::start(&self.tool, &self.arguments, self.terminal.as_ref())
        };
        let (live, sink) = live.unzip();
        let mut context = self.context(shared.json);
        if let Some(sink) = sink {
            context = context.with_updates(sink);
        }
        let mut request =
            CallRequest::new(show::CALL_ID, &self.tool.spec().name, self.arguments.clone()).context(context);
        if let Some(deadline) = self.deadline {
            request = request.deadline(deadline);
        }
        let outcome = self.dispatcher.call(request).await;
        if let Some(telemetry) = &self.telemetry {
            telemetry.flush().await;
        }
        if let Some(live) = live {
            live.end();
        }
        if outcome.end == CallEnd::InvalidArguments {
            let usage = usage::draw(self.tool.spec());
            return Err(Problem::wrong_use(outcome.result.joined_text()).more(usage).into());
        }
        let decisions = if came.exit_code().is_some() {
            // Nobody will decide any more (CONTRACT 8.6).
            self.resolver.drop_all("the call was cancelled", ToolContext::detached()).await;
            Vec::new()
        } else {
            preview::decide(&self, own).await
        };
        // Also if it arrived during the question about a preview.
        let interrupted = came.exit_code();
        if interrupted == Some(128 + interrupts::SIGPIPE) {
            // Nobody reads what it would say.
            return Ok(ExitCode::from(128 + interrupts::SIGPIPE));
        }
        let code = match (&outcome, &decisions) {
            _ if interrupted.is_some() => interrupted.unwrap_or_default(),
            (outcome, decisions) if outcome.is_error() || decisions.iter().any(preview::Decided::failed) => 1,
            (_, decisions) if decisions.iter().any(preview::Decided::is_open) => 3,
            _ => 0,
        };
        if shared.json {
            show::raw(&outcome, &decisions)?;
        } else {
            show::result(&self.tool, &outcome).await?;
            thrown::show(&outcome.result, project, shared.verbose)?;
            show::decisions(&decisions)?;
        }
        Ok(ExitCode::from(code))
    }
}

/// Explains why there is no such tool, as far as known.
fn unknown(project: &Project, loaded: &LoadedTools, name: &str) -> anyhow::Error {
    if name == RESOLVE {
        let hint =
            "A preview belongs to the call that staged it: `toolsmith call NAME --apply` or `--discard`.";
        return Problem::failed("No pending action to resolve. Nothing to apply or discard.")
            .hint(hint)
            .into();
    }
    let names: Vec<&str> = loaded.tools.iter().map(toolsmith::CustomTool::name).collect();
    let closest = closest_names(name, names.iter().copied().chain(BUILT_IN_NAMES));
    if let Some(mut waiting) = failure::waiting_for_trust(name, &loaded.waiting, project) {
        if !closest.is_empty() && !loaded.waiting.iter().any(|module| module.name() == name) {
            waiting.what.push_str(&format!("; did you mean {}?", closest.join(", ")));
        }
        return waiting.into();
    }
    let stem = |error: &&toolsmith::ToolLoadError| {
        let file = error.path.file_stem().is_some_and(|stem| stem == name);
        file || error.path.parent().and_then(|folder| folder.file_name()).is_some_and(|folder| folder == name)
    };
    // The tools of a failed module are unknown; one given on the command line was most likely intended.
    let given = |error: &&toolsmith::ToolLoadError| error.source_of_path.scope == toolsmith::Scope::Given;
    let errors = || loaded.errors.iter();
    if let Some(error) = errors().find(stem).or_else(|| errors().find(given)) {
        let mut lines = Vec::new();
        let _ = failure::show_load_error(&mut lines, error, false);
        let drawn = toolsmith_text::plain(&String::from_utf8_lossy(&lines)).into_owned();
        return Problem::failed(format!("\"{name}\" could not be loaded")).more(drawn).into();
    }
    if project.loaded.settings.tools.disabled.iter().any(|disabled| disabled == name) {
        let hint = "Remove it from `tools.disabled`; `toolsmith config tools` shows where it is set.";
        return Problem::failed(format!("\"{name}\" is disabled in the settings")).hint(hint).into();
    }
    let hint = match (closest.as_slice(), names.as_slice()) {
        ([], []) => "There are no tools; `toolsmith new NAME` creates one.".to_owned(),
        ([], names) => {
            format!("There are: {}", names.iter().take(20).copied().collect::<Vec<_>>().join(", "))
        }
        (closest, _) => format!("Did you mean {}?", closest.join(", ")),
    };
    Problem::wrong_use(format!("unknown tool \"{name}\"")).hint(hint).into()
}
