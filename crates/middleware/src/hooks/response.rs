//! Results of tools as hooks of other agents know them, in both directions.

use serde_json::{Value, json};
use toolsmith_tool::{ContentBlock, ToolResult};

use super::{
    answer::Answer,
    definition::{Dialect, HookEvent},
};

/// Describes the result of a call in the names of a dialect.
pub(super) fn outward(dialect: Dialect, tool: &str, result: &ToolResult, input: &Value) -> Value {
    let text = || result.joined_text();
    match (dialect, tool) {
        (Dialect::Toolsmith, _) => {
            json!({ "content": result.content, "details": result.details, "isError": result.is_error })
        }
        (_, "bash") => json!({ "stdout": text(), "stderr": "", "interrupted": false, "isImage": false }),
        (_, "write") => json!({
            "type": "create",
            "filePath": input["file_path"],
            "content": input["content"],
            "success": true,
        }),
        (_, "edit") => json!({ "filePath": input["file_path"], "success": true, "message": text() }),
        (_, "read") => {
            json!({ "type": "text", "file": { "filePath": input["file_path"], "content": text() } })
        }
        _ => json!(result.content),
    }
}

/// Changes a result as hooks answered.
pub(super) fn change(mut result: ToolResult, event: HookEvent, answer: Answer) -> ToolResult {
    if let Some(output) = answer.output {
        result.content = content(output);
    }
    if let Some(content) = answer.content {
        result.content = content;
    }
    if let Some(details) = answer.details {
        result.details = Some(details).filter(|details| !details.is_null());
    }
    if let Some(is_error) = answer.is_error {
        result.is_error = is_error;
    }
    let reasons = answer.block.map(|reason| format!("{} hook: {reason}", event.as_str()));
    result.content.extend(reasons.into_iter().chain(answer.context).map(ContentBlock::text));
    result
}

/// Converts an output that a hook put in place of the tool's.
fn content(output: Value) -> Vec<ContentBlock> {
    match output {
        Value::String(text) => vec![ContentBlock::text(text)],
        Value::Array(blocks) => match serde_json::from_value(Value::Array(blocks.clone())) {
            Ok(blocks) => blocks,
            Err(_) => vec![ContentBlock::text(Value::Array(blocks).to_string())],
        },
        Value::Object(fields) => {
            let part = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            let texts: Vec<&str> = ["stdout", "stderr"].into_iter().filter_map(part).collect();
            match (texts.as_slice(), fields.get("content")) {
                ([], Some(own)) => content(own.clone()),
                ([], None) => vec![ContentBlock::text(Value::Object(fields).to_string())],
                (texts, _) => vec![ContentBlock::text(texts.join("\n"))],
            }
        }
        other => vec![ContentBlock::text(other.to_string())],
    }
}
