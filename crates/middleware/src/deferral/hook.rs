//! The turn hook that leaves deferred tools out of requests, and informs the model of tools that come later.

use std::{
    collections::{BTreeSet, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_agent::{RequestPlan, SharedRegistry, TurnContext, TurnHook};
use toolsmith_llm::Message;
use toolsmith_tool::{LoadMode, Origin, OriginKind, Registry, SessionView};

use super::{
    exposure,
    tool::{TOOL_SEARCH, ToolSearch},
};

/// Names listed in a note about new tools.
const MAX_NAMED: usize = 20;

#[derive(Default)]
struct State {
    /// Deferred tools; `None` before the first request.
    deferred: Option<HashSet<String>>,
    /// Loaded by a search, in order.
    loaded: Vec<String>,
    /// Tools that existed at the last request.
    known: HashSet<String>,
}

/// Deferred tools of a session. Clones are the same.
#[derive(Clone)]
pub struct DeferredTools {
    registry: SharedRegistry,
    state: Arc<Mutex<State>>,
}

impl fmt::Debug for DeferredTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("DeferredTools")
            .field("deferred", &state.deferred.as_ref().map(HashSet::len))
            .field("loaded", &state.loaded)
            .finish()
    }
}

impl DeferredTools {
    /// Creates a hook for the tools of this registry.
    pub fn new(registry: SharedRegistry) -> Self {
        Self { registry, state: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_deferred(&self) -> bool {
        self.lock().deferred.as_ref().is_some_and(|deferred| !deferred.is_empty())
    }

    /// Returns the deferred tools that are not loaded, with the text a search looks at.
    pub(super) fn candidates(&self) -> Vec<(String, String)> {
        let state = self.lock();
        let Some(deferred) = &state.deferred else { return Vec::new() };
        self.registry.read(|registry| {
            registry
                .iter()
                .filter(|tool| deferred.contains(&tool.tool.spec().name))
                .map(|tool| {
                    let spec = tool.tool.spec();
                    (
                        spec.name.clone(),
                        format!("{}\n{}", spec.description, parameter_names(&spec.parameters)),
                    )
                })
                .collect()
        })
    }

    /// Offers these tools from the next request on.
    pub(super) fn load(&self, names: &[String]) {
        let mut state = self.lock();
        for name in names {
            if !state.loaded.contains(name) {
                state.loaded.push(name.clone());
            }
        }
    }

    /// Decides what is deferred. Tools that were offered stay offered.
    fn decide(&self, window: usize) {
        let mut state = self.lock();
        if state.deferred.is_some() {
            return;
        }
        let deferred = self.registry.read(|registry| exposure::deferred(registry, window));
        state.known = self.registry.read(active_names);
        if !deferred.is_empty() {
            self.offer_search(&deferred);
        }
        state.deferred = Some(deferred);
    }

    /// Registers `tool_search`, once.
    fn offer_search(&self, deferred: &HashSet<String>) {
        self.registry.write(|registry| {
            if registry.get(TOOL_SEARCH).is_some() {
                registry.set_tool_active(TOOL_SEARCH, true);
                return;
            }
            let sources = sources(registry, deferred);
            let tool = ToolSearch::new(self.clone(), &sources);
            match registry.register(Arc::new(tool), Origin::built_in()) {
                Ok(()) => {
                    registry.set_tool_active(TOOL_SEARCH, true);
                }
                Err(error) => tracing::warn!(%error, "tool_search is not available"),
            }
        });
    }

    /// Defers tools that came after the first request, and returns their names.
    fn defer_new(&self) -> Vec<String> {
        let mut state = self.lock();
        let known = std::mem::take(&mut state.known);
        let Some(deferred) = &mut state.deferred else {
            state.known = known;
            return Vec::new();
        };
        let mut new = Vec::new();
        self.registry.read(|registry| {
            for tool in registry.active().filter(|tool| tool.origin.kind == OriginKind::Mcp) {
                let spec = tool.tool.spec();
                let is_new = !known.contains(&spec.name) && !deferred.contains(&spec.name);
                if is_new && spec.load_mode != Some(LoadMode::Essential) {
                    new.push(spec.name.clone());
                }
            }
        });
        deferred.extend(new.iter().cloned());
        let deferred = deferred.clone();
        state.known = self.registry.read(active_names);
        drop(state);
        if !new.is_empty() {
            self.offer_search(&deferred);
        }
        new
    }

    /// Reads from the session what was loaded on this branch.
    fn restore(&self, session: &dyn SessionView) {
        // An agent without a session remembers by itself.
        if session.session_id().is_empty() {
            return;
        }
        let mut state = self.lock();
        state.loaded.clear();
        for details in session.all_details(TOOL_SEARCH) {
            let names = details.get("loaded").and_then(Value::as_array).into_iter().flatten();
            for name in names.filter_map(Value::as_str) {
                if !state.loaded.iter().any(|loaded| loaded == name) {
                    state.loaded.push(name.to_owned());
                }
            }
        }
    }
}

fn active_names(registry: &Registry) -> HashSet<String> {
    registry.active().map(|tool| tool.tool.spec().name.clone()).collect()
}

/// Origins of deferred tools, for the description of the search.
fn sources(registry: &Registry, deferred: &HashSet<String>) -> Vec<String> {
    let mut sources = BTreeSet::new();
    for tool in registry.iter().filter(|tool| deferred.contains(&tool.tool.spec().name)) {
        sources.insert(match &tool.tool.spec().mcp {
            Some(mcp) => mcp.server.clone(),
            None => "custom tools".to_owned(),
        });
    }
    sources.into_iter().take(50).collect()
}

fn parameter_names(schema: &Value) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

#[async_trait]
impl TurnHook for DeferredTools {
    async fn run_started(&self, context: &TurnContext) {
        let window = usize::try_from(context.model().context_window).unwrap_or(usize::MAX);
        self.decide(window);
        // Reading a long session takes time, and most sessions defer nothing.
        if self.has_deferred() {
            self.restore(context.tool_context().session.as_ref());
        }
    }

    async fn notes(&self, context: &TurnContext) -> Vec<Message> {
        let had_deferred = self.has_deferred();
        let new = self.defer_new();
        if new.is_empty() {
            return Vec::new();
        }
        if !had_deferred {
            self.restore(context.tool_context().session.as_ref());
        }
        let named = new.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = new.len().saturating_sub(MAX_NAMED);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        vec![Message::developer(format!(
            "New tools are available: {named}{rest}. Load them with {TOOL_SEARCH} before calling them."
        ))]
    }

    async fn next_request(&self, plan: &mut RequestPlan) {
        let state = self.lock();
        let Some(deferred) = &state.deferred else { return };
        // Loaded tools go to the end, in the order they were loaded.
        plan.tools.retain(|name| !deferred.contains(name));
        plan.tools.extend(state.loaded.iter().filter(|name| deferred.contains(*name)).cloned());
    }
}
