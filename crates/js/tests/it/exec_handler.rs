//! `pi.exec` answered by the program that holds the engine, and what is reported of a tool's functions.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolsmith_host::exec::Request;
use toolsmith_js::{Engine, EngineOptions, ExecAnswer, ExecHandler};
use toolsmith_tool::{CancelToken, async_trait};

use crate::project::{call, tool_source};

/// Keeps what it was asked, and answers only `known`.
#[derive(Default)]
struct Scripted {
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl ExecHandler for Scripted {
    async fn exec(&self, request: &Request, cancel: &CancelToken) -> Result<ExecAnswer, String> {
        self.asked.lock().unwrap().push(format!("{} {}", request.program, request.args.join(" ")));
        match request.program.as_str() {
            "known" => Ok(ExecAnswer { stdout: "out".to_owned(), code: 7, ..ExecAnswer::default() }),
            "slow" => {
                cancel.cancelled().await;
                Ok(ExecAnswer { killed: true, ..ExecAnswer::default() })
            }
            other => Err(format!("{other} is not known")),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_answers_and_nothing_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let body = "const c = new AbortController(); setTimeout(() => c.abort(), 1);\n\
        const all = [await pi.exec(\"known\", [\"a\", 1]), await pi.exec(\"slow\", [], { signal: c.signal }),\n\
        await pi.exec(\"touch\", [\"ran\"]).catch((error) => error.message)];\n\
        return { content: [{ type: \"text\", text: JSON.stringify(all) }] };";
    std::fs::write(root.join("t.ts"), tool_source(body)).unwrap();
    let handler = Arc::new(Scripted::default());
    let engine = Engine::new(EngineOptions::new(&root).exec(Arc::clone(&handler) as _));
    let module = engine.load(&[root.join("t.ts")]).await.remove(0);
    let result = call(&module.tools[0].tool, json!({})).await.unwrap();
    let all: serde_json::Value = serde_json::from_str(&result.joined_text()).unwrap();
    assert_eq!(all[0], json!({ "stdout": "out", "stderr": "", "code": 7, "killed": false }));
    assert_eq!(all[1]["killed"], true);
    assert_eq!(all[2], "touch is not known");
    assert_eq!(*handler.asked.lock().unwrap(), ["known a 1", "slow ", "touch ran"]);
    assert!(!root.join("ran").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declared_parameters_are_counted_where_functions_are_called_as_ours() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let source = "const base = { description: \"d\", parameters: {} };\n\
        export default () => [{ ...base, name: \"a\", async execute(id, params) {}, renderCall(args, theme) {} },\n\
        { ...base, name: \"b\", async execute(id, params, signal) {} }];";
    std::fs::write(root.join("t.js"), source).unwrap();
    let engine = Engine::new(EngineOptions::new(&root));
    let module = engine.load(&[root.join("t.js")]).await.remove(0);
    let arity = module.tools[0].arity;
    assert_eq!((arity.execute, arity.render_call, arity.on_session), (Some(2), Some(2), None));
    assert_eq!(module.tools[1].arity.execute, None);
}
