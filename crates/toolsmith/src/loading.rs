//! Loading of discovered modules: tools with their origin, and everything that was rejected (CONTRACT 2.1, 2.6, 2.7).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use toolsmith_agent::RESOLVE;
use toolsmith_js::{
    Engine, EngineKind, EngineOptions, LoadedModule, LoadedTool, ModuleRequest, PreparedDefinitions,
    SchemaKind,
};
use toolsmith_tool::{Extension, Origin, OriginKind, RegisterError, Tool, check_tool_name};

use crate::{
    discovery::{
        ConfiguredPath, Discovered, DiscoveryOptions, FoundMetadata, FoundModule, FoundRule, ModuleKind,
        ToolSource, discover_custom_tool_paths,
    },
    home::Home,
    live_tools::StaleModule,
    load_error::ToolLoadError,
    settings::Settings,
    warning::Warning,
};

/// A loaded custom tool.
#[derive(Clone)]
#[non_exhaustive]
pub struct CustomTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Schema library of its parameters.
    pub schema: SchemaKind,
    /// Its module, as found.
    pub path: PathBuf,
    /// Origin of the module.
    pub source: ToolSource,
    /// Kind of its module.
    pub kind: ModuleKind,
    /// Load time of the module.
    pub elapsed: Duration,
    /// Engine of the module.
    pub engine: EngineKind,
    /// Reason for the engine, if it is not the embedded one.
    pub engine_reason: Option<String>,
    /// Files of the module, as far as known.
    pub files: Vec<PathBuf>,
}

/// A loaded module with registrations.
#[derive(Clone)]
#[non_exhaustive]
pub struct LoadedExtension {
    /// The module.
    pub extension: Arc<dyn Extension>,
    /// Its path, as found.
    pub path: PathBuf,
    /// Origin of the module.
    pub source: ToolSource,
    /// Kind, by where it was found.
    pub kind: ModuleKind,
    /// Names of its tools.
    pub tools: Vec<String>,
    /// Load time of the module.
    pub elapsed: Duration,
    /// Engine of the module.
    pub engine: EngineKind,
}

impl std::fmt::Debug for LoadedExtension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedExtension")
            .field("path", &self.path)
            .field("registrations", &self.extension.registrations())
            .finish_non_exhaustive()
    }
}

impl CustomTool {
    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.tool.spec().name
    }

    /// Returns the origin for the registry.
    pub fn origin(&self) -> Origin {
        let kind = match self.kind {
            ModuleKind::Extension => OriginKind::Extension,
            ModuleKind::Tool => OriginKind::Custom,
        };
        let path = self.path.to_string_lossy();
        match self.source.plugin_name() {
            Some(plugin) => Origin::new(kind, format!("plugin {plugin}, {path}")),
            None => Origin::new(kind, path),
        }
    }
}

impl std::fmt::Debug for CustomTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CustomTool")
            .field("name", &self.name())
            .field("path", &self.path)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// Result of loading.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadedTools {
    /// Tools in order, with unique names.
    pub tools: Vec<CustomTool>,
    /// Modules with registrations, in load order.
    pub extensions: Vec<LoadedExtension>,
    /// Load errors.
    pub errors: Vec<ToolLoadError>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Notes about loaded modules.
    pub notes: Vec<Warning>,
    /// Modules that wait for trust. Nothing of them was run.
    pub waiting: Vec<FoundModule>,
    /// Metadata files.
    pub metadata: Vec<FoundMetadata>,
    /// Rules for the model.
    pub rules: Vec<FoundRule>,
    /// Names disabled in settings.
    pub disabled: Vec<String>,
    /// Modules that opted out.
    pub opted_out: Vec<FoundModule>,
    /// Every file that was loaded, as far as that is known.
    pub files: Vec<PathBuf>,
    /// Other paths that decide what their imports refer to.
    pub(crate) candidates: Vec<PathBuf>,
    /// Modules whose new version does not load, so that their last working version is in use.
    pub stale: Vec<StaleModule>,
    /// All modules that may run, with the result of loading them.
    pub(crate) modules: Vec<(FoundModule, LoadedModule)>,
    /// The discovery that found them.
    pub(crate) discovered: Discovered,
}

impl LoadedTools {
    /// Finds a tool.
    pub fn get(&self, name: &str) -> Option<&CustomTool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }
}

impl LoadedTools {
    /// Moves a tool to the load errors.
    pub(crate) fn refuse(&mut self, tool: &CustomTool, why: &RegisterError) {
        let mut error = ToolLoadError::new(&tool.path, &tool.source, why.to_string());
        if matches!(why, RegisterError::Conflict { .. }) {
            error = error.hint("The first tool keeps the name. Give this tool another one.");
        }
        self.errors.push(error);
    }
}

/// Returns the engine options for these modules: limits from the settings, and overrides for single tools. The tools of
/// a module are unknown before it runs, so overrides are matched by the name of its file or directory.
pub fn engine_options(cwd: &Path, settings: &Settings, discovered: &Discovered) -> EngineOptions {
    let folder = cwd.to_path_buf();
    let built_ins = move || {
        let tools = toolsmith_builtins::built_in_tools(&folder, None);
        tools.iter().map(|tool| tool.spec().clone()).collect()
    };
    let mut options = EngineOptions::new(cwd).limits(settings.limits.engine()).built_ins(built_ins);
    for module in &discovered.modules {
        let Some(own) = settings.tools.each.get(&module.name()) else {
            continue;
        };
        if let Some(engine) = own.engine {
            options = options.engine_of(&module.real_path, engine.into());
        }
        if let Some(memory) = own.memory {
            options = options.limits_of(&module.real_path, settings.limits.engine().memory(memory));
        }
    }
    options
}

/// Returns the folder of the definition cache.
pub fn definition_cache(home: &Home) -> PathBuf {
    home.toolsmith().join("cache/definitions")
}

/// Starts to read the cached definitions of the modules in `cwd` on another thread, for a session that is built there soon.
pub fn prepare_definitions(cwd: &Path, home: &Home) -> PreparedDefinitions {
    PreparedDefinitions::start(definition_cache(home), cwd)
}

/// How modules are loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadScope {
    /// Each into its own runtime, ready to be called.
    #[default]
    Call,
    /// Many into a few runtimes, to read their definitions. A call loads the module again.
    Scan,
}

/// Finds and loads all custom tools (CONTRACT 2.1). `options` has the home, the enabled providers and the trust
/// decision; its working directory and configured paths are replaced by the given ones.
pub async fn discover_and_load_custom_tools(
    configured_paths: &[ConfiguredPath],
    cwd: &Path,
    built_in_names: &[&str],
    options: &DiscoveryOptions,
    engine: &Engine,
) -> LoadedTools {
    let options = options.clone().configured(configured_paths.to_vec()).working_directory(cwd);
    let discovered = discover_custom_tool_paths(&options);
    load_custom_tools(discovered, built_in_names, &options.settings.tools.disabled, engine, LoadScope::Call)
        .await
}

/// Loads discovered modules. Modules that wait for trust are not touched.
pub async fn load_custom_tools(
    discovered: Discovered,
    built_in_names: &[&str],
    disabled: &[String],
    engine: &Engine,
    mode: LoadScope,
) -> LoadedTools {
    let ready: Vec<FoundModule> = discovered.ready().cloned().collect();
    let requests = requests(&ready);
    let loaded = match mode {
        LoadScope::Call => engine.load_modules(requests).await,
        LoadScope::Scan => engine.scan_modules(requests).await,
    };
    sort_modules(discovered, ready.into_iter().zip(loaded).collect(), built_in_names, disabled)
}

/// Loads the modules that may have a tool of this name, and no others if their definitions are cached (CONTRACT 13.1). The result
/// has the tool that [`load_custom_tools`] finds by the name. More modules than `most` do not get runtimes of their own.
pub async fn load_custom_tool(
    name: &str,
    discovered: Discovered,
    built_in_names: &[&str],
    disabled: &[String],
    engine: &Engine,
    most: usize,
) -> LoadedTools {
    let ready: Vec<FoundModule> = discovered.ready().cloned().collect();
    let is_free = !built_in_names.contains(&name);
    let loaded = engine.load_for_tool(requests(&ready), name, is_free, most).await;
    let loaded = loaded.into_iter().filter_map(|(at, module)| Some((ready.get(at)?.clone(), module)));
    sort_modules(discovered, loaded.collect(), built_in_names, disabled)
}

/// Returns the load requests of modules that were just found.
fn requests(found: &[FoundModule]) -> Vec<ModuleRequest> {
    found.iter().map(|module| module.request().real_path(&module.real_path)).collect()
}

/// Collects the tools of loaded modules; each name goes to the first one that has it.
pub(crate) fn sort_modules(
    discovered: Discovered,
    modules: Vec<(FoundModule, LoadedModule)>,
    built_in_names: &[&str],
    disabled: &[String],
) -> LoadedTools {
    // The modules in it are not copied: there may be many.
    let (metadata, rules) = (discovered.metadata.clone(), discovered.rules.clone());
    let (errors, warnings) = (discovered.errors.clone(), discovered.warnings.clone());
    let waiting = discovered.waiting().cloned().collect();
    let mut sorter = Sorter {
        built_in_names,
        winners: built_in_names.iter().map(|name| ((*name).to_owned(), Origin::built_in())).collect(),
        disabled,
        outcome: LoadedTools {
            errors,
            warnings,
            waiting,
            metadata,
            rules,
            discovered,
            modules: modules.clone(),
            ..LoadedTools::default()
        },
    };
    for (found, module) in modules {
        sorter.take(found, module);
    }
    sorter.outcome
}

/// Collects modules in order and keeps names unique.
struct Sorter<'a> {
    built_in_names: &'a [&'a str],
    winners: HashMap<String, Origin>,
    disabled: &'a [String],
    outcome: LoadedTools,
}

impl Sorter<'_> {
    fn take(&mut self, found: FoundModule, module: LoadedModule) {
        let LoadedModule {
            tools,
            extension,
            errors,
            notes,
            engine,
            engine_reason,
            files,
            elapsed,
            candidates,
            ..
        } = module;
        self.outcome.files.extend(files.iter().cloned());
        self.outcome.candidates.extend(candidates);
        self.outcome.notes.extend(notes.into_iter().map(|note| Warning::about(&found.path, note)));
        if let Some(extension) = &extension {
            let unsupported = extension.registrations().unsupported;
            if !unsupported.is_empty() {
                let message = format!("registers what has no effect here: {}", unsupported.join("; "));
                self.outcome.warnings.push(Warning::about(&found.path, message));
            }
        }
        if tools.is_empty() && errors.is_empty() && extension.is_none() {
            self.outcome.opted_out.push(found);
            return;
        }
        let mut names = Vec::new();
        let source = &found.source;
        self.outcome.errors.extend(errors.into_iter().map(|error| ToolLoadError::from_engine(error, source)));
        for LoadedTool { tool, schema, .. } in tools {
            let name = tool.spec().name.clone();
            if self.disabled.contains(&name) {
                self.outcome.disabled.push(name);
                continue;
            }
            let made = CustomTool {
                tool,
                schema,
                path: found.path.clone(),
                source: source.clone(),
                kind: found.kind,
                elapsed,
                engine,
                engine_reason: engine_reason.clone(),
                files: files.clone(),
            };
            // An extension may replace a built-in tool, as in compatible agents.
            let is_replacement = found.kind == ModuleKind::Extension
                && name != RESOLVE
                && self.built_in_names.contains(&name.as_str())
                && self.winners.get(&name).is_some_and(|winner| winner.kind == OriginKind::BuiltIn);
            let refused = match self.winners.get(&name).filter(|_| !is_replacement) {
                Some(winner) => Some(RegisterError::Conflict { name: name.clone(), winner: winner.clone() }),
                None => check_tool_name(&name).err().map(RegisterError::from),
            };
            match refused {
                Some(refused) => self.outcome.refuse(&made, &refused),
                None => {
                    names.push(name.clone());
                    self.winners.insert(name, made.origin());
                    self.outcome.tools.push(made);
                }
            }
        }
        if let Some(extension) = extension {
            self.outcome.extensions.push(LoadedExtension {
                extension,
                path: found.path,
                source: found.source,
                kind: found.kind,
                tools: names,
                elapsed,
                engine,
            });
        }
    }
}
