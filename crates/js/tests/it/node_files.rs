//! What can go wrong with files: large, endless, looping, unnamed and forbidden ones, and being stopped amid them.

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use toolsmith_host::exec::{Request, run as run_program};
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Tool, ToolCall, ToolContext, ToolError, ToolResult, UpdateSink};

use crate::project::{Project, call, tool_source};

const IMPORTS: &str = "import fs from \"node:fs\"; import later from \"node:fs/promises\";\n\
    const attempt = async (run) => { try { return await run(); } catch (error) { return [error.name, error.code, error.message]; } };\n";

/// A tool whose body gives a value, with `fs`, `later` and `attempt` at hand.
fn source(body: &str) -> String {
    let body = tool_source(&format!(
        "const value = await (async () => {{ {body} }})(); return {{ content: [{{ type: \"text\", text: JSON.stringify(value) }}] }};"
    ));
    format!("{IMPORTS}{body}")
}

async fn value(project: &Project) -> serde_json::Value {
    let tool = project.tool("t.ts").await;
    let text = match call(&tool, json!({})).await {
        Ok(result) => result.joined_text(),
        Err(error) => panic!("{error}"),
    };
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

async fn make_fifo(path: &Path) {
    let request = Request::new("mkfifo").args([path.to_string_lossy()]);
    assert_eq!(run_program(&request, &CancelToken::new(), |_| {}).await.unwrap().code, 0);
}

/// Calls a tool and cancels it once it said through an update that it is about to wait.
async fn cancel_when_started(tool: &Arc<dyn Tool>) -> Result<ToolResult, ToolError> {
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("the user pressed Esc"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    tool.execute(ToolCall::new("c", json!({})), ctx).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_larger_than_the_memory_is_refused_and_can_be_streamed() {
    let body = "const size = 1 << 30; const now = await attempt(() => fs.readFileSync(\"big\").length); const text = await attempt(() => fs.readFileSync(\"big\", \"utf8\").length); const whole = await attempt(async () => (await later.readFile(\"big\")).length);\n\
        let count = 0; for await (const chunk of fs.createReadStream(\"big\", { end: (8 << 20) - 1, highWaterMark: 1 << 20 })) count += chunk.length;\n\
        const endless = await attempt(() => fs.readFileSync(\"/dev/zero\").length); return [now.slice(0, 2), text.slice(0, 2), whole.slice(0, 2), count, endless.slice(0, 2)];";
    let project = Project::with_limits(Limits::default().memory(64 << 20), &[("t.ts", &source(body))]);
    File::create(project.path("big")).unwrap().set_len(1 << 30).unwrap();
    let refused = json!(["RangeError", "ERR_FS_FILE_TOO_LARGE"]);
    assert_eq!(value(&project).await, json!([refused, refused, refused, 8 << 20, refused]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_that_nobody_writes_to_is_waited_for_until_the_tool_is_stopped() {
    for body in [
        "await later.readFile(\"fifo\", { signal });",
        "await later.writeFile(\"fifo\", \"x\", { signal });",
        "for await (const chunk of fs.createReadStream(\"fifo\", { signal })) chunk;",
        "fs.readFileSync(\"fifo\");",
        "fs.writeFileSync(\"fifo\", \"x\");",
        "const fd = fs.openSync(\"fifo\", \"r+\"); fs.readSync(fd, Buffer.alloc(1));",
    ] {
        let tool = source(&format!("if (params.again) return \"fine\"; onUpdate({{ content: [] }}); {body}"));
        let limits = Limits::default().grace(Duration::from_millis(100));
        let project = Project::with_limits(limits, &[("t.ts", &tool)]);
        make_fifo(&project.path("fifo")).await;
        let tool = project.tool("t.ts").await;
        let outcome = cancel_when_started(&tool).await;
        assert!(matches!(outcome, Err(ToolError::Stopped { .. })), "{body}: {outcome:?}");
        let again = call(&tool, json!({ "again": true })).await;
        assert_eq!(again.unwrap().joined_text(), "\"fine\"", "{body}");
        // No thread is left behind, waiting for a writer.
        while project.engine.stats().threads > 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(project.engine.stats().abandoned, 0, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pipe_gives_what_is_written_to_it_at_once_and_later() {
    let body = "const read = later.readFile(\"fifo\", \"utf8\"); await later.writeFile(\"fifo\", \"through the pipe\"); return [await read];";
    let project = Project::new(&[("t.ts", &source(body))]);
    make_fifo(&project.path("fifo")).await;
    assert_eq!(value(&project).await, json!(["through the pipe"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_that_lead_in_circles_are_neither_followed_nor_copied_for_ever() {
    let body = "const names = fs.readdirSync(\"tree\", { recursive: true }); fs.cpSync(\"tree\", \"copy\", { recursive: true }); const deep = await attempt(() => later.cp(\"tree\", \"deep\", { recursive: true, dereference: true })); const glob = fs.globSync(\"tree/**\");\n\
        fs.rmSync(\"tree\", { recursive: true }); return [names, fs.readlinkSync(\"copy/loop\").endsWith(\"/tree\"), deep[1], glob.length, fs.existsSync(\"tree\"), fs.existsSync(\"outside/kept\")];";
    let project = Project::new(&[("t.ts", &source(body)), ("tree/a/b.txt", "b"), ("outside/kept", "k")]);
    symlink("../tree", project.path("tree/loop")).unwrap();
    symlink("../outside", project.path("tree/out")).unwrap();
    assert_eq!(
        value(&project).await,
        json!([["a", "loop", "out", "a/b.txt"], true, "ELOOP", 5, false, true])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_are_not_text_can_be_listed_read_and_removed_as_bytes() {
    let body = "const lossy = fs.readdirSync(\"odd\"); const [raw] = fs.readdirSync(\"odd\", \"buffer\"); const path = Buffer.concat([Buffer.from(\"odd/\"), raw]); const content = fs.readFileSync(path, \"utf8\"); const missing = await attempt(() => fs.readFileSync(`odd/${lossy[0]}`)); const size = (await later.stat(path)).size; fs.rmSync(\"odd\", { recursive: true });\n\
        return [lossy, raw.toString(\"hex\"), content, missing[1], size, fs.existsSync(\"odd\")];";
    let project = Project::new(&[("t.ts", &source(body))]);
    fs::create_dir(project.path("odd")).unwrap();
    fs::write(project.path("odd").join(OsStr::from_bytes(b"a\xff\xfe")), "inside").unwrap();
    assert_eq!(value(&project).await, json!([["a\u{fffd}\u{fffd}"], "61fffe", "inside", "ENOENT", 6, false]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_deeper_than_any_path_is_removed() {
    let body = "let at = fs.realpathSync(\".\"); const name = \"d\".repeat(100); process.chdir(at); fs.mkdirSync(\"top\"); process.chdir(\"top\");\n\
        const depth = 30; for (let n = 0; n < depth; n++) { fs.mkdirSync(name); process.chdir(name); } fs.writeFileSync(\"leaf\", \"x\"); process.chdir(at);\n\
        fs.rmSync(\"top\", { recursive: true }); return fs.existsSync(\"top\");";
    let project = Project::new(&[("t.ts", &source(body))]);
    assert_eq!(value(&project).await, json!(false));
    // Deeper than a path can be long, which only moving one tree into another makes.
    let body = "await later.rm(\"deep\", { recursive: true }); return fs.existsSync(\"deep\");";
    let project = Project::new(&[("t.ts", &source(body))]);
    let script = "i=0; mkdir deep && cd deep && while [ $i -lt 300 ]; do mkdir dddddddddddddddddddddddddddddd && cd -P dddddddddddddddddddddddddddddd || exit 1; i=$((i+1)); done; : > leaf";
    let mut request = Request::new("sh").args(["-c", script]);
    request.cwd = Some(project.path(""));
    assert_eq!(run_program(&request, &CancelToken::new(), |_| {}).await.unwrap().code, 0);
    assert_eq!(value(&project).await, json!(false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_can_use_its_own_descriptors_only() {
    let body = "const results = []; for (const fd of [3, 4, 5, 6, 7, 8, 9, 10]) results.push(await attempt(() => fs.closeSync(fd))); const own = fs.openSync(\"t.ts\"); const size = fs.fstatSync(own).size > 0; fs.closeSync(own);\n\
        fs.writeSync(1, \"to the log\\n\"); return [results.every((r) => r[1] === \"EBADF\"), size, fs.readFileSync(0, \"utf8\"), (await attempt(() => fs.closeSync(own)))[1]];";
    let project = Project::new(&[("t.ts", &source(body))]);
    assert_eq!(value(&project).await, json!([true, true, "", "EBADF"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_opens_reads_and_watches_without_end_leaves_some_for_others() {
    let body = "let opened = 0; const many = await attempt(() => { for (;;) { fs.openSync(\"t.ts\"); opened++; } }); let watched = 0; const watchers = []; const more = await attempt(() => { for (;;) { watchers.push(fs.watch(\"t.ts\")); watched++; } }); for (const w of watchers) w.close();\n\
        const all = await Promise.all(Array.from({ length: 3000 }, () => later.readFile(\"t.ts\"))); return [opened, many[1], watched, more[1], all.length];";
    let project = Project::new(&[("t.ts", &source(body))]);
    let mut found = value(&project).await;
    // Other programs use some of what the system has.
    let watched = found[2].take();
    assert!(watched.as_u64().is_some_and(|count| (64..=128).contains(&count)), "{watched}");
    assert_eq!(found, json!([512, "EMFILE", null, "EMFILE", 3000]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_watched_may_go_away_and_the_watcher_can_still_be_closed() {
    let body = "fs.mkdirSync(\"w/inner\", { recursive: true }); const seen = []; const watcher = fs.watch(\"w\", { recursive: true }, (kind, name) => seen.push(`${kind} ${name}`)); fs.writeFileSync(\"w/inner/f\", \"x\");\n\
        for (let n = 0; n < 400 && !seen.includes(\"rename inner/f\"); n++) await new Promise((r) => setTimeout(r, 5)); const nested = seen.includes(\"rename inner/f\"); fs.rmSync(\"w\", { recursive: true }); for (let n = 0; n < 400 && !seen.includes(\"rename w\"); n++) await new Promise((r) => setTimeout(r, 5));\n\
        const closed = new Promise((r) => watcher.on(\"close\", r)); watcher.close(); watcher.close(); await closed; return [nested, seen.includes(\"rename inner\") || seen.includes(\"rename w\")];";
    let project = Project::new(&[("t.ts", &source(body))]);
    assert_eq!(value(&project).await, json!([true, true]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn globs_find_what_they_say() {
    let body = "const list = (pattern, options) => fs.globSync(pattern, options).sort(); const all = []; for await (const path of later.glob(\"**/*.ts\")) all.push(path);\n\
        return [list(\"*.ts\"), list(\"src/*.{ts,js}\"), all.sort(), list(\"src/**/*.ts\"), list(\"**/[ab].ts\"), list(\"src/?.ts\"), list(\"*\", { cwd: \"src\" }), list(\"**/*.ts\", { exclude: (name) => name.includes(\"deep\") }), list(\"nothing/*\"), list(\"**/.hidden\"), (await import(\"node:path\")).matchesGlob(\"src/a.ts\", \"src/*.ts\")];";
    let files = [
        ("t.ts", source(body)),
        ("src/a.ts", String::new()),
        ("src/b.js", String::new()),
        ("src/deep/b.ts", String::new()),
        ("src/.hidden", String::new()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let project = Project::new(&files);
    assert_eq!(
        value(&project).await,
        json!([
            ["t.ts"],
            ["src/a.ts", "src/b.js"],
            ["src/a.ts", "src/deep/b.ts", "t.ts"],
            ["src/a.ts", "src/deep/b.ts"],
            ["src/a.ts", "src/deep/b.ts"],
            ["src/a.ts"],
            ["a.ts", "b.js", "deep"],
            ["src/a.ts", "t.ts"],
            [],
            ["src/.hidden"],
            true
        ])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_had_says_so_when_it_is_used() {
    let body = "const { Worker } = await import(\"node:worker_threads\"); const cluster = await import(\"node:cluster\"); const refuse = (run) => { try { run(); return \"worked\"; } catch (error) { return error.message; } };\n\
        return [refuse(() => new Worker(\"x\")), refuse(() => cluster.fork()), refuse(() => process.kill(process.pid)), refuse(() => process.umask(0)), refuse(() => process.exit(1)), typeof process.binding];";
    let project = Project::new(&[("t.ts", &source(body))]);
    let pid = std::process::id();
    assert_eq!(
        value(&project).await,
        json!([
            "worker_threads.Worker is not available in Toolsmith's engine",
            "cluster.fork is not available in Toolsmith's engine",
            format!("process.kill({pid}) was called by a tool; a tool cannot exit the host program"),
            "process.umask() was called by a tool to change it; it belongs to the program the tool runs in",
            "process.exit(1) was called by a tool; a tool cannot exit the host program",
            "undefined"
        ])
    );
}
