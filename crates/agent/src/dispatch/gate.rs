//! Gates: what may look at every call before it is approved and at every result before it is shown. Extensions hang
//! their hooks here.

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_tool::{CancelToken, ToolContext, ToolResult, ToolSpec};

use std::time::Duration;

use crate::approval::Decision;

/// A call at a gate. Its arguments are valid for the tool.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GatedCall<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The tool, by its own name, also if it was called by another.
    pub tool_name: &'a str,
    /// Its specification; `None` for a change that no tool call makes, such as a staged one that is applied.
    pub spec: Option<&'a ToolSpec>,
    /// Arguments of the call.
    pub arguments: &'a Value,
    /// Tripped when the call should stop.
    pub cancel: &'a CancelToken,
    /// Context of the call.
    pub context: &'a ToolContext,
    /// Time the tool took; zero before it ran.
    pub duration: Duration,
}

impl<'a> GatedCall<'a> {
    /// Creates a call of a tool that does not come from the model, for example of an extension.
    pub fn of_tool(id: &'a str, spec: &'a ToolSpec, arguments: &'a Value, context: &'a ToolContext) -> Self {
        Self { spec: Some(spec), ..Self::without_spec(id, &spec.name, arguments, context) }
    }

    /// Creates a call that no tool makes, such as a staged change that is applied.
    pub fn without_spec(
        id: &'a str,
        tool_name: &'a str,
        arguments: &'a Value,
        context: &'a ToolContext,
    ) -> Self {
        let cancel = &context.cancel;
        Self { id, tool_name, spec: None, arguments, cancel, context, duration: Duration::ZERO }
    }
}

/// Wish of a gate about approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GateApproval {
    /// The call runs without a question that only its tier calls for. Questions of the settings and of the tool stay.
    Allow,
    /// The person is asked, whatever the mode and earlier answers say.
    Ask,
}

/// Conditions under which a gate lets a call through.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Passage {
    /// Arguments in place of the call's own. They are prepared like the model's.
    pub arguments: Option<Value>,
    /// Wish about approval.
    pub approval: Option<GateApproval>,
    /// Texts for the model, added to the result.
    pub notes: Vec<String>,
}

/// Decision of a gate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GateVerdict {
    /// Go on.
    Pass,
    /// Go on with these arguments. They are prepared like the model's own.
    Rewrite(Value),
    /// Go on under these conditions.
    PassWith(Passage),
    /// Stop here, and tell the model this.
    Refuse(String),
}

/// Looks at calls and results. A gate that panics refuses the call: what guards must not fail open.
#[async_trait]
pub trait Gate: Send + Sync {
    /// Returns the gate's name for errors.
    fn name(&self) -> &str;

    /// Returns whether the gate looks at calls at present. If not, [`Gate::before`] is not called.
    fn watches_calls(&self) -> bool {
        true
    }

    /// Returns whether the gate looks at results at present. If not, [`Gate::after`] is not called.
    fn watches_results(&self) -> bool {
        true
    }

    /// Before approval. Called again if a later gate replaced the arguments.
    async fn before(&self, _call: GatedCall<'_>) -> GateVerdict {
        GateVerdict::Pass
    }

    /// Answers in place of the person who would be asked; `None` leaves the question to the person.
    async fn answer(&self, _call: GatedCall<'_>) -> Option<Decision> {
        None
    }

    /// After the tool answered, before the output is cut. May change all of the result.
    async fn after(&self, _call: GatedCall<'_>, result: ToolResult) -> ToolResult {
        result
    }
}
