//! The session builder.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, RwLock},
};

use serde_json::Value;
use thiserror::Error;
use toolsmith_agent::{
    Agent, AgentLimits, ApprovalMode, ApprovalSettings, Approver, BuildError, Dispatcher, RESOLVE,
    RecordCalls, ResolveTool, ResolveToolChoice, Resolver, Reviewer,
    session::{CurrentSession, SessionLog, Sessions},
};
use toolsmith_builtins::{ReadNames, TODO_WRITE, Todos};
use toolsmith_host::{changes::ChangeError, location::Protected};
use toolsmith_js::{Engine, PreparedDefinitions};
use toolsmith_llm::{Environment, Model, Provider, Script, ScriptedProvider, ThinkingLevel};
use toolsmith_mcp::config::ServerConfig;
use toolsmith_middleware::{
    DeferredTools, ExtensionGate, ExtensionHook, ExtensionLimits, Extensions, NestedContext, Telemetry,
    TodoReminders,
    hooks::{HookEvents, HookGate},
    rules::{Rule, StreamRules, rules_prompt},
};
use toolsmith_tool::{
    CancelToken, Origin, OriginKind, PendingHandle, PendingStack, RegisterError, Registry, SessionEvent,
    Tool, Ui, UiSlot, UnknownTools, closest_names,
};

use super::{
    background::{LoadingTools, find_library, start_system_prompt},
    extensions::{
        BuiltInCalls, ExtensionModels, HostActions, Inner as ExtensionState, SessionExtensions, SessionMode,
    },
    hooks::SessionHooks,
    model_choice::{ModelChoice, ModelError},
    models::{Models, note_endpoint},
    recovery::Recovery,
    reload::Reload,
    session::Session,
};
use crate::{
    built_in::{built_in_names, built_in_tools_with, change_store, protect_found, write_rules},
    configured_programs::protect_programs,
    discovery::{
        ConfiguredFrom, ConfiguredPath, Discovered, DiscoveryOptions, FoundModule, ModuleKind,
        discover_configured_paths, discover_custom_tool_paths,
    },
    home::{Home, HomeError},
    hooks::{FoundHooks, HookOptions, discover_hooks},
    loading::{LoadedTools, definition_cache, engine_options},
    mcp::{McpTools, permitted_servers, trusted_servers},
    project_root::find_project,
    settings::{PreviewDecision, Settings, budget_guard, secret_values},
    skills::{KeepSkills, SkillFiles},
    trust::{TrustDecision, guard_programs},
    warning::Warning,
};

/// Which built-in tools are active at first (CONTRACT 5.2). Custom tools are always active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuiltIns {
    /// All of them.
    #[default]
    All,
    /// These, and hidden tools by name.
    Named(Vec<String>),
    /// None.
    None,
}

/// Where the session is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionSource {
    /// In memory.
    #[default]
    Memory,
    /// In a new file.
    New,
    /// In the most recent file of this directory; in a new one if there is none.
    Latest,
    /// In the file with this id, id prefix or path.
    Named(String),
}

/// Session building errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionBuildError {
    /// The user's home folder is not known.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// There is no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A tool of the embedding program cannot be used.
    #[error(transparent)]
    Tool(#[from] RegisterError),
    /// A requested tool does not exist.
    #[error(transparent)]
    UnknownTools(#[from] UnknownTools),
    /// The directory for file changes cannot be used.
    #[error(transparent)]
    Changes(#[from] ChangeError),
    /// The requested session cannot be opened.
    #[error(transparent)]
    Session(#[from] toolsmith_agent::session::SessionError),
    /// The agent cannot be built.
    #[error(transparent)]
    Agent(#[from] BuildError),
}

/// Builds a [`Session`].
#[must_use]
pub struct SessionBuilder {
    cwd: PathBuf,
    home: Option<Home>,
    settings: Settings,
    trust: TrustDecision,
    model: ModelChoice,
    environment: Environment,
    thinking: Option<ThinkingLevel>,
    custom_tools: Vec<Arc<dyn Tool>>,
    tool_paths: Vec<ConfiguredPath>,
    discovered: Option<Discovered>,
    discovery: bool,
    built_ins: BuiltIns,
    ui: Option<Arc<dyn Ui>>,
    approver: Option<Arc<dyn Approver>>,
    reviewer: Option<Arc<dyn Reviewer>>,
    approval_mode: Option<ApprovalMode>,
    preview: Option<bool>,
    system: Option<String>,
    appended: Vec<String>,
    limits: AgentLimits,
    source: SessionSource,
    rules: Vec<Rule>,
    extension_paths: Vec<ConfiguredPath>,
    mode: SessionMode,
    flags: BTreeMap<String, Value>,
    mcp: Vec<ServerConfig>,
    hooks: Option<FoundHooks>,
    prepared: Option<PreparedDefinitions>,
}

impl SessionBuilder {
    pub(super) fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            home: None,
            settings: Settings::default(),
            trust: TrustDecision::default(),
            model: ModelChoice::default(),
            environment: Environment::process(),
            thinking: None,
            custom_tools: Vec::new(),
            tool_paths: Vec::new(),
            discovered: None,
            discovery: false,
            built_ins: BuiltIns::default(),
            ui: None,
            approver: None,
            reviewer: None,
            approval_mode: None,
            preview: None,
            system: None,
            appended: Vec::new(),
            limits: AgentLimits::default(),
            source: SessionSource::default(),
            rules: Vec::new(),
            extension_paths: Vec::new(),
            mode: SessionMode::default(),
            flags: BTreeMap::new(),
            mcp: Vec::new(),
            hooks: None,
            prepared: None,
        }
    }

    /// Sets the home (default: that of the process).
    pub fn home(mut self, home: Home) -> Self {
        self.home = Some(home);
        self
    }

    /// Sets the settings. Without them the defaults apply, whatever files say.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the trust decision for the working directory (CONTRACT 2.8). The default trusts nothing.
    pub fn trust(mut self, trust: TrustDecision) -> Self {
        self.trust = trust;
        self
    }

    /// Sets the model by name: `anthropic/claude-sonnet-4-5`, `gpt-5.2:high`, `script:FILE`.
    pub fn model(self, name: impl Into<String>) -> Self {
        self.model_choice(ModelChoice::Named(name.into()))
    }

    /// Sets a custom provider.
    pub fn provider(self, provider: Arc<dyn Provider>, model: Model) -> Self {
        self.model_choice(ModelChoice::Given(provider, Box::new(model)))
    }

    /// Plays a script in place of a model, for tests and demos without a key.
    pub fn script(self, script: Script) -> Self {
        let provider = ScriptedProvider::new(script);
        let model = provider.model().clone();
        self.provider(Arc::new(provider), model)
    }

    /// Sets the model choice.
    pub fn model_choice(mut self, choice: ModelChoice) -> Self {
        self.model = choice;
        self
    }

    /// Sets the environment for keys (default: that of the process).
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets the thinking level.
    pub fn thinking(mut self, level: ThinkingLevel) -> Self {
        self.thinking = Some(level);
        self
    }

    /// Adds a Rust tool, active from the start.
    pub fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.custom_tools.push(tool);
        self
    }

    /// Adds a module by path. Its tools are active from the start.
    pub fn tool_path(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_string_lossy().into_owned();
        self.tool_paths.push(ConfiguredPath::new(path, ConfiguredFrom::Program));
        self
    }

    /// Adds an extension by path.
    pub fn extension_path(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().to_string_lossy().into_owned();
        self.extension_paths.push(ConfiguredPath::extension(path, ConfiguredFrom::Program));
        self
    }

    /// Sets how the session is used, as extensions see it (`ctx.mode`).
    pub fn mode(mut self, mode: SessionMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the value of a flag of an extension.
    pub fn flag(mut self, name: impl Into<String>, value: Value) -> Self {
        self.flags.insert(name.into(), value);
        self
    }

    /// Enables discovery of tools in the directories of CONTRACT §2 (default: off).
    pub fn discovery(mut self, on: bool) -> Self {
        self.discovery = on;
        self
    }

    /// Loads an earlier discovery result instead of searching again.
    pub fn discovered(mut self, discovered: Discovered) -> Self {
        self.discovered = Some(discovered);
        self
    }

    /// Sets which built-in tools are active at first.
    pub fn built_ins(mut self, built_ins: BuiltIns) -> Self {
        self.built_ins = built_ins;
        self
    }

    /// Sets the UI for tools (default: headless).
    pub fn ui(mut self, ui: Arc<dyn Ui>) -> Self {
        self.ui = Some(ui);
        self
    }

    /// Sets the approver. Without one, calls that need approval are refused.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Sets who asks the user about previews (CONTRACT 8.6). Without one, with `tools.preview_decision = "model"` and in the
    /// approval mode `yolo`, the model decides.
    pub fn reviewer(mut self, reviewer: Arc<dyn Reviewer>) -> Self {
        self.reviewer = Some(reviewer);
        self
    }

    /// Sets the approval mode, overriding the settings.
    pub fn approval_mode(mut self, mode: ApprovalMode) -> Self {
        self.approval_mode = Some(mode);
        self
    }

    /// Sets whether `edit` and `write` stage their changes, overriding the setting `tools.preview`.
    pub fn preview(mut self, on: bool) -> Self {
        self.preview = Some(on);
        self
    }

    /// Replaces the built-in system prompt.
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Appends to the system prompt.
    pub fn append_system_prompt(mut self, text: impl Into<String>) -> Self {
        self.appended.push(text.into());
        self
    }

    /// Sets the limits of a run.
    pub fn limits(mut self, limits: AgentLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a rule for the model, before discovered ones.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds MCP servers, such as those of [`crate::mcp_configuration`]. They are started in the background.
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = ServerConfig>) -> Self {
        self.mcp.extend(servers);
        self
    }

    /// Sets the hooks (default: with [`SessionBuilder::discovery`] those that are found, otherwise none).
    pub fn hooks(mut self, hooks: FoundHooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Uses definitions that [`crate::prepare_definitions`] reads while the program is busy with something else.
    pub fn prepared_definitions(mut self, prepared: Option<PreparedDefinitions>) -> Self {
        self.prepared = prepared;
        self
    }

    /// Sets where the session is stored.
    pub fn session(mut self, source: SessionSource) -> Self {
        self.source = source;
        self
    }

    /// Builds the session. Needs a tokio runtime. Modules that fail to load are not an error: see [`Session::loaded`].
    ///
    /// # Errors
    /// Fails if there is no model, or a given or requested tool cannot be used.
    pub async fn build(self) -> Result<Session, SessionBuildError> {
        let home = match self.home {
            Some(home) => home,
            None => Home::from_environment()?,
        };
        let mut models = Models::new(self.settings.clone(), self.environment.clone());
        let sessions = Sessions::at(home.toolsmith());
        let kept = self.source.open(&sessions, &self.cwd)?;
        let before = kept.state();
        let was_stored = !kept.is_empty();
        let changes = change_store(&home)?;
        let preview = self.preview.unwrap_or(self.settings.tools.preview);
        let todos = Todos::default();
        let protected = Arc::<Protected>::default();
        let rules = write_rules(&self.cwd, &home, &changes, Arc::clone(&protected));
        let (trust, project) = (self.trust.clone(), find_project(&self.cwd, &home));
        guard_programs(&trust, &self.cwd, &home);
        let is_listed = trust.allows(&project);
        let hook_options = HookOptions::new(find_project(&self.cwd, &home), home.clone())
            .settings(self.settings.clone())
            .trust(self.trust.clone());
        let (discovered, search) = match self.discovered {
            Some(discovered) => {
                let search = discovered.searched.as_deref().cloned();
                (discovered, search)
            }
            None => {
                let options = DiscoveryOptions::new(&self.cwd, home.clone())
                    .configured(self.tool_paths)
                    .extensions(self.extension_paths)
                    .trust(self.trust);
                let (discovered, options) = match self.discovery {
                    true => {
                        let options = options.settings(self.settings.clone());
                        (discover_custom_tool_paths(&options), options)
                    }
                    false => (discover_configured_paths(&options), options),
                };
                (discovered, Some(options))
            }
        };
        let was_trusted = is_listed || discovered.untrusted_folder.is_none();
        let searched = discovered.searched.clone();
        let found: Vec<FoundModule> =
            discovered.ready().filter(|module| module.kind == ModuleKind::Extension).cloned().collect();
        protect_found(&protected, &discovered);
        let options = engine_options(&self.cwd, &self.settings, &discovered);
        let records = self.settings.tools.record;
        let engine = Engine::new(
            options.definition_cache(definition_cache(&home)).prepared(self.prepared).recordable(records),
        );
        // A factory may stage actions too (CONTRACT 8.1).
        let pending = PendingStack::with_file_tiers(rules.clone());
        engine.set_pending(PendingHandle::new(Arc::clone(&pending)));
        let names = built_in_names(&self.settings);
        // Without built-in tools their names are free.
        let taken = if self.built_ins == BuiltIns::None { vec![RESOLVE] } else { names.clone() };
        let disabled = self.settings.tools.disabled.clone();
        let loading =
            LoadingTools::start(&engine, discovered, search, taken, disabled, Arc::clone(&protected));
        let system = start_system_prompt(&self.cwd, &home);
        let found_hooks = match self.hooks {
            Some(hooks) => hooks,
            None if self.discovery => discover_hooks(&hook_options),
            None => FoundHooks::none(&hook_options),
        };
        found_hooks.protect(&protected);
        let hooks = found_hooks.session();
        let hook_gate = Arc::new(HookGate::new(hooks.clone()));
        let mut library = find_library(searched).await;
        let read_names: Arc<dyn ReadNames> = Arc::new(SkillFiles(Arc::clone(&library.skills)));
        hooks.set_read_names(Arc::clone(&read_names));
        let mut built_ins =
            built_in_tools_with(&self.cwd, &home, &changes, preview, todos.clone(), &rules, Some(read_names));
        let built_in_calls = BuiltInCalls::new(&built_ins, &self.cwd, &home, &changes, &rules, preview);
        built_ins.retain(|tool| names.contains(&tool.spec().name.as_str()));
        protect_programs(&protected, &self.settings, &self.mcp, &self.cwd, &home);
        let (mut loaded, live) = loading.finish().await;
        loaded.warnings.extend(found_hooks.all_warnings());
        for extension in &loaded.extensions {
            for problem in ExtensionModels::problems(extension.extension.as_ref()) {
                loaded.warnings.push(Warning::about(&extension.path, problem));
            }
        }
        let added = loaded.extensions.iter().map(|extension| Arc::clone(&extension.extension)).collect();
        let added = ExtensionModels::new(added);
        added.protect(&protected, &self.cwd, &home);
        protected.follow({
            let (added, cwd, home) = (added.clone(), self.cwd.clone(), home.clone());
            move |protected| added.protect(protected, &cwd, &home)
        });
        models.add(added.clone());
        let telemetry = Telemetry::from_environment(|name| self.environment.get(name));
        let selection = match (self.model, &before.model) {
            // The session continues with the model it was held with, where it was held.
            (ModelChoice::Settings, Some(model)) => {
                let is_ours = kept.file().is_none_or(|file| sessions.owns(file));
                models.again(model, before.endpoint.as_ref(), is_ours).await?
            }
            // An endpoint without a model is about the model of the session.
            (ModelChoice::Endpoint { provider, model: None, base_url, api_key_env }, Some(model)) => {
                let id = model.split_once('/').map(|(_, id)| id.to_owned());
                let choice = ModelChoice::Endpoint { provider, model: id, base_url, api_key_env };
                models.choose(choice).await?
            }
            (choice, _) => models.choose(choice).await?,
        };
        models.begin_with(&selection);
        note_endpoint(&kept, selection.provider.endpoint().as_ref(), &selection.model);
        let thinking = models.thinking(self.thinking.or(selection.thinking), &kept);

        let mut registry = Registry::new();
        for tool in built_ins {
            registry.register(tool, Origin::built_in())?;
        }
        for tool in self.custom_tools {
            registry.register(tool, Origin::new(OriginKind::Sdk, ""))?;
        }
        loaded.register_into(&mut registry);
        let mut resolver = Resolver::new(Arc::clone(&pending), changes, &self.cwd)
            .deadlines(self.settings.deadlines())
            .gate(hook_gate.clone());
        let asks_nothing = self.approval_mode.unwrap_or(self.settings.approval.mode) == ApprovalMode::Yolo;
        let user_decides = self.settings.tools.preview_decision == PreviewDecision::User && !asks_nothing;
        if let Some(reviewer) = self.reviewer.filter(|_| user_decides) {
            resolver = resolver.reviewer(reviewer);
        }
        registry.register(Arc::new(ResolveTool::new(resolver.clone())), Origin::built_in())?;
        let requested = match self.built_ins {
            BuiltIns::All => None,
            BuiltIns::Named(names) => Some(names),
            BuiltIns::None => Some(Vec::new()),
        };
        registry.activate_initial(requested.as_deref())?;
        // Skills are of no use to a model that cannot read them.
        if registry.is_active("read") {
            library.catalogue_bytes = self.settings.skills.catalogue_bytes;
        }
        loaded.warnings.extend(library.skills().warnings.iter().cloned());
        loaded.warnings.extend(library.commands().warnings.iter().cloned());
        // Only a model that can change the list is reminded of it.
        let reminds = self.settings.todo.reminders && registry.is_active(TODO_WRITE);

        let ui = UiSlot::headless();
        if let Some(given) = self.ui {
            ui.set(Arc::clone(&given));
            engine.set_ui_context(given);
        }
        let mut approval = self.settings.approval.clone();
        if let Some(mode) = self.approval_mode {
            approval.mode = mode;
        }
        loaded.warnings.extend(misspelled_policies(&approval, &registry));
        let limits = ExtensionLimits::default().handler(self.settings.extensions.timeout);
        let modules = loaded.extensions.iter().map(|extension| Arc::clone(&extension.extension)).collect();
        let modules = Extensions::new(modules, limits);
        let permitting = live.clone();
        modules.set_permit(move |path| permitting.may_run(path));
        let reload = Reload::new(
            live,
            self.settings.tools.reload,
            Arc::clone(&protected),
            built_in_calls.clone(),
            modules.clone(),
            &self.cwd,
        );
        let mut dispatcher = Dispatcher::builder(registry)
            .refresh(Arc::new(reload.clone()))
            .gate(hook_gate)
            .gate(Arc::new(ExtensionGate::new(modules.clone())))
            .gate(Arc::new(NestedContext::new(&self.cwd)))
            .approval(approval)
            .deadlines(self.settings.deadlines())
            .output(self.settings.output.cut());
        if records {
            dispatcher = dispatcher.record(RecordCalls::new(secret_values()));
        }
        let budgets = budget_guard(&self.settings, &home);
        // Telemetry reports what budgets made of a call.
        if let Some(budgets) = &budgets {
            dispatcher = dispatcher.monitor(Arc::new(budgets.clone()));
        }
        if let Some(telemetry) = &telemetry {
            dispatcher = dispatcher.monitor(Arc::new(telemetry.clone()));
        }
        if let Some(approver) = self.approver {
            dispatcher = dispatcher.approver(approver);
        }

        let mut system = system.await.unwrap_or_default();
        let skipped = system.skipped_files.iter().map(|file| Warning::about(&file.path, &file.reason));
        loaded.warnings.extend(skipped);
        if let Some(text) = self.system {
            system = system.replace(text);
        }
        let mut rules = self.rules;
        for found in &loaded.rules {
            if !rules.iter().any(|rule| rule.name == found.rule.name) {
                rules.push(found.rule.clone());
            }
        }
        if let Some(text) = rules_prompt(&rules) {
            system = system.append_from("rules", text);
        }
        if let Some(text) = library.catalogue() {
            system = system.append_from("skills", text);
        }
        for text in self.appended {
            system = system.append(text);
        }
        let current = CurrentSession::new(kept).working_directory(&self.cwd);
        let recovery = Recovery::new(&self.settings, &current);
        let dispatcher = dispatcher.build();
        let registry = dispatcher.registry().clone();
        reload.connect(registry.clone());
        let mcp = (!self.mcp.is_empty()).then(|| {
            let permit = trusted_servers(&self.mcp, &self.cwd, &home, &self.settings, &trust);
            let servers = permitted_servers(self.mcp, &self.cwd, &home, ui.handle(), permit);
            McpTools::start(servers, registry.clone(), self.settings.tools.disabled.clone())
        });
        let mut agent = Agent::builder()
            .model(selection.provider, selection.model)
            .thinking(thinking)
            .dispatcher(dispatcher)
            .system_prompt(system)
            .pending(Arc::clone(&pending))
            .ui(ui.handle())
            .conversation(Arc::new(current.clone()))
            .session(Arc::new(current.clone()))
            // First: no event reaches a module that may no longer run.
            .hook(Arc::new(reload.clone()))
            .hook(Arc::new(HookEvents::new(hooks.clone())))
            .hook(Arc::new(ExtensionHook::new(modules.clone())))
            .settings(self.settings.shown.clone())
            .models_from({
                let models = models.clone();
                move || models.available()
            })
            .find_model({
                let models = models.clone();
                move |provider, id| models.find(provider, id)
            })
            .limits(self.limits);
        // Which tools there are, then which of them are offered, then what is preferred.
        if let Some(mcp) = &mcp {
            agent = agent.hook(Arc::new(mcp.clone()));
        }
        agent = agent
            .hook(Arc::new(DeferredTools::new(registry)))
            .hook(Arc::new(ResolveToolChoice::new(resolver.clone())));
        if reminds {
            agent = agent.hook(Arc::new(TodoReminders::new(todos.clone())));
        }
        if let Some(watching) = StreamRules::new(&rules, self.settings.rules.stream(), current.clone()) {
            agent = agent.hook(Arc::new(watching));
        }
        agent = agent.hook(Arc::new(KeepSkills::new(current.clone()))).hook(Arc::new(library.model.clone()));
        if let Some(budgets) = &budgets {
            agent = agent.hook(Arc::new(budgets.clone()));
        }
        if let Some(telemetry) = &telemetry {
            agent = agent.hook(Arc::new(telemetry.clone()));
        }
        let agent = recovery.add_to(agent).build()?;
        added.attach(agent.downgrade(), modules.downgrade());
        let extensions = SessionExtensions {
            modules,
            inner: Arc::new(ExtensionState {
                mode: self.mode,
                is_trusted: Box::new(move || was_trusted && (!is_listed || trust.allows_now(&project))),
                flags: RwLock::new(self.flags),
                found,
                commands: Mutex::default(),
                shutdown: CancelToken::new(),
                built_ins: built_in_calls,
                resources: Mutex::default(),
            }),
        };
        reload.set_loaded(loaded);
        let session = Session {
            agent,
            engine,
            ui,
            reload,
            resolver,
            current,
            sessions,
            models,
            recovery,
            todos,
            mcp,
            cwd: self.cwd,
            home,
            extensions,
            hooks: SessionHooks { hooks, options: Arc::new(hook_options), protected },
            library,
            telemetry,
        };
        if let Some(budgets) = budgets {
            let weak = session.agent.downgrade();
            budgets.set_notify(move |message| {
                if let Some(agent) = weak.upgrade() {
                    agent.notice(message);
                }
            });
        }
        session.library.model.attach(session.downgrade());
        session.reload.attach(session.downgrade());
        session.begin(was_stored).await;
        Ok(session)
    }
}

impl Session {
    /// Connects extensions and tools with the session, and notifies them of its start.
    async fn begin(&self, was_stored: bool) {
        let weak = self.agent.downgrade();
        self.extensions.modules.set_notify(move |message| {
            if let Some(agent) = weak.upgrade() {
                agent.notice(message);
            }
        });
        self.connect_hooks();
        let actions = HostActions::new(self.downgrade(), tokio::runtime::Handle::current());
        self.engine.set_session_actions(Some(Arc::new(actions)));
        self.agent.announce(SessionEvent::Start).await;
        self.start_hooks(was_stored).await;
        let reason = if was_stored { "resume" } else { "startup" };
        self.extensions.started(reason, &self.agent.tool_context()).await;
        self.add_resources(&self.extension_resources());
    }
}

/// A policy that matches no tool protects nothing. Policies of tools that exist elsewhere are common in the user's settings,
/// so only likely misspellings are reported.
fn misspelled_policies(approval: &ApprovalSettings, registry: &Registry) -> Vec<Warning> {
    let names: Vec<&str> = registry.iter().map(|tool| tool.tool.spec().name.as_str()).collect();
    let unknown = approval.tools.keys().filter(|name| !names.contains(&name.as_str()) && !name.contains(':'));
    let warning = |name: &String| {
        // A pattern, or all tools of a server: both would be wide restrictions, and neither has an effect.
        let is_pattern =
            name.contains(['*', '?']) || name.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__"));
        let hint = match closest_names(name, names.iter().copied()).first() {
            _ if is_pattern => {
                "A policy has the name of one tool. Use `approval` of an MCP server's entry for all its tools, and `--approval-mode` for \
                 all tools."
                    .to_owned()
            }
            Some(closest) => format!("Did you mean {closest:?}?"),
            None => return None,
        };
        Some(Warning::new(format!("the approval policy of {name:?} matches no tool")).hint(hint))
    };
    unknown.filter_map(warning).collect()
}

impl SessionSource {
    fn open(
        &self,
        sessions: &Sessions,
        cwd: &Path,
    ) -> Result<SessionLog, toolsmith_agent::session::SessionError> {
        Ok(match self {
            Self::Memory => SessionLog::in_memory(cwd),
            Self::New => sessions.create(cwd),
            Self::Latest => match sessions.open_latest(cwd)? {
                Some(latest) => latest,
                None => sessions.create(cwd),
            },
            Self::Named(name) => sessions.resume(name, cwd)?,
        })
    }
}

impl std::fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("cwd", &self.cwd)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl LoadedTools {
    /// Registers the loaded tools; one with invalid parameters becomes a load error.
    fn register_into(&mut self, registry: &mut Registry) {
        let tools = std::mem::take(&mut self.tools);
        for tool in tools {
            // Loading decided which tools may take the name of a built-in one.
            let is_built_in =
                registry.get(tool.name()).is_some_and(|found| found.origin.kind == OriginKind::BuiltIn);
            let registered = match is_built_in {
                true => registry.replace(Arc::clone(&tool.tool), tool.origin()).map(drop),
                false => registry.register(Arc::clone(&tool.tool), tool.origin()),
            };
            match registered {
                Ok(()) => self.tools.push(tool),
                Err(refused) => self.refuse(&tool, &refused),
            }
        }
    }
}
