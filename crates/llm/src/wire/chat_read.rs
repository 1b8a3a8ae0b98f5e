//! Decoder for OpenAI Chat Completions. Servers differ in where they put thinking, whether they number calls, and how
//! they end; all variants are accepted.

use serde_json::{Map, Value, json};

use super::{Decoder, json, unnamed};
use crate::{
    classify::Said,
    error::{ErrorClass, LlmError},
    message::{StopReason, Usage},
    reply::{Reply, Slot},
    sse::SseEvent,
};

/// Fields in which servers put thinking; the first one present is used.
pub(super) const THINKING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];
/// First slot of calls; text and thinking are numbered from zero.
const CALLS: Slot = 1 << 32;

#[derive(Debug, Default)]
pub(super) struct ChatDecoder {
    /// The text or thinking block that is growing: this format does not mark block ends.
    run: Option<(Slot, Run)>,
    next_run: Slot,
    calls: Vec<OpenCall>,
    /// Signed thinking as passed on by gateways; it is sent back unchanged.
    details: Vec<Map<String, Value>>,
    stop: Option<StopReason>,
}

/// A call as the server identifies it.
#[derive(Debug)]
struct OpenCall {
    index: Option<u64>,
    id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    Text,
    Thinking,
}

impl Decoder for ChatDecoder {
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError> {
        if event.data == "[DONE]" {
            reply.finish(self.stop.unwrap_or(StopReason::Stop));
            return Ok(());
        }
        let value = json::parse(event)?;
        if !value["error"].is_null() {
            return Err(Said::from_json(None, &value).into_error());
        }
        reply.start();
        for choice in json::items(&value["choices"]).iter().take(1) {
            self.delta(&choice["delta"], reply);
            if let Some(reason) = choice["finish_reason"].as_str() {
                self.end_run(reply);
                reply.close_all();
                self.stop = Some(stop_reason(reason, &choice["error"])?);
            }
        }
        let usage = [&value["usage"], &value["x_groq"]["usage"]].into_iter().find(|usage| usage.is_object());
        if let Some(usage) = usage {
            count(usage, reply);
        }
        Ok(())
    }

    fn whole(&self, message: &Value) -> Option<Vec<SseEvent>> {
        let choice = message["choices"].as_array()?.first()?;
        let delta = choice["message"].as_object()?;
        let reason = choice["finish_reason"].as_str().unwrap_or("stop");
        let chunk = json!({
            "choices": [{ "delta": delta, "finish_reason": reason, "error": choice["error"] }],
            "usage": message["usage"],
        });
        Some(vec![unnamed(&chunk), SseEvent { name: String::new(), data: "[DONE]".to_owned() }])
    }

    fn end(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        // Servers often omit the closing mark, but not the reason.
        reply.finish_closed(self.stop)
    }
}

impl ChatDecoder {
    fn delta(&mut self, delta: &Value, reply: &mut Reply) {
        let thinking =
            THINKING_FIELDS.iter().find(|field| delta[**field].as_str().is_some_and(|text| !text.is_empty()));
        for detail in json::items(&delta["reasoning_details"]) {
            self.keep_detail(detail);
        }
        if let Some(field) = thinking {
            self.grow(Run::Thinking, json::text(&delta[*field]), reply);
            self.sign_thinking(field, reply);
        } else if !json::items(&delta["reasoning_details"]).is_empty() {
            // Encrypted thinking has no text, but must be sent back.
            let words: String = json::items(&delta["reasoning_details"])
                .iter()
                .map(|detail| match &detail["summary"] {
                    Value::Null => json::text(&detail["text"]),
                    summary => json::text(summary),
                })
                .collect();
            self.grow(Run::Thinking, &words, reply);
            self.sign_thinking("reasoning", reply);
        }
        match &delta["content"] {
            Value::String(text) => self.grow_if_any(Run::Text, text, reply),
            Value::Array(parts) => {
                for part in parts {
                    match json::text(&part["type"]) {
                        // Mistral's form of thinking.
                        "thinking" => {
                            let words: String = json::items(&part["thinking"])
                                .iter()
                                .map(|piece| json::text(&piece["text"]))
                                .collect();
                            self.grow_if_any(Run::Thinking, &words, reply);
                        }
                        _ => self.grow_if_any(Run::Text, json::text(&part["text"]), reply),
                    }
                }
            }
            _ => {}
        }
        self.grow_if_any(Run::Text, json::text(&delta["refusal"]), reply);
        for piece in json::items(&delta["tool_calls"]) {
            self.call(piece, reply);
        }
    }

    fn grow_if_any(&mut self, run: Run, text: &str, reply: &mut Reply) {
        if !text.is_empty() {
            self.grow(run, text, reply);
        }
    }

    fn grow(&mut self, run: Run, text: &str, reply: &mut Reply) {
        let slot = match self.run {
            Some((slot, current)) if current == run => slot,
            _ => {
                self.end_run(reply);
                let slot = self.next_run;
                self.next_run += 1;
                self.run = Some((slot, run));
                slot
            }
        };
        match run {
            Run::Text => reply.text(slot, text),
            Run::Thinking => reply.thinking(slot, text),
        }
    }

    fn end_run(&mut self, reply: &mut Reply) {
        if let Some((slot, _)) = self.run.take() {
            reply.close(slot);
        }
    }

    fn sign_thinking(&self, field: &str, reply: &mut Reply) {
        let Some((slot, Run::Thinking)) = self.run else {
            return;
        };
        if self.details.is_empty() {
            reply.sign(slot, field);
        } else {
            let details = self.details.iter().cloned().map(Value::Object).collect();
            reply.sign(slot, &Value::Array(details).to_string());
        }
    }

    /// Merges the pieces of one detail: growing fields are joined, others replaced.
    fn keep_detail(&mut self, detail: &Value) {
        let Some(detail) = detail.as_object() else { return };
        let same = |kept: &&mut Map<String, Value>| {
            kept.get("index") == detail.get("index") && kept.get("type") == detail.get("type")
        };
        let Some(kept) = self.details.last_mut().filter(same) else {
            self.details.push(detail.clone());
            return;
        };
        for (key, value) in detail {
            match (kept.get_mut(key), value) {
                (Some(Value::String(before)), Value::String(more))
                    if matches!(key.as_str(), "text" | "summary" | "data") =>
                {
                    before.push_str(more);
                }
                (_, Value::Null) => {}
                _ => {
                    kept.insert(key.clone(), value.clone());
                }
            }
        }
    }

    fn call(&mut self, piece: &Value, reply: &mut Reply) {
        let index = piece["index"].as_u64();
        let id = json::text(&piece["id"]);
        let name = json::text(&piece["function"]["name"]);
        let at = match self.find_call(index, id, name) {
            Some(at) => at,
            None if name.is_empty() => return,
            None => {
                self.end_run(reply);
                self.calls.push(OpenCall { index, id: id.to_owned() });
                let at = self.calls.len() - 1;
                reply.call(CALLS | at as Slot, id, name);
                at
            }
        };
        let slot = CALLS | at as Slot;
        match &piece["function"]["arguments"] {
            Value::String(text) => reply.arguments(slot, text),
            Value::Null => {}
            // Some servers send the value instead of its text.
            whole => reply.arguments(slot, &whole.to_string()),
        }
    }

    /// Finds the call a piece belongs to. Indexes and ids can both be missing or wrong: some servers number every call
    /// zero, some omit the index, some repeat name and id in every piece.
    fn find_call(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let at = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index)?,
            None if !id.is_empty() => self.calls.iter().rposition(|call| call.id == id)?,
            None if !name.is_empty() => return None,
            None => self.calls.len().checked_sub(1)?,
        };
        let begins_another = !id.is_empty() && !name.is_empty() && self.calls[at].id != id;
        (!begins_another).then_some(at)
    }
}

fn stop_reason(reason: &str, error: &Value) -> Result<StopReason, LlmError> {
    match reason {
        "length" | "model_length" => Ok(StopReason::Length),
        "tool_calls" | "function_call" => Ok(StopReason::ToolUse),
        "content_filter" => Err(LlmError::new(ErrorClass::Refused, "the provider filtered the response")),
        "error" if error.is_object() => Err(Said::from_json(None, error).into_error()),
        "error" => Err(LlmError::new(ErrorClass::Server, "the provider ended the response with an error")),
        _ => Ok(StopReason::Stop),
    }
}

fn count(usage: &Value, reply: &mut Reply) {
    let details = &usage["prompt_tokens_details"];
    // DeepSeek uses its own field name.
    let cache_read =
        json::count(&details["cached_tokens"]).max(json::count(&usage["prompt_cache_hit_tokens"]));
    let cache_write = json::count(&details["cache_write_tokens"]);
    let input = json::count(&usage["prompt_tokens"]).saturating_sub(cache_read).saturating_sub(cache_write);
    reply.set_usage(Usage::new(input, json::count(&usage["completion_tokens"]), cache_read, cache_write));
}
