//! Change sets in tool calls: applying one for a call, and errors as the model receives them.

use std::sync::Arc;

use serde_json::json;
use toolsmith_tool::{Stop, ToolContext, ToolError, ToolResult};

use super::{ChangeError, ChangeNote, ChangeSet, ChangeStore};
use crate::blocking::blocking;

/// Makes the changes. The result has no text of its own; its details name the change and its files.
///
/// # Errors
/// Fails if the store refuses the changes or the call is cancelled before the first file is replaced.
pub async fn apply_change_set(
    store: Arc<ChangeStore>,
    set: ChangeSet,
    note: ChangeNote,
    context: &ToolContext,
) -> Result<ToolResult, ToolError> {
    // A cancel counts until the first file is replaced; from there it is a matter of renames.
    let applied =
        blocking(&context.cancel, move |cancel| store.apply(&set, &note, cancel).map_err(as_tool_error))
            .await?;
    // Names need not be text, and JSON has only text.
    let files: Vec<String> = applied.files.iter().map(|file| file.display().to_string()).collect();
    Ok(ToolResult::default().with_details(json!({ "changeId": applied.id, "files": files })))
}

/// Returns the error that a tool call reports.
pub fn as_tool_error(error: ChangeError) -> ToolError {
    match error {
        ChangeError::Cancelled => {
            ToolError::Stopped { stop: Stop::Stopped, note: Some("nothing was changed".to_owned()) }
        }
        error => ToolError::reply(error.to_string()),
    }
}
