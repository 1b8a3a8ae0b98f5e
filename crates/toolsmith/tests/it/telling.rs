//! What a module hears while rules and reminders do their work, over a real wire.

use serde_json::{Value, json};
use toolsmith_testkit::{ModelServer, Reply};

use crate::{
    place::Place,
    session_place::{body, results},
};

/// Writes down what it hears.
const RECORDER: &str = r#"
import { appendFileSync } from "node:fs";
export default (pi) => ({
  name: "recorder", description: "d", parameters: { type: "object", properties: {} }, approval: "read",
  execute: async () => ({ content: [{ type: "text", text: "recorded" }] }),
  onSession(event, ctx) {
    const line = { ...event, idle: ctx.isIdle(), entries: ctx.sessionManager.getBranch().length };
    appendFileSync(`${pi.cwd}/heard.jsonl`, JSON.stringify(line) + "\n");
  },
});
"#;

fn ops(ops: Value) -> Value {
    json!({ "ops": ops })
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_a_module_hears_of_rules_and_reminders_in_order() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/recorder.ts", RECORDER),
        (
            "project/.toolsmith/rules/no-unwrap.md",
            "---\ndescription: No unwrap\ncondition: '\\.unwrap\\(\\)'\nscope: tool:write(*.rs)\n---\nUse `?`.\n",
        ),
    ]);
    let server = ModelServer::start().await.unwrap();
    let path = place.path("project/a.rs").display().to_string();
    let bad = json!({ "path": path, "content": "fn f() {\n  g(\"x\").unwrap()\n}\n" });
    let good = json!({ "path": path, "content": "fn f() {\n  g(\"x\")?\n}\n" });
    server.push(Reply::new().call("1", "todo_write", &ops(json!([{ "op": "init", "items": ["Write f"] }]))));
    server.push(Reply::new().text("So:").call("2", "write", &bad));
    server.push(Reply::new().call("3", "write", &good));
    server.push(Reply::new().text("It is written."));
    server.push(Reply::new().call("4", "todo_write", &ops(json!([{ "op": "done", "task": "Write f" }]))));
    server.push(Reply::new().text("Done."));
    let session = place.session(&server).build().await.unwrap();
    let summary = session.run("Write f").await.unwrap();
    assert!(summary.end.is_completed(), "{summary:?}");
    session.dispose().await;

    let mut heard = place.lines("project/heard.jsonl");
    let entries: Vec<u64> = heard
        .iter_mut()
        .map(|event| event.as_object_mut().unwrap().remove("entries").unwrap().as_u64().unwrap())
        .collect();
    assert!(entries.is_sorted(), "{entries:?}");
    assert_eq!(
        heard,
        [
            json!({ "reason": "start", "idle": true }),
            json!({ "reason": "ttsr_triggered", "idle": false, "rules": [{
                "name": "no-unwrap",
                "path": place.path("project/.toolsmith/rules/no-unwrap.md"),
                "content": "Use `?`.",
                "description": "No unwrap",
                "globs": [],
                "alwaysApply": false,
                "condition": ["\\.unwrap\\(\\)"],
                "scope": ["tool:write(*.rs)"],
                "interruptMode": null,
            }] }),
            json!({ "reason": "todo_reminder", "idle": false, "attempt": 1, "maxAttempts": 3, "todos": [
                { "id": "task-1", "content": "Write f", "status": "in_progress", "phase": "Tasks" },
            ] }),
            json!({ "reason": "shutdown", "idle": true }),
        ]
    );
    // The file has what the second attempt wrote, and the model saw nothing of the first.
    assert_eq!(
        std::fs::read_to_string(place.path("project/a.rs")).unwrap(),
        good["content"].as_str().unwrap()
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    let third = body(&requests[2]);
    assert!(
        third.contains("system-interrupt") && third.contains("Use `?`.") && !third.contains("unwrap()"),
        "{third}"
    );
    assert!(body(&requests[4]).contains("(Reminder 1/3)"));
    assert_eq!(results(&session).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_switch_the_list_the_reminders_and_the_rules_off() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/recorder.ts", RECORDER),
        ("project/.toolsmith/rules/calm.md", "---\ncondition: foo\n---\nCalm.\n"),
        ("home/.toolsmith/config.toml", "[todo]\nreminders = false\n[rules]\nenabled = false\n"),
    ]);
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().call("1", "todo_write", &ops(json!([{ "op": "init", "items": ["x"] }]))));
    server.push(Reply::new().text("foo"));
    let session = place.session(&server).build().await.unwrap();
    assert!(session.run("Go").await.unwrap().end.is_completed());
    assert_eq!(server.requests().len(), 2);
    let reasons: Vec<Value> =
        place.lines("project/heard.jsonl").iter().map(|event| event["reason"].clone()).collect();
    assert_eq!(reasons, ["start"]);

    place.write("home/.toolsmith/config.toml", "[todo]\nenabled = false\n");
    server.push(Reply::new().text("ok"));
    place.session(&server).build().await.unwrap().run("Go").await.unwrap();
    assert!(!server.last_request().body["tools"].to_string().contains("todo_write"));
}
