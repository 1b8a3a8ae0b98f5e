//! Serving over streamable HTTP: on this machine only unless asked otherwise, with a bearer token, and with checks of the
//! `Origin` and `Host` headers, so that neither another user's program nor a web page can call tools.

use std::{
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;
use toolsmith_tool::CancelToken;

use super::{
    handler::{Binding, Handler},
    served::ServedTools,
    serving::{ServeEvents, ServeOptions, Shared, random_bytes},
};

/// The path of the endpoint.
const PATH: &str = "/mcp";
/// Most open connections. More wait, and then the system refuses them.
const MAX_CONNECTIONS: usize = 256;
/// Time for a client to send the headers of a request.
const HEADER_TIME: std::time::Duration = std::time::Duration::from_secs(30);

/// Options of serving over HTTP.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Address and port; port 0 takes a free one.
    pub address: SocketAddr,
    /// Accept an address that other machines can reach.
    pub allow_remote: bool,
    /// The token; a random one if `None`.
    pub token: Option<String>,
    /// Accept requests without a token. Only on this machine.
    pub without_token: bool,
    /// Additional origins of web pages that may call.
    pub origins: Vec<String>,
}

impl HttpOptions {
    /// Creates options for an address, with a random token.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, allow_remote: false, token: None, without_token: false, origins: Vec::new() }
    }
}

/// Errors of serving over HTTP.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address is reachable from other machines.
    #[error("{0} can be reached from other machines; add --allow-remote if that is intended")]
    Remote(SocketAddr),
    /// A token is required there.
    #[error("a token is required on an address that other machines can reach")]
    TokenRequired,
    /// The port cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
}

/// A server that listens.
#[derive(Debug)]
pub struct BoundHttp {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<String>,
    origins: Vec<String>,
}

/// Starts to listen.
///
/// # Errors
/// Fails if the address is not allowed or cannot be used.
pub async fn bind_http(options: HttpOptions) -> Result<BoundHttp, HttpError> {
    let is_local = options.address.ip().is_loopback();
    if !is_local && !options.allow_remote {
        return Err(HttpError::Remote(options.address));
    }
    if !is_local && options.without_token {
        return Err(HttpError::TokenRequired);
    }
    let failed = |source| HttpError::Bind { address: options.address, source };
    let listener = TcpListener::bind(options.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let random = || random_bytes::<32>().iter().map(|byte| format!("{byte:02x}")).collect();
    let token = (!options.without_token).then(|| options.token.clone().unwrap_or_else(random));
    Ok(BoundHttp { listener, address, token, origins: options.origins })
}

impl BoundHttp {
    /// Returns the URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Returns the token clients need.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Serves until `stop` is triggered. Pending actions are rejected then.
    pub async fn serve(
        self,
        tools: Arc<dyn ServedTools>,
        options: ServeOptions,
        events: ServeEvents,
        stop: CancelToken,
    ) {
        let shared = Shared::new(tools, options, events);
        let token = CancellationToken::new();
        let own = Arc::clone(&shared);
        let service = StreamableHttpService::new(
            move || Ok(Handler::new(Arc::clone(&own), Binding::Http)),
            Arc::new(LocalSessionManager::default()),
            self.config(token.clone()),
        );
        let endpoint = Arc::new(Endpoint { service, token: self.token.as_deref().map(digest) });
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let place = tokio::select! {
                () = stop.cancelled() => break,
                place = Arc::clone(&places).acquire_owned() => place,
            };
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            let Ok((stream, _)) = accepted else { continue };
            let endpoint = Arc::clone(&endpoint);
            connections.spawn(async move {
                let _place = place;
                let service = service_fn(move |request| {
                    let endpoint = Arc::clone(&endpoint);
                    async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
                });
                let mut server = http1::Builder::new();
                server.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
                // A broken connection is the client's matter.
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
        token.cancel();
        connections.shutdown().await;
        shared.end().await;
    }

    fn config(&self, stop: CancellationToken) -> StreamableHttpServerConfig {
        // Another port of this machine is another origin.
        let port = self.address.port();
        let mut origins: Vec<String> =
            ["localhost", "127.0.0.1", "[::1]"].iter().map(|host| format!("http://{host}:{port}")).collect();
        origins.extend(self.origins.iter().cloned());
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop)
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        match self.address.ip() {
            ip if ip.is_loopback() => config,
            // Any name may lead here; the token protects it.
            IpAddr::V4(ip) if ip.is_unspecified() => config.disable_allowed_hosts(),
            IpAddr::V6(ip) if ip.is_unspecified() => config.disable_allowed_hosts(),
            ip => config.with_allowed_hosts(["localhost".to_owned(), "127.0.0.1".to_owned(), ip.to_string()]),
        }
    }
}

struct Endpoint {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    /// Digest of the token. Comparing digests takes the same time for every wrong token.
    token: Option<[u8; 32]>,
}

type Answer = Response<BoxBody<Bytes, Infallible>>;

impl Endpoint {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if request.uri().path().trim_end_matches('/') != PATH {
            return refuse(StatusCode::NOT_FOUND, "the endpoint is /mcp");
        }
        let query = request.uri().query().unwrap_or_default().to_ascii_lowercase();
        if query.contains("token=") || query.contains("access_token") {
            // URLs end up in logs and histories. Such a token must be considered known.
            return refuse(
                StatusCode::BAD_REQUEST,
                "send the token in the Authorization header, not in the URL",
            );
        }
        if let Some(expected) = &self.token {
            let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
            let given = given.and_then(|value| value.split_once(' '));
            let is_valid = given.is_some_and(|(scheme, token)| {
                scheme.eq_ignore_ascii_case("bearer") && digest(token.trim()) == *expected
            });
            if !is_valid {
                let mut answer =
                    refuse(StatusCode::UNAUTHORIZED, "the Authorization header must have the bearer token");
                answer
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
                return answer;
            }
        }
        self.service.handle(request).await
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn refuse(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}
