//! What a tool shows in the user interface, as the interface sees it: a component, a source of completions, or a tap on the
//! input. All are objects in the engine, known by a number.

use std::{
    sync::{PoisonError, Weak},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{sync::oneshot, time::timeout};
use toolsmith_tool::{
    CompletionItem, CompletionSource, Completions, Component, ComponentId, EditorState, InputTap,
    RenderedLines, Tapped, async_trait,
};

use super::{command::Drawn, instance::Instance, state::ThreadState};

/// A completion provider may ask a server; what it has not found by then is not shown.
const COMPLETION_TIME: Duration = Duration::from_millis(2500);
/// Longer drawings are cut: no screen shows them, and they would cost memory in every frame.
const MAX_LINES: usize = 2000;

/// An object in the engine.
pub(crate) struct JsComponent {
    instance: Weak<Instance>,
    id: ComponentId,
}

impl JsComponent {
    pub(crate) fn new(state: &ThreadState, number: u32) -> Self {
        Self { instance: state.shared.instance(), id: ComponentId::from_number(number) }
    }

    async fn ask(&self, what: &'static str, payload: Value) -> Option<Drawn> {
        let instance = self.instance.upgrade()?;
        match instance.view(self.id.number(), what, payload.to_string()).await? {
            Drawn::Failed(error) => {
                tracing::warn!(%error, "A tool's component failed: {what}");
                None
            }
            drawn => Some(drawn),
        }
    }

    async fn ask_json(&self, what: &'static str, payload: Value) -> Option<Value> {
        match self.ask(what, payload).await? {
            Drawn::Json(value) => Some(value),
            _ => None,
        }
    }
}

#[async_trait]
impl Component for JsComponent {
    fn id(&self) -> ComponentId {
        self.id
    }

    async fn render(&self, width: usize) -> Option<RenderedLines> {
        match self.ask("render", json!({ "width": width })).await? {
            Drawn::Lines(mut drawn) => {
                drawn.lines.truncate(MAX_LINES);
                Some(drawn)
            }
            _ => None,
        }
    }

    async fn input(&self, keys: &str) {
        self.ask("input", json!({ "keys": keys })).await;
    }

    async fn focus(&self, focused: bool) {
        self.ask("focus", json!({ "focused": focused })).await;
    }

    async fn invalidate(&self) {
        self.ask("invalidate", json!({})).await;
    }

    async fn text(&self) -> Option<String> {
        self.ask_json("text", json!({})).await?.as_str().map(str::to_owned)
    }

    async fn set_text(&self, text: &str) {
        self.ask("setText", json!({ "text": text })).await;
    }
}

#[async_trait]
impl CompletionSource for JsComponent {
    async fn suggest(&self, state: &EditorState, force: bool) -> Option<Completions> {
        let instance = self.instance.upgrade()?;
        let (reply, answer) = oneshot::channel();
        let request = instance.expect_answer(reply);
        self.ask("suggest", json!({ "request": request, "state": state, "force": force })).await?;
        let value = timeout(COMPLETION_TIME, answer).await.ok()?.ok()?;
        serde_json::from_value::<Completions>(value).ok().filter(|found| !found.items.is_empty())
    }

    async fn apply(&self, state: &EditorState, item: &CompletionItem, prefix: &str) -> Option<EditorState> {
        let payload = json!({ "state": state, "item": item, "prefix": prefix });
        serde_json::from_value(self.ask_json("applyCompletion", payload).await?).ok()
    }
}

#[async_trait]
impl InputTap for JsComponent {
    async fn tap(&self, data: &str) -> Tapped {
        let answer = self.ask_json("tap", json!({ "data": data })).await;
        answer.and_then(|answer| serde_json::from_value(answer).ok()).unwrap_or_default()
    }
}

impl Instance {
    /// Registers a question that the engine answers later; returns its number.
    fn expect_answer(&self, reply: oneshot::Sender<Value>) -> u32 {
        let mut answers = self.shared().answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.1.retain(|_, waiting| !waiting.is_closed());
        answers.0 = answers.0.wrapping_add(1);
        let number = answers.0;
        answers.1.insert(number, reply);
        number
    }
}

/// Passes the engine's answer to the one who asked.
pub(crate) fn answer(state: &ThreadState, number: u32, value: Value) {
    let waiting = state.shared.answers.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&number);
    if let Some(waiting) = waiting {
        let _ = waiting.send(value);
    }
}
