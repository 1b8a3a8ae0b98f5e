//! Encoder for Anthropic Messages, also at Vertex AI.

use serde_json::{Map, Value, json};

use super::{
    Head,
    gemini_write::path_segment,
    history::{self, Block, Part, Turn},
    schema,
};
use crate::{
    config::Quirks,
    request::{Request, ThinkingLevel, ToolChoice},
};

const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");
/// Default output limit, because the format requires one.
const DEFAULT_MAX_TOKENS: u64 = 32_000;
/// Output tokens reserved beside a thinking budget.
const ANSWER_TOKENS: u64 = 8192;

pub(super) fn head(request: &Request<'_>, quirks: &Quirks) -> Head {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model.id));
    if !request.system.is_empty() {
        // The prefix up to here, including tools, is the same on every turn.
        body.insert(
            "system".to_owned(),
            json!([{ "type": "text", "text": request.system, "cache_control": { "type": "ephemeral" } }]),
        );
    }
    body.insert("messages".to_owned(), Value::Null);
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request, quirks));
        if let Some(choice) = tool_choice(request.sendable_choice()) {
            body.insert("tool_choice".to_owned(), choice);
        }
    }
    let is_thinking = think(request, max_tokens(request), &mut body);
    if let Some(temperature) = request.temperature
        && request.model.temperature
        && !is_thinking
    {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    body.insert("stream".to_owned(), json!(true));
    Head {
        path: "/messages".to_owned(),
        headers: vec![VERSION],
        fields: body,
        list: "messages",
        lead: Vec::new(),
    }
}

/// Returns the output limit.
pub(super) fn max_tokens(request: &Request<'_>) -> u64 {
    request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS).min(request.model.max_output)
}

/// Sets the thinking budget and the output limit, which depend on each other.
pub(super) fn think(request: &Request<'_>, max_tokens: u64, body: &mut Map<String, Value>) -> bool {
    let thinking = &request.model.thinking;
    let level = request.thinking;
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    // A forced call and thinking exclude each other in this format.
    let forced = request.sendable_choice().is_forced();
    if forced || level == ThinkingLevel::Off || !thinking.is_supported() {
        set("max_tokens", json!(max_tokens));
        if let Some(off) = &thinking.off {
            set("thinking", json!({ "type": off }));
        } else if thinking.adaptive
            && let Some(effort) = thinking.effort(level)
        {
            // Thinking cannot be disabled; this is the minimum.
            set("output_config", json!({ "effort": effort }));
        }
        return false;
    }
    if thinking.adaptive {
        set("max_tokens", json!(max_tokens));
        // Newer models omit their thinking unless requested.
        set("thinking", json!({ "type": "adaptive", "display": "summarized" }));
        if let Some(effort) = thinking.effort(level) {
            set("output_config", json!({ "effort": effort }));
        }
        return true;
    }
    let Some(budget) = thinking.budget_for(level) else {
        set("max_tokens", json!(max_tokens));
        return false;
    };
    // The budget counts as output and must be below the output limit.
    let max_tokens = max_tokens.max((budget + ANSWER_TOKENS).min(request.model.max_output));
    let budget = budget.min(max_tokens.saturating_sub(ANSWER_TOKENS.min(max_tokens / 2)));
    set("max_tokens", json!(max_tokens));
    set("thinking", json!({ "type": "enabled", "budget_tokens": budget }));
    true
}

fn tools(request: &Request<'_>, quirks: &Quirks) -> Value {
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            let mut entry = json!({ "name": tool.name, "description": tool.description });
            // Moved: `json!` would copy the schema.
            entry["input_schema"] = schema::parameters(tool);
            if schema::is_strict(tool) {
                entry["strict"] = json!(true);
            }
            if quirks.eager_tool_input {
                // Without it, long arguments arrive in one piece at the end.
                entry["eager_input_streaming"] = json!(true);
            }
            entry
        })
        .collect();
    if request.system.is_empty()
        && let Some(last) = tools.last_mut()
    {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    Value::Array(tools)
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!({ "type": "none" })),
        ToolChoice::Required => Some(json!({ "type": "any" })),
        ToolChoice::Tool(name) => Some(json!({ "type": "tool", "name": name })),
    }
}

/// Encodes turns. `is_start` is set if nothing comes before them.
pub(super) fn items(turns: &[Turn<'_>], request: &Request<'_>, is_start: bool) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::with_capacity(turns.len());
    for turn in turns {
        let (role, content) = match turn {
            Turn::User(parts) => ("user", parts.iter().map(part).collect()),
            // A conversation cannot start with one.
            Turn::Developer(parts) if request.model.inline_system && !(is_start && messages.is_empty()) => {
                ("system", parts.iter().map(part).collect())
            }
            Turn::Developer(parts) => ("user", parts.iter().map(part).collect()),
            Turn::Assistant(blocks) => ("assistant", blocks.iter().map(block).collect()),
            Turn::Results(outcomes) => ("user", outcomes.iter().map(outcome).collect()),
        };
        append(&mut messages, role, content);
    }
    messages
}

/// Marks the end of the conversation.
pub(super) fn mark_end(messages: &mut [Value]) {
    if let Some(last) = messages
        .last_mut()
        .and_then(|message| message["content"].as_array_mut())
        .and_then(|content| content.last_mut())
        .filter(|block| !matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking")))
    {
        // Everything up to here is read from the cache next time.
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
}

/// Adds a message, or extends the previous one if it has the same role.
fn append(messages: &mut Vec<Value>, role: &str, content: Vec<Value>) {
    if let Some(last) = messages.last_mut()
        && last["role"] == role
        && let Some(existing) = last["content"].as_array_mut()
    {
        existing.extend(content);
        return;
    }
    messages.push(json!({ "role": role, "content": content }));
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { data, mime_type } => json!({
            "type": "image",
            "source": { "type": "base64", "media_type": mime_type, "data": data },
        }),
    }
}

fn block(block: &Block<'_>) -> Value {
    match block {
        Block::Text { text, .. } => json!({ "type": "text", "text": text }),
        Block::Thinking(thinking) if thinking.redacted => {
            json!({ "type": "redacted_thinking", "data": thinking.thinking_signature })
        }
        Block::Thinking(thinking) => json!({
            "type": "thinking",
            "thinking": thinking.thinking,
            "signature": thinking.thinking_signature,
        }),
        Block::Call { id, call, .. } => json!({
            "type": "tool_use",
            "id": id,
            "name": call.name,
            "input": history::arguments_object(call),
        }),
    }
}

fn outcome(outcome: &history::Outcome<'_>) -> Value {
    let mut entry = json!({
        "type": "tool_result",
        "tool_use_id": outcome.id,
        "content": outcome.parts.iter().map(part).collect::<Vec<_>>(),
    });
    if outcome.is_error {
        entry["is_error"] = json!(true);
    }
    entry
}

/// At Vertex AI the version is part of the body.
const VERTEX_VERSION: &str = "vertex-2023-10-16";

/// The request at Vertex AI, where the model is part of the path.
pub(super) fn vertex_head(request: &Request<'_>) -> Head {
    let mut head = head(request, &Quirks::default());
    head.fields.shift_remove("model");
    head.fields.insert("anthropic_version".to_owned(), json!(VERTEX_VERSION));
    head.path = format!("/models/{}:streamRawPredict", path_segment(&request.model.id));
    head.headers.clear();
    head
}
