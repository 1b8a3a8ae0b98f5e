//! Programs that a tool starts with `detached`: they outlive the program if it exits, and not if it is killed.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use toolsmith_host::exec;

use crate::place::Place;

const SIGKILL: i32 = 9;

/// Never settles after it started the same.
const HANGING: (&str, &str) = (
    "return { content: [{ type: \"text\", text }] };",
    "(await import(\"node:fs\")).writeFileSync(pi.cwd + \"/pids\", text); await new Promise(() => {});",
);

/// Starts a shell that resists, with a child in a session of its own, and returns the ids of both.
const TOOL: &str = r#"import { spawn } from "node:child_process";
export default (pi) => ({
  name: "start", description: "d", approval: "read", parameters: { type: "object", properties: {} },
  async execute() {
    const script = "trap '' TERM HUP INT; /usr/bin/setsid /bin/sleep 1000 & echo $$ $!; while :; do /bin/sleep 1000; done";
    const child = spawn("/bin/sh", ["-c", script], { detached: true });
    const text = await new Promise((resolve) => child.stdout.once("data", (data) => resolve(String(data).trim())));
    child.stdout.destroy(); child.stderr.destroy(); child.stdin.destroy(); child.unref();
    return { content: [{ type: "text", text }] };
  },
});
"#;

fn is_running(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn wait_until_gone(pids: &[String]) {
    let gone = async {
        while pids.iter().any(|pid| is_running(pid)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("all processes are gone");
}

fn ids(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_6_detached_programs_of_a_tool_end_if_the_program_is_killed() {
    let place = Place::trusted(&[("project/.toolsmith/tools/start.ts", TOOL)]);
    let turns =
        json!([{ "reply": [{ "call": "start", "arguments": {} }] }, { "reply": [{ "waitForAbort": true }] }]);
    place.write("project/script.json", &json!({ "turns": turns }).to_string());
    let args = ["-p", "go", "--model", "script:script.json", "--mode", "json", "--no-session"];
    let mut process = exec::spawn(&place.request(&args)).unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let pids = loop {
        let line = lines.next_line().await.unwrap().expect("the call ends before the output does");
        let event: Value = serde_json::from_str(&line).unwrap();
        if event["type"] == "tool_execution_end" {
            break ids(event["result"]["content"][0]["text"].as_str().unwrap_or_default());
        }
    };
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    process.signal(SIGKILL);
    wait_until_gone(&pids).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn detached_programs_of_a_tool_go_on_if_the_program_exits() {
    let place = Place::trusted(&[("project/.toolsmith/tools/start.ts", TOOL)]);
    let said = place.run(&["call", "start"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let pids = ids(&said.stdout);
    assert_eq!(pids.len(), 2, "{said:#?}");
    let running: Vec<bool> = pids.iter().map(|pid| is_running(pid)).collect();
    for pid in &pids {
        let kill = exec::Request::new("kill").args(["-9", pid.as_str()]);
        exec::run(&kill, &toolsmith_tool::CancelToken::new(), |_| {}).await.unwrap();
    }
    assert_eq!(running, [true, true]);
    wait_until_gone(&pids).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_6_detached_programs_of_a_running_call_end_if_an_mcp_client_closes_the_connection() {
    let tool = TOOL.replace(HANGING.0, HANGING.1);
    let place = Place::trusted(&[("project/.toolsmith/tools/start.ts", &tool)]);
    let request = place.request(&["mcp", "serve"]).stdin(exec::Stdin::Piped);
    let mut process = exec::spawn(&request).unwrap();
    let mut input = process.stdin.take().unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "start", "arguments": {} } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    for message in [hello, ready, call] {
        tokio::io::AsyncWriteExt::write_all(&mut input, format!("{message}\n").as_bytes()).await.unwrap();
    }
    let file = place.path("project/pids");
    let pids = loop {
        match std::fs::read_to_string(&file) {
            Ok(text) if ids(&text).len() == 2 => break ids(&text),
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    assert!(pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    drop(input);
    process.wait().await;
    wait_until_gone(&pids).await;
}
