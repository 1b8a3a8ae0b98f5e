//! Replies in the format of OpenAI Responses.

use serde_json::{Value, json};

use super::{
    anthropic::event,
    reply::{Call, Stop, Tokens, taking_turns},
    wire::{Frame, Renderer},
};

#[derive(Debug, Default)]
pub(super) struct Responses {
    next: usize,
}

impl Renderer for Responses {
    fn start(&mut self, _tokens: &Tokens) -> Vec<Frame> {
        let response = json!({ "id": "resp_1", "object": "response", "status": "in_progress", "output": [] });
        vec![
            event(&json!({ "type": "response.created", "response": response })),
            event(&json!({ "type": "response.in_progress", "response": response })),
        ]
    }

    fn text(&mut self, deltas: &[String]) -> Vec<Frame> {
        let index = self.index();
        let id = format!("msg_{index}");
        let of = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let mut frames = vec![
            added(
                index,
                json!({ "type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": [] }),
            ),
            about(
                "response.content_part.added",
                &of,
                json!({ "part": { "type": "output_text", "text": "", "annotations": [] } }),
            ),
        ];
        for delta in deltas {
            frames.push(about("response.output_text.delta", &of, json!({ "delta": delta })));
        }
        let text = deltas.concat();
        let part = json!({ "type": "output_text", "text": text, "annotations": [] });
        frames.push(about("response.output_text.done", &of, json!({ "text": text })));
        frames.push(about("response.content_part.done", &of, json!({ "part": part })));
        frames.push(done(
            index,
            json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part] }),
        ));
        frames
    }

    fn thinking(&mut self, deltas: &[String], signature: Option<&str>) -> Vec<Frame> {
        let index = self.index();
        let id = format!("rs_{index}");
        let of = json!({ "item_id": id, "output_index": index, "summary_index": 0 });
        let mut frames = vec![
            added(index, json!({ "type": "reasoning", "id": id, "summary": [], "encrypted_content": "" })),
            about(
                "response.reasoning_summary_part.added",
                &of,
                json!({ "part": { "type": "summary_text", "text": "" } }),
            ),
        ];
        for delta in deltas {
            frames.push(about("response.reasoning_summary_text.delta", &of, json!({ "delta": delta })));
        }
        let summary = json!([{ "type": "summary_text", "text": deltas.concat() }]);
        frames.push(done(
            index,
            json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": signature }),
        ));
        frames
    }

    fn calls(&mut self, calls: &[Call]) -> Vec<Frame> {
        let first = self.next;
        self.next += calls.len();
        let item = |at: usize, call: &Call, arguments: &str, status: &str| {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{}", first + at), "call_id": call.id,
                "name": call.name, "arguments": arguments, "status": status,
            });
            // Some clients group tools in namespaces; a test writes `NAMESPACE/NAME`.
            if let Some((namespace, name)) = call.name.split_once('/') {
                item["namespace"] = json!(namespace);
                item["name"] = json!(name);
            }
            item
        };
        let mut frames = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            frames.push(added(first + at, item(at, call, "", "in_progress")));
        }
        for (at, delta) in taking_turns(calls) {
            let of = json!({ "item_id": format!("fc_{}", first + at), "output_index": first + at });
            frames.push(about("response.function_call_arguments.delta", &of, json!({ "delta": delta })));
        }
        for (at, call) in calls.iter().enumerate() {
            let arguments = call.deltas.concat();
            let of = json!({ "item_id": format!("fc_{}", first + at), "output_index": first + at });
            frames.push(about(
                "response.function_call_arguments.done",
                &of,
                json!({ "arguments": arguments }),
            ));
            frames.push(done(first + at, item(at, call, &arguments, "completed")));
        }
        frames
    }

    fn end(&mut self, stop: Stop, tokens: &Tokens) -> Vec<Frame> {
        let (name, status, details) = match stop {
            Stop::Natural => ("response.completed", "completed", Value::Null),
            Stop::Length => ("response.incomplete", "incomplete", json!({ "reason": "max_output_tokens" })),
            Stop::Refusal => ("response.incomplete", "incomplete", json!({ "reason": "content_filter" })),
        };
        let input = tokens.input + tokens.cache_read + tokens.cache_write;
        let response = json!({
            "id": "resp_1", "object": "response", "status": status, "incomplete_details": details,
            "usage": {
                "input_tokens": input,
                "input_tokens_details": {
                    "cached_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write,
                },
                "output_tokens": tokens.output,
                "total_tokens": input + tokens.output,
            },
        });
        vec![event(&json!({ "type": name, "response": response }))]
    }
}

impl Responses {
    fn index(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

fn added(index: usize, item: Value) -> Frame {
    event(&json!({ "type": "response.output_item.added", "output_index": index, "item": item }))
}

fn done(index: usize, item: Value) -> Frame {
    event(&json!({ "type": "response.output_item.done", "output_index": index, "item": item }))
}

/// Creates an event about a part of an item.
fn about(name: &str, of: &Value, more: Value) -> Frame {
    let mut value = json!({ "type": name });
    for fields in [of, &more] {
        for (key, field) in fields.as_object().into_iter().flatten() {
            value[key] = field.clone();
        }
    }
    event(&value)
}
