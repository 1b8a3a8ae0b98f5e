//! CONTRACT 4.10: what a tool does belongs to the call that does it, whatever else runs in its module.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::sync::Notify;
use toolsmith_js::{EngineKind, Limits};
use toolsmith_testkit::has_program;
use toolsmith_tool::{
    FileWatch, PendingHandle, PendingStack, RenderOptions, SessionEvent, Tier, Tool, ToolCall, ToolContext,
    ToolResult, UpdateSink,
};

use crate::project::Project;

/// A module whose tools act after one of many kinds of detour. `open` lets the first call go on.
const MODULE: &str = r#"
import { EventEmitter, once } from "node:events";
import { AsyncLocalStorage } from "node:async_hooks";
import { execFile, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import { Readable } from "node:stream";
let release;
const gate = new Promise((resolve) => { release = resolve; });
const shared = new EventEmitter();
const target = new EventTarget();
const waiting = [];
let atLoad;
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
class Later extends Promise {}
const thenable = (promise) => ({ then: (ok, no) => promise.then(ok, no) });
const failing = () => gate.then(() => { throw new Error("no"); });
async function* numbers() { yield 1; await gate; yield 2; }
const DETOURS = {
  await: async () => { await gate; },
  awaitValue: async () => { await gate; await 1; await null; },
  rejection: async () => { try { await failing(); } catch {} },
  then: () => gate.then(() => 1).then(() => {}),
  finally: () => gate.finally(() => {}),
  all: () => Promise.all([gate, gate.then(() => 2)]),
  thenable: async () => { await thenable(gate); },
  rejectedThenable: async () => { try { await thenable(failing()); } catch {} },
  subclass: async () => { await Later.resolve(gate); },
  rejectedSubclass: async () => { try { await Later.resolve(gate).then(() => { throw new Error("no"); }); } catch {} },
  returnedPromise: async () => { await (async () => gate)(); },
  generator: async () => { for await (const _ of numbers()) await null; },
  timer: () => new Promise((resolve) => gate.then(() => setTimeout(resolve, 1))),
  immediate: () => new Promise((resolve) => gate.then(() => setImmediate(resolve))),
  microtask: () => new Promise((resolve) => gate.then(() => queueMicrotask(resolve))),
  tick: () => new Promise((resolve) => gate.then(() => process.nextTick(resolve))),
  storage: () => new AsyncLocalStorage().run("kept", async () => { await gate; }),
  withResolvers: async () => { const { promise, resolve } = Promise.withResolvers(); waiting.push(resolve); await promise; },
  readable: async () => { for await (const _ of Readable.from([1, 2])) await gate; },
  file: async () => { await gate; await fs.promises.readFile(process.execPath.length ? "/etc/hostname" : ""); },
  fileCallback: async () => { await gate; await new Promise((resolve) => fs.stat("/", resolve)); },
  exec: async (pi) => { await gate; await pi.exec("true", []); },
  child: async () => { await gate; await once(spawn("true"), "close"); },
  childCallback: async () => { await gate; await new Promise((resolve) => execFile("true", resolve)); },
  socket: async () => {
    await gate;
    const server = net.createServer((socket) => socket.end("x")).listen(0);
    await once(server, "listening");
    await once(net.connect(server.address().port).resume(), "close");
    server.close();
  },
};
// Those that act inside a callback.
const CALLBACKS = {
  timerCallback: (act) => gate.then(() => setTimeout(act, 1)),
  intervalCallback: (act) => gate.then(() => { const timer = setInterval(() => { clearInterval(timer); act(); }, 1); }),
  microtaskCallback: (act) => gate.then(() => queueMicrotask(act)),
  tickCallback: (act) => gate.then(() => process.nextTick(act)),
  listener: (act) => shared.once("released", act),
  target: (act) => target.addEventListener("released", act, { once: true }),
  closeListener: (act) => gate.then(() => spawn("true").on("close", act)),
  thenCallback: (act) => gate.then(act),
  catchCallback: (act) => failing().catch(act),
};
export default (pi) => {
  setInterval(() => { try { atLoad = "staged"; pi.pushPendingAction({ label: "load", apply: () => text("") }); } catch (error) { atLoad = error.message; } }, 2);
  const act = async (params) => {
    if (params.file) fs.writeFileSync(params.file, "x");
    pi.pushPendingAction({ label: params.label, apply: () => text("") });
    pi.ui.notify(params.label);
  };
  return [
    {
      name: "work", description: "d", parameters: { type: "object" },
      async execute(id, params, onUpdate, ctx) {
        onUpdate(text("started"));
        if (CALLBACKS[params.detour]) await new Promise((resolve, reject) => CALLBACKS[params.detour](() => act(params).then(resolve, reject)));
        else { await DETOURS[params.detour](pi); await act(params); }
        ctx.ui.notify("own " + params.label);
        onUpdate(text("done"));
        return text(params.label);
      },
    },
    {
      name: "other", description: "d", parameters: { type: "object" },
      approval: () => { try { pi.pushPendingAction({ label: "hook", apply: () => text("") }); return "read"; } catch { return "write"; } },
      renderCall: () => { try { pi.pushPendingAction({ label: "renderer", apply: () => text("") }); return { render: () => ["staged"] }; } catch { return { render: () => ["refused"] }; } },
      onSession: () => { pi.pushPendingAction({ label: "session", apply: () => text("") }); },
      async execute(id, params) {
        if (params.release) { release(); waiting.forEach((resolve) => resolve()); shared.emit("released"); target.dispatchEvent(new Event("released")); }
        if (params.wait) await new Promise((resolve) => setTimeout(resolve, params.wait));
        return text(atLoad);
      },
    },
  ];
};
"#;

/// Every detour of the module above.
const DETOURS: &[&str] = &[
    "await",
    "awaitValue",
    "rejection",
    "then",
    "finally",
    "all",
    "thenable",
    "rejectedThenable",
    "subclass",
    "rejectedSubclass",
    "returnedPromise",
    "generator",
    "timer",
    "immediate",
    "microtask",
    "tick",
    "storage",
    "withResolvers",
    "readable",
    "file",
    "fileCallback",
    "exec",
    "child",
    "childCallback",
    "socket",
    "timerCallback",
    "intervalCallback",
    "microtaskCallback",
    "tickCallback",
    "listener",
    "target",
    "closeListener",
    "thenCallback",
    "catchCallback",
];

/// Those that mean the same in another runtime, whose event targets are not ours.
const SIDECAR_DETOURS: &[&str] = &[
    "rejection",
    "rejectedThenable",
    "generator",
    "timer",
    "exec",
    "child",
    "timerCallback",
    "tickCallback",
    "closeListener",
    "thenCallback",
];

/// Remembers which files it heard of.
#[derive(Debug, Default)]
struct Journal(Mutex<Vec<PathBuf>>);

impl FileWatch for Journal {
    fn before_change(&self, path: &Path) {
        self.0.lock().unwrap().push(path.to_path_buf());
    }
    fn before_folder(&self, _path: &Path) {}
}

/// The surroundings of one call, all its own.
struct Surroundings {
    stack: Arc<PendingStack>,
    journal: Arc<Journal>,
    updates: Arc<Mutex<Vec<String>>>,
    started: Arc<Notify>,
    context: ToolContext,
}

impl Surroundings {
    fn new(tier: Tier) -> Self {
        let (stack, journal) = (PendingStack::new(), Arc::new(Journal::default()));
        let (updates, started) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Notify::new()));
        let sink = UpdateSink::new({
            let (updates, started) = (Arc::clone(&updates), Arc::clone(&started));
            move |partial: ToolResult| {
                updates.lock().unwrap().push(partial.joined_text());
                started.notify_one();
            }
        });
        let context = ToolContext::detached()
            .with_pending(PendingHandle::new(Arc::clone(&stack)).with_tier(tier))
            .with_files(Arc::clone(&journal) as Arc<dyn FileWatch>)
            .with_updates(sink);
        Self { stack, journal, updates, started, context }
    }

    fn staged(&self) -> Vec<(String, Option<Tier>)> {
        self.stack.list().into_iter().map(|action| (action.label, action.tier)).collect()
    }
}

async fn tools(project: &Project) -> (Arc<dyn Tool>, Arc<dyn Tool>) {
    let module = project.load("t.mjs").await;
    assert!(module.errors.is_empty(), "{:#?}", module.errors);
    (Arc::clone(&module.tools[0].tool), Arc::clone(&module.tools[1].tool))
}

/// Starts `work`, then lets other calls, hooks, renderers and events of the module run, and looks whose everything is.
async fn check_detour(project: &Project, detour: &str, files: bool) {
    let (work, other) = tools(project).await;
    let own = Surroundings::new(Tier::Exec);
    let others = Surroundings::new(Tier::Read);
    let file = project.path(&format!("{detour}.txt"));
    let mut arguments = json!({ "detour": detour, "label": detour });
    if files {
        arguments["file"] = json!(file);
    }
    let running = tokio::spawn({
        let (work, context) = (Arc::clone(&work), own.context.clone());
        async move { work.execute(ToolCall::new("work", arguments), context).await }
    });
    own.started.notified().await;
    let interfere =
        |arguments: Value| other.execute(ToolCall::new("other", arguments), others.context.clone());
    let waiting = interfere(json!({ "wait": 30 }));
    let hooks = async {
        assert_eq!(other.approval(&json!({})).await.tier, Tier::Write, "{detour}: the hook has no store");
        let drawn = other.render_call(&json!({}), &RenderOptions::new(80)).await;
        assert!(format!("{drawn:?}").contains("refused"), "{detour}: {drawn:?}");
        let session = Surroundings::new(Tier::Write);
        other.on_session(&SessionEvent::Start, &session.context).await.unwrap();
        assert_eq!(session.staged(), [("session".to_owned(), Some(Tier::Write))], "{detour}");
        interfere(json!({ "release": true })).await.unwrap();
        other.approval(&json!({})).await;
    };
    let (waited, ()) = tokio::join!(waiting, hooks);
    let at_load = waited.unwrap().joined_text();
    assert!(at_load.contains("unavailable"), "{detour}: {at_load}");
    running.await.unwrap().unwrap_or_else(|error| panic!("{detour}: {error}"));
    assert_eq!(own.staged(), [(detour.to_owned(), Some(Tier::Exec))], "{detour}");
    assert_eq!(others.staged(), [], "{detour}");
    assert_eq!(*own.updates.lock().unwrap(), ["started", "done"], "{detour}");
    if files {
        assert_eq!(*own.journal.0.lock().unwrap(), [file], "{detour}");
        assert!(others.journal.0.lock().unwrap().is_empty(), "{detour}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_10_staged_actions_changed_files_and_updates_belong_to_the_call_that_made_them() {
    for detour in DETOURS {
        let project = Project::with_options(Limits::default(), &[("t.mjs", MODULE)], |options| options);
        check_detour(&project, detour, true).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_10_staged_actions_and_updates_belong_to_their_call_in_node_and_bun_too() {
    for kind in [EngineKind::Node, EngineKind::Bun] {
        if !has_program(&kind.to_string()) {
            continue;
        }
        for detour in SIDECAR_DETOURS {
            let project = Project::with_options(Limits::default(), &[("t.mjs", MODULE)], |options| {
                options.engine(kind)
            });
            check_detour(&project, detour, false).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_10_what_runs_after_a_call_ended_stays_with_that_call() {
    let source = r#"
import * as fs from "node:fs";
export default (pi) => ({
  name: "t", description: "d", parameters: { type: "object" },
  async execute(id, params, onUpdate, ctx) {
    if (params.wait) {
      while (!fs.existsSync(params.wait)) await new Promise((resolve) => setTimeout(resolve, 2));
      return { content: [{ type: "text", text: ctx.sessionManager.getCwd() ?? "none" }] };
    }
    setTimeout(() => {
      onUpdate({ content: [{ type: "text", text: "late" }] });
      pi.pushPendingAction({ label: "late", apply: () => ({ content: [] }) });
      fs.writeFileSync(params.file, "x");
    }, 5);
    return { content: [] };
  },
});
"#;
    let project = Project::with_options(Limits::default(), &[("t.mjs", source)], |options| options);
    let tool = project.tool("t.mjs").await;
    let (first, second) = (Surroundings::new(Tier::Exec), Surroundings::new(Tier::Read));
    let file = project.path("late.txt");
    tool.execute(ToolCall::new("a", json!({ "file": file })), first.context.clone()).await.unwrap();
    tool.execute(ToolCall::new("b", json!({ "wait": file })), second.context.clone()).await.unwrap();
    assert_eq!(first.staged(), [("late".to_owned(), Some(Tier::Exec))]);
    assert_eq!(*first.journal.0.lock().unwrap(), [file]);
    assert!(first.updates.lock().unwrap().is_empty());
    assert!(second.staged().is_empty() && second.journal.0.lock().unwrap().is_empty());
    assert!(second.updates.lock().unwrap().is_empty());
}
