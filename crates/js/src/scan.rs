//! Scans: definitions of many modules are read in a few shared runtimes, which end with the scan.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Instant, SystemTime},
};

use crate::{
    engine::EngineShared,
    errors::LoadError,
    instance::{Instance, Runner, StartedLoad},
    load::LoadedModule,
    load_modules::{failed, refuse},
    module::{ModuleHost, Started, finish},
    module_inputs::ModuleInputs,
    module_request::{ImportGate, ModuleRequest},
    modules::named_files,
    options::EngineKind,
};

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
            let surveyor = Surveyor {
                engine: Arc::clone(engine),
                workers,
                instances: HashMap::new(),
                seen: HashSet::new(),
            };
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
    /// Files and candidates of the modules so far. A runtime reports those of all its modules with each of them.
    seen: HashSet<PathBuf>,
}

/// A module being scanned.
struct Surveyed {
    path: PathBuf,
    host: Arc<ModuleHost>,
    start: Instant,
    begun: SystemTime,
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
        let file = request.file(&self.engine.cwd);
        let ModuleRequest { path, imports, .. } = request;
        let gate = imports.as_ref().map(ImportGate::identity);
        if let Some(error) = refuse(&path) {
            return Err(failed(path, error, start));
        }
        let host = ModuleHost::new(&self.engine, &file, imports);
        let instance = match self.instances.remove(&gate).filter(|instance| instance.is_alive()) {
            Some(instance) => instance,
            None => match Instance::start(host.options(), Runner::Embedded) {
                Ok(instance) => instance,
                Err(failure) => {
                    let error = LoadError::new(&path, format!("Failed to load tool: {failure:?}"));
                    return Err(failed(path, error, start));
                }
            },
        };
        self.instances.insert(gate, Arc::clone(&instance));
        let load = instance.start_load(&file, None);
        Ok((Surveyed { path, host, start, begun: SystemTime::now() }, instance, load))
    }

    async fn end(&mut self, module: Surveyed, instance: Arc<Instance>, load: StartedLoad) -> LoadedModule {
        let Surveyed { path, host, start, begun } = module;
        let (outcome, needs) = match instance.finish_load(load).await {
            // Modules before it may have taken the memory of the shared runtime.
            Ok(reply) if reply.said.as_ref().is_err_and(|error| error.is_about_memory()) => {
                self.instances.retain(|_, kept| !Arc::ptr_eq(kept, &instance));
                host.start_in(Runner::Embedded).await
            }
            Ok(reply) => host.take(instance, reply),
            // The previous module crashed the runtime; this one gets a new one.
            Err(_) => host.start_in(Runner::Embedded).await,
        };
        let outcome = match host.choice() {
            None | Some(EngineKind::Embedded) => host.move_if_needed(outcome, needs).await,
            Some(_) => host.start().await,
        };
        match outcome {
            Ok(Started { described, files: touched, .. }) => {
                let file = host.path().to_path_buf();
                let files = vec![file.clone()];
                // Modules that share a runtime share imports, so nobody knows which of them this one needed.
                let inputs = ModuleInputs::new(None, &files, host.options().imports.clone(), begun);
                let module = finish(&host, path, &file, &described, files, inputs, start);
                let candidates = [touched, module.candidates].concat();
                let candidates =
                    candidates.into_iter().filter(|path| self.seen.insert(path.clone())).collect();
                LoadedModule { candidates, ..module }
            }
            Err(error) => {
                let mut module = failed(path.clone(), LoadError { path, ..error }, start);
                module.files.extend(host.touched());
                module.candidates = [host.candidates(), named_files(host.path())].concat();
                module.inputs = ModuleInputs::new(None, &module.files, host.options().imports.clone(), begun);
                module
            }
        }
    }
}
