//! One change of the modules: found, then made or postponed.

use std::{collections::HashSet, mem, path::PathBuf, sync::Arc};

use tokio::sync::OwnedMutexGuard;
use toolsmith_js::{LoadedModule, ModuleInputs};
use toolsmith_tool::{ToolContext, ToolSpec};

use super::{
    live::{FailedVersion, Inner, LiveModule, State},
    places::Places,
};
use crate::{
    discovery::{Discovered, FoundModule},
    load_error::ToolLoadError,
    loading::LoadedTools,
    trust::TrustDecision,
};

/// The extent of a look for changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look<'a> {
    /// All modules, and the directories in which they are found.
    Everything,
    /// The module of one tool.
    Tool(&'a str),
    /// Trust of the modules in use: they may have to stop. Their files are not looked at.
    Trust,
}

/// A version of a module that takes the place of another; one of them is missing if the module was added or removed.
struct Replaced {
    path: PathBuf,
    old: Option<LoadedModule>,
    new: Option<LoadedModule>,
    /// The old version may no longer run.
    is_revoked: bool,
}

/// A change that was found. Nobody else looks for changes until it is made, postponed or dropped.
pub(crate) struct Change {
    inner: Arc<Inner>,
    state: OwnedMutexGuard<State>,
    modules: Vec<LiveModule>,
    /// The result of a search. A search for modules that may no longer run leaves new ones to the next.
    found: Option<(Discovered, Option<Places>)>,
    /// The trust by which all modules were judged, if they were.
    judged_by: Option<TrustDecision>,
    /// Modules were removed, or loaded again, because they may no longer run as they did.
    pub(crate) is_about_trust: bool,
    replaced: Vec<Replaced>,
    /// The tools afterwards.
    pub(crate) loaded: LoadedTools,
    /// Errors of modules that no longer load.
    pub(crate) failures: Vec<ToolLoadError>,
}

impl Change {
    /// Looks for changes; loads what changed.
    pub(super) async fn find(
        inner: Arc<Inner>,
        mut state: OwnedMutexGuard<State>,
        look: Look<'_>,
    ) -> Option<Self> {
        let trust = inner.trust();
        // A look at one tool does not judge the others.
        let is_judged = matches!(look, Look::Tool(_)) || inner.is_judged_by(&trust);
        let found = match look {
            Look::Everything if !is_judged || state.places.are_changed(&trust) => {
                inner.search(&trust).map(|(discovered, places)| (discovered, Some(places)))
            }
            Look::Trust if !is_judged => inner.search(&trust).map(|(discovered, _)| (discovered, None)),
            _ => None,
        };
        // The usual case before a request: nothing is copied for it.
        if matches!(look, Look::Everything) && is_judged && found.is_none() {
            let modules = &state.modules;
            if modules.iter().all(|module| module.failed.is_none())
                && ModuleInputs::all_are_unchanged(modules.iter().map(|module| &module.loaded.inputs))
            {
                return None;
            }
        }
        let judged_by = (!matches!(look, Look::Tool(_))).then_some(trust);
        let mut modules: Vec<LiveModule> = Vec::new();
        let mut wanted: Vec<(usize, FoundModule)> = Vec::new();
        let mut is_changed = false;
        let ready: Vec<FoundModule> = match &found {
            Some((discovered, _)) => discovered.ready().cloned().collect(),
            None => state.modules.iter().map(|module| module.found.clone()).collect(),
        };
        let is_looked_at = |module: &LiveModule| match look {
            Look::Everything => true,
            Look::Tool(name) => module.loaded.tools.iter().any(|tool| tool.tool.spec().name == name),
            Look::Trust => false,
        };
        let mut replaced = Vec::new();
        // Modules whose imports are restricted otherwise than before.
        let mut restricted = HashSet::new();
        for found in ready {
            let Some(known) = state.modules.iter().find(|module| module.found.path == found.path) else {
                if matches!(look, Look::Trust) {
                    continue;
                }
                // Loaded below.
                let loaded = LoadedModule::nothing(&found.path);
                wanted.push((modules.len(), found.clone()));
                modules.push(LiveModule { found, loaded, failed: None });
                continue;
            };
            let is_restricted = known.found.imports.is_some() || found.imports.is_some();
            let mut module = LiveModule { found, ..known.clone() };
            if is_restricted && !is_judged {
                restricted.insert(modules.len());
                wanted.push((modules.len(), module.found.clone()));
                modules.push(module);
                continue;
            }
            if !is_looked_at(&module) {
                modules.push(module);
                continue;
            }
            if module.loaded.inputs.are_unchanged() {
                is_changed |= module.failed.take().is_some();
            } else if !module.failed.as_ref().is_some_and(|failed| failed.inputs.are_unchanged()) {
                let prepared = state.prepared.get(&module.found.path);
                match (prepared.filter(|prepared| prepared.inputs.are_unchanged()).cloned(), look) {
                    // It waits for the next turn.
                    (Some(_), Look::Tool(_) | Look::Trust) => {}
                    (Some(prepared), Look::Everything) => {
                        let old = mem::replace(&mut module.loaded, prepared.clone());
                        module.failed = None;
                        let path = module.found.path.clone();
                        let new = Some(prepared);
                        replaced.push(Replaced { path, old: Some(old), new, is_revoked: false });
                    }
                    (None, _) => wanted.push((modules.len(), module.found.clone())),
                }
            }
            modules.push(module);
        }
        if let Some((discovered, _)) = &found {
            let waiting =
                |from: &Discovered| from.waiting().map(|module| module.path.clone()).collect::<Vec<_>>();
            is_changed |= waiting(discovered) != waiting(&state.discovered);
            let stays: HashSet<&PathBuf> = discovered.ready().map(|module| &module.path).collect();
            let gone = state.modules.iter().filter(|module| !stays.contains(&module.found.path));
            replaced.extend(gone.map(|module| Replaced {
                path: module.found.path.clone(),
                old: Some(module.loaded.clone()),
                new: None,
                is_revoked: discovered.waiting().any(|waiting| waiting.path == module.found.path),
            }));
        }
        let is_about_trust =
            !is_judged && (!restricted.is_empty() || replaced.iter().any(|one| one.new.is_none()));
        let requests: Vec<FoundModule> = wanted.iter().map(|(_, found)| found.clone()).collect();
        let loaded = if requests.is_empty() { Vec::new() } else { inner.load(&requests).await };
        let mut failures = Vec::new();
        for ((at, found), loaded) in wanted.into_iter().zip(loaded) {
            let module = &mut modules[at];
            let error = loaded.errors.first();
            // A version that may no longer run is not kept.
            if let Some(error) = error.filter(|_| module.works() && !restricted.contains(&at)) {
                let error = ToolLoadError::from_engine(error.clone(), &found.source);
                // A file that was just written is looked at again, but its error is reported once.
                let known = module.failed.as_ref().map(|failed| failed.error.to_string());
                if known != Some(error.to_string()) {
                    failures.push(error.clone());
                }
                let candidates = [loaded.files, loaded.candidates].concat();
                module.failed = Some(FailedVersion { error, inputs: loaded.inputs, candidates });
                is_changed = true;
                continue;
            }
            let is_known = state.modules.iter().any(|known| known.found.path == found.path);
            let old = mem::replace(&mut module.loaded, loaded.clone());
            module.failed = None;
            replaced.push(Replaced {
                path: found.path,
                old: is_known.then_some(old),
                new: Some(loaded),
                is_revoked: restricted.contains(&at),
            });
        }
        if replaced.is_empty() && !is_changed {
            judged_by.into_iter().for_each(|trust| inner.judge_by(trust));
            if let Some((discovered, Some(places))) = found {
                state.discovered = discovered;
                state.places = places;
            }
            return None;
        }
        let discovered = found.as_ref().map_or(&state.discovered, |(discovered, _)| discovered);
        let loaded = inner.sort(discovered, &modules);
        Some(Self { inner, modules, found, judged_by, is_about_trust, replaced, loaded, failures, state })
    }

    /// Returns the paths of the modules that change.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.replaced.iter().map(|replaced| &replaced.path)
    }

    /// Returns whether a module with other registrations than tools changes.
    pub(crate) fn has_extensions(&self) -> bool {
        let both = self.replaced.iter().flat_map(|replaced| [&replaced.old, &replaced.new]);
        both.flatten().any(|module| module.extension.is_some())
    }

    /// Keeps the new versions for the next look at everything. Modules that no longer load are marked at once.
    pub(crate) fn postpone(mut self) {
        for Replaced { path, old, new, .. } in self.replaced {
            if let (Some(new), Some(module)) =
                (new, self.modules.iter_mut().find(|module| module.found.path == path))
                && let Some(old) = old
            {
                module.loaded = old;
                self.state.prepared.insert(path, new);
            }
        }
        self.inner.remember(&self.modules);
        self.state.modules = self.modules;
    }

    /// Puts the new versions in place of the old ones. Returns what could not be taken over.
    pub(crate) async fn make(mut self, context: &ToolContext) -> Vec<String> {
        let mut problems = Vec::new();
        for Replaced { path, old, new, is_revoked } in &self.replaced {
            let new = new.as_ref().map(|module| &module.handle);
            let old = old.as_ref().map(|module| module.handle.clone()).unwrap_or_default();
            if *is_revoked {
                old.revoke(new, context).await;
            } else if let Some(problem) = old.hand_over(new, context).await {
                problems.push(format!("The state of {} was not taken over: {problem}", path.display()));
            }
            self.state.prepared.remove(path);
        }
        self.inner.remember(&self.modules);
        self.state.modules = self.modules;
        self.judged_by.into_iter().for_each(|trust| self.inner.judge_by(trust));
        if let Some((discovered, places)) = self.found {
            self.state.discovered = discovered;
            self.state.places = places.unwrap_or_else(|| mem::take(&mut self.state.places));
        }
        problems
    }
}

/// Returns whether the model sees the same of two definitions: a change of anything else costs no prompt cache.
pub(crate) fn is_offered_alike(one: &ToolSpec, other: &ToolSpec) -> bool {
    (&one.name, &one.description, &one.parameters, one.strict)
        == (&other.name, &other.description, &other.parameters, other.strict)
        && (&one.prompt_snippet, &one.prompt_guidelines, one.hidden, one.load_mode)
            == (&other.prompt_snippet, &other.prompt_guidelines, other.hidden, other.load_mode)
}
