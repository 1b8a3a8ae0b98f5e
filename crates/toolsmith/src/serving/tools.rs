//! The served tools: a registry and a dispatcher that a reload replaces.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use tokio::sync::Notify;
use toolsmith_agent::{ApprovalMode, CallMonitor, Dispatcher, RESOLVE, RegistryRefresh};
use toolsmith_host::{
    changes::ChangeStore,
    location::{Protected, WriteRules},
};
use toolsmith_mcp::{
    config::ServerConfig,
    server::{ServedSession, ServedTools},
};
use toolsmith_middleware::{
    Telemetry,
    hooks::{HookGate, Hooks, HooksOptions},
};
use toolsmith_tool::{
    ApprovalPolicy, Origin, OriginKind, RegisterError, Registry, Tier, Tool, ToolContext, ToolSpec,
    UnknownTools, async_trait,
};

use super::{approver::ServeApprover, session::ServingSession};
use crate::{
    built_in::{built_in_tools_with, change_store, protect_found, protect_loaded, write_rules},
    configured_programs::{protect_programs, protect_providers},
    home::Home,
    hooks::FoundHooks,
    live_tools::{LiveTools, Look},
    load_error::ToolLoadError,
    loading::LoadedTools,
    settings::{Settings, monitors},
};

/// Prefix of the names of the server's own tools.
const OWN_PREFIX: &str = "toolsmith_";

/// Approval of calls from clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeApproval {
    /// The client decides.
    #[default]
    Client,
    /// Calls above this tier are refused.
    UpTo(Tier),
    /// The client's user is asked about each call of tier `exec`.
    Elicit,
}

/// Options of serving.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ServingOptions {
    /// The only tools to serve; all custom tools if `None`.
    pub only: Option<Vec<String>>,
    /// Serve built-in tools too.
    pub built_ins: bool,
    /// `edit` and `write` stage their changes.
    pub preview: bool,
    /// Approval of calls.
    pub approval: ServeApproval,
    /// Hooks that look at calls.
    pub hooks: Option<FoundHooks>,
    /// Configured MCP servers. They are not served; the files they start are `exec` for the built-in tools.
    pub mcp_servers: Vec<ServerConfig>,
    /// Reports calls.
    pub telemetry: Option<Telemetry>,
}

/// Tools for clients. Sharing one value serves the same tools to all of them.
pub struct ServingTools {
    cwd: PathBuf,
    home: Home,
    settings: Settings,
    options: ServingOptions,
    pub(super) store: Arc<ChangeStore>,
    pub(super) rules: Arc<WriteRules>,
    current: RwLock<Current>,
    pub(super) hooks: Hooks,
    monitors: Vec<Arc<dyn CallMonitor>>,
    protected: Arc<Protected>,
    live: Followed,
    list_changed: Notify,
}

/// The tools whose files are followed, once they are known.
#[derive(Clone, Default)]
struct Followed(Arc<OnceLock<LiveTools>>);

#[async_trait]
impl RegistryRefresh for Followed {
    /// The session brought the tools up to date before it looked for the dispatcher.
    async fn before_call(&self, _tool: &str) -> Option<String> {
        None
    }

    async fn version(&self, tool: &str) -> Option<String> {
        self.0.get()?.version(tool)
    }
}

/// Result of a reload.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Reloaded {
    /// Clients see other tools than before.
    pub is_list_changed: bool,
    /// Errors of modules that no longer load. Their last working versions are served.
    pub failures: Vec<ToolLoadError>,
    /// States of modules that could not be taken over.
    pub problems: Vec<String>,
    /// The tools afterwards; nothing if no file changed.
    pub loaded: LoadedTools,
}

struct Current {
    dispatcher: Dispatcher,
    specs: Vec<ToolSpec>,
    can_stage: bool,
}

impl std::fmt::Debug for ServingTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServingTools")
            .field("cwd", &self.cwd)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Errors of choosing what to serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServingError {
    /// A named tool does not exist.
    #[error(transparent)]
    Unknown(#[from] UnknownTools),
    /// The directory for file changes cannot be used.
    #[error(transparent)]
    Changes(#[from] toolsmith_host::changes::ChangeError),
    /// A built-in tool cannot be registered.
    #[error(transparent)]
    Tool(#[from] RegisterError),
}

impl ServingTools {
    /// Serves what was loaded.
    ///
    /// # Errors
    /// Fails if a named tool does not exist.
    pub fn new(
        cwd: impl Into<PathBuf>,
        home: Home,
        settings: Settings,
        options: ServingOptions,
        loaded: &LoadedTools,
    ) -> Result<Arc<Self>, ServingError> {
        let cwd = cwd.into();
        let store = change_store(&home)?;
        let protected = Arc::<Protected>::default();
        protect_found(&protected, &loaded.discovered);
        protect_loaded(&protected, loaded);
        protect_programs(&protected, &settings, &options.mcp_servers, &cwd, &home);
        protect_providers(&protected, loaded, &cwd, &home);
        let hooks = match &options.hooks {
            Some(found) => {
                found.protect(&protected);
                found.session()
            }
            None => Hooks::new(Vec::new(), HooksOptions::new(&cwd)),
        };
        let rules = write_rules(&cwd, &home, &store, Arc::clone(&protected));
        let monitors = monitors(&settings, &home, options.telemetry.as_ref());
        let (live, list_changed) = (Followed::default(), Notify::new());
        let current =
            make(&cwd, &home, &settings, &options, &store, &rules, loaded, &hooks, &monitors, &live)?;
        let current = RwLock::new(current);
        Ok(Arc::new(Self {
            cwd,
            home,
            settings,
            options,
            store,
            rules,
            current,
            hooks,
            monitors,
            protected,
            live,
            list_changed,
        }))
    }

    /// Follows these tools: trust that is removed ends, and unless the setting `tools.reload` is off, changed files are
    /// loaded again.
    pub fn follow(&self, live: LiveTools) {
        let _ = self.live.0.set(live);
    }

    /// Loads modules again whose files changed since they were loaded. Calls in progress end with the old ones.
    ///
    /// # Errors
    /// Fails without changes if a named tool does not exist any more.
    pub async fn reload(&self) -> Result<Reloaded, ServingError> {
        self.refresh(Look::Everything).await
    }

    /// Brings the module of a tool up to date before it is called. Returns a note about one that no longer loads.
    pub(super) async fn before_call(&self, tool: &str) -> Option<String> {
        let live = self.live.0.get()?;
        if !self.follow_trust().await && self.settings.tools.reload && live.is_outdated(tool) {
            self.refresh_quietly(Look::Tool(tool)).await;
        }
        let error = live.stale(tool)?;
        Some(format!(
            "[The file of the tool \"{tool}\" no longer loads: {error}. This is the result of its last working version.]"
        ))
    }

    /// Removes modules that may no longer run. Returns whether the user's list of what is trusted changed.
    pub(super) async fn follow_trust(&self) -> bool {
        let is_changed = self.live.0.get().is_some_and(LiveTools::is_trust_changed);
        if is_changed {
            self.refresh_quietly(Look::Trust).await;
        }
        is_changed
    }

    async fn refresh_quietly(&self, look: Look<'_>) {
        match self.refresh(look).await {
            Ok(reloaded) if reloaded.is_list_changed => self.list_changed.notify_one(),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "The tools were not reloaded"),
        }
    }

    /// Waits until a call changed the list of tools.
    pub async fn list_changed(&self) {
        self.list_changed.notified().await;
    }

    async fn refresh(&self, look: Look<'_>) -> Result<Reloaded, ServingError> {
        let Some(live) = self.live.0.get() else { return Ok(Reloaded::default()) };
        let Some(change) = live.look(look).await else { return Ok(Reloaded::default()) };
        let loaded = change.loaded.clone();
        let failures = change.failures.clone();
        // Made first: a list that cannot be served changes nothing, except that modules which may no longer run are not called.
        let new = match self.make_current(&loaded) {
            Ok(new) => new,
            Err(error) => {
                if change.is_about_trust {
                    change.make(&ToolContext::detached()).await;
                }
                return Err(error);
            }
        };
        let problems = change.make(&ToolContext::detached()).await;
        protect_found(&self.protected, &loaded.discovered);
        protect_loaded(&self.protected, &loaded);
        protect_providers(&self.protected, &loaded, &self.cwd, &self.home);
        Ok(Reloaded { is_list_changed: self.put(new), failures, problems, loaded })
    }

    fn make_current(&self, loaded: &LoadedTools) -> Result<Current, ServingError> {
        let Self { cwd, home, settings, options, store, rules, hooks, monitors, live, .. } = self;
        make(cwd, home, settings, options, store, rules, loaded, hooks, monitors, live)
    }

    /// Replaces the tools. Returns whether the definitions changed.
    fn put(&self, mut new: Current) -> bool {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let is_same = |one: &ToolSpec, other: &ToolSpec| {
            (&one.name, &one.label, &one.description, &one.parameters, &one.approval)
                == (&other.name, &other.label, &other.description, &other.parameters, &other.approval)
                && (&one.output_schema, one.effects) == (&other.output_schema, other.effects)
        };
        // Tools that stay keep their places in the list, and new ones go to the end (CONTRACT 5.6).
        let place = |spec: &ToolSpec| current.specs.iter().position(|old| old.name == spec.name);
        new.specs.sort_by_key(|spec| place(spec).unwrap_or(usize::MAX));
        let changed = current.specs.len() != new.specs.len()
            || current.specs.iter().zip(&new.specs).any(|(one, other)| !is_same(one, other));
        *current = new;
        changed
    }

    /// Returns the names of the served tools.
    pub fn names(&self) -> Vec<String> {
        self.tools().into_iter().map(|spec| spec.name).collect()
    }

    pub(super) fn dispatcher(&self) -> Dispatcher {
        self.current.read().unwrap_or_else(PoisonError::into_inner).dispatcher.clone()
    }

    pub(super) fn cwd(&self) -> &std::path::Path {
        &self.cwd
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns a dispatcher for a tool of the server itself, with the same hooks and approval as for all others.
    pub(super) fn own_dispatcher(&self, tool: Arc<dyn Tool>) -> Result<Dispatcher, RegisterError> {
        let name = tool.spec().name.clone();
        let mut registry = Registry::new();
        registry.register(tool, Origin::built_in())?;
        let dispatcher =
            dispatcher(registry, &self.settings, &self.options, &self.hooks, &self.monitors, &self.live);
        // Whoever denies the tool by the name it has in a session means it here as well.
        let short = name.strip_prefix(OWN_PREFIX).unwrap_or(&name);
        if self.settings.approval.tools.get(short) == Some(&ApprovalPolicy::Deny) {
            let settings = dispatcher.approval_settings().tool(&name, ApprovalPolicy::Deny);
            dispatcher.set_approval_settings(settings);
        }
        Ok(dispatcher)
    }

    pub(super) fn approval(&self) -> ServeApproval {
        self.options.approval
    }

    pub(super) fn custom_tools(&self) -> Vec<Arc<dyn Tool>> {
        let is_custom = |kind| kind != OriginKind::BuiltIn;
        self.dispatcher().registry().read(|registry| {
            registry
                .iter()
                .filter(|found| is_custom(found.origin.kind))
                .map(|found| Arc::clone(&found.tool))
                .collect()
        })
    }
}

#[expect(clippy::too_many_arguments, reason = "the fields of `ServingTools`, which is being made")]
fn make(
    cwd: &std::path::Path,
    home: &Home,
    settings: &Settings,
    options: &ServingOptions,
    store: &Arc<ChangeStore>,
    rules: &Arc<WriteRules>,
    loaded: &LoadedTools,
    hooks: &Hooks,
    monitors: &[Arc<dyn CallMonitor>],
    live: &Followed,
) -> Result<Current, ServingError> {
    let mut registry = Registry::new();
    let named = |name: &str| options.only.as_ref().is_some_and(|only| only.iter().any(|own| own == name));
    let built_ins = built_in_tools_with(cwd, home, store, options.preview, Default::default(), rules, None);
    for tool in built_ins {
        let spec = tool.spec();
        let is_wanted = (options.built_ins && options.only.is_none()) || named(&spec.name);
        if is_wanted && !settings.tools.disabled.contains(&spec.name) {
            registry.register(tool, Origin::built_in())?;
        }
    }
    for custom in &loaded.tools {
        // One with invalid parameters is among the load errors of other commands; here it is only left out.
        if let Err(error) = registry.register(Arc::clone(&custom.tool), custom.origin()) {
            tracing::warn!(%error, "A tool is not served");
        }
    }
    if let Some(only) = &options.only {
        registry.set_active(only)?;
        let unwanted: Vec<String> =
            registry.names().filter(|name| !registry.is_active(name)).map(str::to_owned).collect();
        for name in unwanted {
            registry.unregister(&name);
        }
    }
    let mut specs: Vec<ToolSpec> = registry
        .iter()
        .filter(|found| {
            found.tool.spec().name != RESOLVE && (!found.tool.spec().hidden || named(&found.tool.spec().name))
        })
        .map(|found| found.tool.spec().clone())
        .collect();
    specs.sort_by(|one, other| one.name.cmp(&other.name));
    let can_stage =
        registry.iter().any(|found| found.tool.spec().deferrable || found.origin.kind != OriginKind::BuiltIn)
            || (options.preview && !specs.is_empty());
    let dispatcher = dispatcher(registry, settings, options, hooks, monitors, live);
    Ok(Current { dispatcher, specs, can_stage })
}

/// The path of every call: hooks first, then the settings, then the approver.
fn dispatcher(
    registry: Registry,
    settings: &Settings,
    options: &ServingOptions,
    hooks: &Hooks,
    monitors: &[Arc<dyn CallMonitor>],
    live: &Followed,
) -> Dispatcher {
    let mut approval = settings.approval.clone();
    approval.mode = match options.approval {
        ServeApproval::Client => ApprovalMode::Yolo,
        // Everything is put to the approver, which knows the limit.
        _ => ApprovalMode::AlwaysAsk,
    };
    let mut dispatcher = Dispatcher::builder(registry);
    for monitor in monitors {
        dispatcher = dispatcher.monitor(Arc::clone(monitor));
    }
    dispatcher
        .refresh(Arc::new(live.clone()))
        .gate(Arc::new(HookGate::new(hooks.clone())))
        // A hook cannot allow more than the server was started with.
        .gates_approve(false)
        .approval(approval)
        .approver(Arc::new(ServeApprover(options.approval)))
        .deadlines(settings.deadlines())
        .output(settings.output.cut())
        .build()
}

/// The tools as the server wants them, with a reference to themselves for their sessions.
#[derive(Debug)]
pub(super) struct Shared(pub(super) Arc<ServingTools>);

impl ServingTools {
    /// Returns the tools for the server.
    pub fn served(self: &Arc<Self>) -> Arc<dyn ServedTools> {
        Arc::new(Shared(Arc::clone(self)))
    }

    fn tools(&self) -> Vec<ToolSpec> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).specs.clone()
    }
}

#[async_trait]
impl ServedTools for Shared {
    fn tools(&self) -> Vec<ToolSpec> {
        self.0.tools()
    }

    fn can_stage(&self) -> bool {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).can_stage
    }

    async fn open(&self) -> Arc<dyn ServedSession> {
        Arc::new(ServingSession::open(Arc::clone(&self.0)).await)
    }
}
