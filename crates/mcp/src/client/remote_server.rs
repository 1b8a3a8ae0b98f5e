//! One configured server: started when needed, watched, started again after a crash, and known by its definitions also while
//! it is not running.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolResult, GetPromptRequestParams, JsonObject, PaginatedRequestParams, ReadResourceRequestParams,
    },
};
use tokio::sync::{Notify, Semaphore};
use toolsmith_tool::{ContentBlock, ToolContext};

use super::{
    cache::{CachedServer, DefinitionCache},
    call::{self, CallFailure},
    connection::{self, Connection, Lifecycle, Surroundings},
    definition::{PromptDefinition, ResourceDefinition, ToolDefinition},
    handler::{Handler, ListKind, MAX_QUESTIONS},
    http,
    line_transport::UNREADABLE,
    result,
    servers::Permit,
};
use crate::{config::ServerConfig, error::McpError};

/// Pauses before a server that ended is started again without being asked.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// A server that was started this often within this time is left alone.
const MAX_STARTS: usize = 5;
const START_WINDOW: Duration = Duration::from_secs(30);
/// Least time between two refreshes of a server's lists.
const REFRESH_PAUSE: Duration = Duration::from_secs(1);
/// Most pages and entries of one list.
const MAX_PAGES: usize = 500;
const MAX_ENTRIES: usize = 10_000;
/// Deadline of a request for a list or a resource.
const LIST_TIME: Duration = Duration::from_secs(30);

/// State of a server, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerStatus {
    /// Switched off in its entry.
    Disabled,
    /// Not started yet, or ended.
    Stopped,
    /// Being started.
    Starting,
    /// Connected; with the protocol revision and the server's own name and version.
    Ready {
        /// The revision.
        protocol: String,
        /// Name and version.
        implementation: String,
    },
    /// The last start failed.
    Failed(String),
    /// It needs a login.
    NeedsLogin,
    /// It belongs to a project that is not trusted any more.
    Untrusted,
}

impl ServerStatus {
    /// Returns one word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Ready { .. } => "ready",
            Self::Failed(_) => "failed",
            Self::NeedsLogin => "needs login",
            Self::Untrusted => "untrusted",
        }
    }
}

/// A change of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerChange {
    /// Its state.
    Status,
    /// Its tools.
    Tools,
    /// Its prompts.
    Prompts,
}

pub(crate) type OnChange = Arc<dyn Fn(&Arc<RemoteServer>, ServerChange) + Send + Sync>;

/// One page of a list, and the cursor of the next.
type Page<T> = BoxFuture<'static, Result<(Vec<T>, Option<String>), ServiceError>>;

#[derive(Default)]
struct Known {
    tools: Vec<ToolDefinition>,
    prompts: Vec<PromptDefinition>,
    has_resources: bool,
    instructions: Option<String>,
    lifecycle: Option<Lifecycle>,
    /// From the server itself in this process, not from the cache.
    is_fresh: bool,
    /// There are definitions, cached or fresh.
    is_known: bool,
    problems: Vec<String>,
}

struct Slot {
    connection: Option<Arc<Connection>>,
    starts: VecDeque<Instant>,
    /// The error of the last start, if it failed.
    failure: Option<McpError>,
}

/// A configured server.
pub(crate) struct RemoteServer {
    config: ServerConfig,
    surroundings: Surroundings,
    ui: toolsmith_tool::UiHandle,
    permit: Permit,
    cache: DefinitionCache,
    on_change: OnChange,
    slot: tokio::sync::Mutex<Slot>,
    known: Mutex<Known>,
    /// Held while the lists are read.
    refreshing: tokio::sync::Mutex<()>,
    status: Mutex<ServerStatus>,
    changed: Arc<Notify>,
    is_closing: AtomicBool,
    /// Number of failed starts.
    attempts: AtomicU64,
    this: Weak<RemoteServer>,
}

impl RemoteServer {
    pub(crate) fn new(
        config: ServerConfig,
        surroundings: Surroundings,
        ui: toolsmith_tool::UiHandle,
        permit: Permit,
        cache: DefinitionCache,
        on_change: OnChange,
    ) -> Arc<Self> {
        let mut known = Known::default();
        if let Some(cached) = cache.load(&config).filter(|_| config.enabled) {
            known.tools = cached.tools;
            known.prompts = cached.prompts;
            known.has_resources = cached.has_resources;
            known.instructions = cached.instructions;
            known.is_known = true;
            known.lifecycle = cached.is_legacy.then_some(Lifecycle::Legacy);
        }
        let status = if config.enabled { ServerStatus::Stopped } else { ServerStatus::Disabled };
        Arc::new_cyclic(|this| Self {
            config,
            surroundings,
            ui,
            permit,
            cache,
            on_change,
            slot: tokio::sync::Mutex::new(Slot { connection: None, starts: VecDeque::new(), failure: None }),
            known: Mutex::new(known),
            refreshing: tokio::sync::Mutex::default(),
            status: Mutex::new(status),
            changed: Arc::default(),
            is_closing: AtomicBool::new(false),
            attempts: AtomicU64::new(0),
            this: this.clone(),
        })
    }

    pub(crate) fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Returns whether it may be used.
    pub(crate) fn is_permitted(&self) -> bool {
        self.permit.allows(&self.config)
    }

    pub(crate) fn status(&self) -> ServerStatus {
        if !self.is_permitted() {
            return ServerStatus::Untrusted;
        }
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tools that the settings do not leave out.
    pub(crate) fn tools(&self) -> Vec<ToolDefinition> {
        self.known().tools.iter().filter(|tool| !self.config.leaves_out(&tool.name)).cloned().collect()
    }

    /// Returns a tool as the server defines it now; `None` if it has no such tool or cannot be started.
    pub(crate) async fn current_definition(&self, tool: &str) -> Option<ToolDefinition> {
        if !self.is_fresh() {
            self.start().await.ok()?;
        }
        self.known().tools.iter().find(|known| known.name == tool).cloned()
    }

    pub(crate) fn prompts(&self) -> Vec<PromptDefinition> {
        self.known().prompts.clone()
    }

    pub(crate) fn instructions(&self) -> Option<String> {
        self.known().instructions.clone()
    }

    pub(crate) fn has_resources(&self) -> bool {
        self.known().has_resources
    }

    /// Returns whether definitions are known, from the cache or from the server.
    pub(crate) fn is_known(&self) -> bool {
        self.known().is_known
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.known().is_fresh
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        self.known().problems.clone()
    }

    /// Returns the last lines of the server's standard error.
    pub(crate) async fn stderr(&self) -> Vec<String> {
        let slot = self.slot.lock().await;
        slot.connection.as_ref().map(|connection| connection.stderr.lines()).unwrap_or_default()
    }

    fn set_status(&self, status: ServerStatus) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
        self.notify(ServerChange::Status);
    }

    fn notify(&self, change: ServerChange) {
        if let Some(this) = self.this.upgrade() {
            (self.on_change)(&this, change);
        }
    }

    /// Starts the server if it is not running, and reads its lists. Both together have the time of a start.
    pub(crate) async fn start(&self) -> Result<(), McpError> {
        let deadline = tokio::time::Instant::now() + self.config.startup_timeout;
        let connection = self.connection().await?;
        if self.is_fresh() {
            return Ok(());
        }
        let outcome = match tokio::time::timeout_at(deadline, self.refresh(&connection)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(McpError::Start {
                server: self.config.name.clone(),
                reason: format!("it did not list its tools within {:?}", self.config.startup_timeout),
                tail: connection.tail(),
            }),
        };
        self.set_status(match &outcome {
            Ok(()) => ready(&connection),
            Err(McpError::Login { .. }) => ServerStatus::NeedsLogin,
            Err(error) => ServerStatus::Failed(error.to_string()),
        });
        outcome
    }

    /// Returns the connection, opening it if there is none.
    async fn connection(&self) -> Result<Arc<Connection>, McpError> {
        if !self.config.enabled {
            let file = self.config.origin.file.display().to_string();
            return Err(McpError::Disabled { server: self.config.name.clone(), file });
        }
        if !self.is_permitted() {
            self.stop().await;
            return Err(McpError::Untrusted { server: self.config.name.clone() });
        }
        let attempt = self.attempts.load(Ordering::SeqCst);
        let mut slot = self.slot.lock().await;
        // Whoever waited for a start that failed has its answer.
        if attempt != self.attempts.load(Ordering::SeqCst)
            && let Some(failure) = &slot.failure
        {
            return Err(failure.clone());
        }
        let mut previous = None;
        if let Some(connection) = &slot.connection {
            if !connection.is_closed() {
                return Ok(Arc::clone(connection));
            }
            previous = slot.connection.take();
        }
        let now = Instant::now();
        slot.starts.retain(|start| now.duration_since(*start) < START_WINDOW);
        if slot.starts.len() >= MAX_STARTS {
            let error = McpError::Parked {
                server: self.config.name.clone(),
                reason: previous
                    .as_ref()
                    .map_or_else(|| self.last_failure(), |previous| previous.end_reason()),
                tail: previous.map(|previous| previous.tail()).unwrap_or_default(),
            };
            self.set_status(ServerStatus::Failed(error.to_string()));
            return Err(error);
        }
        slot.starts.push_back(now);
        slot.failure = None;
        self.set_status(ServerStatus::Starting);
        match self.connect().await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                slot.connection = Some(Arc::clone(&connection));
                self.set_status(ready(&connection));
                self.watch(&connection);
                Ok(connection)
            }
            Err(error) => {
                slot.failure = Some(error.clone());
                self.attempts.fetch_add(1, Ordering::SeqCst);
                self.set_status(match &error {
                    McpError::Login { .. } => ServerStatus::NeedsLogin,
                    error => ServerStatus::Failed(error.to_string()),
                });
                Err(error)
            }
        }
    }

    fn last_failure(&self) -> String {
        match self.status() {
            ServerStatus::Failed(text) => text,
            _ => format!("it was started {MAX_STARTS} times within {} seconds", START_WINDOW.as_secs()),
        }
    }

    async fn connect(&self) -> Result<Connection, McpError> {
        let known = self.known().lifecycle;
        let first = self.connect_with(known.unwrap_or(Lifecycle::Probe)).await;
        let connection = match first {
            // Some old servers exit when they receive a request they do not know.
            // Others answer it with something else.
            Err(McpError::Start { ref reason, .. })
                if known.is_none()
                    && (reason.starts_with("it exited") || reason == connection::WRONG_ANSWER) =>
            {
                self.connect_with(Lifecycle::Legacy).await.or(first)?
            }
            outcome => outcome?,
        };
        self.known().lifecycle = connection.is_legacy().then_some(Lifecycle::Legacy);
        Ok(connection)
    }

    async fn connect_with(&self, lifecycle: Lifecycle) -> Result<Connection, McpError> {
        let changed = Arc::clone(&self.changed);
        let this = self.this.clone();
        let make_handler = |progress| Handler {
            server: self.config.name.clone(),
            cwd: self.surroundings.cwd.clone(),
            ui: self.ui.clone(),
            progress,
            questions: Arc::new(Semaphore::new(MAX_QUESTIONS)),
            on_list_changed: Arc::new(move |kind| match (kind, this.upgrade()) {
                (ListKind::Resources, _) | (_, None) => {}
                (_, Some(_)) => changed.notify_one(),
            }),
        };
        connection::connect(&self.config, &self.surroundings, lifecycle, make_handler).await
    }

    /// Refreshes the lists when the server says so, and starts it again when it ended.
    fn watch(&self, connection: &Arc<Connection>) {
        let (this, connection, changed) =
            (self.this.clone(), Arc::clone(connection), Arc::clone(&self.changed));
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = connection.ended() => break,
                    () = changed.notified() => {
                        let Some(this) = this.upgrade() else { return };
                        if let Err(error) = this.refresh(&connection).await {
                            tracing::debug!(server = this.config.name, %error, "The lists could not be refreshed");
                        }
                        drop(this);
                        tokio::time::sleep(REFRESH_PAUSE).await;
                    }
                }
            }
            let is_wanted = |this: &Arc<Self>| !this.is_closing.load(Ordering::SeqCst);
            for pause in PAUSES {
                match this.upgrade().filter(&is_wanted) {
                    Some(this) => this.set_status(ServerStatus::Stopped),
                    None => return,
                }
                tokio::time::sleep(pause).await;
                let Some(this) = this.upgrade().filter(&is_wanted) else { return };
                match this.start().await {
                    Ok(())
                    | Err(McpError::Parked { .. } | McpError::Login { .. } | McpError::Untrusted { .. }) => {
                        return;
                    }
                    Err(error) => {
                        tracing::debug!(server = this.config.name, %error, "The server did not start again")
                    }
                }
            }
        });
    }

    /// Reads the server's lists, one after another if several ask.
    async fn refresh(&self, connection: &Connection) -> Result<(), McpError> {
        let _turn = self.refreshing.lock().await;
        let capabilities = &connection.info.capabilities;
        let mut problems = Vec::new();
        let mut tools: Vec<ToolDefinition> = Vec::new();
        if capabilities.tools.is_some() {
            let mut seen = HashSet::new();
            let listed = self.list(connection, |peer, page| {
                Box::pin(async move {
                    let result = peer.list_tools(page).await?;
                    Ok((result.tools, result.next_cursor))
                })
            });
            for tool in listed.await?.into_iter().map(ToolDefinition::from) {
                if seen.insert(tool.name.clone()) {
                    tools.push(tool);
                } else if problems.len() < 20 {
                    problems.push(format!("the tool \"{}\" is listed twice; the first is used", tool.name));
                }
            }
        }
        let mut prompts: Vec<PromptDefinition> = Vec::new();
        if capabilities.prompts.is_some() {
            let listed = self.list(connection, |peer, page| {
                Box::pin(async move {
                    let result = peer.list_prompts(page).await?;
                    Ok((result.prompts, result.next_cursor))
                })
            });
            match listed.await {
                Ok(listed) => prompts = listed.into_iter().map(PromptDefinition::from).collect(),
                Err(error) => problems.push(error.to_string()),
            }
        }
        let instructions = connection.info.instructions.clone();
        let (tools_changed, prompts_changed) = {
            let mut known = self.known();
            let changes = (known.tools != tools || !known.is_known, known.prompts != prompts);
            known.tools = tools.clone();
            known.prompts = prompts.clone();
            known.has_resources = capabilities.resources.is_some();
            known.instructions = instructions.clone();
            known.problems = problems;
            changes
        };
        self.cache.store(
            &self.config,
            CachedServer {
                is_legacy: connection.is_legacy(),
                has_resources: capabilities.resources.is_some(),
                instructions,
                tools,
                prompts,
                ..CachedServer::default()
            },
        );
        if tools_changed {
            self.notify(ServerChange::Tools);
        }
        if prompts_changed {
            self.notify(ServerChange::Prompts);
        }
        // Only now: whoever waits for the definitions finds the tools registered.
        let mut known = self.known();
        (known.is_fresh, known.is_known) = (true, true);
        Ok(())
    }

    /// Reads all pages of a list. A list that never ends is cut.
    async fn list<T>(
        &self,
        connection: &Connection,
        page: impl Fn(Peer<RoleClient>, Option<PaginatedRequestParams>) -> Page<T> + Send,
    ) -> Result<Vec<T>, McpError> {
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let params =
                cursor.clone().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let (entries, next) = match tokio::time::timeout(LIST_TIME, page(connection.peer.clone(), params))
                .await
            {
                Ok(Ok(answer)) => answer,
                Ok(Err(error)) => return Err(self.describe(connection, error).await),
                Err(_) => {
                    return Err(self.protocol(format!("no answer to a list request within {LIST_TIME:?}")));
                }
            };
            all.extend(entries);
            if next.is_none() || next == cursor || all.len() >= MAX_ENTRIES {
                break;
            }
            cursor = next;
        }
        all.truncate(MAX_ENTRIES);
        Ok(all)
    }

    fn protocol(&self, reason: impl Into<String>) -> McpError {
        McpError::Protocol { server: self.config.name.clone(), reason: reason.into() }
    }

    async fn describe(&self, connection: &Connection, error: ServiceError) -> McpError {
        let server = self.config.name.clone();
        match error {
            ServiceError::McpError(error) if error.message.starts_with(UNREADABLE) => {
                self.protocol(error.message.chars().take(500).collect::<String>())
            }
            ServiceError::McpError(error) => McpError::Remote {
                server,
                code: error.code.0,
                message: error.message.chars().take(2000).collect(),
            },
            ServiceError::UnexpectedResponse => self.protocol("the result has the wrong form"),
            ServiceError::TransportSend(error) if error.to_string().contains("Auth required") => {
                McpError::Login { server }
            }
            ServiceError::TransportSend(error) if error.to_string().contains("Insufficient scope") => {
                McpError::Scope { server, scope: http::wanted_scope(error.error.as_ref()) }
            }
            error => {
                if connection.is_closed() {
                    // Its last words explain the end, and arrive with it.
                    let _ = tokio::time::timeout(Duration::from_secs(3), connection.ended()).await;
                    return McpError::Closed {
                        server,
                        reason: connection.end_reason(),
                        tail: connection.tail(),
                    };
                }
                McpError::Closed {
                    server,
                    reason: error.to_string().chars().take(500).collect(),
                    tail: connection.tail(),
                }
            }
        }
    }

    /// Calls a tool. `None` if the call was cancelled. A call is never repeated: it may have had effects.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        context: &ToolContext,
    ) -> Result<Option<CallToolResult>, McpError> {
        let connection = tokio::select! {
            () = context.cancel.cancelled() => return Ok(None),
            connection = self.connection() => connection?,
        };
        match call::call(&connection, tool, arguments, context).await {
            Ok(answer) => Ok(Some(answer)),
            Err(CallFailure::Cancelled) => Ok(None),
            Err(CallFailure::Invalid(reason)) => Err(self.protocol(reason)),
            Err(CallFailure::Service(error)) => Err(self.describe(&connection, error).await),
        }
    }

    /// Lists resources and templates.
    pub(crate) async fn resources(
        &self,
    ) -> Result<(Vec<ResourceDefinition>, Vec<ResourceDefinition>), McpError> {
        let connection = self.connection().await?;
        if connection.info.capabilities.resources.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        let listed = self.list(&connection, |peer, page| {
            Box::pin(async move {
                let result = peer.list_resources(page).await?;
                Ok((result.resources, result.next_cursor))
            })
        });
        let resources = listed.await?.into_iter().map(ResourceDefinition::from).collect();
        let listed = self.list(&connection, |peer, page| {
            Box::pin(async move {
                let result = peer.list_resource_templates(page).await?;
                Ok((result.resource_templates, result.next_cursor))
            })
        });
        // Servers without templates often answer with an error.
        let templates = listed.await.unwrap_or_default().into_iter().map(ResourceDefinition::from).collect();
        Ok((resources, templates))
    }

    /// Reads a resource.
    pub(crate) async fn read_resource(&self, uri: &str) -> Result<Vec<ContentBlock>, McpError> {
        let connection = self.connection().await?;
        let reading = connection.peer.read_resource(ReadResourceRequestParams::new(uri));
        match tokio::time::timeout(self.config.timeout, reading).await {
            Ok(Ok(result)) => Ok(result.contents.into_iter().map(result::convert_resource).collect()),
            Ok(Err(error)) => Err(self.describe(&connection, error).await),
            Err(_) => Err(self.protocol(format!("no answer within {:?}", self.config.timeout))),
        }
    }

    /// Returns the messages of a prompt as content, the roles of the others in brackets.
    pub(crate) async fn prompt(
        &self,
        name: &str,
        arguments: JsonObject,
    ) -> Result<Vec<ContentBlock>, McpError> {
        let connection = self.connection().await?;
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let asking = connection.peer.get_prompt_once(params);
        let answer = match tokio::time::timeout(self.config.timeout, asking).await {
            Ok(Ok(rmcp::model::GetPromptResponse::Complete(answer))) => answer,
            Ok(Ok(_)) => {
                return Err(self.protocol("the prompt asks for input, which prompts cannot give here"));
            }
            Ok(Err(error)) => return Err(self.describe(&connection, error).await),
            Err(_) => return Err(self.protocol(format!("no answer within {:?}", self.config.timeout))),
        };
        let mut blocks = Vec::new();
        for message in answer.messages {
            if message.role == rmcp::model::Role::Assistant {
                blocks.push(ContentBlock::text("[assistant]"));
            }
            blocks.push(result::convert_block(&self.config.name, message.content));
        }
        Ok(blocks)
    }

    /// Ends the connection; the next use starts the server again, also if it was left alone.
    pub(crate) async fn restart(&self) -> Result<(), McpError> {
        let previous = {
            let mut slot = self.slot.lock().await;
            slot.starts.clear();
            slot.connection.take()
        };
        if let Some(connection) = previous {
            connection.close().await;
        }
        self.known().is_fresh = false;
        self.start().await
    }

    /// Ends the connection, and waits until its process is gone.
    pub(crate) async fn stop(&self) {
        let connection = self.slot.lock().await.connection.take();
        if let Some(connection) = connection {
            connection.close().await;
            self.known().is_fresh = false;
        }
    }

    /// Stops the server for good.
    pub(crate) async fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        self.stop().await;
    }

    /// Requests the end without waiting.
    pub(crate) fn close_soon(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        if let Ok(mut slot) = self.slot.try_lock()
            && let Some(connection) = slot.connection.take()
        {
            connection.close_soon();
        }
    }
}

/// Returns the state of a server that answers.
fn ready(connection: &Connection) -> ServerStatus {
    let info = &connection.info;
    let implementation = info.server_info.as_ref().map(|about| format!("{} {}", about.name, about.version));
    ServerStatus::Ready {
        protocol: info.protocol_version.to_string(),
        implementation: implementation.unwrap_or_default(),
    }
}
