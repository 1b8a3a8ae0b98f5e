//! One connection to a server: a process or a URL, the handshake, and its end.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    ClientLifecycleMode, Peer, RoleClient,
    model::{ProtocolVersion, ServerPeerInfo},
    service::{ClientInitializeError, RunningService, serve_client_with_lifecycle_and_ct},
    transport::{
        StreamableHttpClientTransport, auth::AuthClient,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio_util::sync::CancellationToken;
use toolsmith_host::exec::{self, Process, Request, Stdin};

use super::{
    handler::{Handler, ListKind},
    http,
    line_transport::{LineFaults, LineTransport},
    progress::ProgressRoutes,
    stderr_tail::StderrTail,
};
use crate::{
    auth::{self, TokenFile},
    config::{Expander, ServerConfig, Transport},
    error::McpError,
};

/// Time for the answer to the first request of the newer lifecycle.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// Time for a server to exit after its input was closed, before it is signalled, and after that.
const EXIT_GRACE: Duration = Duration::from_millis(500);
const STOP_GRACE: Duration = Duration::from_secs(2);
/// Time for the library to end a connection. Then the process is ended without waiting for it.
const CLOSE_TIME: Duration = Duration::from_secs(3);

/// Directories and files a connection uses.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) cwd: PathBuf,
    pub(crate) tokens: TokenFile,
}

/// Lifecycle of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// The newer one if the server knows it.
    Probe,
    /// The older one, because the server was found to know only that.
    Legacy,
}

/// An open connection.
pub(crate) struct Connection {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) handler: Handler,
    pub(crate) info: Arc<ServerPeerInfo>,
    pub(crate) stderr: StderrTail,
    faults: Arc<LineFaults>,
    stop: CancellationToken,
    /// Cancelled when the connection is over and its process is gone.
    ended: CancellationToken,
}

impl Connection {
    /// Returns whether the server uses the older lifecycle.
    pub(crate) fn is_legacy(&self) -> bool {
        self.info.protocol_version.as_str() < ProtocolVersion::V_2026_07_28.as_str()
    }

    /// Returns whether the connection is over.
    pub(crate) fn is_closed(&self) -> bool {
        self.peer.is_transport_closed() || self.stop.is_cancelled()
    }

    /// Waits until the connection is over and its process is gone.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Closes the connection and stops the process.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        self.ended.cancelled().await;
    }

    /// Requests the end without waiting.
    pub(crate) fn close_soon(&self) {
        self.stop.cancel();
    }

    /// Returns the reason the connection ended, as far as known.
    pub(crate) fn end_reason(&self) -> String {
        self.faults.fatal().unwrap_or_else(|| "it exited or closed its output".to_owned())
    }

    /// Returns the end of the server's standard error for an error text.
    pub(crate) fn tail(&self) -> String {
        tail(&self.stderr, &self.faults)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Formats what the server printed.
fn tail(stderr: &StderrTail, faults: &LineFaults) -> String {
    let mut text = String::new();
    let lines = stderr.lines();
    if !lines.is_empty() {
        text.push_str("\nIts standard error ends with:");
        lines.iter().for_each(|line| text.push_str(&format!("\n  {line}")));
    }
    if let Some(noise) = faults.noise() {
        text.push_str("\nIt printed text that is not a message to standard output:");
        noise.lines().take(5).for_each(|line| text.push_str(&format!("\n  {line}")));
    }
    text
}

/// Opens a connection within the server's startup deadline.
pub(crate) async fn connect(
    config: &ServerConfig,
    surroundings: &Surroundings,
    lifecycle: Lifecycle,
    make_handler: impl FnOnce(ProgressRoutes) -> Handler,
) -> Result<Connection, McpError> {
    let handler = make_handler(ProgressRoutes::default());
    match &config.transport {
        Transport::Stdio { .. } => connect_process(config, surroundings, lifecycle, handler).await,
        Transport::Http { .. } => connect_url(config, surroundings, lifecycle, handler).await,
        Transport::Inherited => Err(start_error(config, "it has neither a command nor a URL", String::new())),
    }
}

fn start_error(config: &ServerConfig, reason: impl Into<String>, tail: String) -> McpError {
    McpError::Start { server: config.name.clone(), reason: reason.into(), tail }
}

async fn connect_process(
    config: &ServerConfig,
    surroundings: &Surroundings,
    lifecycle: Lifecycle,
    handler: Handler,
) -> Result<Connection, McpError> {
    let request = process_request(config, surroundings).await?;
    let mut process =
        exec::spawn(&request).map_err(|error| start_error(config, error.to_string(), String::new()))?;
    // A server that exits must not leave anything behind either.
    process.keep_descendants();
    let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
        return Err(start_error(config, "its pipes could not be opened", String::new()));
    };
    let stderr = StderrTail::default();
    let following =
        process.stderr.take().map(|pipe| tokio::spawn(stderr.clone().follow(pipe, config.name.clone())));
    let faults = Arc::<LineFaults>::default();
    let probe = (lifecycle == Lifecycle::Probe).then_some(PROBE_TIME);
    let stop = CancellationToken::new();
    let transport = LineTransport::new(
        stdout,
        stdin,
        probe,
        Arc::clone(&faults),
        handler.progress.clone(),
        stop.child_token(),
    );
    let serving =
        serve_client_with_lifecycle_and_ct(handler.clone(), transport, mode(lifecycle), stop.child_token());
    let outcome = tokio::time::timeout(config.startup_timeout, serving).await;
    let problem = match outcome {
        Ok(Ok(running)) => {
            return Ok(hold(running, handler, Some(process), stderr, faults, stop));
        }
        Ok(Err(error)) => describe(&error),
        Err(_) => format!("no answer within {:?}", config.startup_timeout),
    };
    // What it printed last explains the failure, and is complete when it has exited.
    let exit = process.end(EXIT_GRACE).await;
    if let Some(following) = following {
        let _ = tokio::time::timeout(EXIT_GRACE, following).await;
    }
    let problem = match faults.fatal() {
        Some(fatal) => fatal,
        None if problem.contains("connection closed") => format!("it exited with code {}", exit.code),
        None => problem,
    };
    Err(start_error(config, problem, tail(&stderr, &faults)))
}

async fn process_request(config: &ServerConfig, surroundings: &Surroundings) -> Result<Request, McpError> {
    let Transport::Stdio { command, args, env, cwd } = &config.transport else {
        return Err(start_error(config, "it has no command", String::new()));
    };
    let expander = Expander::new(&surroundings.cwd, config.expands);
    let failed = |source| McpError::Expand { server: config.name.clone(), source };
    let program = expander.value("command", command).await.map_err(failed)?;
    let mut expanded = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        expanded.push(expander.value(&format!("args[{at}]"), arg).await.map_err(failed)?);
    }
    let env = expander.table("env", env).await.map_err(failed)?;
    let folder = match cwd {
        Some(cwd) => {
            let text = expander.value("cwd", &cwd.to_string_lossy()).await.map_err(failed)?;
            surroundings.cwd.join(expand_home(&text))
        }
        None => surroundings.cwd.clone(),
    };
    let program = in_folder(expand_home(&program), &folder);
    let mut request = Request::new(program).args(expanded).cwd(folder).stdin(Stdin::Piped);
    for (key, value) in env {
        request = request.env(key, value);
    }
    Ok(request)
}

fn expand_home(text: &str) -> String {
    match (text.strip_prefix("~/"), toolsmith_host::home_folder()) {
        (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
        _ => text.to_owned(),
    }
}

/// Makes a path absolute. A bare name is looked up when it is started.
fn in_folder(program: String, cwd: &Path) -> String {
    match program.contains('/') {
        true => cwd.join(program).to_string_lossy().into_owned(),
        false => program,
    }
}

async fn connect_url(
    config: &ServerConfig,
    surroundings: &Surroundings,
    lifecycle: Lifecycle,
    handler: Handler,
) -> Result<Connection, McpError> {
    let Transport::Http { url, headers } = &config.transport else {
        return Err(start_error(config, "it has no URL", String::new()));
    };
    let expander = Expander::new(&surroundings.cwd, config.expands);
    let failed = |source| McpError::Expand { server: config.name.clone(), source };
    let url = expander.value("url", url).await.map_err(failed)?;
    let headers = expander.table("headers", headers).await.map_err(failed)?;
    let refused = |reason: String| start_error(config, reason, String::new());
    let client = http::build(&url).map_err(refused)?;
    let own_token = headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
    let transport = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(http::headers(&headers).map_err(refused)?);
    let stop = CancellationToken::new();
    let (stderr, faults) = (StderrTail::default(), Arc::<LineFaults>::default());
    let serving = async {
        let manager = match own_token {
            true => None,
            false => auth::manager(config, &url, &surroundings.tokens, &expander).await,
        };
        let (handler, mode, token) = (handler.clone(), mode(lifecycle), stop.child_token());
        match manager {
            Some(manager) => {
                let client = AuthClient::new(client, manager);
                let transport = StreamableHttpClientTransport::with_client(client, transport);
                serve_client_with_lifecycle_and_ct(handler, transport, mode, token).await
            }
            None => {
                let transport = StreamableHttpClientTransport::with_client(client, transport);
                serve_client_with_lifecycle_and_ct(handler, transport, mode, token).await
            }
        }
    };
    match tokio::time::timeout(config.startup_timeout, serving).await {
        Ok(Ok(running)) => Ok(hold(running, handler, None, stderr, faults, stop)),
        Ok(Err(error)) if error.is_authorization_required() => {
            Err(McpError::Login { server: config.name.clone() })
        }
        Ok(Err(error)) => Err(refused(describe(&error))),
        Err(_) => Err(refused(format!("no answer within {:?}", config.startup_timeout))),
    }
}

fn mode(lifecycle: Lifecycle) -> ClientLifecycleMode {
    match lifecycle {
        Lifecycle::Probe => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
        Lifecycle::Legacy => ClientLifecycleMode::Initialize,
    }
}

/// Keeps a connection: its process lives as long as the connection, and no longer.
fn hold(
    running: RunningService<RoleClient, Handler>,
    handler: Handler,
    process: Option<Process>,
    stderr: StderrTail,
    faults: Arc<LineFaults>,
    stop: CancellationToken,
) -> Connection {
    let peer = running.peer().clone();
    let info = peer
        .peer_info()
        .unwrap_or_else(|| Arc::new(ServerPeerInfo::new(ProtocolVersion::V_2025_11_25, Default::default())));
    let ended = CancellationToken::new();
    let (own_ended, own_stop) = (ended.clone(), stop.clone());
    tokio::spawn(async move {
        let closing = async {
            own_stop.cancelled().await;
            tokio::time::sleep(CLOSE_TIME).await;
        };
        tokio::select! {
            _ = running.waiting() => {}
            () = closing => {}
        }
        own_stop.cancel();
        if let Some(mut process) = process {
            // Its input is closed now, which well-behaved servers take as the signal to exit.
            if tokio::time::timeout(EXIT_GRACE, process.wait()).await.is_err() {
                process.end(STOP_GRACE).await;
            }
        }
        own_ended.cancel();
    });
    let connection = Connection { peer, handler, info, stderr, faults, stop, ended };
    listen_for_changes(&connection);
    connection
}

/// Subscribes to list changes where the newer lifecycle requires it.
fn listen_for_changes(connection: &Connection) {
    if connection.is_legacy() {
        return;
    }
    let capabilities = &connection.info.capabilities;
    let mut filter = rmcp::model::SubscriptionFilter::builder();
    let mut wanted = false;
    if capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true)) {
        (filter, wanted) = (filter.tools_list_changed(), true);
    }
    if capabilities.prompts.as_ref().is_some_and(|prompts| prompts.list_changed == Some(true)) {
        (filter, wanted) = (filter.prompts_list_changed(), true);
    }
    if capabilities.resources.as_ref().is_some_and(|resources| resources.list_changed == Some(true)) {
        (filter, wanted) = (filter.resources_list_changed(), true);
    }
    if !wanted {
        return;
    }
    let (peer, stop) = (connection.peer.clone(), connection.stop.clone());
    let notify = Arc::clone(&connection.handler.on_list_changed);
    tokio::spawn(async move {
        let Ok(mut subscription) = peer.listen(filter.build()).await else { return };
        loop {
            let next = tokio::select! {
                () = stop.cancelled() => return,
                next = subscription.next() => next,
            };
            use rmcp::model::ServerNotification as Notification;
            match next {
                Ok(Some(Notification::ToolListChangedNotification(_))) => notify(ListKind::Tools),
                Ok(Some(Notification::PromptListChangedNotification(_))) => notify(ListKind::Prompts),
                Ok(Some(Notification::ResourceListChangedNotification(_))) => notify(ListKind::Resources),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            }
        }
    });
}

/// Reason of a failed start: the server answered, but not with the result of the handshake.
pub(crate) const WRONG_ANSWER: &str = "its answer to the handshake has the wrong form";

/// Describes why the handshake failed. The library's texts contain whole messages, so they are cut.
fn describe(error: &ClientInitializeError) -> String {
    let text = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => describe(fallback),
        ClientInitializeError::ConnectionClosed(_) => "connection closed".to_owned(),
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
            WRONG_ANSWER.to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("it returned error {}: {}", error.code.0, error.message)
        }
        other => other.to_string(),
    };
    text.chars().take(500).collect()
}
