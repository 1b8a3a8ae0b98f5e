//! Errors that nobody handles are reported on the call they occurred in, with the place in the author's file.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::sync::mpsc;
use toolsmith_js::{EngineKind, Limits};
use toolsmith_testkit::has_program;
use toolsmith_tool::{NoticeLevel, Ui};

use crate::project::{Project, call, tool_source};

#[derive(Debug)]
struct Notices(mpsc::UnboundedSender<String>);

impl Ui for Notices {
    fn has_ui(&self) -> bool {
        true
    }
    fn notify(&self, message: &str, _level: NoticeLevel) {
        let _ = self.0.send(message.to_owned());
    }
}

const BOTH: &str = "Promise.reject(new Error(\"lost promise\"));\n\
    setTimeout(() => { throw new TypeError(\"thrown in a timer\"); }, 1);\n\
    await new Promise((resolve) => setTimeout(resolve, 20));\n\
    return { content: [{ type: \"text\", text: \"done\" }] };";

async fn result_of(project: &Project) -> Vec<String> {
    let tool = project.tool("t.ts").await;
    let result = call(&tool, json!({})).await.unwrap();
    result.joined_text().lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_5_rejections_and_errors_in_timers_are_part_of_the_result() {
    let project = Project::new(&[("t.ts", &tool_source(BOTH))]);
    let lines = result_of(&project).await;
    let text = lines.join("\n");
    assert!(text.starts_with("done"), "{text}");
    assert!(text.contains("Unhandled promise rejection: lost promise"), "{text}");
    assert!(text.contains("A timer's callback failed: thrown in a timer"), "{text}");
    assert!(text.contains("t.ts:"), "{text}");
    assert!(lines.iter().any(|line| line.starts_with('>') && line.contains("lost promise")), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_5_they_are_reported_by_a_sidecar_too() {
    if !has_program("node") {
        return;
    }
    let project = Project::with_options(Limits::default(), &[("t.ts", &tool_source(BOTH))], |options| {
        options.engine(EngineKind::Node)
    });
    let text = result_of(&project).await.join("\n");
    assert!(text.contains("Unhandled promise rejection: lost promise"), "{text}");
    assert!(text.contains("thrown in a timer"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_5_a_promise_that_is_handled_later_is_not_reported() {
    let body = "const late = Promise.reject(new Error(\"handled\"));\n\
        await Promise.resolve();\n\
        let caught; try { await late; } catch (error) { caught = error.message; }\n\
        return { content: [{ type: \"text\", text: caught }] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    assert_eq!(result_of(&project).await, ["handled"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_after_the_call_is_a_notice() {
    let body = "setTimeout(() => { throw new Error(\"too late\"); }, 5);\n\
        return { content: [{ type: \"text\", text: \"done\" }] };";
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let (sender, mut heard) = mpsc::unbounded_channel();
    project.engine.set_ui_context(Arc::new(Notices(sender)) as Arc<dyn Ui>);
    // Its runtime ends with the tool.
    let tool = project.tool("t.ts").await;
    assert_eq!(call(&tool, json!({})).await.unwrap().joined_text(), "done");
    let notice = tokio::time::timeout(Duration::from_secs(60), heard.recv()).await.unwrap().unwrap();
    assert!(notice.contains("A timer's callback failed: too late"), "{notice}");
}
