//! Hot reload in a session: new code is used by the next call; what the model sees of the tools changes between two
//! turns (CONTRACT 5.6).

use std::{
    collections::HashSet,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, PoisonError, RwLock, Weak},
};

use toolsmith_agent::{RegistryRefresh, RunStart, SharedRegistry, TurnContext, TurnHook};
use toolsmith_host::location::Protected;
use toolsmith_llm::message_tokens;
use toolsmith_middleware::Extensions;
use toolsmith_tool::{CancelToken, Origin, OriginKind, Registry, Tool, ToolContext, async_trait};

use super::{
    extensions::{BuiltInCalls, ExtensionModels, WeakSession},
    session::Session,
};
use crate::{
    built_in::{protect_found, protect_loaded},
    live_tools::{Change, LiveTools, Look, is_offered_alike},
    loading::{CustomTool, LoadedTools},
    watch::Watch,
};

/// Names that a notice lists.
const MAX_NAMES: usize = 8;

/// Follows the files of a session's custom tools. Clones are the same.
#[derive(Clone)]
pub(crate) struct Reload {
    inner: Arc<Inner>,
}

struct Inner {
    live: LiveTools,
    is_on: bool,
    registry: OnceLock<SharedRegistry>,
    session: OnceLock<WeakSession>,
    loaded: RwLock<Arc<LoadedTools>>,
    protected: Arc<Protected>,
    built_ins: BuiltInCalls,
    extensions: Extensions,
    cwd: PathBuf,
    /// Ends the watching.
    over: CancelToken,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.over.cancel("the session is gone");
    }
}

/// A handle that does not keep it alive.
#[derive(Clone, Debug)]
pub(crate) struct WeakReload(Weak<Inner>);

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("live", &self.live).finish_non_exhaustive()
    }
}

impl WeakReload {
    pub(super) fn upgrade(&self) -> Option<Reload> {
        self.0.upgrade().map(|inner| Reload { inner })
    }
}

impl fmt::Debug for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reload").field("live", &self.inner.live).finish_non_exhaustive()
    }
}

/// Differences between two lists of tools, as the model sees them.
#[derive(Debug, Default)]
struct Differences {
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
}

impl Differences {
    fn between(old: &LoadedTools, new: &LoadedTools) -> Self {
        let mut found = Self::default();
        for tool in &new.tools {
            match old.get(tool.name()) {
                None => found.added.push(tool.name().to_owned()),
                Some(before) if !is_offered_alike(before.tool.spec(), tool.tool.spec()) => {
                    found.changed.push(tool.name().to_owned());
                }
                Some(_) => {}
            }
        }
        let gone = old.tools.iter().filter(|tool| new.get(tool.name()).is_none());
        found.removed = gone.map(|tool| tool.name().to_owned()).collect();
        found
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("added", &self.added), ("changed", &self.changed), ("removed", &self.removed)];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what} {}", listed(names)))
            .collect();
        f.write_str(&parts.join("; "))
    }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(MAX_NAMES);
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

impl Reload {
    pub(super) fn new(
        live: LiveTools,
        is_on: bool,
        protected: Arc<Protected>,
        built_ins: BuiltInCalls,
        extensions: Extensions,
        cwd: &Path,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                live,
                is_on,
                registry: OnceLock::new(),
                session: OnceLock::new(),
                loaded: RwLock::default(),
                protected,
                built_ins,
                extensions,
                cwd: cwd.to_path_buf(),
                over: CancelToken::new(),
            }),
        }
    }

    pub(super) fn downgrade(&self) -> WeakReload {
        WeakReload(Arc::downgrade(&self.inner))
    }

    /// Sets what was loaded at first.
    pub(super) fn set_loaded(&self, loaded: LoadedTools) {
        *self.inner.loaded.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
    }

    /// Stops watching.
    pub(super) fn stop(&self) {
        self.inner.over.cancel("the session ended");
    }

    /// Connects it with the tools of the session.
    pub(super) fn connect(&self, registry: SharedRegistry) {
        let _ = self.inner.registry.set(registry);
    }

    /// Connects it with the session, which receives notices.
    pub(super) fn attach(&self, session: WeakSession) {
        let _ = self.inner.session.set(session);
    }

    /// Returns what is loaded.
    pub(super) fn loaded(&self) -> Arc<LoadedTools> {
        Arc::clone(&self.inner.loaded.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn live(&self) -> &LiveTools {
        &self.inner.live
    }

    /// Returns the error of a tool's newer version, if that does not load.
    pub(super) fn stale(&self, tool: &str) -> Option<String> {
        self.inner.live.stale(tool)
    }

    fn notice(&self, message: &str) {
        if let Some(session) = self.inner.session.get().and_then(WeakSession::upgrade) {
            session.agent().notice(message);
        }
    }

    fn context(&self) -> ToolContext {
        let session = self.inner.session.get().and_then(WeakSession::upgrade);
        session.map_or_else(ToolContext::detached, |session| session.agent().tool_context())
    }

    /// Looks for changes of everything, and makes them. Between two turns only.
    async fn refresh(&self) {
        self.refresh_all(Look::Everything).await;
    }

    /// Removes what may no longer run, also during a turn and if reloading is switched off.
    pub(super) async fn refresh_trust(&self) {
        if self.inner.live.is_trust_changed() {
            self.refresh_all(Look::Trust).await;
        }
    }

    async fn refresh_all(&self, look: Look<'_>) {
        let (is_trust_changed, before) = (self.inner.live.is_trust_changed(), self.loaded().extensions.len());
        if let Some(change) = self.inner.live.look(look).await {
            self.make(change).await;
        }
        let session = self.inner.session.get().and_then(WeakSession::upgrade);
        if let Some(session) = session.filter(|_| is_trust_changed) {
            let has_lost_extensions = self.loaded().extensions.len() < before;
            session.follow_trust(self.inner.live.trust(), has_lost_extensions).await;
        }
    }

    /// Looks for a change of one tool's code, and makes it if the model sees the same tools as before.
    async fn refresh_code(&self, tool: &str) {
        let Some(change) = self.inner.live.look(Look::Tool(tool)).await else { return };
        let differences = Differences::between(&self.loaded(), &change.loaded);
        if differences.is_empty() && !change.has_extensions() {
            self.make(change).await;
        } else {
            self.report_failures(&change);
            let text = format!(
                "{} The change takes effect with the next turn; until then the previous version is used.",
                self.changed_files(&change)
            );
            // The new version is loaded, and its tools may be called with the next turn.
            protect_loaded(&self.inner.protected, &change.loaded);
            change.postpone();
            self.notice(&text);
        }
    }

    async fn make(&self, change: Change) {
        let Some(registry) = self.inner.registry.get() else { return };
        let before = self.loaded();
        let differences = Differences::between(&before, &change.loaded);
        self.report_failures(&change);
        let files = self.changed_files(&change);
        let (has_extensions, has_paths) = (change.has_extensions(), change.paths().next().is_some());
        let mut loaded = change.loaded.clone();
        protect_found(&self.inner.protected, &loaded.discovered);
        protect_loaded(&self.inner.protected, &loaded);
        let known: HashSet<String> = before.errors.iter().map(ToString::to_string).collect();
        let is_waiting = |path: &Path| loaded.waiting.iter().any(|module| module.path == path);
        let guards = self.inner.extensions.revoke(is_waiting);
        let problems = change.make(&self.context()).await;
        registry.write(|registry| self.apply(registry, &before, &mut loaded));
        if has_extensions {
            let list: Vec<_> = loaded.extensions.iter().map(|found| Arc::clone(&found.extension)).collect();
            for found in list
                .iter()
                .filter(|new| !before.extensions.iter().any(|old| Arc::ptr_eq(&old.extension, new)))
            {
                ExtensionModels::problems(found.as_ref()).iter().for_each(|problem| self.notice(problem));
            }
            self.inner.extensions.replace(list);
        }
        for error in loaded.errors.iter().map(ToString::to_string).filter(|error| !known.contains(error)) {
            self.notice(&error);
        }
        let waited: HashSet<&PathBuf> = before.waiting.iter().map(|module| &module.path).collect();
        for module in loaded.waiting.iter().filter(|module| !waited.contains(&module.path)) {
            let path = self.shown(&module.path);
            let was_loaded = before.modules.iter().any(|(found, _)| found.path == module.path);
            let what = match was_loaded {
                true if guards.contains(&module.path) => {
                    "is not trusted any more. It guards tool calls, so all tool calls are blocked until it is trusted again; a new \
                     session does without it"
                }
                true => "is not trusted any more; its tools are removed",
                false => "waits for trust; nothing of it was run",
            };
            self.notice(&format!("{path} {what}. To trust the directory, run: toolsmith trust"));
        }
        self.set_loaded(loaded);
        problems.iter().for_each(|problem| self.notice(problem));
        if !differences.is_empty() {
            self.notice(&format!("The list of tools changed: {differences}. {}", self.cost()));
        } else if has_paths {
            self.notice(&files);
        }
    }

    fn report_failures(&self, change: &Change) {
        for error in &change.failures {
            let path = self.shown(&error.path);
            self.notice(&format!("{path} no longer loads: {error}. Its last working version stays in use."));
        }
    }

    fn changed_files(&self, change: &Change) -> String {
        let paths: Vec<String> = change.paths().map(|path| self.shown(path)).collect();
        format!("Reloaded {}.", listed(&paths))
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.inner.cwd).unwrap_or(path).display().to_string()
    }

    /// Describes what a changed list costs: providers cache requests from their beginning, where the tools are.
    fn cost(&self) -> String {
        let session = self.inner.session.get().and_then(WeakSession::upgrade);
        let tokens: u64 = session.map_or(0, |session| {
            let messages = session.log().context();
            messages.iter().map(|message| message_tokens(message)).sum()
        });
        match tokens {
            0 => "The next request does not use the provider's prompt cache.".to_owned(),
            tokens => format!(
                "The next request does not use the provider's prompt cache: about {tokens} tokens of the conversation are \
                 processed again."
            ),
        }
    }

    /// Changes the registry. Tools that stay keep their places, and new ones go to the end (CONTRACT 5.6).
    fn apply(&self, registry: &mut Registry, before: &LoadedTools, after: &mut LoadedTools) {
        for tool in before.tools.iter().filter(|tool| after.get(tool.name()).is_none()) {
            let was_active = registry.is_active(tool.name());
            if !is_ours(registry, tool.name(), &tool.tool) {
                continue;
            }
            registry.unregister(tool.name());
            // A built-in tool that was replaced comes back.
            if let Some(built_in) = self.inner.built_ins.tool(tool.name()) {
                let _ = registry.replace(built_in, Origin::built_in());
                registry.set_tool_active(tool.name(), was_active);
            }
        }
        let tools: Vec<CustomTool> = std::mem::take(&mut after.tools);
        for tool in tools {
            let found = registry.get(tool.name());
            let may_replace = match (found, before.get(tool.name())) {
                (None, _) => true,
                (Some(found), Some(old)) if Arc::ptr_eq(&found.tool, &old.tool) => true,
                // Loading decided which tools may take the name of a built-in one.
                (Some(found), None) => found.origin.kind == OriginKind::BuiltIn,
                // Whoever put another tool there meanwhile keeps the name.
                (Some(_), Some(_)) => false,
            };
            let is_new = found.is_none();
            let registered = match may_replace {
                true => registry.replace(Arc::clone(&tool.tool), tool.origin()).map(drop),
                false => registry.register(Arc::clone(&tool.tool), tool.origin()),
            };
            match registered {
                Ok(()) => {
                    if is_new {
                        registry.set_tool_active(tool.name(), !tool.tool.spec().hidden);
                    }
                    after.tools.push(tool);
                }
                Err(refused) => after.refuse(&tool, &refused),
            }
        }
    }
}

fn is_ours(registry: &Registry, name: &str, tool: &Arc<dyn Tool>) -> bool {
    registry.get(name).is_some_and(|found| Arc::ptr_eq(&found.tool, tool))
}

#[async_trait]
impl RegistryRefresh for Reload {
    async fn before_call(&self, tool: &str) -> Option<String> {
        self.refresh_trust().await;
        if !self.inner.is_on {
            return None;
        }
        if self.inner.live.is_outdated(tool) {
            self.refresh_code(tool).await;
        }
        let error = self.inner.live.stale(tool)?;
        Some(format!(
            "[The file of the tool \"{tool}\" no longer loads: {error}. This is the result of its last working version.]"
        ))
    }

    async fn version(&self, tool: &str) -> Option<String> {
        self.inner.live.version(tool)
    }
}

#[async_trait]
impl TurnHook for Reload {
    /// The prompt is shown to extensions and hooks before the first request.
    async fn run_starting(&self, _start: &mut RunStart, _context: &TurnContext) {
        self.refresh_trust().await;
    }

    async fn before_request(&self, _context: &TurnContext) {
        match self.inner.is_on {
            true => self.refresh().await,
            false => self.refresh_trust().await,
        }
    }
}

impl Session {
    /// Loads custom tools again whose files changed since they were loaded, as each turn does. Has no effect during a run
    /// and if the setting `tools.reload` is off.
    pub async fn reload_changed_tools(&self) {
        if self.reload.inner.is_on && self.agent.is_idle() {
            self.reload.refresh().await;
        }
    }

    /// Watches the files of custom tools until the session ends, so that changes are reported when they are made and not
    /// with the next turn. If the setting `tools.reload` is off, only the user's list of what is trusted is watched.
    pub fn watch_tools(&self) {
        let Ok(mut watch) = Watch::new() else { return };
        let (weak, over) = (self.downgrade(), self.reload.inner.over.clone());
        tokio::spawn(async move {
            loop {
                // Files that changed before they were watched are found by the reload between the two.
                for is_first in [true, false] {
                    let Some(session) = weak.upgrade() else { return };
                    let reload = &session.reload;
                    watch.add(&match reload.inner.is_on {
                        true => reload.inner.live.watched().await,
                        false => reload.inner.live.trust_file().into_iter().collect(),
                    });
                    if is_first {
                        reload.refresh_trust().await;
                        session.reload_changed_tools().await;
                    }
                }
                tokio::select! {
                    _ = watch.changed() => {}
                    () = over.cancelled() => return,
                }
            }
        });
    }
}
