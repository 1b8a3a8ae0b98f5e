//! `fetch`: requests over the program's own HTTP client, with streamed bodies.

use std::{
    error::Error as _,
    rc::Rc,
    sync::{
        OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use reqwest::{Client, Method, Response, Url, header::HeaderMap, redirect};
use rquickjs::{Object, Result, TypedArray, function::Func};
use serde::Deserialize;
use serde_json::json;

use super::{bytes, runtime::whole};
use crate::instance::{HostError, Settled, ThreadState, unless_cancelled};

/// Maximum number of redirects, as in browsers.
const MAX_REDIRECTS: usize = 20;

/// Clients with and without redirects, created on first use.
#[derive(Debug, Default)]
pub(crate) struct WebClients {
    following: OnceLock<std::result::Result<Client, String>>,
    staying: OnceLock<std::result::Result<Client, String>>,
}

impl WebClients {
    fn get(&self, follow: bool) -> std::result::Result<Client, String> {
        let (slot, policy) = if follow {
            (&self.following, redirect::Policy::limited(MAX_REDIRECTS))
        } else {
            (&self.staying, redirect::Policy::none())
        };
        slot.get_or_init(|| {
            // Another part of the program may have installed one already.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let agent = concat!("toolsmith/", env!("CARGO_PKG_VERSION"));
            Client::builder().user_agent(agent).redirect(policy).build().map_err(|error| describe(&error))
        })
        .clone()
    }
}

/// The kernel's request.
#[derive(Deserialize)]
struct FetchRequest {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    redirect: String,
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    host.set(
        "fetchStart",
        Func::from(move |number: f64, json: String, body: Option<TypedArray<'js, u8>>| {
            start(&own, whole(number), &json, body.map(|body| bytes::copy(&body)));
        }),
    )?;
    let own = Rc::clone(state);
    host.set("fetchRead", Func::from(move |number: f64, response: u32| read(&own, whole(number), response)))?;
    let own = Rc::clone(state);
    host.set(
        "fetchClose",
        Func::from(move |response: u32| {
            own.shared.responses.lock().unwrap_or_else(PoisonError::into_inner).remove(&response);
        }),
    )
}

fn start(state: &ThreadState, number: u64, json: &str, body: Option<Vec<u8>>) {
    static RESPONSES: AtomicU32 = AtomicU32::new(1);
    let request: std::result::Result<FetchRequest, _> = state.data_limit().read(json);
    let shared = std::sync::Arc::clone(&state.shared);
    let meter = state.meter();
    let held = state.shared.charge(body.as_ref().map_or(0, Vec::len));
    state.shared.spawn_operation(number, |token| async move {
        let _held = match held {
            Ok(held) => held,
            Err(error) => return Settled::Failed(error),
        };
        let request = match request {
            Ok(request) => request,
            Err(error) => return Settled::Failed(HostError::of_class("TypeError", error.to_string())),
        };
        let client = match shared.engine.web.get(request.redirect == "follow") {
            Ok(client) => client,
            Err(message) => return Settled::Failed(fetch_failed(message, None)),
        };
        let asked = request.url.clone();
        meter.add_request();
        meter.add_written(body.as_ref().map_or(0, Vec::len));
        let Some(answered) = unless_cancelled(&token, send(&client, request, body)).await else {
            return Settled::Failed(aborted());
        };
        match answered {
            Ok(response) => {
                let id = RESPONSES.fetch_add(1, Ordering::Relaxed);
                let head = head_json(&response, id, &asked);
                shared.responses.lock().unwrap_or_else(PoisonError::into_inner).insert(id, response);
                Settled::Text(head)
            }
            Err(error) => Settled::Failed(error),
        }
    });
}

async fn send(
    client: &Client,
    request: FetchRequest,
    body: Option<Vec<u8>>,
) -> std::result::Result<Response, HostError> {
    let invalid = |message: String| HostError::of_class("TypeError", message);
    let method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| invalid(format!("'{}' is not a valid HTTP method.", request.method)))?;
    let url =
        Url::parse(&request.url).map_err(|_| invalid(format!("Failed to parse URL from {}", request.url)))?;
    let mut builder = client.request(method, url);
    for (name, value) in &request.headers {
        builder = builder.header(name.as_str(), value.as_str());
    }
    if let Some(body) = body {
        builder = builder.body(body);
    }
    let response =
        builder.send().await.map_err(|error| fetch_failed(describe(&error), error_code(&error)))?;
    if request.redirect == "error" && response.status().is_redirection() {
        return Err(fetch_failed("unexpected redirect".to_owned(), None));
    }
    Ok(response)
}

fn head_json(response: &Response, id: u32, asked: &str) -> String {
    let url = response.url().as_str();
    json!({
        "id": id,
        "status": response.status().as_u16(),
        "statusText": response.status().canonical_reason().unwrap_or_default(),
        "headers": header_pairs(response.headers()),
        "url": url,
        "redirected": Url::parse(asked).map(|asked| asked.as_str() != url).unwrap_or(false),
    })
    .to_string()
}

fn header_pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

/// Reads the next chunk of a body; nothing at its end.
fn read(state: &ThreadState, number: u64, id: u32) {
    let (shared, meter) = (std::sync::Arc::clone(&state.shared), state.meter());
    state.shared.spawn_operation(number, |token| async move {
        let taken = shared.responses.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        let Some(mut response) = taken else {
            return Settled::Nothing;
        };
        match unless_cancelled(&token, response.chunk()).await {
            Some(Ok(Some(chunk))) => {
                meter.add_read(chunk.len());
                shared.responses.lock().unwrap_or_else(PoisonError::into_inner).insert(id, response);
                Settled::Bytes(chunk.to_vec())
            }
            Some(Ok(None)) => Settled::Nothing,
            Some(Err(error)) => Settled::Failed(fetch_failed(describe(&error), error_code(&error))),
            None => Settled::Failed(aborted()),
        }
    });
}

fn aborted() -> HostError {
    HostError::of_class("AbortError", "This operation was aborted")
}

/// Creates Node's error: `fetch failed`, with the reason as the cause.
fn fetch_failed(message: String, code: Option<&'static str>) -> HostError {
    let mut cause = json!({ "message": message });
    if let Some(code) = code {
        cause["code"] = code.into();
    }
    HostError::of_class("TypeError", "fetch failed").with("cause", cause)
}

/// Returns the innermost reason, without the URL, which may contain secrets.
fn describe(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if inner.is::<reqwest::Error>() {
        // Without the URL this is the whole message.
        return if error.is_timeout() { "timed out".to_owned() } else { "the request failed".to_owned() };
    }
    inner.to_string()
}

fn error_code(error: &reqwest::Error) -> Option<&'static str> {
    let mut inner = error.source();
    while let Some(source) = inner {
        if let Some(io) = source.downcast_ref::<std::io::Error>() {
            return Some(match io.kind() {
                std::io::ErrorKind::ConnectionRefused => "ECONNREFUSED",
                std::io::ErrorKind::ConnectionReset => "ECONNRESET",
                std::io::ErrorKind::TimedOut => "ETIMEDOUT",
                std::io::ErrorKind::UnexpectedEof => "UND_ERR_SOCKET",
                _ => "ENOTFOUND",
            });
        }
        inner = source.source();
    }
    None
}
