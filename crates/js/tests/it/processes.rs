//! Processes of tools: what a forced stop leaves of them, and what they can do to their tool (CONTRACT 4.6, 4.7).

use std::{sync::Arc, time::Duration};

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Stop, Tool, ToolCall, ToolContext, ToolError, ToolResult, UpdateSink};

use crate::{
    hostile::wait_until_gone,
    project::{Project, call, in_tool, tool_source},
};

const CHILD: &str = "import { spawn, spawnSync, execSync } from \"node:child_process\";";
const STARTED: &str = "onUpdate({ content: [{ type: \"text\", text: \"started\" }] });";

fn short() -> Limits {
    Limits::default().grace(Duration::from_millis(30)).memory(64 << 20)
}

async fn cancel_when_started(tool: &Arc<dyn Tool>) -> Result<ToolResult, ToolError> {
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("enough"));
    tool.execute(
        ToolCall::new("c", json!({})),
        ToolContext::detached().with_cancel(cancel).with_updates(updates),
    )
    .await
}

/// The ids the file `pids` holds.
fn pids(project: &Project) -> Vec<u32> {
    let text = std::fs::read_to_string(project.path("pids")).unwrap();
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_a_forced_stop_kills_processes_that_resist() {
    // One ignores being asked, its child has left for a session of its own; both say when they are ready.
    let script = "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >> pids; echo ready; while :; do sleep 1000; done' & echo $$ >> pids; while :; do sleep 1000; done";
    for (what, body) in [
        (
            "a live process",
            format!(
                "const child = spawn(\"sh\", [\"-c\", {script:?}], {{ cwd: pi.cwd }}); await new Promise((resolve) => child.stdout.once(\"data\", resolve)); {STARTED} for (;;) {{}}"
            ),
        ),
        (
            "a process that is waited for",
            format!(
                "setTimeout(() => {{}}, 1); {STARTED} spawnSync(\"sh\", [\"-c\", {script:?}], {{ cwd: pi.cwd }});"
            ),
        ),
    ] {
        let source = format!("{CHILD}\n{}", tool_source(&body));
        let project = Project::with_limits(short(), &[("t.ts", &source), ("pids", "")]);
        let tool = project.tool("t.ts").await;
        let outcome = cancel_when_started(&tool).await;
        assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{what}: {outcome:?}");
        for pid in pids(&project) {
            wait_until_gone(pid);
        }
        while project.engine.stats().threads > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(project.engine.stats().abandoned, 0, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_a_forced_stop_kills_detached_processes_of_its_call_and_no_others() {
    // The program and what it starts in a session of its own both write their ids, then sleep.
    let script = "setsid sh -c 'trap \\\"\\\" TERM; echo $$ >> pids; echo ready; while :; do sleep 1000; done' & (setsid sh -c 'echo $$ >> pids; exec sleep 1000' &) ; echo $$ >> pids; while :; do sleep 1000; done";
    let body = format!(
        "const child = spawn(\"sh\", [\"-c\", \"{script}\"], {{ cwd: pi.cwd, detached: true, env: {{ ...process.env }} }}); child.unref();\n\
         let lines = 0; const {{ readFileSync }} = await import(\"node:fs\");\n\
         await new Promise((resolve) => child.stdout.once(\"data\", resolve));\n\
         while (readFileSync(pi.cwd + \"/pids\", \"utf8\").split(\"\\n\").length < params.lines + 1) await new Promise((resolve) => setTimeout(resolve, 5));\n\
         if (params.leave) return {{ content: [] }};\n{STARTED} for (;;) {{}}"
    );
    let source = format!("{CHILD}\n{}", tool_source(&body));
    let project = Project::with_limits(short(), &[("t.ts", &source), ("pids", "")]);
    let tool = project.tool("t.ts").await;
    call(&tool, json!({ "leave": true, "lines": 3 })).await.unwrap();
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("enough"));
    let context = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = tool.execute(ToolCall::new("c", json!({ "lines": 6 })), context).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    let all = pids(&project);
    assert_eq!(all.len(), 6, "{all:?}");
    for pid in &all[3..] {
        wait_until_gone(*pid);
    }
    // The call that started the others ended by itself.
    for pid in &all[..3] {
        assert!(std::path::Path::new(&format!("/proc/{pid}")).exists(), "{pid} is gone");
        let ended = in_tool(CHILD, &format!("return spawnSync(\"kill\", [\"-9\", \"{pid}\"]).status;")).await;
        assert_eq!(ended, json!(0));
        wait_until_gone(*pid);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_10_a_call_that_gives_way_when_it_is_stopped_takes_its_own_processes_along() {
    let body = format!(
        "const run = params.exec ? (script) => void pi.exec(\"sh\", [\"-c\", script]) : (script) => spawn(\"sh\", [\"-c\", script], {{ cwd: pi.cwd, detached: params.detached }});\n\
         run(\"echo $$ > \" + params.file + \".new; mv \" + params.file + \".new \" + params.file + \"; exec sleep 1000\");\n\
         const {{ existsSync }} = await import(\"node:fs\"); while (!existsSync(pi.cwd + \"/\" + params.file)) await new Promise((resolve) => setTimeout(resolve, 5));\n\
         {STARTED} if (!params.leave) await new Promise((_, reject) => signal.addEventListener(\"abort\", () => reject(new Error(\"stopped\"))));\n\
         return {{ content: [] }};"
    );
    let source = format!("{CHILD}\n{}", tool_source(&body));
    let project = Project::new(&[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    let read =
        |name: &str| -> u32 { std::fs::read_to_string(project.path(name)).unwrap().trim().parse().unwrap() };
    call(&tool, json!({ "leave": true, "file": "kept" })).await.unwrap();
    for (file, arguments) in [
        ("spawned", json!({ "file": "spawned" })),
        ("detached", json!({ "file": "detached", "detached": true })),
        ("executed", json!({ "file": "executed", "exec": true })),
    ] {
        let cancel = CancelToken::new();
        let stop = cancel.clone();
        let updates = UpdateSink::new(move |_| stop.cancel("enough"));
        let context = ToolContext::detached().with_cancel(cancel).with_updates(updates);
        let outcome = tool.execute(ToolCall::new("c", arguments), context).await;
        assert!(
            matches!(outcome, Err(ToolError::Stopped { stop: Stop::Stopped, .. })),
            "{file}: {outcome:?}"
        );
        wait_until_gone(read(file));
    }
    assert!(
        std::path::Path::new(&format!("/proc/{}", read("kept"))).exists(),
        "another call's process is gone"
    );
}

#[test]
fn c7_1_a_process_that_is_killed_at_the_end_of_the_session_is_gone_with_it() {
    let source = format!(
        "{CHILD}\nimport {{ writeFileSync }} from \"node:fs\";\n\
         export default (pi) => {{ let child; return {{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute() {{ child = spawn(\"sleep\", [\"1000\"], {{ detached: true, stdio: \"ignore\" }}); return {{ content: [{{ type: \"text\", text: String(child.pid) }}] }}; }},\n\
         onSession(event) {{ if (event.reason === \"shutdown\") {{ writeFileSync(pi.cwd + \"/told\", String(child.kill())); }} }} }}; }};"
    );
    for _ in 0..20 {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let pid = runtime.block_on(async {
            let project = Project::with_options(Limits::default(), &[("t.mjs", &source)], |options| options);
            let tool = project.tool("t.mjs").await;
            let pid: u32 = call(&tool, json!({})).await.unwrap().joined_text().parse().unwrap();
            tool.on_session(&toolsmith_tool::SessionEvent::Shutdown, &ToolContext::detached()).await.unwrap();
            assert_eq!(std::fs::read_to_string(project.path("told")).unwrap(), "true");
            pid
        });
        // The program ends here: nothing gets another turn.
        runtime.shutdown_background();
        wait_until_gone(pid);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_output_of_a_program_can_be_read_whole_and_leaves_no_file() {
    let body = "const { stdout } = await pi.exec(\"head\", [\"-c\", \"40000000\", \"/dev/zero\"]);\n\
        const [, path] = /the whole output is in (\\S+)]/.exec(stdout); const fs = await import(\"node:fs\");\n\
        return { content: [{ type: \"text\", text: JSON.stringify([fs.statSync(path).size, fs.readlinkSync(path)]) }] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let answer = call(&tool, json!({})).await.unwrap().joined_text();
    assert!(answer.starts_with("[40000000,") && answer.ends_with(" (deleted)\"]"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_a_process_that_prints_without_end_waits_for_its_reader_or_costs_the_call() {
    // Nobody reads: it stops when the pipe is full.
    let body = "const child = spawn(\"yes\"); await new Promise((resolve) => child.on(\"spawn\", resolve)); child.kill(); return await new Promise((resolve) => child.on(\"close\", (code, signal) => resolve(signal)));";
    assert_eq!(in_tool(CHILD, body).await, json!("SIGTERM"));
    // The tool keeps all of it: its memory is full, not the machine's.
    let body = "const all = []; for await (const chunk of spawn(\"yes\").stdout) all.push(chunk);";
    let source = format!("{CHILD}\n{}", tool_source(body));
    let project = Project::with_limits(short(), &[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    let error = call(&tool, json!({})).await.unwrap_err().to_string();
    assert!(error.contains("memory limit of 64 MB"), "{error}");
    // A gigabyte that is read and dropped is fine.
    let body = "let bytes = 0; for await (const chunk of spawn(\"head\", [\"-c\", \"1000000000\", \"/dev/zero\"]).stdout) bytes += chunk.length; return bytes;";
    assert_eq!(in_tool(CHILD, body).await, json!(1_000_000_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writing_to_a_process_that_never_reads_stops_at_its_pipe() {
    let body = "const child = spawn(\"sleep\", [\"1000\"]); const fits = child.stdin.write(Buffer.alloc(1 << 20)); child.stdin.on(\"error\", () => {}); child.stdin.end();\n\
        setTimeout(() => child.kill(\"SIGKILL\"), 20); const signal = await new Promise((resolve) => child.on(\"close\", (code, signal) => resolve(signal))); return [fits, signal];";
    assert_eq!(in_tool(CHILD, body).await, json!([false, "SIGKILL"]));
    // One that has ended: the error says so.
    let body = "const child = spawn(\"true\"); await new Promise((resolve) => child.stdout.resume().on(\"close\", resolve)); return await new Promise((resolve) => { child.stdin.on(\"error\", (error) => resolve([error.code])); child.on(\"close\", () => resolve(\"closed\")); child.stdin.write(\"x\"); });";
    let found = in_tool(CHILD, body).await;
    assert!(
        found == json!(["EPIPE"]) || found == json!("closed") || found == json!(["ERR_STREAM_DESTROYED"]),
        "{found}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fork_is_refused_with_what_to_do() {
    let body = "const { fork } = await import(\"child_process\"); try { fork(\"x.js\"); } catch (error) { return error.message; }";
    let found = in_tool("", body).await;
    assert!(found.as_str().unwrap().contains("spawn(\"node\""), "{found}");
}
