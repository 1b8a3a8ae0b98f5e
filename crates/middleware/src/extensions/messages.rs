//! Messages as extensions see them. A message with a type of its own has the role `custom`; all others are as stored.

use serde_json::{Value, json};
use toolsmith_llm::{InputMessage, Message};
use toolsmith_tool::{ContentBlock, CustomMessageDraft};

/// Creates the message of a draft.
pub fn custom_message(draft: CustomMessageDraft, timestamp: u64) -> Message {
    let mut input = InputMessage::new(draft.content);
    input.timestamp = timestamp;
    input.custom_type = Some(draft.custom_type);
    input.display = Some(draft.display);
    input.details = draft.details;
    Message::Developer(input)
}

/// Converts a message for extensions.
pub fn message_to_extension(message: &Message) -> Value {
    let mut value = json!(message);
    let is_custom = value.get("customType").is_some_and(Value::is_string);
    if is_custom && let Some(role) = value.get_mut("role") {
        *role = "custom".into();
    }
    value
}

/// Converts a message from an extension.
///
/// # Errors
/// Returns what is wrong with the message.
pub fn message_from_extension(mut value: Value) -> Result<Message, String> {
    let role = value.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match role.as_str() {
        "user" | "assistant" | "toolResult" | "developer" => {}
        "custom" => value["role"] = "developer".into(),
        "hookMessage" => value["role"] = "developer".into(),
        "compactionSummary" | "branchSummary" => {
            return Ok(user_text(format!("<summary>\n{}\n</summary>", text("summary"))));
        }
        "bashExecution" => {
            let said = format!("Ran `{}`\n```\n{}\n```", text("command"), text("output"));
            return Ok(user_text(said));
        }
        role => return Err(format!("unknown message role \"{role}\"")),
    }
    serde_json::from_value(value)
        .map_err(|error| format!("a message with role \"{role}\" is invalid: {error}"))
}

fn user_text(text: String) -> Message {
    Message::User(InputMessage::new(vec![ContentBlock::text(text)]))
}
