//! Loading of modules: from the definition cache, into runtimes of their own, or in a scan.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Instant, SystemTime},
};

use crate::{
    definitions::{CacheSession, CachedModule, Checked, Outcome, ReadEntries, Remembered, has_tool},
    described::Described,
    engine::EngineShared,
    errors::LoadError,
    load::{LoadedModule, real_path},
    module::{ModuleHost, Running, Started, finish},
    module_inputs::ModuleInputs,
    module_request::ModuleRequest,
    modules::named_files,
    options::EngineKind,
    scan,
};

/// Error for files that are not modules (CONTRACT 2.3).
const DECLARATIVE: &str = "Declarative tool files (.md, .json) cannot be loaded as executable modules";

/// Fewer modules are looked up in the cache faster by one thread.
const MODULES_PER_THREAD: usize = 16;

/// The purpose of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Their tools are called, and they receive the events of a session.
    Use,
    /// Their definitions are read.
    Scan,
}

/// A module to be loaded, and what the cache knows about it.
struct Wanted {
    request: ModuleRequest,
    file: PathBuf,
    known: Option<CachedModule>,
}

/// A module after a look into the cache.
struct LookedUp {
    wanted: Wanted,
    /// Its entry, if files were compared by content and are known by their times now.
    renewed: Option<CachedModule>,
    /// The module as the cache describes it.
    module: Option<LoadedModule>,
}

/// A loaded module and its entry for the cache.
struct Loaded {
    module: LoadedModule,
    /// `None` leaves the entry as it is.
    entry: Option<Option<CachedModule>>,
}

/// Loads modules, several at once. Those whose definitions are cached are loaded when they are first used.
pub(crate) async fn load_all(
    engine: &Arc<EngineShared>,
    requests: Vec<ModuleRequest>,
    purpose: Purpose,
) -> Vec<LoadedModule> {
    let Some(definitions) = &engine.definitions else {
        return match purpose {
            Purpose::Scan => scan::scan_all(engine, requests).await,
            Purpose::Use => {
                let wanted = requests.into_iter().map(|request| {
                    let file = request.file(&engine.cwd);
                    Wanted { request, file, known: None }
                });
                let wanted = wanted.collect();
                load_each(engine, wanted, purpose).await.into_iter().map(|loaded| loaded.module).collect()
            }
        };
    };
    load_with(engine, definitions.open(), requests, purpose).await
}

/// Loads the modules that may have a tool of this name, in their order, with their places in `requests`: those whose cached
/// definitions have it, and those without any. If `is_free`, the first module with the name gets it, so the modules after
/// one that is known to have it are not looked at. More modules than `most` are only scanned.
pub(crate) async fn load_for_tool(
    engine: &Arc<EngineShared>,
    requests: Vec<ModuleRequest>,
    name: &str,
    is_free: bool,
    most: usize,
) -> Vec<(usize, LoadedModule)> {
    let purpose = |count: usize| if count > most { Purpose::Scan } else { Purpose::Use };
    let Some(definitions) = &engine.definitions else {
        let purpose = purpose(requests.len());
        return load_all(engine, requests, purpose).await.into_iter().enumerate().collect();
    };
    let mut cache = definitions.open();
    let (mut places, mut wanted) = (Vec::new(), Vec::new());
    for (at, mut request) in requests.into_iter().enumerate() {
        let file = request.file(&engine.cwd);
        let known = cache.get(&file, request.imports.as_ref());
        let has_it = match known.map(|known| known.remembered) {
            Some(Remembered::Definitions(said))
                if is_cacheable(engine.engines.choice(&engine.cwd, &file)) =>
            {
                Some(has_tool(&said, name))
            }
            _ => None,
        };
        if has_it == Some(false) {
            continue;
        }
        request.real_path = Some(file);
        places.push(at);
        wanted.push(request);
        if is_free && has_it == Some(true) {
            break;
        }
    }
    let purpose = purpose(wanted.len());
    places.into_iter().zip(load_with(engine, cache, wanted, purpose).await).collect()
}

async fn load_with(
    engine: &Arc<EngineShared>,
    mut cache: CacheSession,
    requests: Vec<ModuleRequest>,
    purpose: Purpose,
) -> Vec<LoadedModule> {
    let mut modules: Vec<Option<LoadedModule>> = Vec::with_capacity(requests.len());
    let (mut wanted, mut scanned) = (Vec::new(), Vec::new());
    let looked_up = look_up_all(engine, &cache, requests, purpose).await;
    for (at, LookedUp { wanted: Wanted { request, file, known }, renewed, module }) in
        looked_up.into_iter().enumerate()
    {
        if renewed.is_some() {
            cache.set(&file, renewed);
        }
        modules.push(module);
        if modules[at].is_some() {
            continue;
        }
        // A shared runtime shows less of what a module depends on, but nothing more is to be learned about these.
        match &known {
            Some(CachedModule { remembered: Remembered::Uncached(_), .. }) if purpose == Purpose::Scan => {
                scanned.push((at, request));
            }
            _ => wanted.push((at, Wanted { request, file, known })),
        }
    }
    let (places, requests): (Vec<usize>, Vec<ModuleRequest>) = scanned.into_iter().unzip();
    for (at, module) in places.into_iter().zip(scan::scan_all(engine, requests).await) {
        let file = real_path(&engine.cwd, &module.path);
        modules[at] = Some(with_last_files(module, &file, &cache));
    }
    let files: Vec<(usize, PathBuf)> = wanted.iter().map(|(at, wanted)| (*at, wanted.file.clone())).collect();
    let wanted = wanted.into_iter().map(|(_, wanted)| wanted).collect();
    for ((at, file), loaded) in files.into_iter().zip(load_each(engine, wanted, purpose).await) {
        modules[at] = Some(with_last_files(loaded.module, &file, &cache));
        if let Some(entry) = loaded.entry {
            cache.set(&file, entry);
        }
    }
    cache.save();
    modules.into_iter().flatten().collect()
}

/// Looks modules up in the cache, on several cores if they are many.
async fn look_up_all(
    engine: &Arc<EngineShared>,
    cache: &CacheSession,
    requests: Vec<ModuleRequest>,
    purpose: Purpose,
) -> Vec<LookedUp> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let part = requests.len().div_ceil(cores).max(MODULES_PER_THREAD);
    let mut parts = requests.chunks(part);
    let own = parts.next().unwrap_or_default();
    let tasks: Vec<_> = parts
        .map(|part| {
            let (engine, entries, requests) = (Arc::clone(engine), cache.entries(), part.to_vec());
            let task =
                engine.runtime.clone().spawn_blocking(move || look_up(&engine, &entries, &requests, purpose));
            (part, task)
        })
        .collect();
    let mut found = look_up(engine, &cache.entries(), own, purpose);
    for (part, task) in tasks {
        // Without another thread it takes longer.
        found.extend(task.await.unwrap_or_else(|_| look_up(engine, &cache.entries(), part, purpose)));
    }
    found
}

fn look_up(
    engine: &Arc<EngineShared>,
    entries: &ReadEntries,
    requests: &[ModuleRequest],
    purpose: Purpose,
) -> Vec<LookedUp> {
    let mut checked = Checked::default();
    let mut look_up = |request: &ModuleRequest| {
        let file = request.file(&engine.cwd);
        let (mut known, mut renewed, mut module) = (None, None, None);
        if let Some(current) = entries.get(&file, request.imports.as_ref(), &mut checked) {
            module = from_cache(engine, request, &file, &current.entry, current.described, purpose);
            renewed = current.is_renewed.then(|| current.entry.clone());
            known = Some(current.entry);
        }
        LookedUp { wanted: Wanted { request: request.clone(), file, known }, renewed, module }
    };
    requests.iter().map(&mut look_up).collect()
}

/// Adds the files of the last version that loaded to a module that did not: a correction of the module uses them again.
fn with_last_files(mut module: LoadedModule, file: &Path, cache: &CacheSession) -> LoadedModule {
    if !module.errors.is_empty() {
        module.candidates.extend(cache.last_files(file));
    }
    module
}

/// Describes a module from the cache. `None` if it has to be loaded.
fn from_cache(
    engine: &Arc<EngineShared>,
    request: &ModuleRequest,
    file: &Path,
    known: &CachedModule,
    described: Option<Described>,
    purpose: Purpose,
) -> Option<LoadedModule> {
    let start = Instant::now();
    let Remembered::Definitions(said) = &known.remembered else { return None };
    let host = ModuleHost::new(engine, file, request.imports.clone());
    if !is_cacheable(host.choice()) {
        return None;
    }
    let described = host.describe_from(said, described)?;
    if purpose == Purpose::Use && is_needed_at_once(&described) {
        return None;
    }
    let inputs = ModuleInputs::known(known.inputs.clone(), request.imports.clone());
    let files = known.inputs.files();
    let module = finish(&host, request.path.clone(), file, &described, files, inputs, start);
    let candidates = known.inputs.candidates();
    module.errors.is_empty().then_some(LoadedModule { candidates, ..module })
}

/// Modules that are set to run in another engine are not cached: what they read cannot be seen there.
fn is_cacheable(choice: Option<EngineKind>) -> bool {
    matches!(choice, None | Some(EngineKind::Embedded))
}

/// Returns whether a module takes part in the start of a session. It is loaded with the others then, at once, instead
/// of one after another.
fn is_needed_at_once(described: &Described) -> bool {
    let events = ["session_start", "resources_discover"];
    let registrations = described.extension.as_ref().map(|extension| &extension.registrations);
    described.tools.iter().any(|tool| tool.has_on_session)
        || registrations.is_some_and(|found| events.iter().any(|event| found.listens_to(event)))
}

/// Loads modules into runtimes of their own.
async fn load_each(engine: &Arc<EngineShared>, wanted: Vec<Wanted>, purpose: Purpose) -> Vec<Loaded> {
    let tasks: Vec<_> = wanted
        .into_iter()
        .map(|wanted| {
            let (engine, path) = (Arc::clone(engine), wanted.request.path.clone());
            let task = engine.runtime.clone().spawn(async move {
                // The semaphore is never closed; without a permit it would only be less orderly.
                let _permit = engine.loading.acquire().await;
                load_one(&engine, wanted, purpose).await
            });
            (path, task)
        })
        .collect();
    let mut modules = Vec::with_capacity(tasks.len());
    for (path, task) in tasks {
        modules.push(task.await.unwrap_or_else(|error| {
            let error = LoadError::new(&path, format!("Failed to load tool: {error}"));
            Loaded { module: failed(path, error, Instant::now()), entry: None }
        }));
    }
    modules
}

async fn load_one(engine: &Arc<EngineShared>, wanted: Wanted, purpose: Purpose) -> Loaded {
    let (start, begun) = (Instant::now(), SystemTime::now());
    let Wanted { request: ModuleRequest { path, imports, .. }, file, known } = wanted;
    if let Some(error) = refuse(&path) {
        return Loaded { module: failed(path, error, start), entry: None };
    }
    let is_gated = imports.is_some();
    let host = ModuleHost::new(engine, &file, imports.clone());
    if let Some(CachedModule { remembered: Remembered::Engine(name, why), .. }) = &known {
        host.move_to(name.kind(), why);
    }
    match host.start().await {
        Ok(started) => {
            let files = started.files.clone();
            let inputs = ModuleInputs::new(started.observed.as_deref(), &files, imports, begun);
            let mut module = finish(&host, path, &file, &started.described, files, inputs, start);
            if module.engine != EngineKind::Embedded {
                module.candidates.extend(named_files(&file));
            }
            let entry = entry_of(&host, &started, &module, is_gated, begun);
            // Entries whose inputs are unchanged are not written again. That a module is not cached may have become
            // known after it was loaded.
            let is_known = |entry: &CachedModule| {
                known.as_ref().is_some_and(|known| {
                    known.remembered == entry.remembered
                        || matches!(known.remembered, Remembered::Uncached(_))
                })
            };
            let entry = entry.filter(|entry| !is_known(entry)).map(Some);
            let is_used = !module.tools.is_empty() || module.extension.is_some();
            if is_used && purpose == Purpose::Use {
                host.keep(Running::new(started.instance, &started.described, host.last_load())).await;
            }
            Loaded { module, entry }
        }
        Err(error) => {
            let (engine, engine_reason) = host.engine();
            let mut module = failed(path.clone(), LoadError { path, ..error }, start);
            module.files.extend(host.touched());
            module.candidates = [host.candidates(), named_files(&file)].concat();
            module.inputs = ModuleInputs::new(None, &[vec![file], host.touched()].concat(), imports, begun);
            // The entry of an earlier version stays: it tells which files that version used.
            let entry = known.is_some().then_some(None);
            Loaded { module: LoadedModule { engine, engine_reason, ..module }, entry }
        }
    }
}

/// Returns the cache entry of a module that was loaded.
fn entry_of(
    host: &ModuleHost,
    started: &Started,
    module: &LoadedModule,
    is_gated: bool,
    begun: SystemTime,
) -> Option<CachedModule> {
    if host.options().engine.definitions.is_none() || !is_cacheable(host.choice()) {
        return None;
    }
    let (kind, why) = host.engine();
    let outcome = Outcome {
        said: &started.said,
        refuses: started.described.cache == Some(false),
        has_problems: !module.errors.is_empty(),
        moved: why.as_deref().map(|why| (kind, why)),
        lacks: started.needs.is_some(),
    };
    CachedModule::new(started.observed.as_deref()?, &outcome, is_gated, begun)
}

pub(crate) fn failed(path: PathBuf, error: LoadError, start: Instant) -> LoadedModule {
    LoadedModule::failed(path, error, start.elapsed())
}

/// Files that are not modules.
pub(crate) fn refuse(path: &Path) -> Option<LoadError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension.to_ascii_lowercase().as_str(), "md" | "json")
        .then(|| LoadError::new(path, DECLARATIVE))
}
