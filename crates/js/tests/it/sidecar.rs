//! Modules that run in Bun or Node beside the program: when they do, and that it makes no difference to those who call.
//! Tests that need one of them are skipped where it is missing.

use std::{fs, path::Path, sync::Arc, time::Duration};

use serde_json::json;
use toolsmith_js::{EngineKind, EngineOptions, Limits};
use toolsmith_testkit::has_program;
use toolsmith_tool::{
    CancelToken, PendingHandle, PendingStack, RenderOptions, Stop, Tool, ToolCall, ToolContext, ToolError,
};

use crate::project::{Project, call, collector, tool_source};

fn in_node(files: &[(&str, &str)]) -> Project {
    Project::with_options(Limits::default(), files, |options| options.engine(EngineKind::Node))
}

async fn node_tool(body: &str) -> (Project, Arc<dyn Tool>) {
    let project = in_node(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    (project, tool)
}

const NEEDS_VM: &str = "import vm from \"node:vm\";\n\
    export default () => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" },\n\
    execute: async () => ({ content: [{ type: \"text\", text: String(vm.runInNewContext(\"a + 1\", { a: 41 })) }] }) });";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_moves_to_where_what_it_imports_is() {
    if !has_program("node") {
        return;
    }
    let project = Project::new(&[("t.ts", NEEDS_VM), ("plain.ts", &tool_source("return { content: [] };"))]);
    let modules = project.engine.load(&[project.path("t.ts"), project.path("plain.ts")]).await;
    assert_ne!(modules[0].engine, EngineKind::Embedded);
    assert_eq!(modules[0].engine_reason.as_deref(), Some("it imports node:vm"));
    assert_eq!(call(&modules[0].tools[0].tool, json!({})).await.unwrap().joined_text(), "42");
    assert_eq!((modules[1].engine, &modules[1].engine_reason), (EngineKind::Embedded, &None));
    let scanned = project.engine.scan(&[project.path("t.ts")]).await.remove(0);
    assert_ne!(scanned.engine, EngineKind::Embedded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_another_engine_it_loads_with_stubs_and_says_why() {
    let project =
        Project::with_options(Limits::default(), &[("t.ts", NEEDS_VM)], |options| options.search_path(""));
    let module = project.load("t.ts").await;
    assert_eq!(module.engine, EngineKind::Embedded);
    assert_eq!(
        module.notes,
        ["it imports node:vm, which needs bun or node; neither is installed, so it fails when used"]
    );
    let error = call(&module.tools[0].tool, json!({})).await.unwrap_err().to_string();
    assert!(error.contains("is not available in Toolsmith"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_native_addon_is_refused_by_name_where_nothing_can_run_it() {
    let files = [
        ("t.mjs", "import thing from \"native-thing\"; export default () => thing;"),
        ("node_modules/native-thing/package.json", "{\"name\":\"native-thing\"}"),
        ("node_modules/native-thing/index.js", "module.exports = require(\"./thing\");"),
        ("node_modules/native-thing/thing.node", "not really"),
    ];
    let alone = Project::with_options(Limits::default(), &files, |options| options.search_path(""));
    let error = alone.load_error("t.mjs").await;
    assert!(
        error.message.contains("thing.node is a native addon, which the embedded engine cannot run"),
        "{error}"
    );
    assert!(error.hint.as_deref().unwrap_or_default().contains("Install one of them"), "{error:?}");
    // With one of them, it is that one which finds that the file is no addon at all.
    let error = Project::new(&files).load_error("t.mjs").await;
    assert!(!error.message.contains("the embedded engine cannot run"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_can_be_chosen_for_a_path() {
    if !has_program("node") {
        return;
    }
    let body = "return { content: [{ type: \"text\", text: typeof process.binding + (process.versions.v8 ? \" v8\" : \"\") }] };";
    let files = [("a.ts", &*tool_source(body)), ("b.ts", &*tool_source(body))];
    let project = Project::with_options(Limits::default(), &files, |options| {
        options.engine_of("b.ts", EngineKind::Node)
    });
    let modules = project.engine.load(&[project.path("a.ts"), project.path("b.ts")]).await;
    assert_eq!((modules[0].engine, modules[1].engine), (EngineKind::Embedded, EngineKind::Node));
    assert_eq!(call(&modules[1].tools[0].tool, json!({})).await.unwrap().joined_text(), "function v8");
    let embedded = Project::with_options(Limits::default(), &[("t.ts", NEEDS_VM)], |options| {
        options.engine(EngineKind::Embedded)
    });
    assert_eq!(embedded.load("t.ts").await.engine, EngineKind::Embedded);
    let absent = Project::with_options(Limits::default(), &files, |options: EngineOptions| {
        options.engine(EngineKind::Bun).search_path("")
    });
    let error = absent.load_error("a.ts").await;
    assert_eq!(error.message, "Failed to load tool: it is configured to run in bun, which is not installed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_programs_and_noise_go_their_ways() {
    if !has_program("node") {
        return;
    }
    let body = "console.log(\"noise\"); process.stdout.write('{\"host\":\"finishCall\"}\\n'); process.stderr.write(\"noise\\n\");\n\
        (await import(\"node:child_process\")).spawnSync(\"echo\", [\"noise\"], { stdio: \"inherit\" });\n\
        for (let i = 0; i < 3; i++) onUpdate({ content: [{ type: \"text\", text: `step ${i}` }] });\n\
        const ran = await pi.exec(\"sh\", [\"-c\", \"cat; exit 3\"], { stdin: \"in\" });\n\
        return { content: [{ type: \"text\", text: `${ran.stdout} ${ran.code} ${ctx.cwd === pi.cwd} ${ctx.hasUI} ${await ctx.ui.confirm(\"?\", \"!\")}` }], details: { big: \"x\".repeat(300000).length } };";
    let (_project, tool) = node_tool(body).await;
    let (updates, seen) = collector();
    let context = ToolContext::detached().with_updates(updates);
    let result = tool.execute(ToolCall::new("c", json!({})), context).await.unwrap();
    assert_eq!(result.joined_text(), "in 3 true false false");
    assert_eq!(result.details, Some(json!({ "big": 300_000 })));
    let seen: Vec<String> = seen.lock().unwrap().iter().map(|partial| partial.joined_text()).collect();
    assert_eq!(seen, ["step 0", "step 1", "step 2"]);
}

fn is_running(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
        && !fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default().contains(") Z ")
}

async fn until_gone(pid: String) {
    tokio::task::spawn_blocking(move || {
        while is_running(&pid) {
            std::thread::yield_now()
        }
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_6_an_endless_tool_is_killed_with_its_children_and_starts_afresh() {
    if !has_program("node") {
        return;
    }
    let source = "import { spawn } from \"node:child_process\"; import { writeFileSync } from \"node:fs\"; let calls = 0;\n\
        export default (pi) => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" }, async execute(id, params) {\n\
        calls++; if (params.hang) { const child = spawn(\"setsid\", [\"sleep\", \"1000\"]); writeFileSync(pi.cwd + \"/pids\", `${process.pid} ${child.pid}`); for (;;); }\n\
        return { content: [{ type: \"text\", text: `call ${calls}` }] }; } });";
    let limits = Limits::default().grace(Duration::from_millis(50));
    let project =
        Project::with_options(limits, &[("t.ts", source)], |options| options.engine(EngineKind::Node));
    let tool = project.tool("t.ts").await;
    assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "call 1");
    let cancel = CancelToken::new();
    let context = ToolContext::detached().with_cancel(cancel.clone());
    let running = tokio::spawn({
        let tool = Arc::clone(&tool);
        async move { tool.execute(ToolCall::new("c", json!({ "hang": true })), context).await }
    });
    let pids = loop {
        let text = fs::read_to_string(project.path("pids")).unwrap_or_default();
        if text.contains(' ') {
            break text;
        }
        tokio::task::yield_now().await;
    };
    cancel.cancel("enough");
    match running.await.unwrap() {
        Err(ToolError::Stopped { stop: Stop::Forced, note }) => {
            assert!(note.unwrap().contains("its in-memory state is lost"));
        }
        other => panic!("{other:?}"),
    }
    for pid in pids.split(' ') {
        until_gone(pid.to_owned()).await;
    }
    assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "call 1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_costs_its_call_and_the_next_starts_it_afresh() {
    if !has_program("node") {
        return;
    }
    let body = "if (params.how === \"kill\") process.kill(process.pid, \"SIGKILL\"); if (params.how === \"exit\") process.exit(3);\n\
        if (params.how === \"memory\") { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }\n\
        return { content: [{ type: \"text\", text: \"fine\" }] };";
    let project = Project::with_options(
        Limits::default().memory(64 << 20),
        &[("t.ts", &tool_source(body))],
        |options| options.engine(EngineKind::Node),
    );
    let tool = project.tool("t.ts").await;
    for how in ["kill", "memory"] {
        let error = call(&tool, json!({ "how": how })).await.unwrap_err().to_string();
        assert!(
            error.contains("node process exited during this call") && error.contains("is lost"),
            "{error}"
        );
        assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "fine");
    }
    let error = call(&tool, json!({ "how": "exit" })).await.unwrap_err().to_string();
    assert!(error.contains("a tool cannot exit the host program"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_bun_and_node_over_the_memory_of_the_module_are_killed() {
    let body = "if (params.greedy) { const all = []; for (;;) { all.push(Buffer.alloc(4 << 20, 1)); await new Promise((done) => setTimeout(done, 1)); } }\n\
        return { content: [{ type: \"text\", text: \"fine\" }] };";
    for (program, kind) in [("bun", EngineKind::Bun), ("node", EngineKind::Node)] {
        if !has_program(program) {
            continue;
        }
        let limits = Limits::default().memory(64 << 20);
        let project =
            Project::with_options(limits, &[("t.ts", &tool_source(body))], |options| options.engine(kind));
        let tool = project.tool("t.ts").await;
        let error = call(&tool, json!({ "greedy": true })).await.unwrap_err().to_string();
        assert!(error.contains("exceeded its memory limit of 64 MB"), "{program}: {error}");
        assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "fine", "{program}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_results_of_bun_and_node_that_are_too_large_cost_their_call() {
    // What writes to the pipe of messages by itself is not held back by the memory of its own process.
    let body = "let list = [\"x\"]; for (let i = 0; i < 15; i++) list = [list, list];\n\
        if (params.how === \"line\") { const { writeSync } = await import(\"node:fs\"); const part = Buffer.alloc(1 << 16, \"y\"); for (;;) try { writeSync(3, part); } catch {} }\n\
        const results = { details: { content: [], details: list }, values: { content: [], details: new Array(1000000).fill(0) } };\n\
        return results[params.how] ?? { content: [{ type: \"text\", text: \"fine\" }] };";
    for (program, kind) in [("bun", EngineKind::Bun), ("node", EngineKind::Node)] {
        if !has_program(program) {
            continue;
        }
        let limits = Limits::default().memory(32 << 20);
        let project =
            Project::with_options(limits, &[("t.ts", &tool_source(body))], |options| options.engine(kind));
        let tool = project.tool("t.ts").await;
        for how in ["line", "details", "values"] {
            let error = call(&tool, json!({ "how": how })).await.unwrap_err().to_string();
            assert!(error.contains("memory limit of 32 MB"), "{program}, {how}: {error}");
            assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "fine", "{program}, {how}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn staged_actions_renderers_and_sessions_work_there() {
    if !has_program("node") {
        return;
    }
    let source = "import { Text } from \"@oh-my-pi/pi-tui\"; import { z } from \"zod\"; let heard = [];\n\
        export default (pi) => ({ name: \"t\", description: \"d\", parameters: z.object({ n: z.number().default(1).refine((n) => n < 5, \"too many\") }),\n\
        async execute(id, { n }, onUpdate, ctx, signal) { pi.pushPendingAction({ label: `do ${n}`, apply: async (reason) => ({ content: [{ type: \"text\", text: `did ${n}: ${reason}` }] }) });\n\
        return { content: [{ type: \"text\", text: heard.join() + signal.aborted }] }; },\n\
        renderCall: (args, theme) => new Text(`n=${args.n} \u{e9}\u{4f60}`, 0, 0), onSession(event) { heard.push(event.reason); } });";
    let project = in_node(&[("t.ts", source)]);
    let tool = project.tool("t.ts").await;
    tool.on_session(&toolsmith_tool::SessionEvent::Start, &ToolContext::detached()).await.unwrap();
    let stack = PendingStack::new();
    let context = ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&stack)));
    let result = tool.execute(ToolCall::new("c", json!({ "n": 2 })), context).await.unwrap();
    assert_eq!(result.joined_text(), "startfalse");
    let action = stack.pop().expect("an action is staged");
    assert_eq!(action.label, "do 2");
    let applied = action.callbacks.apply("yes", ToolContext::detached()).await.unwrap();
    assert_eq!(applied.joined_text(), "did 2: yes");
    let refused = call(&tool, json!({ "n": 7 })).await.unwrap_err().to_string();
    assert!(refused.contains("too many"), "{refused}");
    let lines = tool.render_call(&json!({ "n": 3 }), &RenderOptions::new(20)).await.expect("it is drawn");
    assert_eq!(lines.lines, ["n=3 \u{e9}\u{4f60}"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_errors_are_in_the_authors_lines_there_too() {
    if !has_program("node") {
        return;
    }
    let source = "interface A { a: string }\ninterface B { b: string }\nexport default () => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" },\n\
        async execute() {\n    const nothing: any = undefined;\n    return nothing.here;\n  } });\n";
    let project = in_node(&[("t.ts", source), ("bad.ts", "export default () => {\n  const = 5;\n};\n")]);
    let tool = project.tool("t.ts").await;
    match call(&tool, json!({})).await {
        Err(ToolError::Reply(failure)) => {
            assert!(failure.stack.unwrap_or_default().contains("t.ts:6:"), "mapped")
        }
        other => panic!("{other:?}"),
    }
    let error = project.load_error("bad.ts").await;
    let place = error.location.expect("a place");
    assert_eq!((place.line, error.message.contains("SyntaxError")), (2, true), "{}", error.message);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_at_once_get_their_own_answers() {
    if !has_program("node") {
        return;
    }
    let (_project, tool) = node_tool(
        "await new Promise((resolve) => setTimeout(resolve, params.n % 3)); return { content: [{ type: \"text\", text: `${params.n} ${ctx.hasUI} ${ctx.cwd.length > 0}` }] };",
    )
    .await;
    let calls: Vec<_> = (0..50)
        .map(|n| {
            let tool = Arc::clone(&tool);
            tokio::spawn(async move { (n, call(&tool, json!({ "n": n })).await.unwrap().joined_text()) })
        })
        .collect();
    for running in calls {
        let (n, text): (i32, String) = running.await.unwrap();
        assert_eq!(text, format!("{n} false true"));
    }
}

/// A project that has every file with which a runtime could be made to run something before the tool.
fn hostile_project(kind: EngineKind, search_path: &str) -> Project {
    let source = tool_source(
        "return { content: [{ type: \"text\", text: `${process.cwd() === pi.cwd} ${process.env.PLANTED} ${process.env.PWD === pi.cwd}` }] };",
    );
    let planted =
        "require(\"node:fs\").writeFileSync(require(\"node:path\").join(__dirname, \"ran\"), \"x\");";
    let program = "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\nexit 1\n";
    let files = [
        ("tools/t.ts", source.as_str()),
        ("planted.cjs", planted),
        (
            "bunfig.toml",
            "preload = [\"./planted.cjs\"]\n[run]\nbun = true\n[test]\npreload = [\"./planted.cjs\"]\n",
        ),
        (".env", "PLANTED=yes\nNODE_OPTIONS=--require ./planted.cjs\nBUN_OPTIONS=--preload ./planted.cjs\n"),
        (".env.local", "PLANTED=yes\n"),
        (".npmrc", "node-options=--require ./planted.cjs\nscript-shell=./planted.cjs\n"),
        ("tsconfig.json", "{\"compilerOptions\":{\"paths\":{\"*\":[\"./planted.cjs\"]}}}"),
        (
            "package.json",
            "{\"type\":\"module\",\"imports\":{\"#*\":\"./planted.cjs\"},\"bun\":{\"preload\":\"./planted.cjs\"}}",
        ),
        ("node.config.json", "{\"nodeOptions\":{\"require\":[\"./planted.cjs\"]}}"),
        ("node_modules/bun/index.js", planted),
        ("bun", program),
        ("node", program),
        ("sh", program),
        ("node_modules/.bin/bun", program),
        ("node_modules/.bin/node", program),
    ];
    let project = Project::with_options(Limits::default(), &files, |options| {
        let inside = options.cwd.join("node_modules/.bin");
        let path = format!(":.:./node_modules/.bin:node_modules/.bin:{}:{search_path}", inside.display());
        options.engine(kind).search_path(path)
    });
    for name in ["bun", "node", "sh", "node_modules/.bin/bun", "node_modules/.bin/node"] {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(project.path(name), mode).unwrap();
    }
    project
}

async fn nothing_of_the_project_runs_first(kind: EngineKind, search_path: &str) {
    let project = hostile_project(kind, search_path);
    let module = project.load("tools/t.ts").await;
    assert!(module.errors.is_empty(), "{:#?}", module.errors);
    assert_eq!(module.engine, kind);
    let answer = call(&module.tools[0].tool, json!({})).await.unwrap();
    assert_eq!(answer.joined_text(), "true undefined true");
    for place in ["ran", "node_modules/bun/ran", "node_modules/.bin/ran"] {
        assert!(!project.path(place).exists(), "{place}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_8_nothing_of_a_project_runs_before_a_tool_in_node() {
    if has_program("node") {
        nothing_of_the_project_runs_first(EngineKind::Node, &std::env::var("PATH").unwrap()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_8_nothing_of_a_project_runs_before_a_tool_in_bun() {
    if has_program("bun") {
        nothing_of_the_project_runs_first(EngineKind::Bun, &std::env::var("PATH").unwrap()).await;
    }
}
