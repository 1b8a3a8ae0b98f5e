//! Gates: what may look at every call before it is approved and at every result before it is shown. Extensions hang
//! their hooks here.

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_tool::{CancelToken, ToolContext, ToolResult};

/// A call at a gate. Its arguments are valid for the tool.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GatedCall<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The tool.
    pub tool_name: &'a str,
    /// Arguments of the call.
    pub arguments: &'a Value,
    /// Tripped when the call should stop.
    pub cancel: &'a CancelToken,
    /// Context of the call.
    pub context: &'a ToolContext,
}

/// Decision of a gate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GateVerdict {
    /// Go on.
    Pass,
    /// Go on with these arguments. They are prepared like the model's own.
    Rewrite(Value),
    /// Stop here, and tell the model this.
    Refuse(String),
}

/// Looks at calls and results. A gate that panics refuses the call: what guards must not fail open.
#[async_trait]
pub trait Gate: Send + Sync {
    /// Returns the gate's name for errors.
    fn name(&self) -> &str;

    /// Before approval.
    async fn before(&self, _call: GatedCall<'_>) -> GateVerdict {
        GateVerdict::Pass
    }

    /// After the tool answered, before the output is cut. May change all of the result.
    async fn after(&self, _call: GatedCall<'_>, result: ToolResult) -> ToolResult {
        result
    }
}
