//! A loaded module: its instance, which is replaced after a forced stop, and the initial loading of modules.

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use serde_json::Value;
use tokio::sync::Mutex;
use toolsmith_tool::{ActionError, Extension, Origin, OriginKind, Registrations, Tool};

use crate::{
    described::{Described, DescribedExtension, DescribedTool, Problem},
    engine::EngineShared,
    engine_kind::EngineKind,
    errors::{LoadError, Thrown},
    extension::JsExtension,
    instance::{Instance, InstanceOptions, LoadReply, Runner, StartedLoad},
    load::{LoadedModule, LoadedTool, real_path},
    module_request::{ImportGate, ModuleRequest},
    sidecar::SidecarRuntime,
    tool::JsTool,
};

/// Error for files that are not modules (CONTRACT 2.3).
const DECLARATIVE: &str = "Declarative tool files (.md, .json) cannot be loaded as executable modules";

/// Hint for a module that is restricted because its directory is not trusted.
const TRUST_FOLDER: &str = "To trust the whole folder, run: toolsmith trust";

/// A module and its current instance.
pub(crate) struct ModuleHost {
    path: PathBuf,
    options: InstanceOptions,
    /// The engine selected in settings.
    choice: Option<EngineKind>,
    /// The sidecar runtime it turned out to need, and why. A module that moved there stays.
    moved: OnceLock<(SidecarRuntime, String)>,
    current: Mutex<Option<Running>>,
    /// Files of the last load, also of one that failed.
    touched: std::sync::Mutex<Vec<PathBuf>>,
    /// Registrations other than tools.
    registrations: RwLock<Arc<Registrations>>,
    /// It was started again after a forced stop, so its handlers have not received the start of the session.
    restarted: AtomicBool,
}

/// A module loaded into an instance.
struct Started {
    instance: Arc<Instance>,
    described: Described,
    files: Vec<PathBuf>,
}

/// An instance with the module, and the numbers of its tools.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) instance: Arc<Instance>,
    numbers: Arc<RwLock<HashMap<String, u32>>>,
    /// Number of the module's registrations.
    pub(crate) extension: Option<u32>,
}

impl Running {
    fn new(instance: Arc<Instance>, described: &Described) -> Self {
        let numbers = described.tools.iter().map(|tool| (tool.name.clone(), tool.number)).collect();
        let extension = described.extension.as_ref().map(|extension| extension.number);
        Self { instance, numbers: Arc::new(RwLock::new(numbers)), extension }
    }

    /// Returns the number of a tool; `None` if the factory no longer creates it.
    pub(crate) fn number(&self, tool: &str) -> Option<u32> {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner).get(tool).copied()
    }
}

impl ModuleHost {
    fn new(engine: &Arc<EngineShared>, path: &Path, imports: Option<ImportGate>) -> Arc<Self> {
        let choice = engine.engines.choice(&engine.cwd, path);
        Arc::new_cyclic(|module| Self {
            path: path.to_path_buf(),
            options: InstanceOptions {
                engine: Arc::clone(engine),
                limits: engine.limits_of(path),
                label: path.to_string_lossy().into_owned(),
                imports,
                module: module.clone(),
            },
            choice,
            moved: OnceLock::new(),
            current: Mutex::new(None),
            touched: std::sync::Mutex::default(),
            registrations: RwLock::default(),
            restarted: AtomicBool::new(false),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what the module registered beside tools.
    pub(crate) fn registrations(&self) -> Arc<Registrations> {
        Arc::clone(&self.registrations.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether the module was restarted since this was last asked.
    pub(crate) fn take_restarted(&self) -> bool {
        self.restarted.swap(false, Ordering::SeqCst)
    }

    /// Replaces what the module registered.
    pub(crate) fn set_registrations(&self, registrations: Registrations) {
        *self.registrations.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(registrations);
    }

    /// Adds a tool that the module registered after it was loaded.
    pub(crate) fn add_tool(self: &Arc<Self>, described: &DescribedTool) -> Result<(), ActionError> {
        let tool = make_tool(self, described).map_err(ActionError::failed)?;
        let actions = self.options.engine.actions().ok_or(ActionError::NoSession)?;
        // Calls need the number of the tool. The lock is free unless the module is being restarted, in which case the
        // number belongs to the instance that is starting.
        if let Ok(current) = self.current.try_lock()
            && let Some(running) = current.as_ref()
        {
            let mut numbers = running.numbers.write().unwrap_or_else(PoisonError::into_inner);
            numbers.insert(described.name.clone(), described.number);
        }
        let origin = Origin::new(OriginKind::Extension, self.path.to_string_lossy());
        actions.register_tool(tool.tool, origin)
    }

    /// Starts an instance and loads the module.
    async fn start(&self) -> Result<Started, LoadError> {
        if let Some((runtime, _)) = self.moved.get() {
            return self.start_in(Runner::Sidecar(runtime.clone())).await.0;
        }
        match self.choice {
            None => {
                let (outcome, needs) = self.start_in(Runner::Embedded).await;
                self.move_if_needed(outcome, needs).await
            }
            Some(EngineKind::Embedded) => self.start_in(Runner::Embedded).await.0,
            Some(kind) if self.options.imports.is_some() => {
                let message = format!(
                    "Failed to load tool: it is set to run in {kind}, but only this file of its project is trusted, and {kind} \
                     cannot restrict what it imports"
                );
                Err(LoadError { hint: Some(TRUST_FOLDER.to_owned()), ..LoadError::new(&self.path, message) })
            }
            Some(kind) => {
                let Some(runtime) =
                    SidecarRuntime::find(kind, &self.options.engine.search_path, &self.options.engine.cwd)
                else {
                    let message = format!(
                        "Failed to load tool: it is configured to run in {kind}, which is not installed"
                    );
                    return Err(LoadError::new(&self.path, message));
                };
                let (runtime, _) =
                    self.moved.get_or_init(|| (runtime, "configured for this tool".to_owned()));
                self.start_in(Runner::Sidecar(runtime.clone())).await.0
            }
        }
    }

    /// Loads the module into a new instance; also returns the feature it lacks.
    async fn start_in(&self, runner: Runner) -> (Result<Started, LoadError>, Option<String>) {
        let instance = match Instance::start(&self.options, runner) {
            Ok(instance) => instance,
            Err(failure) => {
                let error = LoadError::new(&self.path, format!("Failed to load tool: {failure:?}"));
                return (Err(error), None);
            }
        };
        let reply = instance.load(&self.path).await;
        self.take(instance, reply)
    }

    /// Returns the files of the last load, also of one that failed.
    fn touched(&self) -> Vec<PathBuf> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Converts the outcome of a load.
    fn take(
        &self,
        instance: Arc<Instance>,
        reply: LoadReply,
    ) -> (Result<Started, LoadError>, Option<String>) {
        let LoadReply { said, files, needs } = reply;
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&files);
        let described = said.map_err(|error| *error).and_then(|json| self.read(&json));
        if let Ok(Described { extension: Some(DescribedExtension { registrations, .. }), .. }) = &described {
            self.set_registrations(registrations.clone());
        }
        (described.map(|described| Started { instance, described, files }), needs)
    }

    /// Moves a module to Bun or Node if the embedded engine lacks a feature it needs and one of them is installed.
    /// Otherwise the outcome stays, with a note about what is missing.
    async fn move_if_needed(
        &self,
        outcome: Result<Started, LoadError>,
        needs: Option<String>,
    ) -> Result<Started, LoadError> {
        let Some(needs) = needs.filter(|_| self.choice.is_none()) else { return outcome };
        if self.options.imports.is_some() {
            let note = format!("{needs}, which needs bun or node; those run only modules of trusted folders");
            return match outcome {
                Ok(mut started) => {
                    started.described.notes.push(format!("{note}, so it fails when used"));
                    Ok(started)
                }
                // An error that explains itself, such as an import that is not trusted, keeps its own hint.
                Err(error) => Err(LoadError {
                    hint: error.hint.or_else(|| Some(format!("{note}. {TRUST_FOLDER}"))),
                    ..error
                }),
            };
        }
        let Some(runtime) =
            SidecarRuntime::find_any(&self.options.engine.search_path, &self.options.engine.cwd)
        else {
            let note = format!("{needs}, which needs bun or node; neither is installed");
            return match outcome {
                Ok(mut started) => {
                    started.described.notes.push(format!("{note}, so it fails when used"));
                    Ok(started)
                }
                Err(error) => Err(LoadError { hint: Some(format!("{note}. Install one of them.")), ..error }),
            };
        };
        let (moved, _) = self.start_in(Runner::Sidecar(runtime.clone())).await;
        match (moved, outcome) {
            (Err(error), Ok(mut started)) => {
                started
                    .described
                    .notes
                    .push(format!("{needs}; it fails to load in {}: {error}", runtime.kind));
                Ok(started)
            }
            (moved, _) => {
                let _ = self.moved.set((runtime, needs));
                moved
            }
        }
    }

    /// Returns the engine, and the reason if it is not the embedded one.
    fn engine(&self) -> (EngineKind, Option<String>) {
        match self.moved.get() {
            Some((runtime, why)) => (runtime.kind, Some(why.clone())),
            None => (EngineKind::Embedded, None),
        }
    }

    fn read(&self, json: &str) -> Result<Described, LoadError> {
        serde_json::from_str(json)
            .map_err(|error| LoadError::new(&self.path, format!("Failed to load tool: {error}")))
    }

    /// Returns the instance, restarted if the last one was stopped.
    pub(crate) async fn instance(&self) -> Result<Running, LoadError> {
        let mut current = self.current.lock().await;
        if let Some(running) = current.as_ref().filter(|running| running.instance.is_alive()) {
            return Ok(running.clone());
        }
        if current.take().is_some() {
            self.restarted.store(true, Ordering::SeqCst);
        }
        let Started { instance, described, .. } = self.start().await?;
        let running = Running::new(instance, &described);
        *current = Some(running.clone());
        Ok(running)
    }

    pub(crate) fn limits(&self) -> &crate::limits::Limits {
        &self.options.limits
    }

    /// Returns the instance if it runs; does not start one.
    pub(crate) async fn running(&self) -> Option<Running> {
        self.current.lock().await.as_ref().filter(|running| running.instance.is_alive()).cloned()
    }
}

/// Loads modules, several at once.
pub(crate) async fn load_all(engine: &Arc<EngineShared>, requests: Vec<ModuleRequest>) -> Vec<LoadedModule> {
    let tasks: Vec<_> = requests
        .into_iter()
        .map(|request| {
            let (engine, path) = (Arc::clone(engine), request.path.clone());
            let task = engine.runtime.clone().spawn(async move {
                // The semaphore is never closed; without a permit it would only be less orderly.
                let _permit = engine.loading.acquire().await;
                load_one(&engine, request).await
            });
            (path, task)
        })
        .collect();
    let mut modules = Vec::with_capacity(tasks.len());
    for (path, task) in tasks {
        modules.push(task.await.unwrap_or_else(|error| {
            let error = LoadError::new(&path, format!("Failed to load tool: {error}"));
            failed(path, error, Instant::now())
        }));
    }
    modules
}

fn failed(path: PathBuf, error: LoadError, start: Instant) -> LoadedModule {
    LoadedModule {
        tools: Vec::new(),
        extension: None,
        errors: vec![error],
        notes: Vec::new(),
        engine: EngineKind::Embedded,
        engine_reason: None,
        files: vec![path.clone()],
        elapsed: start.elapsed(),
        path,
    }
}

async fn load_one(engine: &Arc<EngineShared>, request: ModuleRequest) -> LoadedModule {
    let start = Instant::now();
    let ModuleRequest { path, imports } = request;
    if let Some(error) = refuse(&path) {
        return failed(path, error, start);
    }
    let file = real_path(&engine.cwd, &path);
    let host = ModuleHost::new(engine, &file, imports);
    match host.start().await {
        Ok(Started { instance, described, files }) => {
            let running = Running::new(instance, &described);
            let module = finish(&host, path, &file, &described, files, start);
            if !module.tools.is_empty() || module.extension.is_some() {
                *host.current.lock().await = Some(running);
            }
            module
        }
        Err(error) => {
            let (engine, engine_reason) = host.engine();
            let mut module = failed(path.clone(), LoadError { path, ..error }, start);
            module.files.extend(host.touched());
            LoadedModule { engine, engine_reason, ..module }
        }
    }
}

/// Files that are not modules.
fn refuse(path: &Path) -> Option<LoadError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension.to_ascii_lowercase().as_str(), "md" | "json")
        .then(|| LoadError::new(path, DECLARATIVE))
}

/// Converts a module's definitions to tools.
fn finish(
    host: &Arc<ModuleHost>,
    path: PathBuf,
    file: &Path,
    described: &Described,
    mut files: Vec<PathBuf>,
    start: Instant,
) -> LoadedModule {
    let (engine, engine_reason) = host.engine();
    // The module itself first, then its imports.
    files.sort_by_key(|other| (other != file, other.clone()));
    let mut errors: Vec<LoadError> =
        described.problems.iter().map(|problem| tool_error(&path, problem)).collect();
    let mut tools = Vec::new();
    for tool in &described.tools {
        match make_tool(host, tool) {
            Ok(made) => tools.push(made),
            Err(error) => errors.push(LoadError::new(&path, error)),
        }
    }
    let extension = described.extension.as_ref().filter(|found| !found.registrations.is_empty());
    let extension = extension.map(|_| Arc::new(JsExtension::new(Arc::clone(host))) as Arc<dyn Extension>);
    LoadedModule {
        path,
        tools,
        extension,
        errors,
        notes: described.notes.clone(),
        engine,
        engine_reason,
        files,
        elapsed: start.elapsed(),
    }
}

/// Number of loads a scan worker requests ahead, so that neither side waits for the other to wake up. Near the end it
/// requests fewer, so that other workers have work too.
const MAX_AHEAD: usize = 4;

/// Surveys modules: each core takes them in turn into one runtime, and into a fresh one after a module that took it down.
pub(crate) async fn scan_all(engine: &Arc<EngineShared>, requests: Vec<ModuleRequest>) -> Vec<LoadedModule> {
    let requests: Arc<[ModuleRequest]> = requests.into();
    let workers = engine.loading.available_permits().clamp(1, requests.len().max(1));
    let next = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..workers)
        .map(|_| {
            let surveyor = Surveyor { engine: Arc::clone(engine), workers, instances: HashMap::new() };
            engine.runtime.spawn(surveyor.work_off(Arc::clone(&requests), Arc::clone(&next)))
        })
        .collect();
    let mut seen: HashMap<PathBuf, LoadedModule> = HashMap::new();
    for task in tasks {
        seen.extend(task.await.into_iter().flatten().map(|module| (module.path.clone(), module)));
    }
    let missing =
        |path: &PathBuf| failed(path.clone(), LoadError::new(path, "Failed to load tool"), Instant::now());
    requests
        .iter()
        .map(|module| seen.get(&module.path).cloned().unwrap_or_else(|| missing(&module.path)))
        .collect()
}

/// One worker of a scan and the runtimes it uses.
struct Surveyor {
    engine: Arc<EngineShared>,
    /// Total number of modules.
    workers: usize,
    /// One runtime for each gate, because modules that share a runtime share what they import.
    instances: HashMap<Option<usize>, Arc<Instance>>,
}

/// A module being scanned.
struct Surveyed {
    path: PathBuf,
    host: Arc<ModuleHost>,
    start: Instant,
}

impl Surveyor {
    /// Takes modules until there is none left.
    async fn work_off(mut self, requests: Arc<[ModuleRequest]>, next: Arc<AtomicUsize>) -> Vec<LoadedModule> {
        let mut done = Vec::new();
        let mut ahead = VecDeque::new();
        loop {
            let left = requests.len().saturating_sub(next.load(Ordering::SeqCst));
            let room = (left / (2 * self.workers)).clamp(1, MAX_AHEAD);
            while ahead.len() < room
                && let Some(request) = requests.get(next.fetch_add(1, Ordering::SeqCst))
            {
                match self.begin(request.clone()) {
                    Ok(begun) => ahead.push_back(begun),
                    Err(module) => done.push(module),
                }
            }
            let Some((module, instance, load)) = ahead.pop_front() else { return done };
            done.push(self.end(module, instance, load).await);
        }
    }

    fn begin(
        &mut self,
        request: ModuleRequest,
    ) -> Result<(Surveyed, Arc<Instance>, StartedLoad), LoadedModule> {
        let start = Instant::now();
        let ModuleRequest { path, imports } = request;
        let gate = imports.as_ref().map(ImportGate::identity);
        if let Some(error) = refuse(&path) {
            return Err(failed(path, error, start));
        }
        let file = real_path(&self.engine.cwd, &path);
        let host = ModuleHost::new(&self.engine, &file, imports);
        let instance = match self.instances.remove(&gate).filter(|instance| instance.is_alive()) {
            Some(instance) => instance,
            None => match Instance::start(&host.options, Runner::Embedded) {
                Ok(instance) => instance,
                Err(failure) => {
                    let error = LoadError::new(&path, format!("Failed to load tool: {failure:?}"));
                    return Err(failed(path, error, start));
                }
            },
        };
        self.instances.insert(gate, Arc::clone(&instance));
        let load = instance.start_load(&file);
        Ok((Surveyed { path, host, start }, instance, load))
    }

    async fn end(&mut self, module: Surveyed, instance: Arc<Instance>, load: StartedLoad) -> LoadedModule {
        let Surveyed { path, host, start } = module;
        let (outcome, needs) = match instance.finish_load(load).await {
            Ok(reply) => host.take(instance, reply),
            // The previous module crashed the runtime; this one gets a new one.
            Err(_) => host.start_in(Runner::Embedded).await,
        };
        let outcome = match host.choice {
            None | Some(EngineKind::Embedded) => host.move_if_needed(outcome, needs).await,
            Some(_) => host.start().await,
        };
        match outcome {
            Ok(Started { described, .. }) => {
                let file = host.path.clone();
                finish(&host, path, &file, &described, vec![file.clone()], start)
            }
            Err(error) => {
                let mut module = failed(path.clone(), LoadError { path, ..error }, start);
                module.files.extend(host.touched());
                module
            }
        }
    }
}

fn make_tool(host: &Arc<ModuleHost>, described: &DescribedTool) -> Result<LoadedTool, String> {
    let tool: Arc<dyn Tool> = Arc::new(JsTool::new(Arc::clone(host), described)?);
    Ok(LoadedTool { tool, schema: described.schema, arity: described.arity })
}

fn tool_error(path: &Path, problem: &Problem) -> LoadError {
    let thrown: Thrown = serde_json::from_value(Value::clone(&problem.thrown)).unwrap_or_default();
    let message = if problem.is_shape {
        format!("Tool factory returned invalid tool at index {}: {}", problem.index, thrown.message)
    } else {
        thrown.message
    };
    LoadError { index: Some(problem.index), ..LoadError::new(path, message) }
}
