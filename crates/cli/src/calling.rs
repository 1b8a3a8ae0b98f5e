//! One call of one tool by its author: dispatched like every other call, but without asking for approval, because the
//! author requested it.

use std::{sync::Arc, time::Duration};

use toolsmith_agent::{
    ApprovalMode, ApprovalSettings, Arguments, CallOutcome, CallRequest, Deadlines, Dispatcher,
};
use toolsmith_tool::{Origin, OriginKind, RegisterError, Registry, Tool, ToolContext};

/// Id of the call.
const ID: &str = "call-1";

/// Calls a tool.
///
/// # Errors
/// Fails if the tool cannot be registered because its name or schema is invalid.
pub(crate) async fn call_alone(
    tool: Arc<dyn Tool>,
    arguments: impl Into<Arguments>,
    context: ToolContext,
    deadline: Duration,
) -> Result<CallOutcome, RegisterError> {
    let name = tool.spec().name.clone();
    let mut registry = Registry::new();
    registry.register(tool, Origin::new(OriginKind::Custom, "called by its author"))?;
    let dispatcher = Dispatcher::builder(registry)
        .approval(ApprovalSettings::new(ApprovalMode::Yolo))
        .deadlines(Deadlines::default().call(deadline))
        .build();
    Ok(dispatcher.call(CallRequest::new(ID, name, arguments).context(context)).await)
}
