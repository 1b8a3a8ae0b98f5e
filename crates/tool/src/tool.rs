//! The trait every tool implements, whatever it is made of (CONTRACT 5.1).

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    approval::Approval,
    context::ToolContext,
    render::{RenderOptions, RenderedLines},
    result::{ToolError, ToolResult},
    session_event::SessionEvent,
    spec::ToolSpec,
};

/// One call of a tool. The arguments were repaired and validated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The model's id for the call.
    pub id: String,
    /// The arguments, valid for the tool's schema.
    pub arguments: Value,
}

impl ToolCall {
    /// A call with arguments that were already prepared.
    pub fn new(id: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), arguments }
    }
}

/// A tool. Object-safe: registries hold `Arc<dyn Tool>`.
///
/// Dropping the future of any method abandons the work; a tool that started something outside this process
/// has to end it then.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What the tool says of itself. Fixed for the tool's lifetime.
    fn spec(&self) -> &ToolSpec;

    /// Returns the tool for one call, bound to what the call is about where the arguments alone do not say it. Dispatch calls
    /// this before approval and uses the bound tool for approval, its details and execution, so that what was approved is
    /// what runs (CONTRACT 5.8). `None` uses the tool itself.
    fn bind(&self) -> Option<Arc<dyn Tool>> {
        None
    }

    /// Does the work. Watch `ctx.cancel`; stream progress through `ctx.updates`.
    ///
    /// # Errors
    /// [`ToolError::Reply`] for anything the model should hear of, [`ToolError::Stopped`] when cancelled.
    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError>;

    /// Whether [`Tool::prepare_arguments`] does anything.
    fn translates_arguments(&self) -> bool {
        false
    }

    /// Changes arguments before they are repaired and validated, as tools do that still take an older form. `None` leaves
    /// them as they are.
    async fn prepare_arguments(&self, _arguments: &Value) -> Option<Value> {
        None
    }

    /// What this call asks for before it may run. The declared approval unless the tool decides by arguments.
    async fn approval(&self, _arguments: &Value) -> Approval {
        self.spec().approval.clone()
    }

    /// Lines shown to the person who is asked for approval.
    async fn approval_details(&self, _arguments: &Value) -> Option<Vec<String>> {
        None
    }

    /// Draws the call. `None` leaves it to the default view (CONTRACT 6.1, 6.2).
    async fn render_call(&self, _arguments: &Value, _options: &RenderOptions) -> Option<RenderedLines> {
        None
    }

    /// Draws a partial or final result. `None` leaves it to the default view.
    async fn render_result(
        &self,
        _result: &ToolResult,
        _options: &RenderOptions,
        _arguments: &Value,
    ) -> Option<RenderedLines> {
        None
    }

    /// Hears of the session's life (CONTRACT 7.1). Errors are logged and never stop the session.
    ///
    /// # Errors
    /// Whatever the tool could not do; it is logged as a warning.
    async fn on_session(&self, _event: &SessionEvent, _ctx: &ToolContext) -> Result<(), ToolError> {
        Ok(())
    }
}
