//! Serving over HTTP: the token, the checks of Origin and Host, handles, and many connections.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};
use toolsmith_mcp::server::{HttpOptions, ServeEvents, ServeOptions, bind_http};
use toolsmith_tool::CancelToken;

use crate::serving::Tools;

struct Server {
    address: SocketAddr,
    token: String,
    stop: CancelToken,
    serving: JoinHandle<()>,
}

impl Server {
    async fn start() -> Self {
        let bound = bind_http(HttpOptions::new(([127, 0, 0, 1], 0).into())).await.expect("bound");
        let url = bound.url();
        let address = url.trim_start_matches("http://").trim_end_matches("/mcp").parse().expect("an address");
        let token = bound.token().expect("a token").to_owned();
        let stop = CancelToken::new();
        let serving = tokio::spawn(bound.serve(
            Arc::new(Tools::default()),
            ServeOptions::default(),
            ServeEvents::default(),
            stop.clone(),
        ));
        Self { address, token, stop, serving }
    }

    /// Sends one request and reads the answer to its end; returns the status and the body.
    async fn send(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).await.expect("connected");
        let body = body.to_string();
        let mut text =
            format!("POST {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "host") {
            text.push_str(&format!("host: {}\r\n", self.address));
        }
        text.push_str("content-type: application/json\r\naccept: application/json, text/event-stream\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).await.expect("written");
        let mut answer = Vec::new();
        let _ = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        (status, answer)
    }

    /// Calls a method of the newer revision, which needs no connection.
    async fn call(&self, name: &str, method: &str, more: Value) -> Value {
        let mut params = json!({ "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        } });
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        let token = format!("Bearer {}", self.token);
        let headers = [
            ("authorization", token.as_str()),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", name),
        ];
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (_, answer) = self.send("/mcp", &headers, &body).await;
        let lines = answer.lines().map(|line| line.trim_start_matches("data:").trim());
        let found = lines
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|value| value["id"] == json!(1));
        found.unwrap_or_else(|| panic!("no answer in {answer}"))
    }

    async fn stop(self) {
        self.stop.cancel("the test is over");
        self.serving.await.expect("no panic");
    }
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } })
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_right_token_in_the_header_is_accepted() {
    let server = Server::start().await;
    let right = format!("Bearer {}", server.token);
    let body = initialize();
    assert_eq!(server.send("/mcp", &[], &body).await.0, 401);
    for wrong in ["Bearer wrong", "Bearer ", "Basic abc", &server.token, &format!("Bearer {}x", server.token)]
    {
        assert_eq!(server.send("/mcp", &[("authorization", wrong)], &body).await.0, 401, "{wrong}");
    }
    let in_url = format!("/mcp?token={}", server.token);
    assert_eq!(server.send(&in_url, &[], &body).await.0, 400);
    assert_eq!(server.send(&in_url, &[("authorization", &right)], &body).await.0, 400);
    assert_eq!(server.send("/other", &[("authorization", &right)], &body).await.0, 404);
    assert_eq!(server.send("/mcp", &[("authorization", &right)], &body).await.0, 200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn web_pages_and_foreign_names_are_refused() {
    let server = Server::start().await;
    let right = format!("Bearer {}", server.token);
    let token = ("authorization", right.as_str());
    let body = initialize();
    for origin in ["https://evil.example", "null", "http://127.0.0.1.evil.example:80", "http://localhost:1"] {
        assert_eq!(server.send("/mcp", &[token, ("origin", origin)], &body).await.0, 403, "{origin}");
    }
    assert_eq!(server.send("/mcp", &[token, ("host", "evil.example")], &body).await.0, 403);
    let own = format!("http://localhost:{}", server.address.port());
    assert_eq!(server.send("/mcp", &[token, ("origin", &own)], &body).await.0, 200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_machines_need_a_flag_and_always_a_token() {
    let open = HttpOptions::new(([0, 0, 0, 0], 0).into());
    let error = bind_http(open.clone()).await.expect_err("refused").to_string();
    assert!(error.contains("--allow-remote"), "{error}");
    let mut open = open;
    open.allow_remote = true;
    open.without_token = true;
    assert!(bind_http(open).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_actions_of_stateless_requests_are_found_only_by_their_handle() {
    let server = Server::start().await;
    let staged = server.call("stage", "tools/call", json!({ "name": "stage", "arguments": {} })).await;
    let uri = staged["result"]["content"][2]["uri"].as_str().expect("a link").to_owned();
    let handle = uri.trim_start_matches("toolsmith://pending/").to_owned();
    assert_eq!(handle.len(), 32, "{handle}");
    let list =
        server.call("toolsmith://pending", "resources/read", json!({ "uri": "toolsmith://pending" })).await;
    assert_eq!(list["result"]["contents"][0]["text"], "[]");
    for guess in ["1", "", "0000000000000000000000000000000f"] {
        let arguments = json!({ "id": guess, "action": "apply", "reason": "a guess" });
        let call = json!({ "name": "toolsmith_resolve", "arguments": arguments });
        let answer = server.call("toolsmith_resolve", "tools/call", call).await;
        assert_ne!(answer["result"]["content"][0]["text"], "Resolved.", "{guess}");
    }
    let read = server.call(&uri, "resources/read", json!({ "uri": uri })).await;
    assert!(
        read["result"]["contents"][0]["text"].as_str().is_some_and(|text| text.contains("diff")),
        "{read}"
    );
    let arguments = json!({ "id": handle, "action": "apply", "reason": "it is mine" });
    let call = json!({ "name": "toolsmith_resolve", "arguments": arguments });
    let answer = server.call("toolsmith_resolve", "tools/call", call).await;
    assert_eq!(answer["result"]["content"][0]["text"], "Resolved.", "{answer}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_silent_connections_do_not_stop_the_others() {
    let server = Server::start().await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(TcpStream::connect(server.address).await.expect("connected"));
    }
    let answer =
        server.call("echo", "tools/call", json!({ "name": "echo", "arguments": { "text": "hi" } })).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi");
    drop(silent);
    server.stop().await;
}
