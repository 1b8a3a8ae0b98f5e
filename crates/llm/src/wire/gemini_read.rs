//! Decoder for Google Gemini. Events contain parts; a block ends where a part of another kind follows.

use serde_json::Value;

use super::{Decoder, json, unnamed};
use crate::{
    classify::Said,
    error::{ErrorClass, LlmError},
    message::{StopReason, Usage},
    reply::{Reply, Slot},
    sse::SseEvent,
};

#[derive(Debug, Default)]
pub(super) struct GeminiDecoder {
    /// The block that is growing, and whether it is thinking.
    run: Option<(Slot, bool)>,
    next: Slot,
    stop: Option<StopReason>,
}

impl Decoder for GeminiDecoder {
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError> {
        let value = json::parse(event)?;
        if !value["error"].is_null() || value.is_array() {
            return Err(Said::from_json(None, &value).into_error());
        }
        reply.start();
        if value["usageMetadata"].is_object() {
            count(&value["usageMetadata"], reply);
        }
        let blocked = json::text(&value["promptFeedback"]["blockReason"]);
        if !blocked.is_empty() {
            return Err(LlmError::new(ErrorClass::Refused, format!("the prompt was blocked: {blocked}")));
        }
        let candidate = &value["candidates"][0];
        for part in json::items(&candidate["content"]["parts"]) {
            self.part(part, reply);
        }
        let reason = json::text(&candidate["finishReason"]);
        if !reason.is_empty() {
            self.end_run(reply);
            self.stop = Some(stop_reason(reason, json::text(&candidate["finishMessage"]))?);
        }
        Ok(())
    }

    /// Without `alt=sse` the stream is a list of the same objects.
    fn whole(&self, message: &Value) -> Option<Vec<SseEvent>> {
        let parts = match message {
            Value::Array(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let is_part = |part: &Value| part["candidates"].is_array() || part["promptFeedback"].is_object();
        parts.first().is_some_and(is_part).then(|| parts.iter().map(unnamed).collect())
    }

    fn end(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        // This format ends only with the connection, because counts may follow the stop reason.
        reply.finish_closed(self.stop)
    }
}

impl GeminiDecoder {
    fn part(&mut self, part: &Value, reply: &mut Reply) {
        let signature = json::text(&part["thoughtSignature"]);
        if let Some(call) = part["functionCall"].as_object() {
            self.end_run(reply);
            let slot = self.fresh();
            let field = |key: &str| call.get(key).cloned().unwrap_or_default();
            reply.call(slot, json::text(&field("id")), json::text(&field("name")));
            let arguments = field("args");
            if arguments.is_object() {
                reply.arguments(slot, &arguments.to_string());
            }
            sign(slot, signature, reply);
            reply.close(slot);
        } else if let Some(text) = part["text"].as_str() {
            let is_thinking = part["thought"].as_bool().unwrap_or_default();
            if text.is_empty() {
                // A bare signature belongs to the preceding part.
                if let Some((slot, _)) = self.run {
                    sign(slot, signature, reply);
                }
                return;
            }
            let slot = match self.run {
                Some((slot, thinking)) if thinking == is_thinking => slot,
                _ => {
                    self.end_run(reply);
                    let slot = self.fresh();
                    self.run = Some((slot, is_thinking));
                    slot
                }
            };
            if is_thinking {
                reply.thinking(slot, text);
            } else {
                reply.text(slot, text);
            }
            sign(slot, signature, reply);
        }
    }

    fn fresh(&mut self) -> Slot {
        self.next += 1;
        self.next
    }

    fn end_run(&mut self, reply: &mut Reply) {
        if let Some((slot, _)) = self.run.take() {
            reply.close(slot);
        }
    }
}

fn sign(slot: Slot, signature: &str, reply: &mut Reply) {
    if !signature.is_empty() {
        reply.sign(slot, signature);
    }
}

fn stop_reason(reason: &str, message: &str) -> Result<StopReason, LlmError> {
    let text = match message {
        "" => format!("the provider ended the response: {reason}"),
        message => format!("the provider ended the response: {reason}: {message}"),
    };
    match reason {
        "STOP" => Ok(StopReason::Stop),
        "MAX_TOKENS" => Ok(StopReason::Length),
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
        | "IMAGE_SAFETY" => Err(LlmError::new(ErrorClass::Refused, text)),
        // A malformed call usually succeeds on retry.
        _ => Err(LlmError::invalid(text)),
    }
}

fn count(usage: &Value, reply: &mut Reply) {
    let cache_read = json::count(&usage["cachedContentTokenCount"]);
    let input = json::count(&usage["promptTokenCount"]).saturating_sub(cache_read)
        + json::count(&usage["toolUsePromptTokenCount"]);
    let output = json::count(&usage["candidatesTokenCount"]) + json::count(&usage["thoughtsTokenCount"]);
    reply.set_usage(Usage::new(input, output, cache_read, 0));
}
