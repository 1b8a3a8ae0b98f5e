//! Drawings of tools: kept, renewed, and given up.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolsmith_tool::{RenderHooks, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait};

use super::*;

struct Painter {
    spec: ToolSpec,
    asked: AtomicUsize,
    slow: Duration,
}

#[async_trait]
impl Tool for Painter {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    async fn execute(&self, _call: ToolCall, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text("x"))
    }
    fn render_hooks(&self) -> RenderHooks {
        RenderHooks::new(true, true)
    }
    async fn render_call(&self, arguments: &Value, options: &RenderOptions) -> Option<RenderedLines> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(self.slow).await;
        Some(vec![format!("\x1b[31mcall {} {}\x1b[2J", arguments["a"], options.width)].into())
    }
    async fn render_result(
        &self,
        result: &ToolResult,
        _: &RenderOptions,
        _: &Value,
    ) -> Option<RenderedLines> {
        (!result.is_error).then(|| vec!["result".to_owned()].into())
    }
}

fn painter(slow: Duration) -> (Arc<Painter>, Arc<dyn Tool>) {
    let painter = Arc::new(Painter { spec: ToolSpec::new("p", "d"), asked: AtomicUsize::new(0), slow });
    (Arc::clone(&painter), painter)
}

fn block(id: &str, version: u64) -> ToolBlock {
    ToolBlock {
        arguments: json!({ "a": version }),
        state: ToolState::Done,
        version,
        ..ToolBlock::new(id, "p", "P")
    }
}

fn views() -> (ToolViews, mpsc::UnboundedReceiver<String>) {
    let (changed, changes) = mpsc::unbounded_channel();
    (ToolViews::new(move |id| drop(changed.send(id.to_owned()))), changes)
}

#[tokio::test(start_paused = true)]
async fn c6_1_a_drawing_is_kept_until_something_changes() {
    let (painter, tool) = painter(Duration::ZERO);
    let (views, mut changes) = views();
    let options = DrawOptions::new(40);
    assert_eq!(views.drawing(&tool, &block("1", 1), options), None, "nothing is waited for");
    changes.recv().await;
    let drawing = views.drawing(&tool, &block("1", 1), options).unwrap_or_default();
    assert_eq!(drawing.call.unwrap_or_default()[0].text(), "call 1 38");
    views.drawing(&tool, &block("1", 1), options);
    assert_eq!(painter.asked.load(Ordering::SeqCst), 1);
    // Until the new one is there, the old one is shown.
    assert!(views.drawing(&tool, &block("1", 2), options).is_some());
    changes.recv().await;
    assert_eq!(painter.asked.load(Ordering::SeqCst), 2);
    views.invalidate("1");
    changes.recv().await;
    views.drawing(&tool, &block("1", 2), options);
    changes.recv().await;
    assert_eq!(painter.asked.load(Ordering::SeqCst), 3, "the tool asked to be drawn again");
}

#[tokio::test]
async fn c6_2_a_renderer_that_is_slow_three_times_gets_the_default_view() {
    let (_, tool) = painter(Duration::from_millis(60));
    let (views, mut changes) = views();
    for version in 0..3 {
        views.drawing(&tool, &block("1", version), DrawOptions::new(40));
        changes.recv().await;
    }
    assert_eq!(views.drawing(&tool, &block("1", 3), DrawOptions::new(40)), None);
    views.clear();
    views.drawing(&tool, &block("1", 3), DrawOptions::new(40));
    assert!(changes.recv().await.is_some(), "a new session tries again");
}

#[tokio::test(start_paused = true)]
async fn many_calls_do_not_grow_without_limit() {
    let (_, tool) = painter(Duration::ZERO);
    let (views, mut changes) = views();
    for call in 0..600 {
        views.drawing(&tool, &block(&call.to_string(), 1), DrawOptions::new(40));
        changes.recv().await;
    }
    assert!(views.shared.lock().calls.len() <= MAX_KEPT + 1);
}

#[tokio::test]
async fn c6_2_a_failed_renderer_leaves_its_slot_empty() {
    let (_, tool) = painter(Duration::ZERO);
    let failed =
        ToolBlock { result: Some(ToolResult::error("broken")), state: ToolState::Failed, ..block("1", 1) };
    let drawing = draw(&tool, &failed, &DrawOptions::new(40)).await.unwrap_or_default();
    assert!(drawing.call.is_some() && drawing.result.is_none());
}
