//! Decoder for OpenAI Responses.

use serde_json::{Value, json};

use super::{Decoder, json, unnamed};
use crate::{
    classify::Said,
    error::{ErrorClass, LlmError},
    message::{AssistantBlock, StopReason, Usage},
    reply::{Reply, Slot},
    sse::SseEvent,
};

/// Separator between the parts of a summary.
const PART_BREAK: &str = "\n\n";

#[derive(Debug, Default)]
pub(super) struct ResponsesDecoder;

impl Decoder for ResponsesDecoder {
    fn event(&mut self, event: &SseEvent, reply: &mut Reply) -> Result<(), LlmError> {
        if event.data == "[DONE]" {
            return Ok(());
        }
        let value = json::parse(event)?;
        let output = json::count(&value["output_index"]);
        let delta = json::text(&value["delta"]);
        match json::text(&value["type"]) {
            "response.created" | "response.in_progress" => reply.start(),
            "response.output_item.added" => open(output, &value["item"], reply),
            "response.output_text.delta" | "response.refusal.delta" => {
                reply.text(part_slot(output, &value), delta);
            }
            "response.reasoning_summary_part.added" if json::count(&value["summary_index"]) > 0 => {
                reply.thinking(item_slot(output), PART_BREAK);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                reply.thinking(item_slot(output), delta);
            }
            "response.function_call_arguments.delta" => reply.arguments(item_slot(output), delta),
            "response.output_item.done" => close(output, &value["item"], reply),
            "response.completed" | "response.incomplete" => {
                return finish(&value["response"], reply);
            }
            "response.failed" => {
                return Err(Said::from_json(None, &value["response"]).into_error());
            }
            "error" => return Err(Said::from_json(None, &value).into_error()),
            // Redundant events, and unknown ones.
            _ => {}
        }
        Ok(())
    }

    fn whole(&self, message: &Value) -> Option<Vec<SseEvent>> {
        let output = message["output"].as_array()?;
        let mut events = vec![unnamed(&json!({ "type": "response.created" }))];
        events.extend(output.iter().enumerate().map(|(index, item)| {
            unnamed(&json!({ "type": "response.output_item.done", "output_index": index, "item": item }))
        }));
        let end = match json::text(&message["status"]) {
            "failed" => "response.failed",
            _ => "response.completed",
        };
        events.push(unnamed(&json!({ "type": end, "response": message })));
        Some(events)
    }
}

/// An output item is one block, but a message item has one block per part, distinguished by the low bits.
fn item_slot(output: u64) -> Slot {
    output << 16
}

fn part_slot(output: u64, value: &Value) -> Slot {
    item_slot(output) | (json::count(&value["content_index"]) & 0xffff)
}

fn open(output: u64, item: &Value, reply: &mut Reply) {
    let slot = item_slot(output);
    match json::text(&item["type"]) {
        "function_call" => {
            reply.call(slot, json::text(&item["call_id"]), json::text(&item["name"]));
            reply.arguments(slot, json::text(&item["arguments"]));
        }
        "reasoning" => reply.thinking(slot, ""),
        _ => {}
    }
}

/// The completed item repeats what was streamed. Servers that do not stream send it only here.
fn close(output: u64, item: &Value, reply: &mut Reply) {
    let slot = item_slot(output);
    match json::text(&item["type"]) {
        "function_call" => {
            if !reply.is_open(slot) {
                open(output, item, reply);
            } else if let Some(AssistantBlock::ToolCall(call)) = reply.peek(slot)
                && let Some(rest) =
                    rest(call.raw_arguments.as_deref().unwrap_or_default(), json::text(&item["arguments"]))
            {
                reply.arguments(slot, &rest);
            }
            reply.close(slot);
        }
        "reasoning" => {
            let words: Vec<&str> = json::items(&item["summary"])
                .iter()
                .chain(json::items(&item["content"]))
                .map(|part| json::text(&part["text"]))
                .collect();
            let is_empty = match reply.peek(slot) {
                Some(AssistantBlock::Thinking(block)) => block.thinking.is_empty(),
                _ => true,
            };
            if is_empty {
                reply.thinking(slot, &words.join(PART_BREAK));
            }
            let sealed = json::text(&item["encrypted_content"]);
            if !sealed.is_empty() {
                reply.sign(slot, sealed);
            }
            reply.close(slot);
        }
        "message" => {
            for (index, part) in json::items(&item["content"]).iter().enumerate() {
                let slot = slot | (index as u64 & 0xffff);
                let whole = match json::text(&part["type"]) {
                    "refusal" => json::text(&part["refusal"]),
                    _ => json::text(&part["text"]),
                };
                let streamed = match reply.peek(slot) {
                    Some(AssistantBlock::Text(block)) => block.text.as_str(),
                    _ => "",
                };
                if let Some(rest) = rest(streamed, whole) {
                    reply.text(slot, &rest);
                }
                let phase = json::text(&item["phase"]);
                if !phase.is_empty() {
                    reply.sign(slot, phase);
                }
                reply.close(slot);
            }
        }
        _ => {}
    }
}

/// Returns the part of `whole` that was not streamed.
fn rest(streamed: &str, whole: &str) -> Option<String> {
    whole.strip_prefix(streamed).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

fn finish(response: &Value, reply: &mut Reply) -> Result<(), LlmError> {
    let usage = &response["usage"];
    let details = &usage["input_tokens_details"];
    let cache_read = json::count(&details["cached_tokens"]);
    let cache_write = json::count(&details["cache_write_tokens"]);
    let input = json::count(&usage["input_tokens"]).saturating_sub(cache_read).saturating_sub(cache_write);
    reply.set_usage(Usage::new(input, json::count(&usage["output_tokens"]), cache_read, cache_write));
    let reason = match json::text(&response["incomplete_details"]["reason"]) {
        "content_filter" => {
            return Err(LlmError::new(ErrorClass::Refused, "the provider filtered the response"));
        }
        "" if json::text(&response["status"]) != "incomplete" => StopReason::Stop,
        _ => StopReason::Length,
    };
    reply.finish(reason);
    Ok(())
}
