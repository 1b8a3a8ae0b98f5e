//! Tools of MCP servers in the registry of a session. They are added when their definitions are known and stay for the
//! session: a list that changes would discard the provider's prompt cache (CONTRACT 5.6), so changes reach the model as
//! notes.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::{sync::Notify, task::JoinSet};
use toolsmith_agent::{Interrupt, SharedRegistry, TurnContext, TurnHook};
use toolsmith_llm::{AssistantMessage, Message, StreamEvent};
use toolsmith_mcp::{ServerChange, ServerStatus, Servers, config::Exposure};
use toolsmith_tool::{Origin, OriginKind, Tool, async_trait};

/// Maximum wait of the first request for servers whose definitions are not cached.
const FIRST_WAIT: Duration = Duration::from_secs(3);
/// Servers with cached definitions are started with the first answer, or after this time: twenty processes that start at once
/// would delay the first request.
const LATER: Duration = Duration::from_secs(1);
/// Servers with cached definitions that are started at once.
const AT_ONCE: usize = 4;
/// Notes about changed definitions of one tool; a server that changes them all the time is not worth more.
const MAX_NOTES: usize = 3;
/// Longest schema in a note.
const MAX_SCHEMA: usize = 4_000;

#[derive(Default)]
struct State {
    /// Parameters and description of the registered tools, as last seen, and how often a change was noted.
    tools: HashMap<String, Known>,
    notes: Vec<String>,
    problems: Vec<String>,
    /// Servers that may no longer be used.
    untrusted: HashSet<String>,
}

struct Known {
    /// The server; empty for the tools that read resources of all of them.
    server: String,
    parameters: Arc<Value>,
    is_gone: bool,
    noted: usize,
}

struct Inner {
    servers: Servers,
    registry: SharedRegistry,
    disabled: Vec<String>,
    state: Mutex<State>,
    /// The first prompt waited already.
    has_waited: AtomicBool,
    /// Told of the first answer.
    answered: Arc<Notify>,
}

/// The MCP tools of a session. Clones are the same.
#[derive(Clone)]
pub(crate) struct McpTools {
    inner: Arc<Inner>,
}

impl std::fmt::Debug for McpTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpTools").field("servers", &self.inner.servers).finish_non_exhaustive()
    }
}

impl McpTools {
    /// Registers what is known and starts the servers in the background: first those of which nothing is known.
    pub(crate) fn start(servers: Servers, registry: SharedRegistry, disabled: Vec<String>) -> Self {
        let inner = Arc::new(Inner {
            servers: servers.clone(),
            registry,
            disabled,
            state: Mutex::default(),
            has_waited: AtomicBool::new(false),
            answered: Arc::default(),
        });
        for server in servers.list() {
            if server.config.enabled {
                inner.take(&server.config.name);
            }
        }
        let own: Weak<Inner> = Arc::downgrade(&inner);
        servers.on_change(move |server, change| {
            if let (ServerChange::Tools, Some(inner)) = (change, own.upgrade()) {
                inner.take(server);
            }
        });
        let known = servers.start_unknown();
        if !known.is_empty() {
            tokio::spawn(start_later(Arc::downgrade(&inner), Arc::clone(&inner.answered), known));
        }
        Self { inner }
    }

    pub(crate) fn servers(&self) -> &Servers {
        &self.inner.servers
    }

    /// Stops servers that may no longer be used and removes their tools; adds the tools of those that may be used again. Returns the
    /// servers that were stopped, and their tools.
    pub(crate) async fn follow_trust(&self) -> Vec<(String, Vec<String>)> {
        self.inner.servers.stop_unpermitted().await;
        let mut stopped = Vec::new();
        for server in self.inner.servers.list().into_iter().filter(|server| server.config.enabled) {
            let name = server.config.name;
            match server.status {
                ServerStatus::Untrusted => {
                    stopped.extend(self.inner.remove(&name).map(|tools| (name, tools)))
                }
                _ => self.inner.restore(&name),
            }
        }
        stopped
    }

    /// Returns what was wrong with tools of servers.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.inner.lock().problems.clone()
    }
}

/// Starts servers after the first answer has begun, a few at once. The session may end meanwhile.
async fn start_later(session: Weak<Inner>, answered: Arc<Notify>, names: Vec<String>) {
    let _ = tokio::time::timeout(LATER, answered.notified()).await;
    let mut names = names.into_iter();
    let mut starts = JoinSet::new();
    loop {
        while starts.len() < AT_ONCE
            && let Some(name) = names.next()
            && let Some(inner) = session.upgrade()
        {
            starts.spawn(async move { inner.servers.start_quietly(&name).await });
        }
        if starts.join_next().await.is_none() {
            return;
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the tools of a server. Returns their names; `None` if they were removed already.
    fn remove(&self, server: &str) -> Option<Vec<String>> {
        let mut state = self.lock();
        if !state.untrusted.insert(server.to_owned()) {
            return None;
        }
        let has_resources = !self.servers.resource_tools().is_empty();
        let is_own = |(_, known): &(&String, &Known)| {
            known.server == server || (known.server.is_empty() && !has_resources)
        };
        let mut names: Vec<String> =
            state.tools.iter().filter(is_own).map(|(name, _)| name.clone()).collect();
        names.sort();
        state.tools.retain(|name, _| !names.contains(name));
        self.registry.write(|registry| names.iter().for_each(|name| drop(registry.unregister(name))));
        Some(names)
    }

    /// Adds the tools of a server that may be used again.
    fn restore(&self, server: &str) {
        let was_removed = self.lock().untrusted.remove(server);
        if was_removed {
            self.take(server);
        }
    }

    /// Takes over the tools of a server.
    fn take(&self, server: &str) {
        let mut tools = self.servers.tools_of(server);
        let mut state = self.lock();
        if state.untrusted.contains(server) {
            return;
        }
        let offered: Vec<String> = tools.iter().map(|tool| tool.spec().name.clone()).collect();
        for (name, known) in state.tools.iter_mut().filter(|(_, known)| known.server == server) {
            known.is_gone = !offered.contains(name);
        }
        let gone: Vec<String> = state
            .tools
            .iter()
            .filter(|(_, known)| known.server == server && known.is_gone)
            .map(|(name, _)| name.clone())
            .collect();
        tools.retain(|tool| !self.disabled.iter().any(|name| tool.spec().is_named(name)));
        for tool in tools {
            self.take_tool(&mut state, server, &tool);
        }
        for tool in self.servers.resource_tools() {
            self.add(&mut state, "", &tool);
        }
        for name in gone {
            let Some(known) = state.tools.get_mut(&name).filter(|known| known.noted < MAX_NOTES) else {
                continue;
            };
            known.noted += 1;
            state.notes.push(format!("The MCP server {server} no longer offers {name}."));
        }
    }

    fn take_tool(&self, state: &mut State, server: &str, tool: &Arc<dyn Tool>) {
        let spec = tool.spec();
        let own = state.tools.get_mut(&spec.name).filter(|known| known.server == server);
        let Some(known) = own else {
            return self.add(state, server, tool);
        };
        if known.parameters == spec.parameters {
            return;
        }
        known.parameters = spec.parameters.clone();
        let revised =
            self.registry.write(|registry| registry.revise_parameters(&spec.name, &spec.parameters));
        if revised.is_ok() && known.noted < MAX_NOTES {
            known.noted += 1;
            let schema: String = spec.parameters.to_string().chars().take(MAX_SCHEMA).collect();
            state.notes.push(format!("The parameters of {} changed. They are now: {schema}", spec.name));
        }
    }

    fn add(&self, state: &mut State, server: &str, tool: &Arc<dyn Tool>) {
        let spec = tool.spec();
        if state.tools.get(&spec.name).is_some_and(|known| known.server == server) {
            return;
        }
        let registered = self.registry.write(|registry| {
            registry.register(Arc::clone(tool), Origin::new(OriginKind::Mcp, server))?;
            registry.set_tool_active(&spec.name, !spec.hidden);
            Ok::<_, toolsmith_tool::RegisterError>(())
        });
        match registered {
            Ok(()) => {
                let known = Known {
                    server: server.to_owned(),
                    parameters: spec.parameters.clone(),
                    is_gone: false,
                    noted: 0,
                };
                state.tools.insert(spec.name.clone(), known);
            }
            Err(error) => {
                let problem = format!("MCP server {server}: {error}");
                if !state.problems.contains(&problem) {
                    state.problems.push(problem);
                }
            }
        }
    }
}

#[async_trait]
impl TurnHook for McpTools {
    async fn run_started(&self, context: &TurnContext) {
        if self.inner.has_waited.swap(true, Ordering::SeqCst) {
            return;
        }
        // Tools the user wants in every request are worth a moment; known definitions cost none.
        let wanted = |server: &toolsmith_mcp::config::ServerConfig| {
            server.required || matches!(server.exposure, None | Some(Exposure::Direct))
        };
        tokio::select! {
            () = context.cancel().cancelled() => {}
            () = self.inner.servers.known(FIRST_WAIT, wanted) => {}
        }
    }

    fn on_stream(&self, _event: &StreamEvent, _partial: &AssistantMessage) -> Option<Interrupt> {
        self.inner.answered.notify_one();
        None
    }

    async fn notes(&self, _context: &TurnContext) -> Vec<Message> {
        std::mem::take(&mut self.inner.lock().notes).into_iter().map(Message::developer).collect()
    }
}
