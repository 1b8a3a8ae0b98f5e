//! Replies in the format of Amazon Bedrock's Converse: JSON in binary messages with checksums.

use serde_json::{Value, json};

use super::{
    reply::{Call, Stop, Tokens, taking_turns},
    wire::{Frame, Renderer},
};

#[derive(Debug, Default)]
pub(super) struct Bedrock {
    next: usize,
    has_calls: bool,
}

impl Renderer for Bedrock {
    fn start(&mut self, _tokens: &Tokens) -> Vec<Frame> {
        vec![event("messageStart", &json!({ "role": "assistant", "p": "abcdef" }))]
    }

    fn text(&mut self, deltas: &[String]) -> Vec<Frame> {
        let index = self.index();
        let mut frames: Vec<Frame> =
            deltas.iter().map(|text| delta(index, json!({ "text": text }))).collect();
        frames.push(stop(index));
        frames
    }

    fn thinking(&mut self, deltas: &[String], signature: Option<&str>) -> Vec<Frame> {
        let index = self.index();
        let thought = |value: Value| delta(index, json!({ "reasoningContent": value }));
        let mut frames: Vec<Frame> = deltas.iter().map(|text| thought(json!({ "text": text }))).collect();
        frames.extend(signature.map(|signature| thought(json!({ "signature": signature }))));
        frames.push(stop(index));
        frames
    }

    fn calls(&mut self, calls: &[Call]) -> Vec<Frame> {
        self.has_calls = true;
        let first = self.next;
        self.next += calls.len();
        let mut frames = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let start = json!({ "toolUse": { "toolUseId": call.id, "name": call.name } });
            frames.push(event(
                "contentBlockStart",
                &json!({ "contentBlockIndex": first + at, "start": start }),
            ));
        }
        for (at, text) in taking_turns(calls) {
            frames.push(delta(first + at, json!({ "toolUse": { "input": text } })));
        }
        frames.extend((0..calls.len()).map(|at| stop(first + at)));
        frames
    }

    fn end(&mut self, reason: Stop, tokens: &Tokens) -> Vec<Frame> {
        let reason = match reason {
            Stop::Natural if self.has_calls => "tool_use",
            Stop::Natural => "end_turn",
            Stop::Length => "max_tokens",
            Stop::Refusal => "content_filtered",
        };
        let usage = json!({
            "inputTokens": tokens.input, "outputTokens": tokens.output,
            "totalTokens": tokens.input + tokens.output,
            "cacheReadInputTokens": tokens.cache_read, "cacheWriteInputTokens": tokens.cache_write,
        });
        vec![
            event("messageStop", &json!({ "stopReason": reason })),
            event("metadata", &json!({ "usage": usage, "metrics": { "latencyMs": 1 } })),
        ]
    }
}

impl Bedrock {
    fn index(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

fn delta(index: usize, delta: Value) -> Frame {
    event("contentBlockDelta", &json!({ "contentBlockIndex": index, "delta": delta }))
}

fn stop(index: usize) -> Frame {
    event("contentBlockStop", &json!({ "contentBlockIndex": index }))
}

fn event(name: &str, value: &Value) -> Frame {
    let headers = [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    message(&headers, value.to_string().as_bytes())
}

/// An error inside the stream. The first letter of its name is small there.
pub(super) fn exception(code: &str, text: &str) -> Frame {
    let mut letters = code.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    let code: String = first.into_iter().chain(letters).collect();
    let headers = [
        (":exception-type", code.as_str()),
        (":content-type", "application/json"),
        (":message-type", "exception"),
    ];
    message(&headers, json!({ "message": text }).to_string().as_bytes())
}

/// Writes a message: lengths, their checksum, headers, payload, checksum of everything.
pub(super) fn message(headers: &[(&str, &str)], payload: &[u8]) -> Frame {
    let mut own = Vec::new();
    for (name, value) in headers {
        own.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        own.extend(name.bytes());
        own.push(7);
        own.extend(u16::try_from(value.len()).unwrap_or(u16::MAX).to_be_bytes());
        own.extend(value.bytes());
    }
    let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes();
    let mut frame = Vec::new();
    frame.extend(length(16 + own.len() + payload.len()));
    frame.extend(length(own.len()));
    frame.extend(checksum(&frame).to_be_bytes());
    frame.extend(own);
    frame.extend(payload);
    frame.extend(checksum(&frame).to_be_bytes());
    frame
}

/// CRC-32, bit by bit, so that it does not share a mistake with the table of the client.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { 0xEDB8_8320 ^ (sum >> 1) } else { sum >> 1 };
        }
    }
    !sum
}
