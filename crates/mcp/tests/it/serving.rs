//! Serving over a pair of streams, with a client that writes raw messages.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use toolsmith_mcp::server::{
    Decision, FileChoice, ServeEvents, ServeOptions, ServedCall, ServedOutcome, ServedPending, ServedSession,
    ServedTools, serve_stream,
};
use toolsmith_tool::{CancelToken, DialogOptions, Tier, ToolContext, ToolResult, ToolSpec, async_trait};

/// What happened to the tools, for assertions.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) cancelled: AtomicBool,
    pub(crate) ended: AtomicBool,
    pub(crate) applied: Mutex<Vec<(u64, Decision)>>,
    next: AtomicU64,
}

/// Tools without an engine.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) log: Arc<Log>,
}

#[async_trait]
impl ServedTools for Tools {
    fn tools(&self) -> Vec<ToolSpec> {
        let one = |name: &str, tier| {
            ToolSpec::new(name, format!("Does {name}")).label(name.to_uppercase()).approval(tier)
        };
        vec![
            one("ask", Tier::Exec),
            one("echo", Tier::Read).parameters(json!({ "properties": { "text": { "type": "string" } } })),
            one("slow", Tier::Exec),
            one("stage", Tier::Write),
            one("updates", Tier::Exec),
        ]
    }

    fn can_stage(&self) -> bool {
        true
    }

    async fn open(&self) -> Arc<dyn ServedSession> {
        Arc::new(Session {
            log: Arc::clone(&self.log),
            pending: Mutex::default(),
            listener: Mutex::default(),
        })
    }
}

struct Session {
    log: Arc<Log>,
    pending: Mutex<Vec<ServedPending>>,
    listener: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
}

#[async_trait]
impl ServedSession for Session {
    async fn call(&self, call: ServedCall) -> ServedOutcome {
        let done = |text: &str| {
            ServedOutcome::new(ToolResult::text(text).with_details(json!({ "id": 1 })), Vec::new())
        };
        match call.name.as_str() {
            "ask" => {
                let ui = call.context.ui.current();
                let options = ["red".to_owned(), "green".to_owned()];
                let chosen =
                    ui.select("Which?", &options, DialogOptions::new(call.context.cancel.clone())).await;
                let sure = ui.confirm("Sure?", "", DialogOptions::new(call.context.cancel.clone())).await;
                done(&format!("{} {chosen:?} {sure}", ui.has_ui()))
            }
            "slow" => {
                call.context.cancel.cancelled().await;
                self.log.cancelled.store(true, Ordering::SeqCst);
                done("stopped")
            }
            "stage" => {
                let number = self.log.next.fetch_add(1, Ordering::SeqCst) + 1;
                let files = vec!["a.txt".to_owned(), "b.txt".to_owned()];
                let action =
                    ServedPending::new(number, "Rename".to_owned(), "stage".to_owned(), files, Tier::Write);
                self.pending.lock().expect("no panic").insert(0, action);
                if let Some(listener) = self.listener.lock().expect("no panic").as_ref() {
                    listener();
                }
                ServedOutcome::new(ToolResult::text("A preview."), vec![number])
            }
            "updates" => {
                for step in 0..3 {
                    call.context.updates.send(ToolResult::text(format!("line\nstep {step}\n")));
                    tokio::time::sleep(Duration::from_millis(300)).await;
                }
                done("done")
            }
            _ => match call.arguments.get("text").and_then(Value::as_str) {
                Some(text) => done(text),
                None => ServedOutcome::new(ToolResult::error("text is required"), Vec::new()),
            },
        }
    }

    fn pending(&self) -> Vec<ServedPending> {
        self.pending.lock().expect("no panic").clone()
    }

    async fn diff(&self, number: u64) -> Option<String> {
        Some(format!("--- diff of {number}\n"))
    }

    async fn resolve(
        &self,
        _call: &str,
        number: u64,
        decision: Decision,
        _reason: &str,
        _context: ToolContext,
    ) -> ToolResult {
        self.pending.lock().expect("no panic").retain(|action| action.number != number);
        self.log.applied.lock().expect("no panic").push((number, decision));
        ToolResult::text("Resolved.")
    }

    async fn undo(&self, _call: &str, change: Option<&str>, _context: ToolContext) -> ToolResult {
        ToolResult::text(format!("Undone {change:?}"))
    }

    fn on_pending(&self, listener: Box<dyn Fn() + Send + Sync>) {
        *self.listener.lock().expect("no panic") = Some(listener);
    }

    async fn end(&self) {
        self.log.ended.store(true, Ordering::SeqCst);
    }
}

/// A client.
struct Client {
    write: WriteHalf<DuplexStream>,
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<Result<(), String>>,
    log: Arc<Log>,
    events: ServeEvents,
    next: u64,
}

impl Client {
    fn raw(options: ServeOptions) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (their_read, their_write) = tokio::io::split(theirs);
        let tools = Tools::default();
        let (log, events) = (Arc::clone(&tools.log), ServeEvents::default());
        let serving = tokio::spawn(serve_stream(
            Arc::new(tools),
            options,
            events.clone(),
            their_read,
            their_write,
            CancelToken::new(),
        ));
        let (read, write) = tokio::io::split(ours);
        Self { write, read: BufReader::new(read).lines(), serving, log, events, next: 0 }
    }

    async fn connect(options: ServeOptions, capabilities: Value) -> Self {
        let mut client = Self::raw(options);
        let answer = client
            .request("initialize", json!({
                "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" },
            }))
            .await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.expect("written");
    }

    async fn start(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    async fn next(&mut self) -> Value {
        let line =
            tokio::time::timeout(Duration::from_secs(30), self.read.next_line()).await.expect("in time");
        serde_json::from_str(&line.expect("readable").expect("not the end")).expect("JSON")
    }

    /// Skips notifications.
    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.answer(id).await
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    /// Ends the connection and waits for the server.
    async fn leave(mut self) -> Arc<Log> {
        self.write.shutdown().await.expect("closed");
        drop(self.write);
        drop(self.read);
        self.serving.await.expect("no panic").expect("no error");
        self.log
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_tools_have_titles_schemas_hints_and_tiers_and_are_sorted() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("a list").clone();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["ask", "echo", "slow", "stage", "toolsmith_resolve", "toolsmith_undo", "updates"]);
    let find = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect("there");
    let echo = find("echo");
    assert_eq!(echo["title"], "ECHO");
    assert_eq!(echo["inputSchema"]["type"], "object");
    assert_eq!(echo["annotations"], json!({ "readOnlyHint": true, "openWorldHint": true }));
    assert_eq!(echo["_meta"]["toolsmith/tier"], "read");
    assert_eq!(find("stage")["annotations"]["destructiveHint"], false);
    assert_eq!(find("slow")["annotations"]["destructiveHint"], true);
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_errors_and_unknown_tools_differ() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    let good = client.call("echo", json!({ "text": "hi" })).await;
    assert_eq!(good["result"]["content"], json!([{ "type": "text", "text": "hi" }]));
    assert_eq!(good["result"]["_meta"]["toolsmith/details"], json!({ "id": 1 }));
    let bad = client.call("echo", json!({})).await;
    assert_eq!(bad["result"]["isError"], true);
    assert_eq!(client.call("nope", json!({})).await["error"]["code"], -32602);
    let log = client.leave().await;
    assert!(log.ended.load(Ordering::SeqCst));
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_sent_only_for_a_token_and_before_the_result() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    let id =
        client.start("tools/call", json!({ "name": "updates", "_meta": { "progressToken": "p" } })).await;
    let mut messages = Vec::new();
    loop {
        let message = client.next().await;
        if message["id"] == json!(id) {
            break;
        }
        assert_eq!(message["method"], "notifications/progress");
        messages.push((
            message["params"]["progress"].as_f64().expect("a number"),
            message["params"]["message"].clone(),
        ));
    }
    assert_eq!(messages.last().map(|(_, text)| text.clone()), Some(json!("step 2")));
    assert!(messages.windows(2).all(|pair| pair[0].0 < pair[1].0), "{messages:?}");
    let id = client.start("tools/call", json!({ "name": "updates" })).await;
    assert_eq!(client.next().await["id"], json!(id));
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_a_cancelled_call_stops_and_is_not_answered() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    let id = client.start("tools/call", json!({ "name": "slow" })).await;
    client
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }))
        .await;
    let log = Arc::clone(&client.log);
    crate::fake::until("the call is cancelled", || log.cancelled.load(Ordering::SeqCst)).await;
    let next = client.start("tools/call", json!({ "name": "echo", "arguments": { "text": "next" } })).await;
    assert_eq!(client.next().await["id"], json!(next));
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_progress_are_cancelled_when_the_client_leaves() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    client.start("tools/call", json!({ "name": "slow" })).await;
    client.call("echo", json!({ "text": "the other one has started" })).await;
    let log = client.leave().await;
    crate::fake::until("the call is cancelled", || log.cancelled.load(Ordering::SeqCst)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_a_preview_is_staged_read_applied_in_part_and_undone() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    let staged = client.call("stage", json!({})).await;
    let content = staged["result"]["content"].as_array().expect("a list").clone();
    assert!(
        content[1]["text"]
            .as_str()
            .is_some_and(|text| text.contains("Staged as action #1") && text.contains("2 files"))
    );
    assert_eq!(content[2]["uri"], "toolsmith://pending/1");
    let read = client.request("resources/read", json!({ "uri": "toolsmith://pending/1" })).await;
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/x-diff");
    let list = client.request("resources/read", json!({ "uri": "toolsmith://pending" })).await;
    assert!(list["result"]["contents"][0]["text"].as_str().is_some_and(|text| text.contains("a.txt")));
    let part = json!({ "id": "1", "action": "apply", "reason": "half", "files": ["a.txt"], "hunks": { "b.txt": [2] } });
    assert_eq!(client.call("toolsmith_resolve", part).await["result"]["content"][0]["text"], "Resolved.");
    let again =
        client.call("toolsmith_resolve", json!({ "id": "1", "action": "apply", "reason": "again" })).await;
    assert_ne!(again["result"]["isError"], json!(true));
    let none = client.call("toolsmith_resolve", json!({ "action": "discard", "reason": "none" })).await;
    assert_eq!(
        none["result"]["content"][0]["text"],
        "No pending action to resolve. Nothing to apply or discard."
    );
    assert!(client.call("toolsmith_undo", json!({})).await["result"]["content"][0]["text"].is_string());
    let missing = client.request("resources/read", json!({ "uri": "toolsmith://pending/1" })).await;
    assert_eq!(missing["error"]["code"], -32002);
    let log = client.leave().await;
    assert_eq!(
        *log.applied.lock().expect("no panic"),
        [(
            1,
            Decision::Apply(Some(vec![
                FileChoice::new("a.txt", None),
                FileChoice::new("b.txt", Some(vec![2]))
            ]))
        )]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_no_refusal_of_the_clients_interface_destroys_a_preview() {
    let options = ServeOptions::default().confirm(true);
    let mut client = Client::connect(options, json!({ "elicitation": {} })).await;
    client.call("stage", json!({})).await;
    let apply = json!({ "action": "apply", "reason": "x" });
    for action in ["decline", "cancel"] {
        let id = client
            .start("tools/call", json!({ "name": "toolsmith_resolve", "arguments": apply.clone() }))
            .await;
        let question = loop {
            let message = client.next().await;
            if message["method"] == "elicitation/create" {
                break message;
            }
        };
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action } });
        client.send(answer).await;
        let result = client.answer(id).await;
        let text = result["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(text.contains("still pending"), "{text}");
    }
    let id = client.start("tools/call", json!({ "name": "toolsmith_resolve", "arguments": apply })).await;
    let question = client.next().await;
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "answer": "apply" } } });
    client.send(answer).await;
    assert_eq!(client.answer(id).await["result"]["content"][0]["text"], "Resolved.");
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_without_elicitation_are_headless() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    let answer = client.call("ask", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "false None false");
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_tools_and_pending_actions_are_announced() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    client.call("echo", json!({ "text": "the session is open" })).await;
    let subscribed = client.request("resources/subscribe", json!({ "uri": "toolsmith://pending" })).await;
    assert!(subscribed["error"].is_null(), "{subscribed}");
    let id = client.start("tools/call", json!({ "name": "stage" })).await;
    let mut methods = Vec::new();
    while methods.len() < 3 {
        let message = client.next().await;
        methods.push(message["method"].as_str().map_or_else(|| message["id"].to_string(), str::to_owned));
    }
    methods.sort();
    assert_eq!(
        methods,
        [
            id.to_string(),
            "notifications/resources/list_changed".to_owned(),
            "notifications/resources/updated".to_owned()
        ]
    );
    client.events.tools_changed();
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    client.leave().await;
}

fn modern(capabilities: Value, more: Value) -> Value {
    let mut params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    } });
    for (key, value) in more.as_object().expect("an object") {
        params[key] = value.clone();
    }
    params
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_of_the_newer_revision_are_answered_by_repeating_the_call() {
    let mut client = Client::raw(ServeOptions::default());
    let capabilities = json!({ "elicitation": { "form": {} } });
    let found = client.request("server/discover", modern(capabilities.clone(), json!({}))).await;
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let first = client.request("tools/call", modern(capabilities.clone(), json!({ "name": "ask" }))).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let state = first["result"]["requestState"].clone();
    let answer = |value: Value| json!({ "answer": { "action": "accept", "content": { "answer": value } } });
    // Bound to the call it belongs to.
    let other = json!({ "name": "ask", "arguments": { "x": 1 }, "requestState": state, "inputResponses": answer(json!("green")) });
    assert_eq!(
        client.request("tools/call", modern(capabilities.clone(), other)).await["error"]["code"],
        -32602
    );
    let retry = json!({ "name": "ask", "requestState": state, "inputResponses": answer(json!("green")) });
    let second = client.request("tools/call", modern(capabilities.clone(), retry.clone())).await;
    assert_eq!(second["result"]["resultType"], "input_required", "{second}");
    // Works once.
    assert_eq!(
        client.request("tools/call", modern(capabilities.clone(), retry)).await["error"]["code"],
        -32602
    );
    let last = json!({ "name": "ask", "requestState": second["result"]["requestState"], "inputResponses": answer(json!(true)) });
    let done = client.request("tools/call", modern(capabilities.clone(), last)).await;
    assert_eq!(done["result"]["content"][0]["text"], "true Some(\"green\") true");
    let forged = json!({ "name": "ask", "requestState": "rs1.AAAA", "inputResponses": answer(json!(true)) });
    assert_eq!(client.request("tools/call", modern(capabilities, forged)).await["error"]["code"], -32602);
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_does_not_end_the_connection() {
    let mut client = Client::connect(ServeOptions::default(), json!({})).await;
    for garbage in ["not json\n", "\n", "{}\n", "[1,2,3]\n", "{\"jsonrpc\":\"2.0\"}\n", "\u{0}\u{1}\n"] {
        client.write.write_all(garbage.as_bytes()).await.expect("written");
    }
    client.write.write_all(&[0xff, 0xfe, b'\n']).await.expect("written");
    let answer = client.call("echo", json!({ "text": "still here" })).await;
    assert_eq!(answer["result"]["content"][0]["text"], "still here");
    client.leave().await;
}
