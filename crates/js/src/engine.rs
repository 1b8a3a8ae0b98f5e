//! The engine: state shared by all modules, and loading.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{runtime::Handle, sync::Semaphore};
use toolsmith_host::output::{HeldFile, Output};
use toolsmith_tool::{LoadRecording, PendingHandle, SessionActions, ToolContext, Ui, UiSlot};

use crate::{
    definitions::Definitions,
    instance::SharedState,
    limits::Limits,
    load::{LoadedModule, real_path},
    load_modules::{Purpose, load_all, load_for_tool},
    module_request::ModuleRequest,
    ops::WebClients,
    options::{BuiltInSpecs, EngineOptions, EngineRules, EngineStats, ExecHandler},
};

/// Loads modules and holds their shared state. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<EngineShared>,
}

pub(crate) struct EngineShared {
    pub(crate) cwd: PathBuf,
    pub(crate) limits: Limits,
    limits_by_path: Vec<(PathBuf, Limits)>,
    pub(crate) search_path: OsString,
    pub(crate) engines: EngineRules,
    pub(crate) exec: Option<Arc<dyn ExecHandler>>,
    pub(crate) built_ins: Option<BuiltInSpecs>,
    /// Calls can be recorded and replayed.
    pub(crate) is_recordable: bool,
    /// Nothing outside is asked but what a recording answers.
    pub(crate) is_replaying: bool,
    /// Recordings that modules are loaded from.
    loads: Vec<(PathBuf, Arc<LoadRecording>)>,
    /// The number of instances so far.
    pub(crate) instances: AtomicUsize,
    pub(crate) definitions: Option<Definitions>,
    /// Runtime for operations of tools.
    pub(crate) runtime: Handle,
    pub(crate) ui: UiSlot,
    pending: RwLock<PendingHandle>,
    actions: RwLock<Option<Arc<dyn SessionActions>>>,
    pub(crate) threads: AtomicUsize,
    pub(crate) abandoned: AtomicUsize,
    /// As many modules are loaded at once as there are cores.
    pub(crate) loading: Semaphore,
    bus: Mutex<Vec<Weak<SharedState>>>,
    pub(crate) web: WebClients,
    /// Files with long outputs of programs, for as long as their tools can be asked about them.
    outputs: Mutex<Vec<HeldFile>>,
}

/// A handle that does not keep an engine alive.
#[derive(Clone)]
pub struct WeakEngine {
    shared: Weak<EngineShared>,
}

impl WeakEngine {
    /// Returns the engine, if it is still there.
    pub fn upgrade(&self) -> Option<Engine> {
        self.shared.upgrade().map(|shared| Engine { shared })
    }
}

impl fmt::Debug for WeakEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakEngine")
    }
}

impl Engine {
    /// Returns a handle that does not keep the engine alive.
    pub fn downgrade(&self) -> WeakEngine {
        WeakEngine { shared: Arc::downgrade(&self.shared) }
    }

    /// Creates an engine whose tools run their operations on the current tokio runtime.
    ///
    /// # Panics
    /// Panics outside a tokio runtime, as [`Handle::current`] does.
    pub fn new(options: EngineOptions) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            shared: Arc::new(EngineShared {
                definitions: options
                    .definition_cache
                    .map(|folder| Definitions::new(folder, real_path(&options.cwd, &options.cwd)))
                    .map(|definitions| definitions.prepared(options.prepared)),
                cwd: options.cwd,
                limits: options.limits,
                limits_by_path: options.limits_by_path,
                search_path: options.search_path,
                engines: options.engines,
                exec: options.exec,
                built_ins: options.built_ins,
                is_recordable: options.is_recordable,
                is_replaying: options.is_replaying,
                loads: options.loads,
                instances: AtomicUsize::new(0),
                runtime: Handle::current(),
                ui: UiSlot::headless(),
                pending: RwLock::new(PendingHandle::unavailable()),
                actions: RwLock::default(),
                threads: AtomicUsize::new(0),
                abandoned: AtomicUsize::new(0),
                loading: Semaphore::new(cores),
                bus: Mutex::default(),
                web: WebClients::default(),
                outputs: Mutex::default(),
            }),
        }
    }

    /// Loads modules in parallel; the results are in the order of the paths. A failure affects only its own module.
    pub async fn load(&self, paths: &[PathBuf]) -> Vec<LoadedModule> {
        self.load_modules(paths.iter().map(ModuleRequest::from).collect()).await
    }

    /// Loads modules like [`Engine::load`], each restricted to the files its request allows.
    pub async fn load_modules(&self, modules: Vec<ModuleRequest>) -> Vec<LoadedModule> {
        load_all(&self.shared, modules, Purpose::Use).await
    }

    /// Loads those of the modules that may have a tool of this name, with their places in `modules`. With `is_free` the name is
    /// not taken by a built-in tool, so that the first module with it is enough. More modules than `most` are only scanned.
    pub async fn load_for_tool(
        &self,
        modules: Vec<ModuleRequest>,
        name: &str,
        is_free: bool,
        most: usize,
    ) -> Vec<(usize, LoadedModule)> {
        load_for_tool(&self.shared, modules, name, is_free, most).await
    }

    /// Reads the definitions of modules without giving each its own runtime: they are loaded one after another into a
    /// few shared ones, which end with the scan. This is several times faster for many modules. A tool of the result
    /// can be called; its module is then loaded again into its own runtime.
    pub async fn scan(&self, paths: &[PathBuf]) -> Vec<LoadedModule> {
        self.scan_modules(paths.iter().map(ModuleRequest::from).collect()).await
    }

    /// Scans modules like [`Engine::scan`], each restricted to the files its request allows.
    pub async fn scan_modules(&self, modules: Vec<ModuleRequest>) -> Vec<LoadedModule> {
        load_all(&self.shared, modules, Purpose::Scan).await
    }

    /// Switches the UI of every loaded tool, including those that stored `pi.ui` before (CONTRACT 3.3).
    pub fn set_ui_context(&self, ui: Arc<dyn Ui>) {
        self.shared.ui.set(ui);
    }

    /// Sets the pending store for tools outside a call.
    pub fn set_pending(&self, pending: PendingHandle) {
        *self.shared.pending.write().unwrap_or_else(PoisonError::into_inner) = pending;
    }

    /// Sets who carries out the actions of extensions. Without one, actions fail.
    pub fn set_session_actions(&self, actions: Option<Arc<dyn SessionActions>>) {
        *self.shared.actions.write().unwrap_or_else(PoisonError::into_inner) = actions;
    }

    /// Returns the state of the engine.
    pub fn stats(&self) -> EngineStats {
        EngineStats {
            threads: self.shared.threads.load(Ordering::SeqCst),
            abandoned: self.shared.abandoned.load(Ordering::SeqCst),
            memory: self.shared.members().iter().map(|member| member.memory.bytes()).sum(),
        }
    }

    /// Returns the working directory of tools.
    pub fn cwd(&self) -> &Path {
        &self.shared.cwd
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("cwd", &self.shared.cwd)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl EngineShared {
    /// Returns the limits of a module by its real path; it may have been named by a relative one.
    pub(crate) fn limits_of(&self, file: &Path) -> Limits {
        let own = self.limits_by_path.iter().rev().find(|(path, _)| real_path(&self.cwd, path) == file);
        own.map_or_else(|| self.limits.clone(), |(_, limits)| limits.clone())
    }

    /// Returns the recording that a module is loaded from, by its real path.
    pub(crate) fn load_of(&self, file: &Path) -> Option<Arc<LoadRecording>> {
        let own = self.loads.iter().find(|(path, _)| real_path(&self.cwd, path) == file);
        own.map(|(_, recording)| Arc::clone(recording))
    }

    /// Returns the context of a tool outside a call.
    pub(crate) fn default_context(&self) -> ToolContext {
        let pending = self.pending.read().unwrap_or_else(PoisonError::into_inner).clone();
        ToolContext::detached().with_ui(self.ui.handle()).with_pending(pending)
    }

    /// Returns who carries out the actions of extensions.
    pub(crate) fn actions(&self) -> Option<Arc<dyn SessionActions>> {
        self.actions.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps the files of outputs, whose names a tool is told, until the engine ends.
    pub(crate) fn hold<'o>(&self, outputs: impl IntoIterator<Item = &'o Output>) {
        let held = outputs.into_iter().filter_map(|output| output.held.clone());
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner).extend(held);
    }

    pub(crate) fn join_bus(&self, member: &Arc<SharedState>) {
        let mut bus = self.bus.lock().unwrap_or_else(PoisonError::into_inner);
        bus.retain(|other| other.strong_count() > 0);
        bus.push(Arc::downgrade(member));
    }

    fn members(&self) -> Vec<Arc<SharedState>> {
        self.bus.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
    }

    /// Publishes on the event bus between tools.
    pub(crate) fn emit(&self, channel: &str, json: &str) {
        let members: Vec<Arc<SharedState>> = self
            .bus
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        for member in members {
            member.hear(channel, json);
        }
    }
}
