//! All configured servers of a session.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Map, Value};
use toolsmith_tool::{ContentBlock, Tool, UiHandle, closest_names};

use super::{
    cache::DefinitionCache,
    connection::Surroundings,
    definition::{PromptDefinition, ResourceDefinition},
    remote_server::{RemoteServer, ServerChange, ServerStatus},
    remote_tool::RemoteTool,
    resource_tools,
};
use crate::{auth::TokenFile, config::ServerConfig, error::McpError, redaction::redact};

/// Longest wait for servers that are stopped during a session.
const STOP_WAIT: Duration = Duration::from_secs(5);

/// Options of the client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// Working directory of server processes.
    pub cwd: PathBuf,
    /// Folder of cached definitions; none are kept if `None`.
    pub cache: Option<PathBuf>,
    /// File of OAuth tokens.
    pub tokens: TokenFile,
    /// Interface that shows servers' questions.
    pub ui: UiHandle,
    /// Which servers may be used.
    pub permit: Permit,
}

/// Decides before each use of a server whether that is permitted; by default it is. Clones are the same.
#[derive(Clone, Default)]
pub struct Permit(Option<Arc<IsPermitted>>);

type IsPermitted = dyn Fn(&ServerConfig) -> bool + Send + Sync;

impl Permit {
    /// Permits the servers for which `is_permitted` returns true. It must not block for long.
    pub fn new(is_permitted: impl Fn(&ServerConfig) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_permitted)))
    }

    pub(crate) fn allows(&self, server: &ServerConfig) -> bool {
        self.0.as_ref().is_none_or(|is_permitted| is_permitted(server))
    }
}

impl std::fmt::Debug for Permit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

impl ClientOptions {
    /// Creates options for a headless client without a cache.
    pub fn new(cwd: impl Into<PathBuf>, tokens: TokenFile) -> Self {
        let (ui, permit) = (UiHandle::headless(), Permit::default());
        Self { cwd: cwd.into(), cache: None, tokens, ui, permit }
    }

    /// Sets which servers may be used.
    #[must_use]
    pub fn permit(mut self, permit: Permit) -> Self {
        self.permit = permit;
        self
    }

    /// Sets the folder of cached definitions.
    #[must_use]
    pub fn cache(mut self, folder: PathBuf) -> Self {
        self.cache = Some(folder);
        self
    }

    /// Sets the user interface.
    #[must_use]
    pub fn ui(mut self, ui: UiHandle) -> Self {
        self.ui = ui;
        self
    }
}

/// A server as people see it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerView {
    /// Its entry.
    pub config: ServerConfig,
    /// Its state.
    pub status: ServerStatus,
    /// Names of its tools.
    pub tools: Vec<String>,
    /// Its prompts.
    pub prompts: Vec<PromptDefinition>,
    /// It has resources.
    pub has_resources: bool,
    /// The definitions are from the server itself, not from the cache.
    pub is_fresh: bool,
    /// Problems with its definitions.
    pub problems: Vec<String>,
}

type Listener = Box<dyn Fn(&str, ServerChange) + Send + Sync>;

/// The servers of a session. Clones are the same; dropping the last one stops all of them.
#[derive(Clone)]
pub struct Servers {
    inner: Arc<Inner>,
}

struct Inner {
    servers: Vec<Arc<RemoteServer>>,
    listener: Arc<Mutex<Option<Listener>>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.servers.iter().for_each(|server| server.close_soon());
    }
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.inner.servers.iter().map(|server| &server.config().name)).finish()
    }
}

impl Servers {
    /// Creates the servers; none is started.
    pub fn new(configs: Vec<ServerConfig>, options: &ClientOptions) -> Self {
        let listener: Arc<Mutex<Option<Listener>>> = Arc::default();
        let surroundings = Surroundings { cwd: options.cwd.clone(), tokens: options.tokens.clone() };
        let cache = DefinitionCache { folder: options.cache.clone() };
        let servers = configs.into_iter().map(|config| {
            let listener = Arc::clone(&listener);
            let on_change = Arc::new(move |server: &Arc<RemoteServer>, change| {
                if let Some(listener) = listener.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
                    listener(&server.config().name, change);
                }
            });
            let (ui, permit) = (options.ui.clone(), options.permit.clone());
            RemoteServer::new(config, surroundings.clone(), ui, permit, cache.clone(), on_change)
        });
        Self { inner: Arc::new(Inner { servers: servers.collect(), listener: Arc::clone(&listener) }) }
    }

    /// Returns whether nothing is configured.
    pub fn is_empty(&self) -> bool {
        self.inner.servers.is_empty()
    }

    /// Calls `listener` with the server's name on every change. The listener must not block.
    pub fn on_change(&self, listener: impl Fn(&str, ServerChange) + Send + Sync + 'static) {
        *self.inner.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(listener));
    }

    fn find(&self, name: &str) -> Result<&Arc<RemoteServer>, McpError> {
        let key = name.replace('-', "_");
        let found = self.inner.servers.iter().find(|server| server.config().key() == key);
        found.ok_or_else(|| {
            let names: Vec<&str> =
                self.inner.servers.iter().map(|server| server.config().name.as_str()).collect();
            let hint = match (closest_names(name, names.iter().copied()).as_slice(), names.as_slice()) {
                (_, []) => "; no servers are configured".to_owned(),
                ([], names) => format!("; configured: {}", names.join(", ")),
                (closest, _) => format!("; did you mean {}?", closest.join(", ")),
            };
            McpError::Unknown { server: name.to_owned(), hint }
        })
    }

    fn enabled(&self) -> impl Iterator<Item = &Arc<RemoteServer>> {
        self.inner.servers.iter().filter(|server| server.config().enabled && server.is_permitted())
    }

    /// Stops the servers that are no longer permitted, and waits until their processes are gone. One that is being started is
    /// stopped afterwards, and not waited for. Needs a tokio runtime.
    pub async fn stop_unpermitted(&self) {
        let stops = self.inner.servers.iter().filter(|server| !server.is_permitted()).cloned();
        let stops: Vec<_> = stops.map(|server| tokio::spawn(async move { server.stop().await })).collect();
        let _ = tokio::time::timeout(STOP_WAIT, futures::future::join_all(stops)).await;
    }

    /// Starts the enabled servers whose definitions are not known, in the background. Needs a tokio runtime. Returns the
    /// names of the others.
    pub fn start_unknown(&self) -> Vec<String> {
        let (known, unknown): (Vec<_>, Vec<_>) =
            self.enabled().cloned().partition(|server| server.is_known());
        for server in unknown {
            tokio::spawn(async move { start_or_log(&server).await });
        }
        known.iter().map(|server| server.config().name.clone()).collect()
    }

    /// Starts one server; a failure is logged.
    pub async fn start_quietly(&self, name: &str) {
        if let Ok(server) = self.find(name) {
            start_or_log(server).await;
        }
    }

    /// Starts one server and reads its lists.
    ///
    /// # Errors
    /// Fails if it cannot be started.
    pub async fn start(&self, name: &str) -> Result<(), McpError> {
        self.find(name)?.start().await
    }

    /// Stops and starts one server.
    ///
    /// # Errors
    /// Fails if it cannot be started.
    pub async fn restart(&self, name: &str) -> Result<(), McpError> {
        self.find(name)?.restart().await
    }

    /// Starts all enabled servers and waits until each was started, has failed, or the time is over.
    pub async fn settle(&self, time: Duration) {
        let starts = self.enabled().map(|server| async move {
            let _ = server.start().await;
        });
        let _ = tokio::time::timeout(time, futures::future::join_all(starts)).await;
    }

    /// Waits until the definitions of the servers that `wanted` selects are known, or the time is over. Cached definitions
    /// count, so a second session does not wait.
    pub async fn known(&self, time: Duration, wanted: impl Fn(&ServerConfig) -> bool) {
        let starts = self.enabled().filter(|server| wanted(server.config()) && !server.is_known()).map(
            |server| async move {
                let _ = server.start().await;
            },
        );
        let _ = tokio::time::timeout(time, futures::future::join_all(starts)).await;
    }

    /// Returns all servers.
    pub fn list(&self) -> Vec<ServerView> {
        let view = |server: &Arc<RemoteServer>| ServerView {
            config: server.config().clone(),
            status: server.status(),
            tools: server.tools().into_iter().map(|tool| tool.name).collect(),
            prompts: server.prompts(),
            has_resources: server.has_resources(),
            is_fresh: server.is_fresh(),
            problems: server.problems(),
        };
        self.inner.servers.iter().map(view).collect()
    }

    /// Returns the known tools of one server.
    pub fn tools_of(&self, name: &str) -> Vec<Arc<dyn Tool>> {
        let Ok(server) = self.find(name) else { return Vec::new() };
        let make = |definition| Arc::new(RemoteTool::new(Arc::clone(server), definition)) as Arc<dyn Tool>;
        server.tools().into_iter().map(make).collect()
    }

    /// Returns the tools that list and read resources; none if no server has resources.
    pub fn resource_tools(&self) -> Vec<Arc<dyn Tool>> {
        match self.enabled().any(|server| server.has_resources()) {
            true => resource_tools::all(self),
            false => Vec::new(),
        }
    }

    /// Returns what servers say about their use, for the system prompt.
    pub fn instructions(&self) -> Vec<(String, String)> {
        let own = |server: &Arc<RemoteServer>| Some((server.config().name.clone(), server.instructions()?));
        self.enabled().filter_map(own).filter(|(_, text)| !text.trim().is_empty()).collect()
    }

    /// Lists the resources and the templates of a server.
    ///
    /// # Errors
    /// Fails if the server cannot be started or does not answer.
    pub async fn resources(
        &self,
        name: &str,
    ) -> Result<(Vec<ResourceDefinition>, Vec<ResourceDefinition>), McpError> {
        self.find(name)?.resources().await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// Fails if the server cannot be started or has no such resource.
    pub async fn read_resource(&self, name: &str, uri: &str) -> Result<Vec<ContentBlock>, McpError> {
        self.find(name)?.read_resource(uri).await
    }

    /// Returns the content of a prompt.
    ///
    /// # Errors
    /// Fails if the server cannot be started or has no such prompt.
    pub async fn prompt(
        &self,
        server: &str,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<ContentBlock>, McpError> {
        self.find(server)?.prompt(name, arguments).await
    }

    /// Returns the last lines of a server's standard error.
    pub async fn stderr(&self, name: &str) -> Vec<String> {
        match self.find(name) {
            Ok(server) => server.stderr().await.iter().map(|line| redact(line)).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// Returns names of servers with resources.
    pub(crate) fn with_resources(&self) -> Vec<String> {
        self.enabled()
            .filter(|server| server.has_resources())
            .map(|server| server.config().name.clone())
            .collect()
    }

    /// Stops all servers and waits until their processes are gone.
    pub async fn close(&self) {
        futures::future::join_all(self.inner.servers.iter().map(|server| server.close())).await;
    }
}

async fn start_or_log(server: &RemoteServer) {
    if let Err(error) = server.start().await {
        tracing::warn!(server = server.config().name, %error, "An MCP server did not start");
    }
}
