//! The modules of a session or server: which version of each is in use, and which of them changed on disk.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use tokio::sync::Mutex;
use toolsmith_js::{Engine, LoadedModule, ModuleInputs};

use super::{
    change::{Change, Look},
    places::Places,
};
use crate::{
    discovery::{
        Discovered, DiscoveryOptions, FoundModule, discover_configured_paths, discover_custom_tool_paths,
    },
    load_error::ToolLoadError,
    loading::{LoadScope, LoadedTools, sort_modules},
    trust::TrustDecision,
};

/// A module whose file no longer loads. Its last working version is in use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StaleModule {
    /// The module.
    pub path: PathBuf,
    /// The error of its new version.
    pub error: ToolLoadError,
    /// Names of its tools.
    pub tools: Vec<String>,
}

/// A module in use.
#[derive(Clone)]
pub(super) struct LiveModule {
    pub(super) found: FoundModule,
    /// The version in use: the last one that loaded, or the only one.
    pub(super) loaded: LoadedModule,
    /// The newer version that does not load.
    pub(super) failed: Option<FailedVersion>,
}

/// A version of a module that does not load.
#[derive(Clone)]
pub(super) struct FailedVersion {
    pub(super) error: ToolLoadError,
    pub(super) inputs: ModuleInputs,
    /// Files that it names, and paths that decide what its imports refer to.
    pub(super) candidates: Vec<PathBuf>,
}

impl LiveModule {
    /// Returns the inputs of the version that was loaded last, also if it failed.
    pub(super) fn inputs(&self) -> &ModuleInputs {
        self.failed.as_ref().map_or(&self.loaded.inputs, |failed| &failed.inputs)
    }

    pub(super) fn works(&self) -> bool {
        self.loaded.errors.is_empty() && (!self.loaded.tools.is_empty() || self.loaded.extension.is_some())
    }
}

/// The modules, while somebody looks at them or changes them.
pub(super) struct State {
    pub(super) modules: Vec<LiveModule>,
    /// New versions that are not in use yet, because they would change the list of tools during a turn.
    pub(super) prepared: HashMap<PathBuf, LoadedModule>,
    /// The result of the last discovery.
    pub(super) discovered: Discovered,
    pub(super) places: Places,
}

/// Knowledge about one tool that calls need without waiting.
struct Known {
    inputs: ModuleInputs,
    /// The real path of its module.
    file: PathBuf,
    stale: Option<String>,
}

pub(super) struct Inner {
    pub(super) engine: Engine,
    /// How modules were found; `None` finds no others than those that are known.
    options: Option<DiscoveryOptions>,
    /// Only configured paths are searched.
    only_configured: bool,
    taken: Vec<String>,
    disabled: Vec<String>,
    scope: LoadScope,
    pub(super) state: Arc<Mutex<State>>,
    known: RwLock<HashMap<String, Known>>,
    /// The trust by which the modules in use were last judged.
    judged_by: RwLock<TrustDecision>,
}

/// Custom tools that follow their files. Clones are the same tools.
#[derive(Clone)]
pub struct LiveTools {
    pub(super) inner: Arc<Inner>,
}

impl fmt::Debug for LiveTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveTools").field("engine", &self.inner.engine).finish_non_exhaustive()
    }
}

impl LiveTools {
    /// Follows what was loaded. `taken` are the names of built-in tools.
    pub fn new(
        engine: Engine,
        options: Option<DiscoveryOptions>,
        loaded: &LoadedTools,
        taken: &[&str],
        disabled: &[String],
        scope: LoadScope,
    ) -> Self {
        let discovered = loaded.discovered.clone();
        let only_configured = discovered.searched.is_none();
        let trust = options.as_ref().map(|options| options.trust.clone()).unwrap_or_default();
        let places = Places::new(options.as_ref().filter(|_| !only_configured), &discovered, trust.clone());
        let modules: Vec<LiveModule> = loaded
            .modules
            .iter()
            .map(|(found, loaded)| LiveModule { found: found.clone(), loaded: loaded.clone(), failed: None })
            .collect();
        Self {
            inner: Arc::new(Inner {
                engine,
                options,
                only_configured,
                taken: taken.iter().map(|name| (*name).to_owned()).collect(),
                disabled: disabled.to_vec(),
                scope,
                known: RwLock::new(known(&modules)),
                judged_by: RwLock::new(trust),
                state: Arc::new(Mutex::new(State { modules, prepared: HashMap::new(), discovered, places })),
            }),
        }
    }

    /// Returns whether a file of the tool's module changed since it was loaded. This is cheap.
    pub(crate) fn is_outdated(&self, tool: &str) -> bool {
        let known = self.inner.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(tool).is_some_and(|known| !known.inputs.own_files_are_unchanged())
    }

    /// Returns whether the user's list of what is trusted changed since the modules were judged by it. This is cheap.
    pub(crate) fn is_trust_changed(&self) -> bool {
        self.inner.trust() != *self.inner.judged_by.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a module in use may still run. This is cheap unless the user's list changed since modules were judged by it.
    pub(crate) fn may_run(&self, path: &Path) -> bool {
        let trust = self.inner.trust();
        self.inner.is_judged_by(&trust)
            || self
                .inner
                .search(&trust)
                .is_none_or(|(found, _)| found.ready().any(|module| module.path == path))
    }

    /// Returns the trust decision by the user's list as it is now.
    pub(crate) fn trust(&self) -> TrustDecision {
        self.inner.trust()
    }

    /// Returns the file of the user's list, if it is followed.
    pub(crate) fn trust_file(&self) -> Option<PathBuf> {
        self.inner.options.as_ref()?.trust.file().map(Path::to_path_buf)
    }

    /// Identifies the code of a tool: the content of its module's files, and whether they may run.
    pub(crate) fn version(&self, tool: &str) -> Option<String> {
        let known = self.inner.known.read().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(tool)?;
        let trust = self.inner.trust();
        let is_trusted = self.inner.options.as_ref().is_some_and(|options| trust.allows(&options.project));
        let content = known.inputs.own_content();
        Some(format!("{is_trusted} {} {content}", trust.allows(&known.file)))
    }

    /// Returns the error of a tool's newer version, if that does not load.
    pub(crate) fn stale(&self, tool: &str) -> Option<String> {
        let known = self.inner.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(tool).and_then(|known| known.stale.clone())
    }

    /// Looks for changes. With a tool, only its module is looked at. Other looks wait until the change is made or dropped.
    pub(crate) async fn look(&self, at: Look<'_>) -> Option<Change> {
        let state = Arc::clone(&self.inner.state).lock_owned().await;
        Change::find(Arc::clone(&self.inner), state, at).await
    }

    /// Returns those of the modules that are still in use, as they were found last.
    pub(crate) async fn still_in_use(&self, modules: &[FoundModule]) -> Vec<FoundModule> {
        let state = self.inner.state.lock().await;
        let current =
            |found: &FoundModule| state.modules.iter().find(|module| module.found.path == found.path);
        modules.iter().filter_map(|found| Some(current(found)?.found.clone())).collect()
    }

    /// Records modules that were loaded again by other means.
    pub(crate) async fn adopt(&self, modules: &[(FoundModule, LoadedModule)]) {
        let mut state = self.inner.state.lock().await;
        for (found, loaded) in modules {
            if let Some(module) = state.modules.iter_mut().find(|module| module.found.path == found.path) {
                module.loaded = loaded.clone();
                module.failed = None;
            }
        }
        self.inner.remember(&state.modules);
    }

    /// Returns the files and directories whose change may change the tools.
    pub async fn watched(&self) -> Vec<PathBuf> {
        let state = self.inner.state.lock().await;
        let is_own = |path: &&PathBuf| !path.components().any(|part| part.as_os_str() == "node_modules");
        let files = state.modules.iter().flat_map(|module| &module.loaded.files).filter(is_own);
        let mut paths: Vec<PathBuf> = files.chain(state.places.folders()).cloned().collect();
        paths.extend(state.modules.iter().map(|module| module.found.path.clone()));
        paths.extend(self.trust_file());
        paths.sort();
        paths.dedup();
        paths
    }
}

impl Inner {
    /// Returns the trust decision by the user's list as it is now.
    pub(super) fn trust(&self) -> TrustDecision {
        self.options.as_ref().map(|options| options.trust.renewed()).unwrap_or_default()
    }

    /// Records the trust by which the modules in use were judged.
    pub(super) fn judge_by(&self, trust: TrustDecision) {
        *self.judged_by.write().unwrap_or_else(PoisonError::into_inner) = trust;
    }

    /// Returns whether the modules in use were judged by this.
    pub(super) fn is_judged_by(&self, trust: &TrustDecision) -> bool {
        *self.judged_by.read().unwrap_or_else(PoisonError::into_inner) == *trust
    }

    /// Searches for modules again.
    pub(super) fn search(&self, trust: &TrustDecision) -> Option<(Discovered, Places)> {
        let options = self.options.clone()?.trust(trust.clone());
        let discovered = match self.only_configured {
            true => discover_configured_paths(&options),
            false => discover_custom_tool_paths(&options),
        };
        let searched = (!self.only_configured).then_some(&options);
        let places = Places::new(searched, &discovered, trust.clone());
        Some((discovered, places))
    }

    pub(super) async fn load(&self, modules: &[FoundModule]) -> Vec<LoadedModule> {
        let requests = modules.iter().map(FoundModule::request).collect();
        match self.scope {
            LoadScope::Call => self.engine.load_modules(requests).await,
            LoadScope::Scan => self.engine.scan_modules(requests).await,
        }
    }

    /// Returns the tools of these modules: names are unique, and refused ones are reported.
    pub(super) fn sort(&self, discovered: &Discovered, modules: &[LiveModule]) -> LoadedTools {
        let taken: Vec<&str> = self.taken.iter().map(String::as_str).collect();
        let pairs = modules.iter().map(|module| (module.found.clone(), module.loaded.clone())).collect();
        let mut loaded = sort_modules(discovered.clone(), pairs, &taken, &self.disabled);
        for module in modules {
            if let Some(FailedVersion { error, candidates, .. }) = &module.failed {
                loaded.candidates.extend(candidates.iter().cloned());
                loaded.stale.push(StaleModule {
                    path: module.found.path.clone(),
                    error: error.clone(),
                    tools: names(&module.loaded),
                });
            }
        }
        loaded
    }

    pub(super) fn remember(&self, modules: &[LiveModule]) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known(modules);
    }
}

fn names(module: &LoadedModule) -> Vec<String> {
    module.tools.iter().map(|tool| tool.tool.spec().name.clone()).collect()
}

fn known(modules: &[LiveModule]) -> HashMap<String, Known> {
    let mut known = HashMap::new();
    for module in modules {
        for name in names(&module.loaded) {
            let stale = module.failed.as_ref().map(|failed| failed.error.to_string());
            // The first tool keeps the name.
            known.entry(name).or_insert_with(|| Known {
                inputs: module.inputs().clone(),
                file: module.found.real_path.clone(),
                stale,
            });
        }
    }
    known
}
