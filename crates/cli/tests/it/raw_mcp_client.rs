//! A client of `toolsmith mcp serve` that writes raw messages.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use toolsmith_host::exec::{self, Process, Request, Stdin};

use crate::place::Place;

/// A client of `toolsmith mcp serve` that writes raw messages.
pub(crate) struct Client {
    process: Process,
    lines: tokio::io::Lines<BufReader<exec::OutputPipe>>,
    next: u64,
    /// Answer to every question of the server; null declines.
    pub(crate) answer: Value,
    /// Questions of the server.
    pub(crate) asked: Vec<String>,
}

impl Client {
    /// Starts the server and connects to it.
    pub(crate) async fn start(place: &Place, args: &[&str]) -> Self {
        Self::with_capabilities(place, args, json!({})).await
    }

    /// The same for a client with these capabilities.
    pub(crate) async fn with_capabilities(place: &Place, args: &[&str], capabilities: Value) -> Self {
        let args = [&["mcp", "serve"], args].concat();
        // Hooks are scripts, which need programs.
        let path = std::env::var("PATH").unwrap();
        let request: Request = place.request(&args).env("PATH", path).stdin(Stdin::Piped);
        let mut process = exec::spawn(&request).unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut client = Self { process, lines, next: 0, answer: Value::Null, asked: Vec::new() };
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": "t", "version": "1" } });
        let answer = client.request("initialize", params).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "toolsmith", "{answer}");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    pub(crate) async fn send(&mut self, message: Value) {
        let text = format!("{message}\n");
        self.process.stdin.as_mut().unwrap().write_all(text.as_bytes()).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(std::time::Duration::from_secs(60), self.lines.next_line()).await;
        serde_json::from_str(&line.expect("in time").unwrap().expect("not the end")).unwrap()
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let message = self.next().await;
            if message["method"] == "elicitation/create" {
                self.asked.push(message["params"]["message"].as_str().unwrap_or_default().to_owned());
                let content = json!({ "answer": self.answer });
                let action = if self.answer.is_null() { "decline" } else { "accept" };
                let result = json!({ "action": action, "content": content });
                self.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).await;
            } else if message["id"] == json!(id) {
                return message;
            }
        }
    }

    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    pub(crate) async fn tools(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes the input and waits for the exit.
    pub(crate) async fn leave(mut self) -> i32 {
        drop(self.process.stdin.take());
        tokio::time::timeout(std::time::Duration::from_secs(30), self.process.wait())
            .await
            .expect("it exits")
            .code
    }
}

pub(crate) fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}
