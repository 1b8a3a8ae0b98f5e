//! Connections and listeners over TCP, TLS and local sockets, and name resolution.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use rquickjs::{Ctx, Object, Result, function::Func};
use rustls_platform_verifier::BuilderVerifierExt;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};
use toolsmith_host::posix::{LocalListener, LocalReader, LocalWriter, close_listener, connect_local};
use toolsmith_tool::CancelToken;

use super::{failure, failure::system_error, runtime::whole};
use crate::instance::{HostError, Settled, SharedState, ThreadState, unless_cancelled};

/// The kernel's request: an address, or a path.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    host: Option<String>,
    #[serde(default)]
    port: u16,
    path: Option<String>,
    /// Expected host name, for TLS.
    server_name: Option<String>,
    #[serde(default)]
    protocols: Vec<String>,
}

impl Address {
    fn parse(json: &str) -> std::result::Result<Self, HostError> {
        serde_json::from_str(json).map_err(|error| HostError::of_class("TypeError", error.to_string()))
    }

    /// Formats the error as Node does: `connect ECONNREFUSED 127.0.0.1:1`.
    fn failure(&self, call: &str, at: Option<SocketAddr>, error: &io::Error) -> HostError {
        let (name, number, text) = system_error(error);
        let place = match (&self.path, at) {
            (Some(path), _) => path.clone(),
            (None, Some(at)) => format!("{}:{}", at.ip(), at.port()),
            (None, None) => format!("{}:{}", self.host.as_deref().unwrap_or_default(), self.port),
        };
        let message = if call == "listen" {
            format!("{call} {name}: {text} {place}")
        } else {
            format!("{call} {name} {place}")
        };
        let found = HostError::new(message).with("errno", -number).with("code", name).with("syscall", call);
        match (&self.path, at) {
            (Some(path), _) => found.with("address", path.as_str()),
            (None, at) => found
                .with(
                    "address",
                    at.map_or_else(|| self.host.clone().unwrap_or_default(), |at| at.ip().to_string()),
                )
                .with("port", self.port),
        }
    }
}

enum Listener {
    Tcp(TcpListener),
    Local(LocalListener),
}

/// A listener and its stop signal.
struct Listening {
    listener: Listener,
    closed: CancelToken,
}

type Listeners = Arc<Mutex<HashMap<u32, Arc<Listening>>>>;

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    for (name, secure) in [("connect", false), ("connectSecurely", true)] {
        let own = Rc::clone(state);
        host.set(
            name,
            Func::from(move |number: f64, json: String| {
                let (shared, address) = (Arc::clone(&own.shared), Address::parse(&json));
                own.current_context().meter.add_request();
                own.shared.spawn_operation(whole(number), |token| async move {
                    let work = async { connect(&shared, address?, secure).await };
                    match unless_cancelled(&token, work).await {
                        Some(Ok(connected)) => Settled::Text(connected.to_string()),
                        Some(Err(error)) => Settled::Failed(error),
                        None => Settled::Nothing,
                    }
                });
            }),
        )?;
    }
    let own = Rc::clone(state);
    host.set(
        "lookup",
        Func::from(move |number: f64, name: String| {
            own.shared.spawn_operation(whole(number), |token| async move {
                match unless_cancelled(&token, resolve(&name)).await {
                    Some(Ok(found)) => Settled::Text(json!(found).to_string()),
                    Some(Err(error)) => Settled::Failed(error),
                    None => Settled::Nothing,
                }
            });
        }),
    )?;
    install_listening(host, state)
}

fn install_listening<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let listeners = Listeners::default();
    let (own, table) = (Rc::clone(state), Arc::clone(&listeners));
    host.set(
        "listen",
        Func::from(move |ctx: Ctx<'js>, json: String| -> Result<String> {
            let listening = {
                let _runtime = own.shared.engine.runtime.enter();
                listen(&json)
            };
            let (listening, place) = listening.map_err(|error| failure::throw(&ctx, &error))?;
            static LAST: AtomicU32 = AtomicU32::new(0);
            let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
            table.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::new(listening));
            Ok(json!({ "id": id, "address": place }).to_string())
        }),
    )?;
    let (own, table) = (Rc::clone(state), Arc::clone(&listeners));
    host.set(
        "accept",
        Func::from(move |number: f64, id: u32| {
            let shared = Arc::clone(&own.shared);
            let found = table.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
            own.shared.spawn_operation(whole(number), |token| async move {
                let Some(listening) = found else { return Settled::Nothing };
                let work = unless_cancelled(&listening.closed, accept(&shared, &listening.listener));
                match unless_cancelled(&token, work).await.flatten() {
                    Some(Ok(connected)) => Settled::Text(connected.to_string()),
                    // Closing wakes waiting accepts with an error.
                    Some(Err(error)) if !listening.closed.is_cancelled() => {
                        Settled::Failed(super::byte_streams::of_system(&error, "accept"))
                    }
                    _ => Settled::Nothing,
                }
            });
        }),
    )?;
    host.set(
        "unlisten",
        Func::from(move |id: u32| {
            if let Some(listening) = listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(&id) {
                listening.closed.cancel("closed");
                match &listening.listener {
                    // Closed immediately, so that new connections are refused.
                    Listener::Tcp(listener) => {
                        close_listener(listener);
                    }
                    Listener::Local(listener) => listener.close(),
                }
            }
        }),
    )
}

/// Returns the address of one end of a connection.
fn place(address: SocketAddr) -> Value {
    json!({ "address": address.ip().to_string(), "port": address.port(), "family": if address.is_ipv6() { "IPv6" } else { "IPv4" } })
}

fn keep_tcp(shared: &SharedState, stream: TcpStream) -> io::Result<Value> {
    stream.set_nodelay(true)?;
    let (local, remote) = (stream.local_addr()?, stream.peer_addr()?);
    let (reader, writer) = stream.into_split();
    Ok(json!({
        "reader": shared.streams.keep_reader(reader),
        "writer": shared.streams.keep_writer(writer),
        "local": place(local),
        "remote": place(remote),
    }))
}

fn keep_local(shared: &SharedState, (reader, writer): (LocalReader, LocalWriter)) -> Value {
    json!({ "reader": shared.streams.keep_reader(reader), "writer": shared.streams.keep_writer(writer) })
}

async fn connect(
    shared: &SharedState,
    address: Address,
    secure: bool,
) -> std::result::Result<Value, HostError> {
    if let Some(path) = &address.path {
        let stream = connect_local(path).await.map_err(|error| address.failure("connect", None, &error))?;
        return Ok(keep_local(shared, stream));
    }
    let host = address.host.as_deref().unwrap_or("localhost");
    let found = resolve_addresses(host, address.port).await?;
    let mut last = None;
    let mut connected = None;
    for at in found {
        match TcpStream::connect(at).await {
            Ok(stream) => {
                connected = Some(stream);
                break;
            }
            Err(error) => last = Some(address.failure("connect", Some(at), &error)),
        }
    }
    let Some(stream) = connected else { return Err(last.unwrap_or_else(|| not_found(host))) };
    if secure {
        return start_tls(shared, stream, &address, host).await;
    }
    keep_tcp(shared, stream).map_err(|error| address.failure("connect", None, &error))
}

async fn start_tls(
    shared: &SharedState,
    stream: TcpStream,
    address: &Address,
    host: &str,
) -> std::result::Result<Value, HostError> {
    // Another part of the program may have installed one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let failed = |message: String| HostError::new(message).with("code", "ERR_TLS_HANDSHAKE");
    let mut config = rustls::ClientConfig::builder()
        .with_platform_verifier()
        .map_err(|error| failed(error.to_string()))?
        .with_no_client_auth();
    config.alpn_protocols = address.protocols.iter().map(|name| name.clone().into_bytes()).collect();
    let name = address.server_name.as_deref().filter(|name| !name.is_empty()).unwrap_or(host).to_owned();
    let name = ServerName::try_from(name).map_err(|error| failed(error.to_string()))?;
    let (local, remote) = (stream.local_addr().ok().map(place), stream.peer_addr().ok().map(place));
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| failed(error.to_string()))?;
    let protocol = stream.get_ref().1.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned());
    let version =
        stream.get_ref().1.protocol_version().map(|version| format!("{version:?}").replace('_', "."));
    let (reader, writer) = tokio::io::split(stream);
    Ok(json!({
        "reader": shared.streams.keep_reader(reader),
        "writer": shared.streams.keep_writer(writer),
        "local": local,
        "remote": remote,
        "protocol": protocol,
        "version": version,
    }))
}

fn not_found(host: &str) -> HostError {
    HostError::new(format!("getaddrinfo ENOTFOUND {host}"))
        .with("errno", -3008)
        .with("code", "ENOTFOUND")
        .with("syscall", "getaddrinfo")
        .with("hostname", host)
}

async fn resolve_addresses(host: &str, port: u16) -> std::result::Result<Vec<SocketAddr>, HostError> {
    let found: Vec<SocketAddr> = lookup_host((host, port)).await.map_err(|_| not_found(host))?.collect();
    if found.is_empty() { Err(not_found(host)) } else { Ok(found) }
}

async fn resolve(host: &str) -> std::result::Result<Vec<Value>, HostError> {
    let mut found = Vec::new();
    for address in resolve_addresses(host, 0).await? {
        let entry =
            json!({ "address": address.ip().to_string(), "family": if address.is_ipv6() { 6 } else { 4 } });
        if !found.contains(&entry) {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Binds immediately, because the caller receives the address immediately.
fn listen(json: &str) -> std::result::Result<(Listening, Value), HostError> {
    let address = Address::parse(json)?;
    let failed = |error: io::Error| address.failure("listen", None, &error);
    let (listener, place) = if let Some(path) = &address.path {
        (Listener::Local(LocalListener::bind(path).map_err(failed)?), json!(path))
    } else {
        let host = address.host.as_deref().unwrap_or("::");
        let listener = std::net::TcpListener::bind((host, address.port));
        let listener = match listener {
            // A machine without IPv6.
            Err(_) if address.host.is_none() => std::net::TcpListener::bind(("0.0.0.0", address.port)),
            other => other,
        };
        let listener = listener.and_then(|listener| {
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        });
        let listener = listener.map_err(failed)?;
        let at = listener.local_addr().map_err(failed)?;
        (Listener::Tcp(listener), place(at))
    };
    Ok((Listening { listener, closed: CancelToken::new() }, place))
}

async fn accept(shared: &SharedState, listener: &Listener) -> io::Result<Value> {
    match listener {
        Listener::Tcp(listener) => keep_tcp(shared, listener.accept().await?.0),
        Listener::Local(listener) => Ok(keep_local(shared, listener.accept().await?)),
    }
}
