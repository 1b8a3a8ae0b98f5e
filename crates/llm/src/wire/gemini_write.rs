//! Encoder for Google Gemini. The key is sent in a header, never in the URL.

use serde_json::{Map, Value, json};

use super::{
    Head,
    history::{self, Block, Outcome, Part, Turn},
    schema,
};
use crate::{
    endpoint::escaped,
    request::{Request, ThinkingLevel, ToolChoice},
};

/// Google's placeholder for a call by another model, which has no signature.
const UNSIGNED: &str = "skip_thought_signature_validator";

pub(super) fn head(request: &Request<'_>) -> Head {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    if !request.system.is_empty() {
        set("systemInstruction", json!({ "parts": [{ "text": request.system }] }));
    }
    set("contents", Value::Null);
    if !request.tools.is_empty() {
        let declarations: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                let mut entry = json!({ "name": tool.name, "description": tool.description });
                // Moved: `json!` would copy the schema.
                entry["parametersJsonSchema"] = schema::parameters(tool);
                entry
            })
            .collect();
        set("tools", json!([{ "functionDeclarations": declarations }]));
        if let Some(config) = tool_choice(request.sendable_choice()) {
            set("toolConfig", json!({ "functionCallingConfig": config }));
        }
    }
    let generation = generation(request);
    if !generation.is_empty() {
        set("generationConfig", Value::Object(generation));
    }
    Head {
        path: format!("/models/{}:streamGenerateContent?alt=sse", path_segment(&request.model.id)),
        headers: Vec::new(),
        fields: body,
        list: "contents",
        lead: Vec::new(),
    }
}

fn generation(request: &Request<'_>) -> Map<String, Value> {
    let mut config = Map::new();
    if let Some(max_tokens) = request.max_tokens {
        config.insert("maxOutputTokens".to_owned(), json!(max_tokens.min(request.model.max_output)));
    }
    if let Some(temperature) = request.temperature
        && request.model.temperature
    {
        config.insert("temperature".to_owned(), json!(temperature));
    }
    let model = &request.model.thinking;
    let mut thinking = Map::new();
    if request.thinking != ThinkingLevel::Off && model.is_supported() {
        thinking.insert("includeThoughts".to_owned(), json!(true));
    }
    if let Some(effort) = model.effort(request.thinking) {
        thinking.insert("thinkingLevel".to_owned(), json!(effort));
    } else if let Some(budget) = model.budget_for(request.thinking) {
        thinking.insert("thinkingBudget".to_owned(), json!(budget));
    }
    if !thinking.is_empty() {
        config.insert("thinkingConfig".to_owned(), Value::Object(thinking));
    }
    config
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!({ "mode": "NONE" })),
        ToolChoice::Required => Some(json!({ "mode": "ANY" })),
        ToolChoice::Tool(name) => Some(json!({ "mode": "ANY", "allowedFunctionNames": [name] })),
    }
}

/// Encodes turns.
pub(super) fn items(turns: &[Turn<'_>], request: &Request<'_>) -> Vec<Value> {
    let is_newer = is_third_or_newer(&request.model.id);
    let mut contents: Vec<Value> = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) | Turn::Developer(parts) => {
                append(&mut contents, "user", parts.iter().map(part).collect());
            }
            Turn::Assistant(blocks) => append(&mut contents, "model", assistant(blocks, is_newer)),
            Turn::Results(outcomes) => {
                let parts = outcomes.iter().map(|outcome| result(outcome, is_newer)).collect();
                append(&mut contents, "user", parts);
                if !is_newer {
                    // Older models accept images only in a user turn.
                    let images: Vec<Value> = outcomes
                        .iter()
                        .flat_map(Outcome::images)
                        .map(|(data, mime_type)| image(data, mime_type))
                        .collect();
                    if !images.is_empty() {
                        contents.push(json!({ "role": "user", "parts": images }));
                    }
                }
            }
        }
    }
    contents
}

/// Adds a turn, or extends the previous one if it has the same role and neither contains results, which must be
/// separate.
fn append(contents: &mut Vec<Value>, role: &str, parts: Vec<Value>) {
    let has_results = |parts: &[Value]| parts.iter().any(|part| !part["functionResponse"].is_null());
    if let Some(last) = contents.last_mut()
        && last["role"] == role
        && let Some(existing) = last["parts"].as_array_mut()
        && !has_results(existing)
        && !has_results(&parts)
    {
        existing.extend(parts);
        return;
    }
    contents.push(json!({ "role": role, "parts": parts }));
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image { data, mime_type } => image(data, mime_type),
    }
}

fn image(data: &str, mime_type: &str) -> Value {
    json!({ "inlineData": { "mimeType": mime_type, "data": data } })
}

fn assistant(blocks: &[Block<'_>], is_newer: bool) -> Vec<Value> {
    // If the first of several calls is signed, the others need no signature.
    let is_signed = blocks.iter().any(|block| matches!(block, Block::Call { signature: Some(_), .. }));
    blocks
        .iter()
        .map(|block| {
            let (mut part, signature) = match block {
                Block::Text { text, signature } => (json!({ "text": text }), *signature),
                Block::Thinking(thinking) => (
                    json!({ "text": thinking.thinking, "thought": true }),
                    thinking.thinking_signature.as_deref(),
                ),
                Block::Call { id, call, signature } => {
                    let mut function = json!({ "name": call.name, "args": history::arguments_object(call) });
                    if is_newer {
                        function["id"] = json!(id);
                    }
                    let signature = signature.or((is_newer && !is_signed).then_some(UNSIGNED));
                    (json!({ "functionCall": function }), signature)
                }
            };
            if let Some(signature) = signature {
                part["thoughtSignature"] = json!(signature);
            }
            part
        })
        .collect()
}

fn result(outcome: &Outcome<'_>, is_newer: bool) -> Value {
    let key = if outcome.is_error { "error" } else { "output" };
    let text = match outcome.text() {
        text if text.is_empty() => "(see the image)".to_owned(),
        text => text,
    };
    let mut response = json!({ "name": outcome.name, "response": { key: text } });
    if is_newer {
        response["id"] = json!(outcome.id);
        let images: Vec<Value> = outcome.images().map(|(data, mime_type)| image(data, mime_type)).collect();
        if !images.is_empty() {
            response["parts"] = Value::Array(images);
        }
    }
    json!({ "functionResponse": response })
}

/// From the third generation on, calls have ids and signatures, and results can contain images.
fn is_third_or_newer(model: &str) -> bool {
    model.rsplit('/').next().and_then(|name| name.strip_prefix("gemini-")).is_some_and(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        // Names such as `gemini-flash-latest` refer to the newest.
        digits.parse::<u32>().map_or(true, |major| major >= 3)
    })
}

/// Returns the model's id if it cannot change the path.
pub(super) fn path_segment(id: &str) -> String {
    let id = id.strip_prefix("models/").unwrap_or(id);
    escaped(id, b"@")
}

#[cfg(test)]
#[path = "gemini_write_tests.rs"]
mod tests;
