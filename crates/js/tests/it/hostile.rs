//! What a tool can do to its host, and what it costs: one call or one load, never more (CONTRACT 1.5, 4.6, 4.7).

use std::{sync::Arc, time::Duration};

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Stop, Tool, ToolCall, ToolContext, ToolError, ToolResult};

use crate::project::{Project, call, collector, tool_source};

/// Short times, so that a test of a loop does not loop for long.
fn short() -> Limits {
    Limits::default().load(Duration::from_millis(400)).grace(Duration::from_millis(30)).memory(64 << 20)
}

/// Calls a tool whose body says through an update that it is about to misbehave, and cancels it then.
async fn cancel_when_started(tool: &Arc<dyn Tool>) -> Result<ToolResult, ToolError> {
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = toolsmith_tool::UpdateSink::new(move |_| stop.cancel("the user pressed Esc"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    tool.execute(ToolCall::new("c", json!({})), ctx).await
}

const STARTED: &str = "onUpdate({ content: [{ type: \"text\", text: \"started\" }] });";

/// Each of these never ends by itself.
const ENDLESS: &[(&str, &str)] = &[
    ("empty loop", "while (true) {}"),
    (
        "loop that catches everything",
        "while (true) { try { while (true) {} } catch {} finally { continue; } }",
    ),
    ("sort with an endless comparator", "[3, 1, 2].sort(() => { while (true) {} });"),
    ("endless promise chain", "for (;;) await null;"),
    (
        "promise jobs that make more",
        "const again = () => Promise.resolve().then(again).then(again); again(); await new Promise(() => {});",
    ),
    ("pending promise", "await new Promise(() => {});"),
    ("interval", "setInterval(() => {}, 1); await new Promise(() => {});"),
    ("backtracking expression", "/^(a+)+$/.test(\"a\".repeat(40) + \"b\");"),
    (
        "large JSON over and over",
        "const big = JSON.stringify(Array.from({ length: 20000 }, (_, i) => i)); for (;;) JSON.parse(big);",
    ),
    ("large split over and over", "const text = \"x,\".repeat(300000); for (;;) text.split(\",\");"),
    (
        "ignored abort",
        "signal.addEventListener(\"abort\", () => { while (true) {} }); await new Promise(() => {});",
    ),
    ("process", "await pi.exec(\"sh\", [\"-c\", \"trap '' TERM; while :; do sleep 1000; done\"], {});"),
    ("generator", "function* forever() { for (;;) yield 1; } for (const _ of forever()) {}"),
    ("getter", "const trap = { get x() { for (;;) {} } }; trap.x;"),
    ("proxy", "const p = new Proxy({}, { get() { for (;;) {} } }); p.anything;"),
    ("toJSON in the result", "return { content: [], details: { toJSON() { for (;;) {} } } };"),
    ("finally", "try { await new Promise(() => {}); } finally { for (;;) {} }"),
];

/// Each of these spends its time in functions of the host or the engine, not in JavaScript.
const NATIVE: &[(&str, &str)] = &[
    (
        "inserts of large values",
        "const { Database } = await import(\"bun:sqlite\"); const db = new Database(\":memory:\"); db.run(\"create table t (x)\"); const value = new Uint8Array(1 << 20); for (;;) { try { db.query(\"insert into t values (?)\").run(value); db.run(\"delete from t where rowid % 3 = 0\"); } catch {} }",
    ),
    (
        "inserts into node:sqlite",
        "const { DatabaseSync } = await import(\"node:sqlite\"); const db = new DatabaseSync(\":memory:\"); db.exec(\"create table t (x)\"); const insert = db.prepare(\"insert into t values (?)\"); for (;;) { try { insert.run(\"x\".repeat(1 << 20)); } catch {} }",
    ),
    (
        "a recursive query",
        "const { Database } = await import(\"bun:sqlite\"); const db = new Database(\":memory:\"); for (;;) try { db.query(\"with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n\").all(); } catch {}",
    ),
    (
        "a locked database",
        "const { DatabaseSync } = await import(\"node:sqlite\"); const a = new DatabaseSync(\"a.db\"); a.exec(\"create table t (x); begin exclusive\"); const b = new DatabaseSync(\"a.db\", { timeout: 1e9 }); b.exec(\"pragma busy_timeout = 1000000000\"); b.exec(\"insert into t values (1)\");",
    ),
    (
        "large blobs",
        "const { Database } = await import(\"bun:sqlite\"); const db = new Database(\":memory:\"); for (;;) try { db.query(\"select length(replace(hex(zeroblob(8000000)), '0', 'abc'))\").all(); } catch {}",
    ),
    (
        "hashing",
        "const { createHash } = await import(\"node:crypto\"); const bytes = new Uint8Array(16 << 20); for (;;) try { createHash(\"sha512\").update(bytes).digest(); } catch {}",
    ),
    (
        "pbkdf2",
        "const { pbkdf2Sync } = await import(\"node:crypto\"); for (;;) try { pbkdf2Sync(\"a\", \"b\", 2 ** 31 - 1, 64, \"sha512\"); } catch {}",
    ),
    (
        "scrypt",
        "const { scryptSync } = await import(\"node:crypto\"); for (;;) try { scryptSync(\"a\", \"b\", 64, { N: 2 ** 14, r: 8, p: 1 }); } catch {}",
    ),
    (
        "compressing",
        "const { brotliCompressSync } = await import(\"node:zlib\"); const bytes = new Uint8Array(8 << 20); for (;;) try { brotliCompressSync(bytes); } catch {}",
    ),
    (
        "expanding",
        "const { gzipSync, gunzipSync } = await import(\"node:zlib\"); const bomb = gzipSync(new Uint8Array(16 << 20)); for (;;) try { gunzipSync(bomb); } catch {}",
    ),
    (
        "endless device",
        "const { readFileSync } = await import(\"node:fs\"); for (;;) try { readFileSync(\"/dev/zero\"); } catch {}",
    ),
    (
        "named pipe",
        "const fs = await import(\"node:fs\"); await pi.exec(\"mkfifo\", [\"p\"]); for (;;) try { fs.readFileSync(\"p\"); } catch {}",
    ),
    (
        "named pipe, copied",
        "const fs = await import(\"node:fs\"); await pi.exec(\"mkfifo\", [\"p\"]); for (;;) try { fs.copyFileSync(\"p\", \"q\"); } catch {}",
    ),
    (
        "named pipe, copied to",
        "const fs = await import(\"node:fs\"); await pi.exec(\"mkfifo\", [\"p\"]); fs.writeFileSync(\"q\", \"x\"); for (;;) try { fs.copyFileSync(\"q\", \"p\"); } catch {}",
    ),
    (
        "named pipe, appended",
        "const fs = await import(\"node:fs\"); await pi.exec(\"mkfifo\", [\"p\"]); for (;;) try { fs.appendFileSync(\"p\", \"x\"); } catch {}",
    ),
    (
        "terminal",
        "const fs = await import(\"node:fs\"); const fd = fs.openSync(\"/dev/ptmx\", \"r+\"); for (;;) try { fs.readSync(fd, new Uint8Array(1)); } catch {}",
    ),
    (
        "folders over and over",
        "const fs = await import(\"node:fs\"); for (;;) try { fs.readdirSync(\"/usr\", { recursive: true }); } catch {}",
    ),
    (
        "removal that is tried again",
        "const fs = await import(\"node:fs\"); for (;;) try { fs.rmSync(\"/proc/self/task\", { recursive: true, maxRetries: 1000, retryDelay: 1e9 }); } catch {}",
    ),
    (
        "watching",
        "const fs = await import(\"node:fs\"); for (;;) try { fs.watch(\"/usr\", { recursive: true }).close(); } catch {}",
    ),
    (
        "waiting process",
        "const { execSync } = await import(\"node:child_process\"); for (;;) try { execSync(\"sleep 1000\"); } catch {}",
    ),
    (
        "Atomics.wait",
        "for (;;) try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); } catch {}",
    ),
    (
        "markdown",
        "const { Markdown } = pi.pi; for (;;) try { new Markdown(\"> \".repeat(50000) + \"*a\".repeat(50000), 0, 0).render(80); } catch {}",
    ),
    (
        "clones",
        "const big = Array.from({ length: 50000 }, (_, i) => ({ i })); for (;;) try { structuredClone(big); } catch {}",
    ),
    (
        "texts",
        "const bytes = new Uint8Array(8 << 20).fill(65); for (;;) try { new TextDecoder().decode(bytes); new TextEncoder().encode(\"x\".repeat(1 << 22)); } catch {}",
    ),
    (
        "serializing",
        "const big = Array.from({ length: 100000 }, (_, i) => ({ i })); for (;;) try { JSON.stringify(big); } catch {}",
    ),
    (
        "sorting",
        "const big = Array.from({ length: 100000 }, (_, i) => i % 7); for (;;) try { big.toSorted().join(); } catch {}",
    ),
    (
        "large texts",
        "for (;;) try { \"x\".repeat(1 << 24).replaceAll(\"x\", \"yy\").padEnd(1 << 25).toUpperCase(); } catch {}",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_work_of_the_host_and_the_engine_is_stopped_by_force_and_its_thread_ends() {
    for (name, body) in NATIVE {
        let source = tool_source(&format!("{STARTED} {body}"));
        let project = Project::with_limits(short(), &[("t.ts", &source)]);
        let tool = project.tool("t.ts").await;
        let outcome = cancel_when_started(&tool).await;
        let Err(ToolError::Stopped { stop: Stop::Forced, .. }) = outcome else {
            panic!("{name}: {outcome:?}")
        };
        // The thread ends, if not at once.
        let ended = async {
            while project.engine.stats().threads > 0 {
                tokio::task::yield_now().await;
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
        assert!(ended.is_ok(), "{name}: its thread still runs");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_databases_in_memory_count_as_memory_of_the_tool() {
    let fill =
        "db.exec(\"create table t (x)\"); for (;;) db.exec(\"insert into t values (zeroblob(1000000))\");";
    for (name, body) in [
        ("bun", format!("const {{ Database }} = await import(\"bun:sqlite\"); const db = new Database(\":memory:\"); {fill}")),
        ("node", format!("const {{ DatabaseSync }} = await import(\"node:sqlite\"); const db = new DatabaseSync(\":memory:\"); {fill}")),
        ("attached", format!("const {{ DatabaseSync }} = await import(\"node:sqlite\"); const db = new DatabaseSync(\":memory:\"); db.exec(\"attach ':memory:' as m; pragma m.max_page_count = 1000000\"); {}", fill.replace(" t ", " m.t "))),
        ("one value", "const { DatabaseSync } = await import(\"node:sqlite\"); new DatabaseSync(\":memory:\").exec(\"select length(randomblob(500000000))\");".to_owned()),
    ] {
        let project = Project::with_limits(short(), &[("t.ts", &tool_source(&body))]);
        let tool = project.tool("t.ts").await;
        let error = call(&tool, json!({})).await.unwrap_err().to_string();
        assert!(error.contains("out of memory") || error.contains("more than 64 MB"), "{name}: {error}");
        assert!(project.engine.stats().memory < 70 << 20, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_every_endless_tool_is_stopped_by_force_and_works_again_afterwards() {
    for (name, body) in ENDLESS {
        let source = tool_source(&format!(
            "if (!params.again) {{ {STARTED} {body} }} return {{ content: [{{ type: \"text\", text: \"fine\" }}] }};"
        ));
        let project = Project::with_limits(short(), &[("t.ts", &source)]);
        let tool = project.tool("t.ts").await;
        let outcome = cancel_when_started(&tool).await;
        let Err(ToolError::Stopped { stop: Stop::Forced, note: Some(note) }) = outcome else {
            panic!("{name}: {outcome:?}")
        };
        assert!(note.starts_with("the user pressed Esc; its in-memory state is lost"), "{name}: {note}");
        let again = call(&tool, json!({ "again": true })).await;
        assert_eq!(again.unwrap_or_else(|error| panic!("{name}: {error}")).joined_text(), "fine", "{name}");
        // The stopped thread comes back, if not at once: only the new one is left.
        while project.engine.stats().threads > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(project.engine.stats().abandoned, 0, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_a_tool_that_heeds_its_signal_is_just_stopped() {
    let body = format!(
        "{STARTED} await new Promise((_, reject) => signal.addEventListener(\"abort\", () => reject(signal.reason)));"
    );
    let project = Project::new(&[("t.ts", &tool_source(&body))]);
    let tool = project.tool("t.ts").await;
    let Err(error) = cancel_when_started(&tool).await else { panic!("it should have stopped") };
    assert_eq!(error.to_string(), "stopped (the user pressed Esc)");
    // One that cleans up and answers all the same has its answer heard.
    let body = format!(
        "{STARTED} await new Promise((resolve) => signal.addEventListener(\"abort\", resolve)); return {{ content: [{{ type: \"text\", text: \"partial\" }}] }};"
    );
    let project = Project::new(&[("t.ts", &tool_source(&body))]);
    let tool = project.tool("t.ts").await;
    assert_eq!(cancel_when_started(&tool).await.unwrap().joined_text(), "partial");
}

#[tokio::test]
async fn c4_6_a_call_cancelled_before_it_started_says_so() {
    let project = Project::new(&[("t.ts", &tool_source("globalThis.ran = true; return { content: [] };"))]);
    let tool = project.tool("t.ts").await;
    let cancel = CancelToken::new();
    cancel.cancel("early");
    let outcome =
        tool.execute(ToolCall::new("c", json!({})), ToolContext::detached().with_cancel(cancel)).await;
    assert_eq!(outcome.unwrap_err().to_string(), "cancelled before it started");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_force_does_not_wait_for_the_grace_time() {
    let limits = Limits::default().grace(Duration::from_secs(3600));
    let project =
        Project::with_limits(limits, &[("t.ts", &tool_source(&format!("{STARTED} for (;;) {{}}")))]);
    let tool = project.tool("t.ts").await;
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = toolsmith_tool::UpdateSink::new(move |_| stop.force("twice"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = tool.execute(ToolCall::new("c", json!({})), ctx).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_children_die_with_the_tool_that_is_stopped() {
    let body = "pi.exec(\"sh\", [\"-c\", \"trap '' TERM; echo $$ > pid; while :; do sleep 1000; done\"]);\n\
                while (!(await pi.exec(\"test\", [\"-s\", \"pid\"])).code === 0) {} const { stdout } = await pi.exec(\"sh\", [\"-c\", \"until test -s pid; do :; done; cat pid\"]);\n\
                onUpdate({ content: [{ type: \"text\", text: stdout }] }); for (;;) {}";
    let project = Project::with_limits(short(), &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let outcome = cancel_when_started(&tool).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    let pid: u32 = std::fs::read_to_string(project.path("pid")).unwrap().trim().parse().unwrap();
    wait_until_gone(pid);
}

#[expect(unsafe_code, reason = "std has no call for processes that are not children")]
pub(crate) fn wait_until_gone(pid: u32) {
    // SAFETY: the descriptor, if there is one, is used here only.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        if fd >= 0 {
            let mut waiting =
                libc::pollfd { fd: i32::try_from(fd).unwrap(), events: libc::POLLIN, revents: 0 };
            assert_eq!(libc::poll(&raw mut waiting, 1, 60_000), 1, "process {pid} is still there");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_is_stopped_too() {
    let body = "await pi.exec(\"sh\", [\"-c\", \"echo $$ > pid; exec sleep 1000\"]);";
    let project = Project::with_limits(short(), &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let running = call(&tool, json!({}));
    tokio::select! {
        outcome = running => panic!("{outcome:?}"),
        () = async { while std::fs::read_to_string(project.path("pid")).unwrap_or_default().trim().is_empty() { tokio::task::yield_now().await; } } => {}
    }
    let pid: u32 = std::fs::read_to_string(project.path("pid")).unwrap().trim().parse().unwrap();
    tokio::task::spawn_blocking(move || wait_until_gone(pid)).await.unwrap();
}

/// Each of these uses more than it may; the tool goes on to work afterwards.
const GREEDY: &[(&str, &str)] = &[
    ("array that grows", "const a = []; for (;;) a.push(new Array(1000).fill(1));"),
    ("string that doubles", "let s = \"x\"; for (;;) s += s;"),
    ("one gigabyte", "new ArrayBuffer(1 << 30);"),
    ("typed arrays", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(7));"),
    ("map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, \"x\".repeat(100) + i);"),
    ("a result of 200 MB", "return { content: [{ type: \"text\", text: \"x\".repeat(200 << 20) }] };"),
    (
        "details of 200 MB",
        "return { content: [], details: Array.from({ length: 200 }, () => \"x\".repeat(1 << 20)) };",
    ),
    (
        "eval at the limit",
        "const a = []; try { for (;;) a.push(\"y\".repeat(100000) + a.length); } catch {} for (let i = 0; i < 50; i++) { try { eval(`${i}; var q${i} = { a: [1, 2, 3] }; (function () { return q${i}; })();`); } catch {} } for (;;) a.push(eval(`new Array(1000).fill(${a.length})`));",
    ),
    (
        "new Function at the limit",
        "const a = []; try { for (;;) a.push(\"y\".repeat(100000) + a.length); } catch {} for (;;) a.push(new Function(`return \"${\"z\".repeat(5000)}${a.length}\"`));",
    ),
    (
        "encoded texts",
        "const a = []; const s = \"a\".repeat(1 << 20); for (;;) a.push(new TextEncoder().encode(s));",
    ),
    (
        "buffers of texts",
        "const a = []; const s = \"a\".repeat(1 << 20); for (;;) a.push(Buffer.from(s), Buffer.from(s, \"base64\"), Buffer.from(s, \"hex\"));",
    ),
    (
        "random bytes",
        "const a = []; const c = await import(\"node:crypto\"); for (;;) a.push(c.randomBytes(1 << 20));",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_a_tool_over_its_memory_costs_its_call() {
    for (name, body) in GREEDY {
        let source = tool_source(&format!(
            "if (!params.again) {{ {body} }} return {{ content: [{{ type: \"text\", text: \"fine\" }}] }};"
        ));
        let project = Project::with_limits(short(), &[("t.ts", &source)]);
        let tool = project.tool("t.ts").await;
        let error = match call(&tool, json!({})).await {
            Ok(result) => panic!("{name}: it gave {} bytes", result.joined_text().len()),
            Err(error) => error.to_string(),
        };
        let expected = ["memory limit of 64 MB", "string too long", "invalid array buffer length"];
        assert!(expected.iter().any(|part| error.contains(part)), "{name}: {error}");
        let again = call(&tool, json!({ "again": true })).await;
        assert_eq!(again.unwrap_or_else(|error| panic!("{name}: {error}")).joined_text(), "fine", "{name}");
    }
}

/// Each of these is small in the engine and larger than it may be outside: the same value many times.
const SHARED: &[(&str, &str)] = &[
    (
        "the same text in many blocks",
        "return { content: new Array(5000).fill({ type: \"text\", text: \"y\".repeat(1 << 20) }) };",
    ),
    (
        "the same image in many blocks",
        "return { content: new Array(5000).fill({ type: \"image\", data: \"y\".repeat(1 << 20), mimeType: \"image/png\" }) };",
    ),
    (
        "short texts in very many blocks",
        "return { content: new Array(400000).fill({ type: \"text\", text: \"y\" }) };",
    ),
    (
        "the same list many times",
        "let list = [\"x\"]; for (let i = 0; i < 21; i++) list = [list, list]; return { content: [], details: list };",
    ),
    (
        "the same list many times, not plain",
        "let list = [\"x\"]; for (let i = 0; i < 21; i++) list = [list, list]; return { content: [], details: new Proxy(list, {}) };",
    ),
    (
        "the same text many times in details",
        "return { content: [], details: new Array(100).fill(\"y\".repeat(1 << 20)) };",
    ),
    ("a long list of numbers", "return { content: [], details: { list: new Array(3000000).fill(0) } };"),
    ("a long list of empty lists", "return { content: [], details: new Array(1000000).fill([]) };"),
    ("many members", "return { content: [], details: new Array(100000).fill({ a: 1, b: 2, c: 3 }) };"),
    (
        "details that are converted to text",
        "let deep = \"x\"; for (let i = 0; i < 110; i++) deep = [deep]; return { content: [], details: [deep, new Array(500000).fill(0)] };",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_results_that_are_larger_than_in_the_engine_cost_their_call() {
    for (name, body) in SHARED {
        let source = tool_source(&format!(
            "if (!params.again) {{ {body} }} return {{ content: [{{ type: \"text\", text: \"fine\" }}] }};"
        ));
        let project = Project::with_limits(short(), &[("t.ts", &source)]);
        let tool = project.tool("t.ts").await;
        let error = call(&tool, json!({})).await.expect_err(name).to_string();
        assert!(error.contains("memory limit of 64 MB"), "{name}: {error}");
        let again = call(&tool, json!({ "again": true })).await;
        assert_eq!(again.unwrap_or_else(|error| panic!("{name}: {error}")).joined_text(), "fine", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_updates_and_staged_actions_are_limited_as_results_are() {
    let body = "let list = [\"x\"]; for (let i = 0; i < 15; i++) list = [list, list];\n\
        onUpdate({ content: [{ type: \"text\", text: \"too large\" }], details: list }); onUpdate({ content: [{ type: \"text\", text: \"small\" }], details: [1] });\n\
        try { pi.pushPendingAction({ label: \"l\", details: list, apply() {} }); } catch (error) { return { content: [{ type: \"text\", text: error.message }] }; }";
    let project = Project::with_limits(short(), &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let (sink, updates) = collector();
    let stack = toolsmith_tool::PendingStack::new();
    let ctx = ToolContext::detached()
        .with_updates(sink)
        .with_pending(toolsmith_tool::PendingHandle::new(Arc::clone(&stack)));
    let result = tool.execute(ToolCall::new("c", json!({})), ctx).await.unwrap();
    assert_eq!(
        result.joined_text(),
        "Pending action \"l\": details take more than 8 MB of memory, which is the most for a tool with a memory limit of 64 MB"
    );
    assert!(!stack.has_pending());
    let seen: Vec<_> = updates.lock().unwrap().iter().map(ToolResult::joined_text).collect();
    assert_eq!(seen, ["small"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_9_a_long_text_is_handed_over_whole() {
    let body = "return { content: [{ type: \"text\", text: \"a\" }, { type: \"text\", text: \"y\".repeat(100 << 20) }, { type: \"text\", text: \"ö€😀\".repeat(1000) + \"\\ud800\" }], details: { n: 1 } };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let result = call(&tool, json!({})).await.unwrap();
    let texts: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
    assert_eq!(texts.iter().map(|text| text.len()).collect::<Vec<_>>(), [1, 100 << 20, 9003]);
    assert!(texts[2].ends_with("ö€😀\u{fffd}") && texts[1].bytes().all(|byte| byte == b'y'));
    assert_eq!(result.details.unwrap(), json!({ "n": 1 }));
}

/// Each of these has the host allocate more than the tool may use.
const GREEDY_OUTSIDE: &[(&str, &str)] = &[
    (
        "compressors",
        "const zlib = await import(\"node:zlib\"); const a = []; for (;;) a.push(zlib.createGzip(), zlib.createBrotliCompress());",
    ),
    (
        "decompressors",
        "const zlib = await import(\"node:zlib\"); const a = []; for (;;) { const s = zlib.createBrotliDecompress(); s.write(Buffer.from([0x3f, 0])); a.push(s); await null; }",
    ),
    (
        "segments",
        "const text = \"a \".repeat(10 << 20); new Intl.Segmenter(\"en\", { granularity: \"grapheme\" }).segment(text);",
    ),
    (
        "files that are read",
        "const fs = await import(\"node:fs/promises\"); await fs.writeFile(\"big\", Buffer.alloc(8 << 20)); const all = []; for (let i = 0; i < 500; i++) all.push(fs.readFile(\"big\")); await Promise.all(all);",
    ),
    (
        "files of Bun",
        "const fs = await import(\"node:fs/promises\"); await fs.writeFile(\"big\", Buffer.alloc(8 << 20)); const all = []; for (let i = 0; i < 500; i++) all.push(Bun.file(\"big\").bytes()); await Promise.all(all);",
    ),
    (
        "files that are written",
        "const fs = await import(\"node:fs/promises\"); const data = Buffer.alloc(8 << 20); const all = []; for (let i = 0; i < 500; i++) all.push(fs.writeFile(\"out\" + (i % 4), data)); await Promise.all(all);",
    ),
    (
        "bodies of requests",
        "const { createServer } = await import(\"node:net\"); const server = createServer(() => {}); await new Promise((done) => server.listen(0, \"127.0.0.1\", done)); const body = Buffer.alloc(8 << 20); const all = []; for (let i = 0; i < 500; i++) all.push(fetch(`http://127.0.0.1:${server.address().port}/`, { method: \"POST\", body })); await Promise.all(all);",
    ),
    (
        "keys",
        "const { scrypt } = await import(\"node:crypto\"); const all = []; for (let i = 0; i < 100; i++) all.push(new Promise((done, fail) => scrypt(\"a\", \"b\", 64, { N: 2 ** 14, r: 8, p: 1 }, (error) => error ? fail(error) : done()))); await Promise.all(all);",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_memory_that_the_host_holds_for_a_tool_counts_as_the_tools() {
    for (name, body) in GREEDY_OUTSIDE {
        let source = tool_source(&format!(
            "if (!params.again) {{ {body} }} return {{ content: [{{ type: \"text\", text: \"fine\" }}] }};"
        ));
        let project = Project::with_limits(short(), &[("t.ts", &source)]);
        let tool = project.tool("t.ts").await;
        let ended = tokio::time::timeout(Duration::from_secs(60), call(&tool, json!({}))).await;
        let error = ended.unwrap_or_else(|_| panic!("{name}: it hangs")).expect_err(name).to_string();
        assert!(error.contains("memory limit of 64 MB"), "{name}: {error}");
        let again = call(&tool, json!({ "again": true })).await;
        assert_eq!(again.unwrap_or_else(|error| panic!("{name}: {error}")).joined_text(), "fine", "{name}");
    }
}

/// Memory runs out at a different step in every round: of the engine, of the host, or while a promise is settled.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_a_call_whose_memory_runs_out_never_hangs() {
    let body = "const fs = await import(\"node:fs/promises\"); const held = [];\n\
        try { if (!params.again) for (;;) held.push(new Uint8Array(params.step)); } catch {}\n\
        held.length -= Math.min(held.length, params.free ?? 0);\n\
        await Promise.all(Array.from({ length: 20 }, () => fs.readFile(\"big\")));\n\
        return { content: [{ type: \"text\", text: \"fine\" }] };";
    let project =
        Project::with_limits(short(), &[("t.ts", &tool_source(body)), ("big", &"x".repeat(200_000))]);
    let tool = project.tool("t.ts").await;
    for round in 0..24_u32 {
        let arguments = json!({ "step": 3_000 + round * 7_919, "free": round % 12 });
        let ended = tokio::time::timeout(Duration::from_secs(60), call(&tool, arguments)).await;
        let ended = ended.unwrap_or_else(|_| panic!("round {round}: it hangs"));
        assert!(ended.is_err() || ended.is_ok_and(|result| result.joined_text() == "fine"), "round {round}");
        let again = call(&tool, json!({ "again": true })).await;
        let again = again.unwrap_or_else(|error| panic!("round {round}, afterwards: {error}"));
        assert_eq!(again.joined_text(), "fine", "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recursion_without_end_is_an_error() {
    for body in [
        "const f = () => f(); f();",
        "const f = (n) => [n].map(() => f(n + 1)); f(0);",
        "JSON.parse(\"[\".repeat(200000) + \"]\".repeat(200000));",
        "let o = {}; for (let i = 0; i < 200000; i++) o = { o }; JSON.stringify(o);",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x;",
        "eval(\"(\".repeat(100000) + \")\".repeat(100000));",
        "new RegExp(\"(\".repeat(100000) + \")\".repeat(100000));",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; a.flat(Infinity);",
    ] {
        let project = Project::new(&[(
            "t.ts",
            &tool_source(&format!("if (!params.again) {{ {body} }} return {{ content: [] }};")),
        )]);
        let tool = project.tool("t.ts").await;
        let error = call(&tool, json!({})).await.expect_err(body).to_string();
        assert!(["stack", "too many captures"].iter().any(|part| error.contains(part)), "{body}: {error}");
        assert!(call(&tool, json!({ "again": true })).await.is_ok(), "{body}: and works again");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c1_5_loading_cannot_take_the_host_down() {
    let cases = [
        ("endless loop", "while (true) {}", "exceeded 400ms"),
        ("endless loop in the factory", "export default () => { while (true) {} };", "exceeded 400ms"),
        ("factory that never settles", "export default () => new Promise(() => {});", "exceeded 400ms"),
        (
            "top-level await for ever",
            "await new Promise(() => {}); export default () => [];",
            "exceeded 400ms",
        ),
        (
            "allocation bomb",
            "const a = []; for (;;) a.push(new Array(10000).fill(1));",
            "memory limit of 64 MB",
        ),
        ("stack overflow", "const f = () => f(); f();", "stack"),
        ("process.exit", "process.exit(1);", "process.exit(1) was called"),
        ("process.abort", "process.abort();", "process.abort() was called"),
        ("throw undefined", "throw undefined;", "undefined"),
        ("throw a symbol", "throw Symbol(\"s\");", "Symbol(s)"),
        (
            "loop in a getter of the tool",
            "export default () => ({ get name() { for (;;) {} } });",
            "exceeded 400ms",
        ),
        (
            "loop in an exported getter",
            "module.exports = { get default() { for (;;) {} } };",
            "exceeded 400ms",
        ),
        (
            "loop in a schema",
            "export default (pi) => ({ name: \"a\", description: \"d\", execute() {}, parameters: { type: \"object\", toJSON() { for (;;) {} } } });",
            "exceeded 400ms",
        ),
        ("not JavaScript", "import x from \"./t.js?\" + 1;", "SyntaxError"),
        ("imports itself", "import x from \"./t.js\"; export default x;", "x is not initialized"),
        (
            "Proxy that throws",
            "export default new Proxy(() => {}, { apply() { throw new Error(\"trap\"); } });",
            "trap",
        ),
        (
            "prototype tampering",
            "Object.prototype.toString = () => { throw 1; }; Promise.prototype.then = undefined; JSON.stringify = undefined; throw new Error(\"x\");",
            "",
        ),
    ];
    for (name, source, expected) in cases {
        // What has an end of its own gets the time to reach it, however busy the machine is.
        let is_endless = expected.is_empty() || expected.starts_with("exceeded");
        let limits = if is_endless { short() } else { short().load(Duration::from_secs(60)) };
        let project = Project::with_limits(limits, &[("t.js", source)]);
        let module = project.load("t.js").await;
        assert!(module.tools.is_empty(), "{name}: {:?}", module.tools);
        let [error] = module.errors.as_slice() else { panic!("{name}: {:#?}", module.errors) };
        assert!(error.to_string().contains(expected), "{name}: {error}");
        // The others are not touched by it.
        assert_eq!(project.engine.stats().abandoned, 0, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c1_5_source_that_is_nested_deeply_is_a_load_error() {
    let nested = |open: &str, middle: &str, close: &str| {
        format!("x={}{middle}{}", open.repeat(200_000), close.repeat(200_000))
    };
    let deep = [
        ("a.ts", nested("(", "1", ")")),
        ("b.js", nested("[", "1", "]")),
        ("c.cjs", nested("{a:", "1", "}")),
        ("d.mts", nested("a=>", "1", "")),
        ("e.tsx", nested("<a>", "", "</a>")),
        ("f.js", nested("", "1", "+(1)")),
        ("g.ts", "import \"./a.ts\"; export default () => [];".to_owned()),
        ("h.js", "require(\"./c.cjs\"); module.exports = () => [];".to_owned()),
    ];
    let mut files: Vec<(&str, &str)> = deep.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let good = tool_source("return { content: [] };");
    files.push(("good.ts", &good));
    let project = Project::new(&files);
    for (name, _) in &deep {
        let error = project.load_error(name).await;
        assert!(error.message.contains("nested too deeply"), "{name}: {error}");
    }
    assert!(call(&project.tool("good.ts").await, json!({})).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c1_5_a_deep_manifest_costs_the_modules_beside_it() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let importing = "import \"#x\"; export default () => [];";
    let decorated = "@a class B {} function a() {} export default () => [];";
    let project = Project::new(&[
        ("a/package.json", &deep),
        ("a/t.ts", importing),
        ("b/tsconfig.json", &deep),
        ("b/t.ts", importing),
        ("b/d.ts", decorated),
        ("good.ts", &tool_source("return { content: [] };")),
    ]);
    for name in ["a/t.ts", "b/t.ts"] {
        assert!(!project.load_error(name).await.message.is_empty());
    }
    project.load("b/d.ts").await;
    assert!(call(&project.tool("good.ts").await, json!({})).await.is_ok());
}

/// Each of these parses text that is nested deeply, on the tool's thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_parsers_of_the_host_refuse_text_that_is_nested_deeply() {
    for body in [
        "Bun.YAML.parse(\"[\".repeat(100000) + \"]\".repeat(100000));",
        "Bun.YAML.parse(\"{a: \".repeat(100000) + \"}\".repeat(100000));",
        "Bun.YAML.parse(\"- \".repeat(100000) + \"a\");",
        "Bun.YAML.parse(\"? \".repeat(100000) + \"a\");",
        "Bun.YAML.parse(Array.from({ length: 3000 }, (_, i) => \" \".repeat(i) + \"a:\").join(\"\\n\"));",
        "Bun.TOML.parse(\"a = \" + \"[\".repeat(100000) + \"]\".repeat(100000));",
        "Bun.TOML.parse(\"a = \" + \"{a=\".repeat(100000) + \"1\" + \"}\".repeat(100000));",
        "Bun.TOML.parse(\"a.\".repeat(100000) + \"b = 1\");",
        "Bun.TOML.parse(\"[\" + \"a.\".repeat(100000) + \"b]\");",
        "new Function(\"return \" + \"[\".repeat(100000));",
        "new RegExp(\"(?:\".repeat(100000) + \")\".repeat(100000));",
    ] {
        let source = format!("if (!params.again) {{ {body} }} return {{ content: [] }};");
        let project = Project::new(&[("t.ts", &tool_source(&source))]);
        let tool = project.tool("t.ts").await;
        assert!(call(&tool, json!({})).await.is_err(), "{body}");
        assert!(call(&tool, json!({ "again": true })).await.is_ok(), "{body}: and works again");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_are_odd_objects_load_or_are_reported() {
    let project = Project::new(&[
        (
            "getter.ts",
            "export default () => [{ get name() { throw new Error(\"no name\"); } }, { name: \"ok\", description: \"d\", parameters: {}, execute: async () => ({ content: [] }) }];",
        ),
        (
            "proxy.ts",
            "export default () => new Proxy({ description: \"d\", parameters: { type: \"object\" }, execute: async () => ({ content: [{ type: \"text\", text: \"p\" }] }) }, { get: (t, k) => k === \"name\" ? \"proxied\" : t[k] });",
        ),
        (
            "many.ts",
            "export default () => Array.from({ length: 10000 }, (_, i) => ({ name: `t${i}`, description: \"d\", parameters: { type: \"object\" }, execute: async () => ({ content: [{ type: \"text\", text: String(i) }] }) }));",
        ),
    ]);
    let module = project.load("getter.ts").await;
    assert_eq!(module.tools.len(), 1);
    assert_eq!(module.errors[0].index, Some(0));
    assert!(module.errors[0].message.contains("no name"), "{:?}", module.errors);
    let tool = project.tool("proxy.ts").await;
    assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "p");
    let module = project.load("many.ts").await;
    assert_eq!((module.tools.len(), module.errors.len()), (10_000, 0));
    assert_eq!(call(&module.tools[9999].tool, json!({})).await.unwrap().joined_text(), "9999");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_updates_arrive_in_order() {
    let body = "for (let i = 0; i < 100000; i++) onUpdate({ content: [{ type: \"text\", text: String(i) }] }); return { content: [] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let (updates, seen) = collector();
    tool.execute(ToolCall::new("c", json!({})), ToolContext::detached().with_updates(updates)).await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 100_000);
    assert!(seen.iter().enumerate().all(|(index, update)| update.joined_text() == index.to_string()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_not_text_or_not_there_is_a_load_error() {
    let project = Project::new(&[("dir/x.txt", "")]);
    std::fs::write(project.path("bytes.ts"), b"export default () => \xff\xfe;").unwrap();
    let error = project.load_error("bytes.ts").await.to_string();
    assert!(error.contains("is not UTF-8: the byte at offset 21"), "{error}");
    let error = project.load_error("missing.ts").await.to_string();
    assert!(error.contains("Cannot read") && error.contains("missing.ts"), "{error}");
    let error = project.load_error("dir").await.to_string();
    assert!(error.contains("Cannot read"), "{error}");
    std::fs::write(project.path("huge.ts"), vec![b' '; 17 << 20]).unwrap();
    assert!(project.load_error("huge.ts").await.to_string().contains("larger than 16 MB"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_symlinked_module_finds_what_lies_beside_its_target() {
    let project = Project::new(&[
        (
            "real/t.ts",
            "import { x } from \"./x\"; export default () => ({ name: x, description: \"d\", parameters: {}, execute: async () => ({ content: [] }) });",
        ),
        ("real/x.ts", "export const x = \"linked\";"),
    ]);
    std::os::unix::fs::symlink(project.path("real/t.ts"), project.path("link.ts")).unwrap();
    assert_eq!(project.tool("link.ts").await.spec().name, "linked");
    std::os::unix::fs::symlink(project.path("loop.ts"), project.path("loop.ts")).unwrap();
    assert!(project.load_error("loop.ts").await.to_string().contains("Cannot read"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_call_of_a_stopped_tool_is_told() {
    let source = tool_source(&format!(
        "if (params.loop) {{ {STARTED} for (;;) {{}} }} onUpdate({{ content: [] }}); await new Promise(() => {{}});"
    ));
    let project = Project::with_limits(short(), &[("t.ts", &source)]);
    let tool = project.tool("t.ts").await;
    let (send, waiting) = tokio::sync::oneshot::channel();
    let mut send = Some(send);
    let updates = toolsmith_tool::UpdateSink::new(move |_| {
        let _ = send.take().map(|send| send.send(()));
    });
    let other = tokio::spawn({
        let tool = Arc::clone(&tool);
        async move {
            tool.execute(ToolCall::new("o", json!({})), ToolContext::detached().with_updates(updates)).await
        }
    });
    waiting.await.unwrap();
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = toolsmith_tool::UpdateSink::new(move |_| stop.cancel("x"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = tool.execute(ToolCall::new("c", json!({ "loop": true })), ctx).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    let error = other.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("engine was stopped during this call"), "{error}");
}
