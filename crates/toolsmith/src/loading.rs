//! Loading what discovery found: tools with where they came from, and everything that was refused (CONTRACT 2.1, 2.6, 2.7).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use toolsmith_js::{Engine, EngineKind, EngineOptions, LoadedModule, LoadedTool, SchemaKind};
use toolsmith_tool::{Origin, OriginKind, RegisterError, Tool, check_tool_name};

use crate::{
    discovery::{
        ConfiguredPath, Discovered, DiscoveryOptions, FoundMetadata, FoundModule, FoundRule, ToolSource,
        discover_custom_tool_paths,
    },
    load_error::ToolLoadError,
    settings::Settings,
    trust::program_folders,
    warning::Warning,
};

/// A custom tool that can be called.
#[derive(Clone)]
#[non_exhaustive]
pub struct CustomTool {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// What its parameters were written with.
    pub schema: SchemaKind,
    /// Its module, as it was found.
    pub path: PathBuf,
    /// Where that came from.
    pub source: ToolSource,
    /// How long its module took to load.
    pub elapsed: Duration,
    /// What its module runs in.
    pub engine: EngineKind,
    /// Why it runs there, when it is not embedded.
    pub engine_reason: Option<String>,
    /// Every file its module is made of, as far as that is known.
    pub files: Vec<PathBuf>,
}

impl CustomTool {
    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.tool.spec().name
    }

    /// What a registry is told of where the tool came from.
    pub fn origin(&self) -> Origin {
        Origin::new(OriginKind::Custom, self.path.to_string_lossy())
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

/// What was found and loaded.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadedTools {
    /// The tools, in order; their names are unique.
    pub tools: Vec<CustomTool>,
    /// What was refused, and why.
    pub errors: Vec<ToolLoadError>,
    /// What looked wrong.
    pub warnings: Vec<Warning>,
    /// What is worth knowing of modules that were loaded.
    pub notes: Vec<Warning>,
    /// Modules that wait for trust. Nothing of them was run.
    pub waiting: Vec<FoundModule>,
    /// Files that only describe.
    pub metadata: Vec<FoundMetadata>,
    /// Rules for the model.
    pub rules: Vec<FoundRule>,
    /// Names that settings leave out.
    pub disabled: Vec<String>,
    /// Modules that gave no tool and said so.
    pub opted_out: Vec<FoundModule>,
    /// Every file that was loaded, as far as that is known.
    pub files: Vec<PathBuf>,
}

impl LoadedTools {
    /// Finds a tool.
    pub fn get(&self, name: &str) -> Option<&CustomTool> {
        self.tools.iter().find(|tool| tool.name() == name)
    }
}

impl LoadedTools {
    /// Puts a tool among what was refused.
    pub(crate) fn refuse(&mut self, tool: &CustomTool, why: &RegisterError) {
        let mut error = ToolLoadError::new(&tool.path, &tool.source, why.to_string());
        if matches!(why, RegisterError::Conflict { .. }) {
            error = error.hint("The first one stays; give this tool another name.");
        }
        self.errors.push(error);
    }
}

/// How an engine for these modules is set up: limits as the settings have them, and what they say of single tools. Which
/// tools a module has is not known before it runs, so a module goes by the name of its file or folder.
pub fn engine_options(cwd: &Path, settings: &Settings, discovered: &Discovered) -> EngineOptions {
    let programs = program_folders(discovered.untrusted_folder.as_deref());
    let mut options = EngineOptions::new(cwd).limits(settings.limits.engine()).search_path(programs);
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

/// How modules are loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadMode {
    /// Each into a runtime of its own, ready to be called.
    #[default]
    Call,
    /// Many into few runtimes, to see what they offer. A call loads the module again.
    Survey,
}

/// Finds and loads every custom tool (CONTRACT 2.1). `options` says where the home is, what is on and what is trusted;
/// its working folder and configured paths are replaced by the ones given.
pub async fn discover_and_load_custom_tools(
    configured_paths: &[ConfiguredPath],
    cwd: &Path,
    built_in_names: &[&str],
    options: &DiscoveryOptions,
    engine: &Engine,
) -> LoadedTools {
    let mut options = options.clone().configured(configured_paths.to_vec());
    options.cwd = cwd.to_path_buf();
    let discovered = discover_custom_tool_paths(&options);
    load_custom_tools(discovered, built_in_names, &options.settings.tools.disabled, engine, LoadMode::Call)
        .await
}

/// Loads what was found. Modules that wait for trust are not touched.
pub async fn load_custom_tools(
    discovered: Discovered,
    built_in_names: &[&str],
    disabled: &[String],
    engine: &Engine,
    mode: LoadMode,
) -> LoadedTools {
    let Discovered { modules, metadata, rules, errors, warnings, .. } = discovered;
    let (waiting, ready): (Vec<_>, Vec<_>) = modules.into_iter().partition(|module| module.waiting_for_trust);
    let requests = ready.iter().map(FoundModule::request).collect();
    let loaded = match mode {
        LoadMode::Call => engine.load_modules(requests).await,
        LoadMode::Survey => engine.survey_modules(requests).await,
    };
    let mut sorter = Sorter {
        winners: built_in_names.iter().map(|name| ((*name).to_owned(), Origin::built_in())).collect(),
        disabled,
        outcome: LoadedTools { errors, warnings, waiting, metadata, rules, ..LoadedTools::default() },
    };
    for (found, module) in ready.into_iter().zip(loaded) {
        sorter.take(found, module);
    }
    sorter.outcome
}

/// Takes modules in order and keeps names unique.
struct Sorter<'a> {
    winners: HashMap<String, Origin>,
    disabled: &'a [String],
    outcome: LoadedTools,
}

impl Sorter<'_> {
    fn take(&mut self, found: FoundModule, module: LoadedModule) {
        let LoadedModule { tools, errors, notes, engine, engine_reason, files, elapsed, .. } = module;
        self.outcome.files.extend(files.iter().cloned());
        self.outcome.notes.extend(notes.into_iter().map(|note| Warning::about(&found.path, note)));
        if tools.is_empty() && errors.is_empty() {
            self.outcome.opted_out.push(found);
            return;
        }
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
                elapsed,
                engine,
                engine_reason: engine_reason.clone(),
                files: files.clone(),
            };
            let refused = match self.winners.get(&name) {
                Some(winner) => Some(RegisterError::Conflict { name: name.clone(), winner: winner.clone() }),
                None => check_tool_name(&name).err().map(RegisterError::from),
            };
            match refused {
                Some(refused) => self.outcome.refuse(&made, &refused),
                None => {
                    self.winners.insert(name, made.origin());
                    self.outcome.tools.push(made);
                }
            }
        }
    }
}
