//! Decoder for Amazon Bedrock's Converse. The counts come after the stop reason, in the last event.

use serde_json::{Value, json};

use super::{Decoder, json};
use crate::{
    classify::Said,
    error::{ErrorClass, LlmError},
    event_stream::EXCEPTION,
    message::{StopReason, Usage},
    reply::Reply,
    sse::SseEvent,
};

#[derive(Debug, Default)]
pub(super) struct BedrockDecoder {
    stop: Option<StopReason>,
}

impl Decoder for BedrockDecoder {
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError> {
        let value = json::parse(event)?;
        if let Some(code) = event.name.strip_prefix(EXCEPTION) {
            return Err(Said { code: Some(code.to_owned()), ..Said::from_json(None, &value) }.into_error());
        }
        let slot = json::count(&value["contentBlockIndex"]);
        match event.name.as_str() {
            "messageStart" => reply.start(),
            "contentBlockStart" => {
                let call = &value["start"]["toolUse"];
                if call.is_object() {
                    reply.call(slot, json::text(&call["toolUseId"]), json::text(&call["name"]));
                }
            }
            "contentBlockDelta" => grow(slot, &value["delta"], reply),
            "contentBlockStop" => reply.close(slot),
            "messageStop" => self.stop = Some(stop_reason(json::text(&value["stopReason"]))?),
            "metadata" => {
                count(&value["usage"], reply);
                if let Some(reason) = self.stop {
                    reply.finish(reason);
                }
            }
            // Unknown events.
            _ => {}
        }
        Ok(())
    }

    fn whole(&self, message: &Value) -> Option<Vec<SseEvent>> {
        let content = message["output"]["message"]["content"].as_array()?;
        let event = |name: &str, data: Value| SseEvent { name: name.to_owned(), data: data.to_string() };
        let mut events = vec![event("messageStart", json!({}))];
        for (at, block) in content.iter().enumerate() {
            let mut push = |name: &str, mut data: Value| {
                data["contentBlockIndex"] = json!(at);
                events.push(event(name, data));
            };
            let thought = &block["reasoningContent"];
            if block["toolUse"].is_object() {
                push("contentBlockStart", json!({ "start": { "toolUse": block["toolUse"] } }));
                let input = block["toolUse"]["input"].to_string();
                push("contentBlockDelta", json!({ "delta": { "toolUse": { "input": input } } }));
            } else if thought.is_object() {
                let text = &thought["reasoningText"];
                for (key, value) in [
                    ("text", &text["text"]),
                    ("signature", &text["signature"]),
                    ("redactedContent", &thought["redactedContent"]),
                ] {
                    if !value.is_null() {
                        push("contentBlockDelta", json!({ "delta": { "reasoningContent": { key: value } } }));
                    }
                }
            } else {
                push("contentBlockDelta", json!({ "delta": { "text": block["text"] } }));
            }
            push("contentBlockStop", json!({}));
        }
        events.push(event("messageStop", json!({ "stopReason": message["stopReason"] })));
        events.push(event("metadata", json!({ "usage": message["usage"] })));
        Some(events)
    }

    fn end(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        // The stop reason arrived, so the message is complete, if without counts.
        reply.finish_closed(self.stop)
    }
}

fn grow(slot: u64, delta: &Value, reply: &mut Reply) {
    let thought = &delta["reasoningContent"];
    if let Some(text) = delta["text"].as_str() {
        reply.text(slot, text);
    } else if delta["toolUse"].is_object() {
        reply.arguments(slot, json::text(&delta["toolUse"]["input"]));
    } else if let Some(text) = thought["text"].as_str() {
        reply.thinking(slot, text);
    } else if let Some(signature) = thought["signature"].as_str() {
        // A signature without any text belongs to thinking that is withheld.
        reply.thinking(slot, "");
        reply.sign(slot, signature);
    } else if let Some(data) = thought["redactedContent"].as_str() {
        reply.redacted_thinking(slot, data);
    }
}

fn stop_reason(reason: &str) -> Result<StopReason, LlmError> {
    match reason {
        "tool_use" => Ok(StopReason::ToolUse),
        "max_tokens" | "model_context_window_exceeded" => Ok(StopReason::Length),
        "guardrail_intervened" | "content_filtered" => {
            Err(LlmError::new(ErrorClass::Refused, format!("the provider ended the response: {reason}")))
        }
        "malformed_tool_use" | "malformed_model_output" => {
            Err(LlmError::invalid(format!("the provider ended the response: {reason}")))
        }
        _ => Ok(StopReason::Stop),
    }
}

fn count(usage: &Value, reply: &mut Reply) {
    reply.set_usage(Usage::new(
        json::count(&usage["inputTokens"]),
        json::count(&usage["outputTokens"]),
        json::count(&usage["cacheReadInputTokens"]),
        json::count(&usage["cacheWriteInputTokens"]),
    ));
}
