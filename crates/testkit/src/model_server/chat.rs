//! Replies in the format of OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{
    reply::{Call, Stop, Tokens, taking_turns},
    wire::{Frame, Renderer},
};

#[derive(Debug, Default)]
pub(super) struct Chat {
    next_call: usize,
}

impl Renderer for Chat {
    fn start(&mut self, _tokens: &Tokens) -> Vec<Frame> {
        vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)]
    }

    fn text(&mut self, deltas: &[String]) -> Vec<Frame> {
        deltas.iter().map(|delta| chunk(json!({ "content": delta }), Value::Null)).collect()
    }

    /// The format has no signature; only the field's name is kept.
    fn thinking(&mut self, deltas: &[String], _signature: Option<&str>) -> Vec<Frame> {
        deltas.iter().map(|delta| chunk(json!({ "reasoning_content": delta }), Value::Null)).collect()
    }

    fn calls(&mut self, calls: &[Call]) -> Vec<Frame> {
        let first = self.next_call;
        self.next_call += calls.len();
        let mut frames = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let begin = json!({
                "index": first + at, "id": call.id, "type": "function",
                "function": { "name": call.name, "arguments": "" },
            });
            frames.push(chunk(json!({ "tool_calls": [begin] }), Value::Null));
        }
        for (at, delta) in taking_turns(calls) {
            let more = json!({ "index": first + at, "function": { "arguments": delta } });
            frames.push(chunk(json!({ "tool_calls": [more] }), Value::Null));
        }
        frames
    }

    fn end(&mut self, stop: Stop, tokens: &Tokens) -> Vec<Frame> {
        let reason = match stop {
            Stop::Natural if self.next_call > 0 => "tool_calls",
            Stop::Natural => "stop",
            Stop::Length => "length",
            Stop::Refusal => "content_filter",
        };
        let prompt = tokens.input + tokens.cache_read + tokens.cache_write;
        let usage = json!({
            "prompt_tokens": prompt,
            "completion_tokens": tokens.output,
            "total_tokens": prompt + tokens.output,
            "prompt_tokens_details": {
                "cached_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write,
            },
        });
        vec![
            chunk(json!({}), json!(reason)),
            data(
                &json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage }),
            ),
            b"data: [DONE]\n\n".to_vec(),
        ]
    }
}

fn chunk(delta: Value, finish_reason: Value) -> Frame {
    data(&json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": "scripted",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
        "usage": null,
    }))
}

pub(super) fn data(value: &Value) -> Frame {
    format!("data: {value}\n\n").into_bytes()
}
