//! Encoder for OpenAI Responses. Nothing is stored at the provider: the whole conversation is sent each time, with
//! thinking in the provider's encrypted form.

use serde_json::{Map, Value, json};

use super::{
    Head,
    history::{self, Block, Outcome, Part, Turn},
    schema,
};
use crate::request::{Request, ThinkingLevel, ToolChoice};

pub(super) fn head(request: &Request<'_>) -> Head {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(request.model.id));
    if !request.system.is_empty() {
        set("instructions", json!(request.system));
    }
    set("input", Value::Null);
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                let mut entry =
                    json!({ "type": "function", "name": tool.name, "description": tool.description });
                // Moved: `json!` would copy the schema.
                entry["parameters"] = schema::parameters(tool);
                // The default is true.
                entry["strict"] = json!(schema::is_strict(tool));
                entry
            })
            .collect();
        set("tools", Value::Array(tools));
        if let Some(choice) = tool_choice(request.sendable_choice()) {
            set("tool_choice", choice);
        }
    }
    if let Some(max_tokens) = request.max_tokens {
        set("max_output_tokens", json!(max_tokens.min(request.model.max_output)));
    }
    let thinking = &request.model.thinking;
    if thinking.is_supported() {
        if let Some(effort) = thinking.effort(request.thinking) {
            let mut reasoning = json!({ "effort": effort });
            if request.thinking != ThinkingLevel::Off {
                reasoning["summary"] = json!("auto");
            }
            set("reasoning", reasoning);
        }
        set("include", json!(["reasoning.encrypted_content"]));
    }
    if let Some(temperature) = request.temperature
        && request.model.temperature
    {
        set("temperature", json!(temperature));
    }
    if let Some(key) = request.cache_key {
        set("prompt_cache_key", json!(key));
    }
    set("store", json!(false));
    set("stream", json!(true));
    Head { path: "/responses".to_owned(), headers: Vec::new(), fields: body, list: "input", lead: Vec::new() }
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("required")),
        ToolChoice::Tool(name) => Some(json!({ "type": "function", "name": name })),
    }
}

/// Encodes turns.
pub(super) fn items(turns: &[Turn<'_>]) -> Vec<Value> {
    let mut items = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => {
                items.push(json!({ "role": "user", "content": parts.iter().map(part).collect::<Vec<_>>() }));
            }
            Turn::Developer(parts) => {
                items.push(
                    json!({ "role": "developer", "content": parts.iter().map(part).collect::<Vec<_>>() }),
                );
            }
            Turn::Assistant(blocks) => items.extend(blocks.iter().map(block)),
            Turn::Results(outcomes) => items.extend(outcomes.iter().map(outcome)),
        }
    }
    items
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Image { data, mime_type } => json!({
            "type": "input_image",
            "detail": "auto",
            "image_url": format!("data:{mime_type};base64,{data}"),
        }),
    }
}

/// Item ids are omitted: they refer to stored items, and nothing is stored.
fn block(block: &Block<'_>) -> Value {
    match block {
        Block::Text { text, signature } => {
            let mut item = json!({
                "type": "message",
                "role": "assistant",
                "content": [{ "type": "output_text", "text": text }],
            });
            if let Some(phase) = signature {
                item["phase"] = json!(phase);
            }
            item
        }
        Block::Thinking(thinking) => {
            let summary: Vec<Value> = match thinking.thinking.as_str() {
                "" => Vec::new(),
                text => vec![json!({ "type": "summary_text", "text": text })],
            };
            json!({
                "type": "reasoning",
                "summary": summary,
                "encrypted_content": thinking.thinking_signature,
            })
        }
        Block::Call { id, call, .. } => json!({
            "type": "function_call",
            "call_id": id,
            "name": call.name,
            "arguments": history::arguments_text(call),
        }),
    }
}

fn outcome(outcome: &Outcome<'_>) -> Value {
    let output = if outcome.images().next().is_none() {
        json!(outcome.text_with_failure())
    } else {
        let mut parts: Vec<Value> = outcome.parts.iter().map(part).collect();
        if outcome.is_error {
            parts.insert(0, json!({ "type": "input_text", "text": "Error:" }));
        }
        Value::Array(parts)
    };
    json!({ "type": "function_call_output", "call_id": outcome.id, "output": output })
}
