//! `pi.exec` answered by the program that holds the engine, and what is reported of a tool's functions.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolsmith_host::exec::Request;
use toolsmith_js::{ExecAnswer, ExecHandler, Limits};
use toolsmith_tool::{CancelToken, async_trait};

use crate::project::{Project, call, tool_source};

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
    let body = "const c = new AbortController(); setTimeout(() => c.abort(), 1);\n\
        const all = [await pi.exec(\"known\", [\"a\", 1]), await pi.exec(\"slow\", [], { signal: c.signal }),\n\
        await pi.exec(\"touch\", [\"ran\"]).catch((error) => error.message)];\n\
        return { content: [{ type: \"text\", text: JSON.stringify(all) }] };";
    let handler = Arc::new(Scripted::default());
    let project = Project::with_options(Limits::default(), &[("t.ts", &tool_source(body))], |options| {
        options.exec(Arc::clone(&handler) as _)
    });
    let module = project.load("t.ts").await;
    let result = call(&module.tools[0].tool, json!({})).await.unwrap();
    let all: serde_json::Value = serde_json::from_str(&result.joined_text()).unwrap();
    assert_eq!(all[0], json!({ "stdout": "out", "stderr": "", "code": 7, "killed": false }));
    assert_eq!(all[1]["killed"], true);
    assert_eq!(all[2], "touch is not known");
    assert_eq!(*handler.asked.lock().unwrap(), ["known a 1", "slow ", "touch ran"]);
    assert!(!project.path("ran").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declared_parameters_are_counted_where_functions_are_called_as_ours() {
    let source = "const base = { description: \"d\", parameters: {} };\n\
        export default () => [{ ...base, name: \"a\", async execute(id, params) {}, renderCall(args, theme) {} },\n\
        { ...base, name: \"b\", async execute(id, params, signal) {} }];";
    let module = Project::new(&[("t.js", source)]).load("t.js").await;
    let arity = module.tools[0].arity;
    assert_eq!((arity.execute, arity.render_call, arity.on_session), (Some(2), Some(2), None));
    assert_eq!(module.tools[1].arity.execute, None);
}
