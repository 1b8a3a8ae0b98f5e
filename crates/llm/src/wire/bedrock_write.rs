//! Encoder for Amazon Bedrock's Converse, which has one form for the models of all vendors.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    Head, anthropic_write,
    history::{self, Block, Part, Turn},
    schema,
};
use crate::{
    endpoint::escaped,
    message::Message,
    request::{Request, ThinkingLevel, ToolChoice},
    tool_names::wire_name,
};

/// `whole` is the same request with all messages of the conversation, also those that are encoded already.
pub(super) fn head(request: &Request<'_>, whole: &Request<'_>) -> Head {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    let caches = supports_caching(&request.model.id);
    set("messages", Value::Null);
    if !request.system.is_empty() {
        let mut system = vec![json!({ "text": request.system })];
        system.extend(caches.then(cache_point));
        set("system", Value::Array(system));
    }
    if let Some(tools) = tool_config(request, whole, caches) {
        set("toolConfig", tools);
    }
    let (inference, additional) = generation(request);
    if !inference.is_empty() {
        set("inferenceConfig", Value::Object(inference));
    }
    if !additional.is_empty() {
        set("additionalModelRequestFields", Value::Object(additional));
    }
    Head {
        path: format!("/model/{}/converse-stream", path_segment(&request.model.id)),
        headers: Vec::new(),
        fields: body,
        list: "messages",
        lead: Vec::new(),
    }
}

/// Returns the limits, and the fields that only the model's vendor knows.
fn generation(request: &Request<'_>) -> (Map<String, Value>, Map<String, Value>) {
    let (mut inference, mut additional) = (Map::new(), Map::new());
    let mut is_thinking = false;
    if request.model.id.contains("anthropic.") {
        let max_tokens = anthropic_write::max_tokens(request);
        is_thinking = anthropic_write::think(request, max_tokens, &mut additional);
        let max_tokens = additional.remove("max_tokens").unwrap_or_else(|| json!(max_tokens));
        inference.insert("maxTokens".to_owned(), max_tokens);
    } else {
        if let Some(max_tokens) = request.max_tokens {
            inference.insert("maxTokens".to_owned(), json!(max_tokens.min(request.model.max_output)));
        }
        if request.thinking != ThinkingLevel::Off
            && let Some(effort) = request.model.thinking.effort(request.thinking)
        {
            additional.insert("reasoning_effort".to_owned(), json!(effort));
        }
    }
    if let Some(temperature) = request.temperature
        && request.model.temperature
        && !is_thinking
    {
        inference.insert("temperature".to_owned(), json!(temperature));
    }
    (inference, additional)
}

/// Returns the tools. A conversation with calls is rejected without them, so tools that are gone get a placeholder then.
fn tool_config(request: &Request<'_>, whole: &Request<'_>, caches: bool) -> Option<Value> {
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({ "toolSpec": {
                "name": tool.name,
                // An empty one is rejected.
                "description": if tool.description.trim().is_empty() { &tool.name } else { &tool.description },
                "inputSchema": { "json": schema::parameters(tool) },
            } })
        })
        .collect();
    if tools.is_empty() {
        tools.extend(called(whole).into_iter().map(|name| {
            json!({ "toolSpec": {
                "name": name, "description": "Not available any more", "inputSchema": { "json": { "type": "object" } },
            } })
        }));
    }
    if tools.is_empty() {
        return None;
    }
    tools.extend(caches.then(cache_point));
    let mut config = json!({ "tools": tools });
    let choice = match request.sendable_choice() {
        // There is no way to forbid calls while the conversation has some.
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => Some(json!({ "any": {} })),
        ToolChoice::Tool(name) => Some(json!({ "tool": { "name": name } })),
    };
    if let Some(choice) = choice.filter(|_| !request.tools.is_empty()) {
        config["toolChoice"] = choice;
    }
    Some(config)
}

/// Returns the names of the tools that the conversation has calls of.
fn called<'a>(request: &Request<'a>) -> Vec<Cow<'a, str>> {
    let mut names = Vec::new();
    for message in &request.messages {
        let Message::Assistant(said) = *message else { continue };
        for call in said.tool_calls() {
            let name = wire_name(&call.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Encodes turns.
pub(super) fn items(turns: &[Turn<'_>]) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::with_capacity(turns.len());
    for turn in turns {
        let (role, content): (&str, Vec<Value>) = match turn {
            Turn::User(parts) | Turn::Developer(parts) => ("user", parts.iter().map(part).collect()),
            Turn::Assistant(blocks) => ("assistant", blocks.iter().map(block).collect()),
            Turn::Results(outcomes) => ("user", outcomes.iter().map(outcome).collect()),
        };
        match messages.last_mut().filter(|last| last["role"] == role).map(|last| &mut last["content"]) {
            Some(Value::Array(existing)) => existing.extend(content),
            _ => messages.push(json!({ "role": role, "content": content })),
        }
    }
    messages
}

/// Marks the end of the conversation.
pub(super) fn mark_end(messages: &mut [Value], request: &Request<'_>) {
    if supports_caching(&request.model.id)
        && let Some(last) = messages.last_mut().filter(|last| last["role"] == "user")
        && let Some(content) = last["content"].as_array_mut()
    {
        // Everything up to here is read from the cache next time.
        content.push(cache_point());
    }
}

fn cache_point() -> Value {
    json!({ "cachePoint": { "type": "default" } })
}

/// Other models reject cache points.
fn supports_caching(id: &str) -> bool {
    id.contains("anthropic.claude") || id.contains("amazon.nova")
}

fn part(part: &Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image { data, mime_type } => {
            let format = match mime_type.strip_prefix("image/").unwrap_or(mime_type) {
                "jpg" => "jpeg",
                format => format,
            };
            json!({ "image": { "format": format, "source": { "bytes": data } } })
        }
    }
}

fn block(block: &Block<'_>) -> Value {
    match block {
        Block::Text { text, .. } => json!({ "text": text }),
        Block::Thinking(thinking) if thinking.redacted => {
            json!({ "reasoningContent": { "redactedContent": thinking.thinking_signature } })
        }
        Block::Thinking(thinking) => json!({ "reasoningContent": { "reasoningText": {
            "text": thinking.thinking, "signature": thinking.thinking_signature,
        } } }),
        Block::Call { id, call, .. } => json!({ "toolUse": {
            "toolUseId": id, "name": call.name, "input": history::arguments_object(call),
        } }),
    }
}

fn outcome(outcome: &history::Outcome<'_>) -> Value {
    json!({ "toolResult": {
        "toolUseId": outcome.id,
        "content": outcome.parts.iter().map(part).collect::<Vec<_>>(),
        "status": if outcome.is_error { "error" } else { "success" },
    } })
}

/// Returns the model's id or ARN as one segment of the path.
fn path_segment(id: &str) -> String {
    escaped(id, b"~")
}
