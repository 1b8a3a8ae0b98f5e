//! HTTP connections, and posting JSON to a URL that the user configured. This is the only file that uses the HTTP library.

use std::{
    convert::Infallible,
    error::Error as _,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::{
    classify::{Said, parse_duration},
    error::{ErrorClass, LlmError},
    secret::Secret,
    wire::Content,
};

const CONNECT_TIME: Duration = Duration::from_secs(30);
/// Shorter than servers keep idle connections, so that none closes during a request.
const KEPT_TIME: Duration = Duration::from_secs(45);
/// Maximum size of an error body.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// After the response ended, the rest of the body is read for this long so that the connection can be reused: a new one
/// costs several round trips.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Connections shared by all providers. Cheap to clone; nothing is set up before the first request.
#[derive(Clone, Debug, Default)]
pub(crate) struct HttpClient {
    inner: Arc<Clients>,
}

/// Local servers need neither a proxy nor certificates, and loading the system's certificates takes longer than their
/// response.
#[derive(Debug, Default)]
struct Clients {
    near: OnceLock<Result<reqwest::Client, String>>,
    far: OnceLock<Result<reqwest::Client, String>>,
}

/// A request to send.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, Secret)>,
    /// `None` sends a `GET`.
    pub(crate) body: Option<Content>,
}

/// The body of a successful response.
#[derive(Debug)]
pub(crate) struct HttpBody {
    response: reqwest::Response,
}

/// Passes content on without joining its parts. Its length is sent as a header, because the library does not know it.
fn in_parts(content: Content) -> reqwest::Body {
    struct Kept(Arc<Vec<u8>>);
    impl AsRef<[u8]> for Kept {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let (before, kept, after) = content.parts();
    if kept.is_empty() && after.is_empty() {
        return before.into();
    }
    let parts = [before.into(), Bytes::from_owner(Kept(kept)), after.into()];
    reqwest::Body::wrap_stream(futures::stream::iter(parts.map(Ok::<Bytes, Infallible>)))
}

impl HttpClient {
    /// Sends the request and waits for the response headers.
    pub(crate) async fn send(&self, request: HttpRequest, idle: Duration) -> Result<HttpBody, LlmError> {
        let url = parse_url(&request.url)?;
        let client = self.client(&url)?;
        let builder = match request.body {
            Some(body) => client
                .post(url)
                .header("content-type", "application/json")
                .header("content-length", body.len())
                .body(in_parts(body)),
            None => client.get(url),
        };
        let sent = builder.headers(headers(&request.headers)?).send();
        let response = within(idle, sent).await?.map_err(|error| network(&error))?;
        let body = HttpBody { response };
        if body.response.status().is_success() {
            return Ok(body);
        }
        Err(body.into_failure(idle, &request.headers).await)
    }

    fn client(&self, url: &reqwest::Url) -> Result<reqwest::Client, LlmError> {
        let is_near = url.scheme() == "http" && url.host_str().is_some_and(is_loopback);
        let cell = if is_near { &self.inner.near } else { &self.inner.far };
        cell.get_or_init(|| build(is_near).map_err(|error| describe(&error)))
            .clone()
            .map_err(LlmError::network)
    }
}

impl HttpBody {
    /// Returns the next bytes; `None` at the end.
    pub(crate) async fn chunk(&mut self, idle: Duration) -> Result<Option<Vec<u8>>, LlmError> {
        let chunk = within(idle, self.response.chunk()).await?;
        Ok(chunk.map_err(|error| network(&error))?.map(Into::into))
    }

    /// Returns the status and the headers.
    pub(crate) fn head(&self) -> (u16, serde_json::Map<String, serde_json::Value>) {
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = self.response.headers().iter();
        let headers = headers.map(|(name, value)| (name.as_str().to_owned(), text(value).into()));
        (self.response.status().as_u16(), headers.collect())
    }

    /// Returns the media type in lower case, without parameters.
    pub(crate) fn content_type(&self) -> String {
        let value = self.response.headers().get("content-type");
        let text = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = text.split(';').next().unwrap_or_default();
        kind.trim().to_lowercase()
    }

    /// Reads the start of the body as text.
    pub(crate) async fn text(mut self, idle: Duration, most: usize) -> Result<String, LlmError> {
        let mut bytes = Vec::new();
        while bytes.len() < most
            && let Some(chunk) = self.chunk(idle).await?
        {
            bytes.extend(chunk);
        }
        bytes.truncate(most);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads the rest in the background.
    pub(crate) fn drain(self) {
        let mut response = self.response;
        tokio::spawn(async move {
            let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
            let _ = tokio::time::timeout(DRAIN_TIME, rest).await;
        });
    }

    /// Converts an error response.
    pub(crate) async fn into_failure(self, idle: Duration, sent: &[(String, Secret)]) -> LlmError {
        let status = self.response.status();
        let retry_after = retry_after(self.response.headers());
        if status.is_redirection() {
            // Following a redirect would send the key to another host.
            let mut error = LlmError::new(
                ErrorClass::BadRequest,
                "the server redirects to another URL; set the base URL to the final address",
            );
            error.status = Some(status.as_u16());
            return error;
        }
        let error_type =
            self.response.headers().get("x-amzn-errortype").and_then(|value| value.to_str().ok());
        let error_type = error_type.and_then(|text| text.split(':').next()).map(str::to_owned);
        let body = self.text(idle, MAX_ERROR_BYTES).await.unwrap_or_default();
        let mut said = Said::parse(Some(status.as_u16()), &body);
        if said.text.is_empty() {
            status.canonical_reason().unwrap_or_default().clone_into(&mut said.text);
        }
        said.retry_after = retry_after.or(said.retry_after);
        // AWS names the error in a header, sometimes followed by an address.
        said.code = said.code.or(error_type);
        said.text = redact(&said.text, sent);
        said.into_error()
    }
}

/// Redacts all secrets of the request from `text`.
pub(crate) fn redact(text: &str, sent: &[(String, Secret)]) -> String {
    sent.iter().fold(text.to_owned(), |text, (_, secret)| {
        // A header's value may contain more than the key.
        let key = secret.expose().rsplit(' ').next().unwrap_or_default();
        Secret::new(key).redact(&secret.redact(&text))
    })
}

fn parse_url(url: &str) -> Result<reqwest::Url, LlmError> {
    // Parsers take the path for the host if there is none.
    let has_host = url.split_once("://").is_some_and(|(_, rest)| !rest.starts_with(['/', ':']));
    reqwest::Url::parse(url)
        .ok()
        .filter(|url| has_host && matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| {
            let text = "the base URL is invalid; expected a form like https://host/path";
            LlmError::new(ErrorClass::BadRequest, text)
        })
}

async fn within<T>(idle: Duration, work: impl Future<Output = T>) -> Result<T, LlmError> {
    tokio::time::timeout(idle, work).await.map_err(|_| {
        LlmError::network(format!(
            "no data received for {} s (see the setting idleTimeoutMs)",
            idle.as_secs_f32()
        ))
    })
}

fn build(is_near: bool) -> Result<reqwest::Client, reqwest::Error> {
    // The process may have installed one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A response is a single stream, and over HTTP/1 dropping it closes the connection, which is how a request is
    // stopped.
    let builder = reqwest::Client::builder()
        .http1_only()
        .user_agent(concat!("toolsmith/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIME)
        .pool_idle_timeout(KEPT_TIME);
    if is_near { builder.no_proxy().tls_certs_only([]).build() } else { builder.build() }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn headers(pairs: &[(String, Secret)]) -> Result<HeaderMap, LlmError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let refuse = |what: &str| {
            LlmError::new(ErrorClass::BadRequest, format!("the header \"{name}\" is invalid: {what}"))
        };
        let key: HeaderName = name.parse().map_err(|_| refuse("invalid name"))?;
        let mut value: HeaderValue = value
            .expose()
            .parse()
            .map_err(|_| refuse("its value contains characters that are not allowed in headers"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let read = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    read("retry-after-ms")
        .and_then(|text| text.trim().parse().ok().map(Duration::from_millis))
        .or_else(|| read("retry-after").and_then(parse_duration))
}

fn network(error: &reqwest::Error) -> LlmError {
    LlmError::network(describe(error))
}

/// Formats the error chain without the URL, which may contain a password.
fn describe(error: &reqwest::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if texts.last().is_none_or(|last| !last.contains(&text)) {
            texts.push(text);
        }
        source = cause.source();
    }
    if texts.is_empty() {
        return "the request failed".to_owned();
    }
    texts.join(": ")
}

/// Posts JSON. Clones share their connections; nothing is set up before the first request.
#[derive(Clone, Debug, Default)]
pub struct JsonPost {
    client: HttpClient,
}

impl JsonPost {
    /// Posts `body` and returns the text of the response, at most `limit` bytes and one more. Redirects are not followed.
    ///
    /// # Errors
    /// Fails with the reason if the URL or a header is invalid, the server cannot be reached, answers with an error status,
    /// or sends nothing for `idle`.
    pub async fn send(
        &self,
        url: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
        idle: Duration,
        limit: usize,
    ) -> Result<String, String> {
        let headers = headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
        let request = HttpRequest { url: url.to_owned(), headers, body: Some(body.into()) };
        let response = self.client.send(request, idle).await.map_err(|error| error.to_string())?;
        response.text(idle, limit.saturating_add(1)).await.map_err(|error| error.to_string())
    }
}
