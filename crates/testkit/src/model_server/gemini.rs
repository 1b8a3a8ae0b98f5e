//! Replies in the format of Google Gemini, with Google's line ends.

use serde_json::{Value, json};

use super::{
    reply::{Call, Stop, Tokens},
    wire::{Frame, Renderer},
};

#[derive(Debug, Default)]
pub(super) struct Gemini;

impl Renderer for Gemini {
    fn start(&mut self, _tokens: &Tokens) -> Vec<Frame> {
        Vec::new()
    }

    fn text(&mut self, deltas: &[String]) -> Vec<Frame> {
        deltas.iter().map(|delta| part(json!({ "text": delta }))).collect()
    }

    fn thinking(&mut self, deltas: &[String], signature: Option<&str>) -> Vec<Frame> {
        let last = deltas.len().saturating_sub(1);
        deltas
            .iter()
            .enumerate()
            .map(|(at, delta)| {
                let mut thought = json!({ "text": delta, "thought": true });
                if let Some(signature) = signature
                    && at == last
                {
                    thought["thoughtSignature"] = json!(signature);
                }
                part(thought)
            })
            .collect()
    }

    /// Calls are sent whole. Arguments that are not JSON cannot be expressed.
    fn calls(&mut self, calls: &[Call]) -> Vec<Frame> {
        calls
            .iter()
            .map(|call| {
                let arguments: Value =
                    serde_json::from_str(&call.deltas.concat()).unwrap_or_else(|_| json!({}));
                let mut function = json!({ "name": call.name, "args": arguments });
                if !call.id.is_empty() {
                    function["id"] = json!(call.id);
                }
                part(json!({ "functionCall": function }))
            })
            .collect()
    }

    fn end(&mut self, stop: Stop, tokens: &Tokens) -> Vec<Frame> {
        let reason = match stop {
            Stop::Natural => "STOP",
            Stop::Length => "MAX_TOKENS",
            Stop::Refusal => "SAFETY",
        };
        let prompt = tokens.input + tokens.cache_read + tokens.cache_write;
        vec![data(&json!({
            "candidates": [{ "content": { "parts": [{ "text": "" }], "role": "model" }, "finishReason": reason, "index": 0 }],
            "usageMetadata": {
                "promptTokenCount": prompt,
                "cachedContentTokenCount": tokens.cache_read,
                "candidatesTokenCount": tokens.output,
                "totalTokenCount": prompt + tokens.output,
            },
        }))]
    }
}

fn part(part: Value) -> Frame {
    data(&json!({ "candidates": [{ "content": { "parts": [part], "role": "model" }, "index": 0 }] }))
}

pub(super) fn data(value: &Value) -> Frame {
    format!("data: {value}\r\n\r\n").into_bytes()
}
