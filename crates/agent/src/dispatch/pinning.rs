//! Where the paths of a call lead: fixed before the first gate looks at the call, and compared before the tool runs. A gate,
//! a person and the tool see the same file, whatever happens to links while a hook runs or a question is open.

use serde_json::Value;
use toolsmith_tool::{RegisteredTool, panics::catching};

use super::{
    call::{CallEnd, CallRequest},
    dispatcher::Refusal,
};

/// Fixes the paths of these arguments to where they lead now. Paths that are fixed already stay as they are.
pub(super) async fn pin(found: &RegisteredTool, request: &CallRequest, arguments: &Value) {
    for place in catching(found.tool.places(arguments)).await.unwrap_or_default() {
        request.context.places.pin(place);
    }
}

/// Refuses a call of which a path leads elsewhere than the gates saw.
pub(super) async fn check(
    found: &RegisteredTool,
    request: &CallRequest,
    arguments: &Value,
) -> Result<(), Refusal> {
    let now = catching(found.tool.places(arguments)).await.unwrap_or_default();
    match now.iter().find(|place| !request.context.places.agree_with(place)) {
        Some(moved) => {
            let text = format!(
                "Not run: {:?} leads elsewhere than when the call was checked. Something changed a link or a directory on \
                 the way meanwhile. Try again.",
                moved.written
            );
            Err(Refusal::new(CallEnd::Blocked, text))
        }
        None => Ok(()),
    }
}
