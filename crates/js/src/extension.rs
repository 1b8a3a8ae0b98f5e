//! A module's registrations, as the rest of the program sees them (CONTRACT 10).

use std::{
    collections::HashSet,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json};
use toolsmith_tool::{
    Completion, Extension, Registrations, RenderOptions, RenderedLines, RendererKind, ToolContext, ToolError,
    async_trait,
};

use crate::{
    instance::{CallFailure, CallKind, Drawn},
    module::{InUse, ModuleHost, Running},
};

/// The event that a module receives again after its engine was restarted: its state is lost.
const SESSION_START: &str = "session_start";

/// A module with registrations.
pub(crate) struct JsExtension {
    module: Arc<ModuleHost>,
    /// Types whose renderer failed; each is logged once.
    failed_renderers: Mutex<HashSet<String>>,
}

impl JsExtension {
    pub(crate) fn new(module: Arc<ModuleHost>) -> Self {
        Self { module, failed_renderers: Mutex::default() }
    }

    /// Returns the instance and the number of the module in it.
    async fn running(&self) -> Result<(InUse, u32), ToolError> {
        let running =
            self.module.instance().await.map_err(|error| {
                ToolError::reply(format!("The extension could not be restarted: {error}"))
            })?;
        match running.extension {
            Some(number) => Ok((running, number)),
            None => Err(ToolError::reply("after reloading, the module has no registrations any more")),
        }
    }

    async fn call(
        &self,
        what: &'static str,
        name: &str,
        payload: &Value,
        context: ToolContext,
    ) -> Result<Value, ToolError> {
        let (running, number) = self.running().await?;
        if self.module.take_restarted() && name != SESSION_START && self.listens_to(SESSION_START) {
            let start = json!({ "type": SESSION_START, "reason": "reload" });
            // A failure is reported by the call itself, if it lasts.
            let _ = call(&running, number, "event", SESSION_START, &start, context.clone()).await;
        }
        call(&running, number, what, name, payload, context).await
    }
}

pub(crate) async fn call(
    running: &Running,
    number: u32,
    what: &'static str,
    name: &str,
    payload: &Value,
    context: ToolContext,
) -> Result<Value, ToolError> {
    let kind = CallKind::Extension { number, what, name: name.to_owned(), payload: payload.to_string() };
    match running.instance.call(kind, context).await {
        Ok(answer) if answer.text().is_empty() => Ok(Value::Null),
        Ok(answer) => {
            let unreadable = |error| ToolError::reply(format!("its answer cannot be read: {error}"));
            let read: Value = answer.read().map_err(unreadable)?;
            for value in kept_values(&read) {
                answer.check(Some(value)).map_err(unreadable)?;
            }
            Ok(read)
        }
        Err(CallFailure::Tool(error)) => Err(error),
        Err(CallFailure::Refused(_)) => Err(ToolError::reply("its arguments were rejected")),
    }
}

/// Returns the parts of an answer that the session keeps as they are: details of results, messages and summaries, and the
/// input of calls.
fn kept_values(answer: &Value) -> impl Iterator<Item = &Value> {
    let members = answer.as_object().into_iter().flat_map(|answer| answer.values());
    let inner = members.filter_map(|member| member.get("details"));
    [answer.get("details"), answer.get("input")].into_iter().flatten().chain(inner)
}

#[async_trait]
impl Extension for JsExtension {
    fn path(&self) -> &Path {
        self.module.path()
    }

    fn registrations(&self) -> Registrations {
        self.module.registrations().as_ref().clone()
    }

    fn listens_to(&self, event: &str) -> bool {
        self.module.registrations().listens_to(event)
    }

    async fn handle(&self, event: &str, payload: Value, context: ToolContext) -> Result<Value, ToolError> {
        self.call("event", event, &payload, context).await
    }

    async fn run_command(
        &self,
        name: &str,
        arguments: &str,
        context: ToolContext,
    ) -> Result<Value, ToolError> {
        self.call("command", name, &json!(arguments), context).await
    }

    async fn complete(
        &self,
        name: &str,
        prefix: &str,
        context: ToolContext,
    ) -> Result<Vec<Completion>, ToolError> {
        let given = self.call("completions", name, &json!(prefix), context).await?;
        Ok(serde_json::from_value(given).unwrap_or_default())
    }

    async fn run_shortcut(&self, key: &str, context: ToolContext) -> Result<(), ToolError> {
        self.call("shortcut", key, &Value::Null, context).await.map(drop)
    }

    async fn stream(&self, provider: &str, request: Value, context: ToolContext) -> Result<Value, ToolError> {
        self.call("stream", provider, &request, context).await
    }

    async fn render(
        &self,
        kind: RendererKind,
        custom_type: &str,
        value: &Value,
        options: &RenderOptions,
    ) -> Option<RenderedLines> {
        let running = self.module.for_rendering().await?;
        let kind = match kind {
            RendererKind::Entry => "entry",
            _ => "message",
        };
        let payload = json!({
            "customType": custom_type,
            "value": value,
            "options": { "expanded": options.expanded, "outputPad": 0 },
        });
        let drawn =
            running.instance.draw_extension(running.extension?, kind, options.width, payload.to_string());
        match drawn.await? {
            Drawn::Lines(lines) => Some(lines),
            // There is nothing to draw; the default view takes its place.
            Drawn::Json(_) => None,
            Drawn::Failed(error) => {
                let mut failed = self.failed_renderers.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.insert(custom_type.to_owned()) {
                    let module = self.module.path().display();
                    tracing::warn!(%module, custom_type, %error, "An extension's renderer failed");
                }
                None
            }
        }
    }
}
