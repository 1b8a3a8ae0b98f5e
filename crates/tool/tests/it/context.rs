//! The handles of a call: updates end with the result (CONTRACT 4.3), the interface can be switched under a holder
//! (3.3), results and errors take the contract's shapes (4.1, 4.5, 4.6).

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolsmith_tool::{
    ContentBlock, DialogOptions, Failure, Stop, ToolContext, ToolError, ToolResult, Ui, UiSlot, UpdateSink,
    async_trait,
};

#[test]
fn c4_3_updates_arrive_in_order_and_end_with_the_result() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = UpdateSink::new({
        let seen = Arc::clone(&seen);
        move |partial: ToolResult| seen.lock().unwrap().push(partial.joined_text())
    });
    let held_by_tool = sink.clone();
    held_by_tool.send(ToolResult::text("one"));
    held_by_tool.send(ToolResult::text("two"));
    sink.close();
    held_by_tool.send(ToolResult::text("too late"));
    assert_eq!(*seen.lock().unwrap(), ["one", "two"]);
}

struct Agreeable;

#[async_trait]
impl Ui for Agreeable {
    async fn confirm(&self, _title: &str, _message: &str, _dialog: DialogOptions) -> bool {
        true
    }
    async fn select(&self, _title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        options.first().cloned()
    }
}

#[tokio::test]
async fn c3_3_headless_answers_and_a_switch_that_reaches_every_holder() {
    let slot = UiSlot::headless();
    let taken_early = slot.handle();
    let ui = taken_early.current();
    assert!(!ui.has_ui());
    assert_eq!(ui.select("t", &["a".to_owned()], DialogOptions::default()).await, None);
    assert_eq!(ui.input("t", None, DialogOptions::default()).await, None);
    assert_eq!(ui.editor("t", None, DialogOptions::default()).await, None);
    assert!(!ui.confirm("t", "m", DialogOptions::default()).await);
    ui.notify("n", Default::default());
    ui.set_status("k", Some("v"));
    ui.set_widget("k", None, Default::default());
    ui.set_title("t");

    slot.set(Arc::new(Agreeable));
    let ui = taken_early.current();
    assert!(ui.has_ui());
    assert!(ui.confirm("t", "m", DialogOptions::default()).await);
    assert_eq!(ui.select("t", &["a".to_owned()], DialogOptions::default()).await.as_deref(), Some("a"));
}

#[test]
fn c4_1_content_has_the_documented_json() {
    let result = ToolResult {
        content: vec![
            ContentBlock::text("t"),
            ContentBlock::Image { data: "AAAA".into(), mime_type: "image/png".into() },
        ],
        details: Some(json!({ "n": 1 })),
        is_error: false,
    };
    let json = json!({
        "content": [
            { "type": "text", "text": "t" },
            { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        ],
        "details": { "n": 1 },
    });
    assert_eq!(serde_json::to_value(&result).unwrap(), json);
    assert_eq!(serde_json::from_value::<ToolResult>(json).unwrap(), result);
}

#[test]
fn c4_5_and_c4_6_errors_become_error_results_with_their_text() {
    let mut failure = Failure::new("git failed");
    failure.details = Some(json!({ "code": 128 }));
    let result = ToolError::Reply(Box::new(failure)).into_result();
    assert!(result.is_error);
    assert_eq!((result.joined_text().as_str(), result.details), ("git failed", Some(json!({ "code": 128 }))));
    assert_eq!(ToolError::reply("  ").into_result().joined_text(), "Tool failed with no output.");

    let text = |stop| ToolError::stopped(stop).into_result().joined_text();
    assert_eq!(text(Stop::NotStarted), "cancelled before it started");
    assert_eq!(text(Stop::Stopped), "stopped");
    assert_eq!(text(Stop::Forced), "killed; its side effects may be incomplete");
    let noted = ToolError::Stopped { stop: Stop::Forced, note: Some("its state was lost".into()) };
    assert_eq!(noted.to_string(), "killed; its side effects may be incomplete (its state was lost)");
}

#[test]
fn a_detached_context_has_nothing_attached() {
    let ctx = ToolContext::detached();
    assert!(!ctx.pending.is_available() && !ctx.ui.current().has_ui() && !ctx.cancel.is_cancelled());
    assert!(ctx.agent.is_idle() && ctx.session.entries().is_empty() && ctx.session.session_file().is_none());
    assert!(ctx.session.save_artifact("x", "log").is_err());
}
