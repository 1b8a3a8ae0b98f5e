//! Replies in the format of Anthropic Messages.

use serde_json::{Value, json};

use super::{
    reply::{Call, Stop, Tokens, taking_turns},
    wire::{Frame, Renderer},
};

#[derive(Debug, Default)]
pub(super) struct Anthropic {
    next: usize,
    has_calls: bool,
}

impl Renderer for Anthropic {
    fn start(&mut self, tokens: &Tokens) -> Vec<Frame> {
        let message = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
            "stop_reason": null, "stop_sequence": null,
            "usage": {
                "input_tokens": tokens.input, "output_tokens": 1,
                "cache_read_input_tokens": tokens.cache_read,
                "cache_creation_input_tokens": tokens.cache_write,
            },
        });
        vec![
            event(&json!({ "type": "message_start", "message": message })),
            event(&json!({ "type": "ping" })),
        ]
    }

    fn text(&mut self, deltas: &[String]) -> Vec<Frame> {
        let index = self.index();
        let mut frames = vec![start(index, json!({ "type": "text", "text": "" }))];
        frames.extend(deltas.iter().map(|text| delta(index, json!({ "type": "text_delta", "text": text }))));
        frames.push(stop(index));
        frames
    }

    fn thinking(&mut self, deltas: &[String], signature: Option<&str>) -> Vec<Frame> {
        let index = self.index();
        let mut frames = vec![start(index, json!({ "type": "thinking", "thinking": "", "signature": "" }))];
        frames.extend(
            deltas.iter().map(|text| delta(index, json!({ "type": "thinking_delta", "thinking": text }))),
        );
        frames.extend(
            signature
                .map(|signature| delta(index, json!({ "type": "signature_delta", "signature": signature }))),
        );
        frames.push(stop(index));
        frames
    }

    fn calls(&mut self, calls: &[Call]) -> Vec<Frame> {
        self.has_calls = true;
        let first = self.next;
        self.next += calls.len();
        let mut frames = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            frames.push(start(
                first + at,
                json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} }),
            ));
        }
        for (at, text) in taking_turns(calls) {
            frames.push(delta(first + at, json!({ "type": "input_json_delta", "partial_json": text })));
        }
        frames.extend((0..calls.len()).map(|at| stop(first + at)));
        frames
    }

    fn end(&mut self, reason: Stop, tokens: &Tokens) -> Vec<Frame> {
        let reason = match reason {
            Stop::Natural if self.has_calls => "tool_use",
            Stop::Natural => "end_turn",
            Stop::Length => "max_tokens",
            Stop::Refusal => "refusal",
        };
        vec![
            event(&json!({
                "type": "message_delta",
                "delta": { "stop_reason": reason, "stop_sequence": null },
                "usage": { "output_tokens": tokens.output },
            })),
            event(&json!({ "type": "message_stop" })),
        ]
    }
}

impl Anthropic {
    fn index(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

fn start(index: usize, block: Value) -> Frame {
    event(&json!({ "type": "content_block_start", "index": index, "content_block": block }))
}

fn delta(index: usize, delta: Value) -> Frame {
    event(&json!({ "type": "content_block_delta", "index": index, "delta": delta }))
}

fn stop(index: usize) -> Frame {
    event(&json!({ "type": "content_block_stop", "index": index }))
}

pub(super) fn event(value: &Value) -> Frame {
    let name = value["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {value}\n\n").into_bytes()
}
