//! Connections and compression: what never answers, and what becomes too much (CONTRACT 4.6, 4.7).

use std::time::Duration;

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Stop, ToolCall, ToolContext, ToolError, UpdateSink};

use crate::project::{Project, call, in_tool, tool_source};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_what_expands_without_end_costs_the_call() {
    let body = "const { createGunzip, gzipSync, gunzipSync } = await import(\"node:zlib\"); const { execSync } = await import(\"node:child_process\");\n\
        if (params.again) return { content: [{ type: \"text\", text: gunzipSync(gzipSync(\"fine\")).toString() }] };\n\
        const bomb = execSync(\"head -c 40000000 /dev/zero | gzip\");\n\
        let refused; try { gunzipSync(bomb, { maxOutputLength: 1 << 20 }); } catch (error) { refused = error.code; }\n\
        if (refused !== \"ERR_BUFFER_TOO_LARGE\") throw new Error(`not refused: ${refused}`);\n\
        let count = 0; const open = createGunzip(); open.on(\"data\", (chunk) => (count += chunk.length)); open.end(bomb); await new Promise((resolve) => open.on(\"end\", resolve));\n\
        if (count !== 40000000) throw new Error(`streamed ${count}`);\n\
        gunzipSync(bomb);";
    let limits = Limits::default().memory(24 << 20);
    let project = Project::with_limits(limits, &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let error = call(&tool, json!({})).await.unwrap_err().to_string();
    assert!(error.contains("memory limit of 24 MB"), "{error}");
    assert_eq!(call(&tool, json!({ "again": true })).await.unwrap().joined_text(), "fine");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_a_tool_that_waits_for_a_silent_server_is_stopped_and_its_connections_close() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let body = format!(
        "const http = await import(\"node:http\"); const asked = http.get(\"http://127.0.0.1:{port}/\"); asked.on(\"socket\", (socket) => socket.on(\"connect\", () => onUpdate({{ content: [] }}))); await new Promise(() => {{}});"
    );
    let project = Project::with_limits(
        Limits::default().grace(Duration::from_millis(10)),
        &[("t.ts", &tool_source(&body))],
    );
    let tool = project.tool("t.ts").await;
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("enough"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let (outcome, closed) = tokio::join!(tool.execute(ToolCall::new("c", json!({})), ctx), async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut all = Vec::new();
        // Ends, in order or not, when the other side has gone.
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut all).await;
        true
    });
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    assert!(closed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_without_end_is_refused_by_both_sides() {
    let found = in_tool(
        "import http from \"node:http\"; import net from \"node:net\"; import { once } from \"node:events\";",
        r#"
        const server = http.createServer((request, response) => response.end("never")).listen(0, "127.0.0.1");
        await once(server, "listening");
        const client = net.connect(server.address().port, "127.0.0.1");
        client.on("error", () => {});
        client.write("GET / HTTP/1.1\r\nX: " + "y".repeat(200000));
        let answer = ""; for await (const chunk of client) answer += chunk;
        const endless = net.createServer((socket) => { socket.on("error", () => {}); socket.write("HTTP/1.1 200 OK\r\nX: " + "y".repeat(200000)); }).listen(0, "127.0.0.1");
        await once(endless, "listening");
        const asked = http.get(`http://127.0.0.1:${endless.address().port}/`);
        const [error] = await once(asked, "error").catch((error) => [error]);
        server.close(); endless.close();
        return [answer.split("\r\n")[0], error.code];
        "#,
    )
    .await;
    assert_eq!(found, json!(["HTTP/1.1 400 Bad Request", "HPE_HEADER_OVERFLOW"]));
}
