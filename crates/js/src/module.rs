//! A loaded module: its instance, which is started on first use and replaced after a forced stop.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Instant, SystemTime},
};

use serde_json::Value;
use tokio::sync::Mutex;
use toolsmith_tool::{
    ActionError, CallTape, Extension, LoadRecording, LoadTape, Origin, OriginKind, Registrations, Tool,
};

use crate::{
    data_limit::DataLimit,
    definitions::{Observed, changed_tools},
    described::{Described, DescribedExtension, DescribedTool, Problem},
    engine::EngineShared,
    errors::{LoadError, Thrown},
    extension::JsExtension,
    hand_over::ModuleHandle,
    instance::{Instance, InstanceOptions, LoadReply, Runner},
    load::{LoadedModule, LoadedTool},
    module_inputs::ModuleInputs,
    module_request::ImportGate,
    modules::later_files,
    options::EngineKind,
    sidecar::SidecarRuntime,
    tool::JsTool,
    uses::{Lease, Uses},
};

/// Hint for a module that is restricted because its directory is not trusted.
const TRUST_FOLDER: &str = "To trust the whole folder, run: toolsmith trust";

/// The most bytes of the recording of a load.
const MAX_LOAD: usize = 8 << 20;

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
    /// Other paths that decided what imports refer to, in all its loads.
    candidates: std::sync::Mutex<BTreeSet<PathBuf>>,
    /// Registrations other than tools.
    registrations: RwLock<Arc<Registrations>>,
    /// It was started again after a forced stop, so its handlers have not received the start of the session.
    restarted: AtomicBool,
    /// The cached description that its tools were made from, until it is loaded for the first time.
    expected: std::sync::Mutex<Option<String>>,
    /// A new version of the module took its place: it takes no more calls and is not started again.
    is_replaced: AtomicBool,
    uses: Arc<Uses>,
    /// The recording that it is loaded from.
    replays: std::sync::Mutex<Option<Arc<LoadRecording>>>,
    /// The tape of the last load.
    load: std::sync::Mutex<Option<LoadTape>>,
}

/// A module loaded into an instance.
pub(crate) struct Started {
    pub(crate) instance: Arc<Instance>,
    pub(crate) described: Described,
    /// The description as JSON.
    pub(crate) said: String,
    pub(crate) files: Vec<PathBuf>,
    /// A feature it needs that the embedded engine lacks.
    pub(crate) needs: Option<String>,
    /// Everything the load depended on, where that is known.
    pub(crate) observed: Option<Box<Observed>>,
}

/// An instance in use.
pub(crate) struct InUse {
    running: Running,
    _lease: Lease,
}

impl std::ops::Deref for InUse {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

/// An instance with the module, and the numbers of its tools.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) instance: Arc<Instance>,
    numbers: Arc<RwLock<HashMap<String, u32>>>,
    /// Number of the module's registrations.
    pub(crate) extension: Option<u32>,
    /// Numbers of the tools that receive session events.
    pub(crate) listeners: Arc<[u32]>,
    /// Number of the module's `getState`.
    pub(crate) state: Option<u32>,
    /// Names of tools that were offered with other definitions than they have now.
    changed: Arc<HashSet<String>>,
    /// The tape of its load, where calls can be recorded.
    pub(crate) load: Option<LoadTape>,
}

impl Running {
    pub(crate) fn new(instance: Arc<Instance>, described: &Described, load: Option<LoadTape>) -> Self {
        let numbers = described.tools.iter().map(|tool| (tool.name.clone(), tool.number)).collect();
        let extension = described.extension.as_ref().map(|extension| extension.number);
        let listeners = described.tools.iter().filter(|tool| tool.has_on_session).map(|tool| tool.number);
        Self {
            instance,
            numbers: Arc::new(RwLock::new(numbers)),
            extension,
            listeners: listeners.collect(),
            state: described.state,
            changed: Arc::default(),
            load,
        }
    }

    /// Returns whether a tool was offered with another definition than it has now.
    pub(crate) fn is_changed(&self, tool: &str) -> bool {
        self.changed.contains(tool)
    }

    /// Returns the number of a tool; `None` if the factory no longer creates it.
    pub(crate) fn number(&self, tool: &str) -> Option<u32> {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner).get(tool).copied()
    }
}

impl ModuleHost {
    pub(crate) fn new(engine: &Arc<EngineShared>, path: &Path, imports: Option<ImportGate>) -> Arc<Self> {
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
            candidates: std::sync::Mutex::default(),
            registrations: RwLock::default(),
            restarted: AtomicBool::new(false),
            expected: std::sync::Mutex::default(),
            is_replaced: AtomicBool::new(false),
            uses: Arc::default(),
            replays: std::sync::Mutex::new(engine.load_of(path)),
            load: std::sync::Mutex::default(),
        })
    }

    /// Returns whether a new version of the module took its place.
    pub(crate) fn is_replaced(&self) -> bool {
        self.is_replaced.load(Ordering::SeqCst)
    }

    /// Refuses calls from now on. Returns what runs, with the calls in progress.
    pub(crate) async fn replace(&self) -> Option<Running> {
        let current = self.current.lock().await;
        self.is_replaced.store(true, Ordering::SeqCst);
        current.as_ref().filter(|running| running.instance.is_alive()).cloned()
    }

    /// Ends the instance of a module that was replaced.
    pub(crate) async fn end(&self) {
        let running = self.current.lock().await.take();
        drop(running);
    }

    /// Returns the users of its instance.
    pub(crate) fn uses(&self) -> &Arc<Uses> {
        &self.uses
    }

    /// Describes the module from the cache, without loading it. It is loaded when it is first used, and what it
    /// declares then is compared with this.
    pub(crate) fn describe_from(&self, said: &str, parsed: Option<Described>) -> Option<Described> {
        let described = match parsed {
            Some(parsed) => parsed,
            None => self.read(said).ok()?,
        };
        if let Some(DescribedExtension { registrations, .. }) = &described.extension {
            self.set_registrations(registrations.clone());
        }
        *self.expected.lock().unwrap_or_else(PoisonError::into_inner) = Some(said.to_owned());
        Some(described)
    }

    /// Returns whether it was described from the cache and not loaded since.
    pub(crate) fn is_cached(&self) -> bool {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Has the module run in the engine that it needed before, if that is installed.
    pub(crate) fn move_to(&self, kind: EngineKind, reason: &str) {
        let engine = &self.options.engine;
        if self.choice.is_none()
            && self.options.imports.is_none()
            && let Some(runtime) = SidecarRuntime::find(kind, &engine.search_path, &engine.cwd)
        {
            let _ = self.moved.set((runtime, reason.to_owned()));
        }
    }

    /// Returns the engine it is configured to run in.
    pub(crate) fn choice(&self) -> Option<EngineKind> {
        self.choice
    }

    /// Returns the options of its instances.
    pub(crate) fn options(&self) -> &InstanceOptions {
        &self.options
    }

    /// Keeps an instance for later calls.
    pub(crate) async fn keep(&self, running: Running) {
        *self.current.lock().await = Some(running);
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
    pub(crate) async fn start(&self) -> Result<Started, LoadError> {
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

    /// Returns the tape for a load: it plays a recording back, or records.
    fn new_load(&self) -> Option<LoadTape> {
        let engine = &self.options.engine;
        if !engine.is_recordable {
            return None;
        }
        let module = Arc::from(self.path.to_string_lossy());
        if let Some(recording) = &*self.replays.lock().unwrap_or_else(PoisonError::into_inner) {
            let tape = CallTape::play_back(recording.asked.clone());
            return Some(LoadTape { instance: Arc::from(recording.instance.as_str()), module, tape });
        }
        // An old recording says nothing about the load, which then asks the system.
        if engine.is_replaying {
            return None;
        }
        // A session is continued by other processes, so a number alone would occur twice.
        let number = engine.instances.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let instance = Arc::from(format!("{:x}-{number}", now.as_micros()));
        Some(LoadTape { instance, module, tape: CallTape::record(MAX_LOAD) })
    }

    /// Returns the tape of the last load.
    pub(crate) fn last_load(&self) -> Option<LoadTape> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loads the module into a new instance; also returns the feature it lacks.
    pub(crate) async fn start_in(&self, runner: Runner) -> (Result<Started, LoadError>, Option<String>) {
        let is_replayed = self.replays.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if let (true, Runner::Sidecar(runtime)) = (is_replayed, &runner) {
            // There the module would ask the system: what sidecars do is neither recorded nor replayed.
            let message = format!(
                "Failed to load tool: it needs {} to load, and a replay runs only in the embedded engine",
                runtime.kind
            );
            return (Err(LoadError::new(&self.path, message)), None);
        }
        let load = self.new_load().filter(|_| matches!(runner, Runner::Embedded));
        self.load.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&load);
        let instance = match Instance::start(&self.options, runner) {
            Ok(instance) => instance,
            Err(failure) => {
                let error = LoadError::new(&self.path, format!("Failed to load tool: {failure:?}"));
                return (Err(error), None);
            }
        };
        let reply = instance.load(&self.path, load.map(|load| load.tape)).await;
        self.take(instance, reply)
    }

    /// Returns the files of the last load, also of one that failed.
    pub(crate) fn touched(&self) -> Vec<PathBuf> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the other paths that decided what imports refer to, also in a load that failed.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        self.candidates.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Converts the outcome of a load.
    pub(crate) fn take(
        &self,
        instance: Arc<Instance>,
        reply: LoadReply,
    ) -> (Result<Started, LoadError>, Option<String>) {
        let LoadReply { said, files, needs, mut observed } = reply;
        if let Some(observed) = &mut observed {
            let later = later_files(observed);
            observed.note_files(later.into_iter());
        }
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&files);
        if let Some(observed) = &observed {
            let mut candidates = self.candidates.lock().unwrap_or_else(PoisonError::into_inner);
            candidates.extend(observed.candidates().cloned());
        }
        let described = said.map_err(|error| *error).and_then(|json| Ok((self.read(&json)?, json)));
        if let Ok((Described { extension: Some(DescribedExtension { registrations, .. }), .. }, _)) =
            &described
        {
            self.set_registrations(registrations.clone());
        }
        let started = described.map(|(described, said)| Started {
            instance,
            described,
            said,
            files,
            needs: needs.clone(),
            observed,
        });
        (started, needs)
    }

    /// Moves a module to Bun or Node if the embedded engine lacks a feature it needs and one of them is installed.
    /// Otherwise the outcome stays, with a note about what is missing.
    pub(crate) async fn move_if_needed(
        &self,
        outcome: Result<Started, LoadError>,
        needs: Option<String>,
    ) -> Result<Started, LoadError> {
        let Some(needs) = needs.filter(|_| self.choice.is_none()) else { return outcome };
        let observed = outcome.as_ref().ok().and_then(|started| started.observed.clone());
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
                // The embedded engine has seen which files the module needs.
                moved.map(|started| Started { observed, ..started })
            }
        }
    }

    /// Returns whether calls are only replayed.
    pub(crate) fn is_replaying(&self) -> bool {
        self.options.engine.is_replaying
    }

    /// Returns the engine, and the reason if it is not the embedded one.
    pub(crate) fn engine(&self) -> (EngineKind, Option<String>) {
        match self.moved.get() {
            Some((runtime, why)) => (runtime.kind, Some(why.clone())),
            None => (EngineKind::Embedded, None),
        }
    }

    fn read(&self, json: &str) -> Result<Described, LoadError> {
        DataLimit::new(self.limits().memory)
            .read(json)
            .map_err(|error| LoadError::new(&self.path, format!("Failed to load tool: {error}")))
    }

    /// Returns the instance, restarted if the last one was stopped.
    pub(crate) async fn instance(&self) -> Result<InUse, LoadError> {
        self.instance_for(None).await
    }

    /// Returns the instance for a call with this tape. A replayed call needs one that was loaded from the same recording.
    pub(crate) async fn instance_for(&self, tape: Option<&CallTape>) -> Result<InUse, LoadError> {
        let mut current = self.current.lock().await;
        if let Some(wanted) = tape.and_then(CallTape::load) {
            let of = |running: &Running| running.load.as_ref().map(|load| Arc::clone(&load.instance));
            if current.as_ref().is_some_and(|running| of(running).as_deref() != Some(&wanted.instance)) {
                *current = None;
            }
            *self.replays.lock().unwrap_or_else(PoisonError::into_inner) = Some(wanted);
        }
        // Decided under the lock: a call is either counted before the module is replaced, or refused.
        if self.is_replaced() {
            return Err(LoadError::new(&self.path, "the module was changed; its new version takes calls"));
        }
        let in_use = |running| InUse { running, _lease: self.uses.lease() };
        if let Some(running) = current.as_ref().filter(|running| running.instance.is_alive()) {
            return Ok(in_use(running.clone()));
        }
        if current.take().is_some() {
            self.restarted.store(true, Ordering::SeqCst);
        }
        let Started { instance, described, said, .. } = self.start().await?;
        let mut running = Running::new(instance, &described, self.last_load());
        let expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(expected) = expected.filter(|expected| *expected != said) {
            // Approval was decided by the cached definition, so a tool that has another one now is not called.
            running.changed = Arc::new(changed_tools(&expected, &said));
            if let Some(definitions) = &self.options.engine.definitions {
                definitions.distrust(&self.path);
            }
        }
        *current = Some(running.clone());
        Ok(in_use(running))
    }

    /// Returns the instance for rendering: a module that was never started is started, one that was stopped is not.
    pub(crate) async fn for_rendering(&self) -> Option<InUse> {
        if !self.is_replaced() && self.is_cached() {
            return self.instance().await.ok();
        }
        self.running().await
    }

    pub(crate) fn limits(&self) -> &crate::limits::Limits {
        &self.options.limits
    }

    /// Returns the instance if it runs; does not start one.
    pub(crate) async fn running(&self) -> Option<InUse> {
        let current = self.current.lock().await;
        let running = current.as_ref().filter(|running| running.instance.is_alive()).cloned()?;
        Some(InUse { running, _lease: self.uses.lease() })
    }
}

/// Converts a module's definitions to tools.
pub(crate) fn finish(
    host: &Arc<ModuleHost>,
    path: PathBuf,
    file: &Path,
    described: &Described,
    mut files: Vec<PathBuf>,
    inputs: ModuleInputs,
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
        candidates: host.candidates(),
        elapsed: start.elapsed(),
        inputs,
        handle: ModuleHandle::new(host),
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
