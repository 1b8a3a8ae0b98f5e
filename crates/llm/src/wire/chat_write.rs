//! Encoder for OpenAI Chat Completions, which most other servers speak with small differences. Those are in [`Quirks`].

use serde_json::{Map, Value, json};

use super::{
    Head,
    chat_read::THINKING_FIELDS,
    history::{self, Block, Outcome, Part, Turn},
    schema,
};
use crate::{
    config::{Quirks, ReasoningParameter},
    request::{Request, ThinkingLevel, ToolChoice},
};

/// Placeholder in a result whose images follow in a separate message, because results in this format are text only.
const IMAGES_FOLLOW: &str = "(see the image below)";
const IMAGES_ABOVE: &str = "Images from the tool results above:";

pub(super) fn head(request: &Request<'_>, quirks: &Quirks) -> Head {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(request.model.id));
    set("messages", Value::Null);
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                let mut function = json!({ "name": tool.name, "description": tool.description });
                // Moved: `json!` would copy the schema.
                function["parameters"] = schema::parameters(tool);
                if schema::is_strict(tool) {
                    function["strict"] = json!(true);
                }
                let mut entry = json!({ "type": "function" });
                entry["function"] = function;
                entry
            })
            .collect();
        set("tools", Value::Array(tools));
        if let Some(choice) = tool_choice(request.sendable_choice()) {
            set("tool_choice", choice);
        }
    }
    if let Some(max_tokens) = request.max_tokens {
        let field = if quirks.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        set(field, json!(max_tokens.min(request.model.max_output)));
    }
    let thinking = &request.model.thinking;
    if let Some(effort) = thinking.effort(request.thinking).filter(|_| thinking.is_supported()) {
        match quirks.reasoning {
            ReasoningParameter::Effort => {
                set("reasoning_effort", json!(effort));
            }
            ReasoningParameter::Object if request.thinking == ThinkingLevel::Off => {
                set("reasoning", json!({ "enabled": false }));
            }
            ReasoningParameter::Object => {
                set("reasoning", json!({ "effort": effort }));
            }
            ReasoningParameter::None => {}
        }
    }
    if let Some(temperature) = request.temperature
        && request.model.temperature
    {
        set("temperature", json!(temperature));
    }
    if let Some(key) = request.cache_key
        && quirks.prompt_cache_key
    {
        set("prompt_cache_key", json!(key));
    }
    set("stream", json!(true));
    // Without it, token counts are omitted.
    set("stream_options", json!({ "include_usage": true }));
    let lead = match request.system {
        "" => Vec::new(),
        system => vec![json!({ "role": "system", "content": system })],
    };
    Head { path: "/chat/completions".to_owned(), headers: Vec::new(), fields: body, list: "messages", lead }
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => Some(json!({ "type": "function", "function": { "name": name } })),
    }
}

/// Returns the form of call ids.
pub(super) fn spell_id(quirks: &Quirks) -> history::SpellId {
    if quirks.short_call_ids { history::short_id } else { history::plain_id }
}

/// Encodes turns.
pub(super) fn items(turns: &[Turn<'_>], quirks: &Quirks) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => messages.push(json!({ "role": "user", "content": content(parts) })),
            Turn::Developer(parts) => {
                // The templates of many local models fail on a system message that is not the first.
                let role = quirks.developer_role.as_deref().unwrap_or("user");
                messages.push(json!({ "role": role, "content": content(parts) }));
            }
            Turn::Assistant(blocks) => messages.push(assistant(blocks)),
            Turn::Results(outcomes) => push_results(outcomes, &mut messages),
        }
    }
    messages
}

/// A single text is sent as a string, because not every server accepts a list.
fn content(parts: &[Part<'_>]) -> Value {
    match parts {
        [Part::Text(text)] => json!(text),
        parts => parts.iter().map(part).collect(),
    }
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { data, mime_type } => image(data, mime_type),
    }
}

fn image(data: &str, mime_type: &str) -> Value {
    json!({ "type": "image_url", "image_url": { "url": format!("data:{mime_type};base64,{data}") } })
}

fn assistant(blocks: &[Block<'_>]) -> Value {
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut message = json!({ "role": "assistant", "content": null });
    for block in blocks {
        match block {
            Block::Text { text: words, .. } => text.push_str(words),
            Block::Thinking(thinking) => {
                // The signature names the field the thinking came in; if that was more than text, the signature is the
                // field itself.
                let signature = thinking.thinking_signature.as_deref().unwrap_or_default();
                if THINKING_FIELDS.contains(&signature) {
                    message[signature] = json!(thinking.thinking);
                } else if let Ok(details @ Value::Array(_)) = serde_json::from_str(signature) {
                    message["reasoning_details"] = details;
                }
            }
            Block::Call { id, call, .. } => calls.push(json!({
                "id": id,
                "type": "function",
                "function": { "name": call.name, "arguments": history::arguments_text(call) },
            })),
        }
    }
    if !text.is_empty() {
        message["content"] = json!(text);
    }
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    message
}

fn push_results(outcomes: &[Outcome<'_>], messages: &mut Vec<Value>) {
    let mut images = Vec::new();
    for outcome in outcomes {
        let before = images.len();
        images.extend(outcome.images().map(|(data, mime_type)| image(data, mime_type)));
        let text = match outcome.text_with_failure() {
            text if images.len() > before && text.is_empty() => IMAGES_FOLLOW.to_owned(),
            text if images.len() > before => format!("{text}\n{IMAGES_FOLLOW}"),
            text => text,
        };
        messages.push(json!({ "role": "tool", "tool_call_id": outcome.id, "content": text }));
    }
    if !images.is_empty() {
        images.insert(0, json!({ "type": "text", "text": IMAGES_ABOVE }));
        messages.push(json!({ "role": "user", "content": images }));
    }
}
