//! The trait that every tool implements (CONTRACT 5.1).

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    approval::Approval,
    context::ToolContext,
    places::Place,
    render::{RenderHooks, RenderOptions, RenderedLines},
    result::{ToolError, ToolResult},
    session_event::SessionEvent,
    spec::ToolSpec,
};

/// One call of a tool, with repaired and validated arguments.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The model's id for the call.
    pub id: String,
    /// Arguments, valid for the tool's schema.
    pub arguments: Value,
}

impl ToolCall {
    /// Creates a call from prepared arguments.
    pub fn new(id: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), arguments }
    }
}

/// A tool. Object-safe: registries hold `Arc<dyn Tool>`.
///
/// Dropping the future of any method abandons the work; a tool that started something outside this process must then
/// stop it.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Returns the specification, which is fixed for the tool's lifetime.
    fn spec(&self) -> &ToolSpec;

    /// Returns the tool for one call, bound to what the call is about where the arguments alone do not say it. Dispatch calls
    /// this before approval and uses the bound tool for approval, its details and execution, so that what was approved is
    /// what runs (CONTRACT 5.8). `context` is that of the call; what it records includes what these methods ask. `None` uses
    /// the tool itself.
    fn bind(&self, _context: &ToolContext) -> Option<Arc<dyn Tool>> {
        None
    }

    /// Does the work. Watch `ctx.cancel`; stream progress through `ctx.updates`.
    ///
    /// # Errors
    /// [`ToolError::Reply`] for anything the model should know, [`ToolError::Stopped`] if cancelled.
    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError>;

    /// Returns whether [`Tool::prepare_arguments`] does anything.
    fn translates_arguments(&self) -> bool {
        false
    }

    /// Converts arguments before they are repaired and validated, for tools that accept an older form. `None` leaves
    /// them unchanged.
    async fn prepare_arguments(&self, _arguments: &Value) -> Option<Value> {
        None
    }

    /// Returns whether the tool's own schema library accepts arguments exactly as the model sent them, although the JSON Schema
    /// does not (CONTRACT 4.2). They are not repaired then.
    async fn accepts_arguments(&self, _arguments: &Value) -> bool {
        false
    }

    /// Returns the approval this call requires: the declared one, unless the tool decides by arguments.
    async fn approval(&self, _arguments: &Value) -> Approval {
        self.spec().approval.clone()
    }

    /// Returns where the paths among the arguments lead now. Dispatch fixes this before the first gate looks at the call and
    /// refuses the call if a path leads elsewhere after approval. The tool uses the places in `ctx.places`.
    async fn places(&self, _arguments: &Value) -> Vec<Place> {
        Vec::new()
    }

    /// Returns lines shown to the approver.
    async fn approval_details(&self, _arguments: &Value) -> Option<Vec<String>> {
        None
    }

    /// Returns whether the approval details show everything in these arguments, so that the question does not repeat them. An
    /// author's words may leave out what matters; only details that the host itself makes are complete.
    async fn details_are_complete(&self, _arguments: &Value) -> bool {
        false
    }

    /// Returns which of its renderers exist. Without any, the default view is used and nothing is asked.
    fn render_hooks(&self) -> RenderHooks {
        RenderHooks::default()
    }

    /// Renders the call. `None` uses the default view (CONTRACT 6.1, 6.2).
    async fn render_call(&self, _arguments: &Value, _options: &RenderOptions) -> Option<RenderedLines> {
        None
    }

    /// Renders a partial or final result. `None` uses the default view.
    async fn render_result(
        &self,
        _result: &ToolResult,
        _options: &RenderOptions,
        _arguments: &Value,
    ) -> Option<RenderedLines> {
        None
    }

    /// Returns whether [`Tool::on_session`] does anything. Events are not delivered to other tools.
    fn handles_session_events(&self) -> bool {
        true
    }

    /// Handles a session event (CONTRACT 7.1).
    ///
    /// # Errors
    /// An error is logged as a warning and never stops the session.
    async fn on_session(&self, _event: &SessionEvent, _ctx: &ToolContext) -> Result<(), ToolError> {
        Ok(())
    }
}
