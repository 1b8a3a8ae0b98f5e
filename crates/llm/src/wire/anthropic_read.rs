//! Decoder for Anthropic Messages.

use serde_json::{Value, json};

use super::{Decoder, json, unnamed};
use crate::{
    classify::Said,
    error::{ErrorClass, LlmError},
    message::{StopReason, Usage},
    reply::Reply,
    sse::SseEvent,
};

#[derive(Debug, Default)]
pub(super) struct AnthropicDecoder {
    usage: Usage,
    stop: Option<StopReason>,
}

impl Decoder for AnthropicDecoder {
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError> {
        let value = json::parse(event)?;
        let slot = json::count(&value["index"]);
        match json::text(&value["type"]) {
            "message_start" => {
                reply.start();
                self.count(&value["message"]["usage"], reply);
            }
            "content_block_start" => open(slot, &value["content_block"], reply),
            "content_block_delta" => grow(slot, &value["delta"], reply),
            "content_block_stop" => reply.close(slot),
            "message_delta" => {
                self.count(&value["usage"], reply);
                self.stop = stop_reason(&value["delta"])?.or(self.stop);
            }
            "message_stop" => reply.finish(self.stop.unwrap_or(StopReason::Stop)),
            "error" => return Err(Said::from_json(None, &value).into_error()),
            // Pings and unknown events.
            _ => {}
        }
        Ok(())
    }

    fn whole(&self, message: &Value) -> Option<Vec<SseEvent>> {
        let content = message["content"].as_array()?;
        let mut events =
            vec![unnamed(&json!({ "type": "message_start", "message": { "usage": message["usage"] } }))];
        for (index, block) in content.iter().enumerate() {
            events.push(unnamed(
                &json!({ "type": "content_block_start", "index": index, "content_block": block }),
            ));
            events.push(unnamed(&json!({ "type": "content_block_stop", "index": index })));
        }
        events.push(unnamed(&json!({ "type": "message_delta", "delta": message })));
        events.push(unnamed(&json!({ "type": "message_stop" })));
        Some(events)
    }

    fn end(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        // The stop reason arrived, so the message is complete; some servers send nothing after it.
        reply.finish_closed(self.stop)
    }
}

impl AnthropicDecoder {
    /// Counts are running totals; later events omit unchanged ones.
    fn count(&mut self, usage: &Value, reply: &mut Reply) {
        let read = |key: &str, before: u64| match &usage[key] {
            Value::Null => before,
            value => json::count(value),
        };
        self.usage = Usage::new(
            read("input_tokens", self.usage.input),
            read("output_tokens", self.usage.output),
            read("cache_read_input_tokens", self.usage.cache_read),
            read("cache_creation_input_tokens", self.usage.cache_write),
        );
        reply.set_usage(self.usage);
    }
}

fn open(slot: u64, block: &Value, reply: &mut Reply) {
    match json::text(&block["type"]) {
        "text" => reply.text(slot, json::text(&block["text"])),
        "thinking" => {
            reply.thinking(slot, json::text(&block["thinking"]));
            sign(slot, &block["signature"], reply);
        }
        "redacted_thinking" => reply.redacted_thinking(slot, json::text(&block["data"])),
        "tool_use" => {
            reply.call(slot, json::text(&block["id"]), json::text(&block["name"]));
            // Compatible servers that do not stream arguments put them here.
            if block["input"].as_object().is_some_and(|input| !input.is_empty()) {
                reply.arguments(slot, &block["input"].to_string());
            }
        }
        _ => {}
    }
}

fn grow(slot: u64, delta: &Value, reply: &mut Reply) {
    match json::text(&delta["type"]) {
        "text_delta" => reply.text(slot, json::text(&delta["text"])),
        "thinking_delta" => reply.thinking(slot, json::text(&delta["thinking"])),
        "signature_delta" => sign(slot, &delta["signature"], reply),
        "input_json_delta" => reply.arguments(slot, json::text(&delta["partial_json"])),
        _ => {}
    }
}

fn sign(slot: u64, signature: &Value, reply: &mut Reply) {
    let signature = json::text(signature);
    if !signature.is_empty() {
        reply.sign(slot, signature);
    }
}

fn stop_reason(delta: &Value) -> Result<Option<StopReason>, LlmError> {
    Ok(match json::text(&delta["stop_reason"]) {
        "" => None,
        "tool_use" => Some(StopReason::ToolUse),
        "max_tokens" | "model_context_window_exceeded" => Some(StopReason::Length),
        "refusal" => {
            let text = match json::text(&delta["stop_details"]["explanation"]) {
                "" => "the model declined to answer",
                explanation => explanation,
            };
            return Err(LlmError::new(ErrorClass::Refused, text));
        }
        _ => Some(StopReason::Stop),
    })
}
