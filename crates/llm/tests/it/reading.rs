//! What comes in over each wire, and what is made of it.

use serde_json::json;
use toolsmith_llm::{
    AssistantBlock, AssistantMessage, CancelToken, ErrorClass, Message, Provider, Request, StopReason,
    StreamEvent,
};
use toolsmith_testkit::{Reply, Stop, Tokens, Wire};

use crate::wires::{Bench, on_every_wire};

on_every_wire!(
    text_comes_in_true_deltas,
    thinking_comes_before_text_with_its_signature,
    calls_side_by_side_keep_their_own_deltas,
    tokens_are_counted_and_priced,
    every_stop_reason_is_understood,
    a_megabyte_of_text_comes_whole,
    an_empty_answer_is_an_answer,
    an_id_used_twice_is_made_unique,
    arguments_that_are_cut_off_are_kept_as_text,
    everything_survives_being_cut_into_single_bytes,
    a_connection_is_used_again,
    a_complete_message_instead_of_a_stream_is_understood,
);

fn kinds(events: &[StreamEvent]) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            let value = serde_json::to_value(event).unwrap();
            let kind = value["type"].as_str().unwrap().to_owned();
            match value["contentIndex"].as_u64() {
                Some(index) => format!("{kind} {index}"),
                None => kind,
            }
        })
        .collect()
}

fn done(events: &[StreamEvent]) -> &AssistantMessage {
    match events.last() {
        Some(StreamEvent::Done { message, .. }) => message,
        other => panic!("ended with {other:?}"),
    }
}

/// A message as each provider answers a request that does not ask for a stream.
fn complete(wire: Wire) -> serde_json::Value {
    match wire {
        Wire::Anthropic => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use",
            "content": [
                { "type": "thinking", "thinking": "Hm.", "signature": "SIGNED" },
                { "type": "text", "text": "Looking." },
                { "type": "tool_use", "id": "call_1", "name": "read", "input": { "path": "a.txt" } },
            ],
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        }),
        Wire::Responses => json!({
            "id": "resp_1", "object": "response", "status": "completed",
            "output": [
                { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "Hm." }], "encrypted_content": "SIGNED" },
                { "type": "message", "id": "msg_1", "role": "assistant", "content": [{ "type": "output_text", "text": "Looking." }] },
                { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{\"path\":\"a.txt\"}" },
            ],
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        }),
        Wire::Chat => json!({
            "id": "chatcmpl-1", "object": "chat.completion",
            "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "Looking.", "reasoning_content": "Hm.",
                "tool_calls": [{ "id": "call_1", "type": "function", "function": { "name": "read", "arguments": "{\"path\":\"a.txt\"}" } }],
            } }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5 },
        }),
        Wire::Bedrock => json!({
            "output": { "message": { "role": "assistant", "content": [
                { "reasoningContent": { "reasoningText": { "text": "Hm.", "signature": "SIGNED" } } },
                { "text": "Looking." },
                { "toolUse": { "toolUseId": "call_1", "name": "read", "input": { "path": "a.txt" } } },
            ] } },
            "stopReason": "tool_use", "usage": { "inputTokens": 10, "outputTokens": 5 },
        }),
        _ => json!([
            { "candidates": [{ "content": { "role": "model", "parts": [{ "text": "Hm.", "thought": true, "thoughtSignature": "SIGNED" }] } }] },
            { "candidates": [{ "content": { "role": "model", "parts": [
                { "text": "Looking." }, { "functionCall": { "id": "call_1", "name": "read", "args": { "path": "a.txt" } } },
            ] }, "finishReason": "STOP" }], "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5 } },
        ]),
    }
}

async fn a_complete_message_instead_of_a_stream_is_understood(wire: Wire) {
    let bench = Bench::new(wire).await;
    bench.server.push(Reply::whole(200, "application/json; charset=utf-8", complete(wire).to_string()));
    let events = bench.events().await;
    assert_eq!(events[0], StreamEvent::Start);
    let message = done(&events);
    assert_eq!(message.text(), "Looking.");
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    assert_eq!((message.usage.input, message.usage.output), (10, 5));
    let calls: Vec<_> = message.tool_calls().collect();
    assert_eq!(
        (calls.len(), calls[0].name.as_str(), &calls[0].arguments),
        (1, "read", &json!({ "path": "a.txt" }))
    );
    let AssistantBlock::Thinking(thinking) = &message.content[0] else { panic!("{message:?}") };
    assert_eq!(thinking.thinking, "Hm.");
    if wire == Wire::Gemini {
        // One object is as good as a list of them.
        bench.server.push(Reply::whole(200, "application/json", complete(wire)[1].to_string()));
        assert_eq!(bench.answer().await.unwrap().text(), "Looking.");
    }
}

async fn text_comes_in_true_deltas(wire: Wire) {
    let bench = Bench::new(wire).await;
    bench.server.push(Reply::new().text_deltas(["Hel", "lo, ", "wörld 🦀"]));
    let events = bench.events().await;
    assert_eq!(
        kinds(&events),
        ["start", "text_start 0", "text_delta 0", "text_delta 0", "text_delta 0", "text_end 0", "done"]
    );
    let deltas: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas, ["Hel", "lo, ", "wörld 🦀"]);
    let message = done(&events);
    assert_eq!(message.text(), "Hello, wörld 🦀");
    assert_eq!(message.stop_reason, StopReason::Stop);
    assert_eq!((message.provider.as_str(), message.model.as_str()), ("bench", bench.model.id.as_str()));
    assert!(message.timestamp > 0);
}

async fn thinking_comes_before_text_with_its_signature(wire: Wire) {
    let bench = Bench::new(wire).await;
    bench.server.push(Reply::new().thinking(["Hm, ", "well."], Some("SIGNED")).text("Yes."));
    let events = bench.events().await;
    assert_eq!(
        kinds(&events),
        [
            "start",
            "thinking_start 0",
            "thinking_delta 0",
            "thinking_delta 0",
            "thinking_end 0",
            "text_start 1",
            "text_delta 1",
            "text_end 1",
            "done",
        ]
    );
    let AssistantBlock::Thinking(thinking) = &done(&events).content[0] else {
        panic!("no thinking");
    };
    assert_eq!(thinking.thinking, "Hm, well.");
    // The chat wire signs nothing; what is kept there is the field it came in.
    let signature = if wire == Wire::Chat { "reasoning_content" } else { "SIGNED" };
    assert_eq!(thinking.thinking_signature.as_deref(), Some(signature));
}

async fn calls_side_by_side_keep_their_own_deltas(wire: Wire) {
    let bench = Bench::new(wire).await;
    bench.server.push(
        Reply::new().text("Both.").call_deltas("id_a", "read", ["{\"path\":", "\"a.txt\"}"]).call_deltas(
            "id_b",
            "grep",
            ["{\"pattern\"", ": \"x\"", "}"],
        ),
    );
    let events = bench.events().await;
    let starts: Vec<(usize, &str, &str)> = events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::ToolCallStart { content_index, id, name } => {
                Some((*content_index, id.as_str(), name.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(starts, [(1, "id_a", "read"), (2, "id_b", "grep")]);
    if wire != Wire::Gemini {
        let order: Vec<usize> = events
            .iter()
            .filter_map(|event| match event {
                StreamEvent::ToolCallDelta { content_index, .. } => Some(*content_index),
                _ => None,
            })
            .collect();
        assert_eq!(order, [1, 2, 1, 2, 2], "they took turns");
    }
    let message = done(&events);
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    let calls: Vec<_> = message.tool_calls().collect();
    assert_eq!(calls[0].arguments, json!({ "path": "a.txt" }));
    assert_eq!(calls[1].arguments, json!({ "pattern": "x" }));
    if wire != Wire::Gemini {
        assert_eq!(calls[0].raw_arguments, None, "written out it is the same");
        assert_eq!(calls[1].arguments_text(), "{\"pattern\": \"x\"}", "as the model wrote it");
    }
    let ends = events.iter().filter(|event| matches!(event, StreamEvent::ToolCallEnd { .. })).count();
    assert_eq!(ends, 2);
}

async fn tokens_are_counted_and_priced(wire: Wire) {
    let bench = Bench::new(wire).await;
    let tokens = Tokens {
        input: 1000,
        output: 500,
        cache_read: 10_000,
        cache_write: if wire == Wire::Gemini { 0 } else { 2000 },
    };
    bench.server.push(Reply::new().text("x").tokens(tokens));
    let usage = bench.answer().await.unwrap().usage;
    assert_eq!(
        (usage.input, usage.output, usage.cache_read, usage.cache_write),
        (1000, 500, 10_000, tokens.cache_write)
    );
    assert_eq!(usage.total_tokens, 11_500 + tokens.cache_write);
    let expected = 0.002 + 0.005 + 0.002 + tokens.cache_write as f64 * 2.5e-6;
    assert!((usage.cost.total - expected).abs() < 1e-12, "{:?}", usage.cost);
}

async fn every_stop_reason_is_understood(wire: Wire) {
    let bench = Bench::new(wire).await;
    bench.server.push(Reply::new().text("cut").stop(Stop::Length));
    assert_eq!(bench.answer().await.unwrap().stop_reason, StopReason::Length);

    // A call in a message that ran into a limit may be cut off; the reason has to say so.
    bench.server.push(Reply::new().call("id_a", "read", &json!({ "path": "a" })).stop(Stop::Length));
    assert_eq!(bench.answer().await.unwrap().stop_reason, StopReason::Length);

    bench.server.push(Reply::new().text("I").stop(Stop::Refusal));
    let events = bench.events().await;
    let Some(StreamEvent::Error { error, message, .. }) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(error.class, ErrorClass::Refused);
    assert_eq!((message.text().as_str(), message.stop_reason), ("I", StopReason::Error));
}

async fn a_megabyte_of_text_comes_whole(wire: Wire) {
    let bench = Bench::new(wire).await;
    let text = "Lorem ipsum 漢字 🦀\n".repeat(50_000);
    assert!(text.len() > 1_000_000);
    bench.server.push(Reply::new().text(&text).split(8191));
    assert_eq!(bench.answer().await.unwrap().text(), text);
}

async fn an_empty_answer_is_an_answer(wire: Wire) {
    let bench = Bench::new(wire).await;
    bench.server.push(Reply::new());
    let events = bench.events().await;
    assert_eq!(kinds(&events), ["start", "done"]);
    assert_eq!(done(&events).content, []);
}

async fn an_id_used_twice_is_made_unique(wire: Wire) {
    let bench = Bench::new(wire).await;
    let twice = || {
        Reply::new()
            .call("same", "read", &json!({ "path": "a" }))
            .call("same", "read", &json!({ "path": "b" }))
            .call("", "read", &json!({ "path": "c" }))
    };
    bench.server.push(twice());
    let first = bench.answer().await.unwrap();
    let ids: Vec<&str> = first.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["same", "same_2", "call_1_3"]);

    // Also across turns: a session names calls by their id.
    bench.server.push(twice());
    let history = [Message::user("hi"), Message::Assistant(first), Message::user("again")];
    let second = bench.stream(&Request::new(&bench.model).messages(&history)).finish().await.unwrap();
    let ids: Vec<&str> = second.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["same_3", "same_4", "call_3_3"]);
}

async fn arguments_that_are_cut_off_are_kept_as_text(wire: Wire) {
    if wire == Wire::Gemini {
        // Its arguments are JSON in JSON, so they can't be cut off.
        return;
    }
    let bench = Bench::new(wire).await;
    bench
        .server
        .push(Reply::new().call_deltas("id_a", "write", ["{\"path\":\"a\",\"con"]).stop(Stop::Length));
    let message = bench.answer().await.unwrap();
    let call = message.tool_calls().next().unwrap();
    assert_eq!(call.arguments, json!({}));
    assert_eq!(call.arguments_text(), "{\"path\":\"a\",\"con");
    assert_eq!(message.stop_reason, StopReason::Length);
}

async fn everything_survives_being_cut_into_single_bytes(wire: Wire) {
    let bench = Bench::new(wire).await;
    let reply = || {
        Reply::new().thinking(["wäit"], Some("SIG")).text_deltas(["漢", "字🦀"]).call_deltas(
            "id_a",
            "read",
            ["{\"path\":", "\"é.txt\"}"],
        )
    };
    bench.server.push(reply());
    let whole = bench.answer().await.unwrap();
    // Every size reaches other boundaries: inside characters, names, line ends, and of the chunks themselves.
    for size in [1, 2, 3, 5, 7] {
        bench.server.push(reply().split(size));
        let cut = bench.answer().await.unwrap();
        assert_eq!(cut.content, whole.content, "pieces of {size} bytes");
    }
}

async fn a_connection_is_used_again(wire: Wire) {
    let bench = Bench::new(wire).await;
    // The rest of a body is read behind our back, so when is not ours to say; that it happens is.
    for asked in 1..=100 {
        bench.server.push(Reply::new().text("x"));
        bench.answer().await.unwrap();
        if bench.server.connections() < asked {
            return;
        }
    }
    panic!("a hundred requests, a hundred connections");
}

#[tokio::test]
async fn what_had_arrived_can_be_read_at_any_time() {
    let bench = Bench::new(Wire::Anthropic).await;
    bench.server.push(Reply::new().text("one").call_deltas("id_a", "read", ["{\"pa"]));
    let asked = [Message::user("hi")];
    let mut stream = bench.provider.stream(&Request::new(&bench.model).messages(&asked), CancelToken::new());
    loop {
        match stream.next().await.unwrap() {
            StreamEvent::ToolCallDelta { .. } => break,
            StreamEvent::Done { .. } => panic!("no delta"),
            _ => {}
        }
    }
    let partial = stream.partial();
    assert_eq!(partial.text(), "one");
    assert_eq!(partial.tool_calls().next().unwrap().arguments_text(), "{\"pa");
}

#[tokio::test]
async fn thinking_the_provider_withholds_is_kept_for_it() {
    let bench = Bench::new(Wire::Anthropic).await;
    let raw = concat!(
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"SEALED\"}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    );
    bench.server.push(Reply::new().raw(raw));
    let message = bench.answer().await.unwrap();
    let AssistantBlock::Thinking(thinking) = &message.content[0] else {
        panic!("{message:?}");
    };
    assert!(thinking.redacted);
    bench.server.push(Reply::new());
    let history = [Message::user("hi"), Message::Assistant(message.clone()), Message::user("go on")];
    let request = Request::new(&bench.model).messages(&history);
    bench.stream(&request).finish().await.unwrap();
    assert_eq!(
        bench.server.last_request().body["messages"][1]["content"],
        json!([{ "type": "redacted_thinking", "data": "SEALED" }])
    );
}

/// Servers that are almost compatible.
#[tokio::test]
async fn the_chat_wire_is_read_as_servers_really_write_it() {
    let bench = Bench::new(Wire::Chat).await;
    let chunk = |delta: serde_json::Value, finish: &str| {
        format!(
            "data: {}\n\n",
            json!({ "choices": [{ "delta": delta, "finish_reason": if finish.is_empty() { json!(null) } else { json!(finish) } }] })
        )
    };
    // Unnumbered calls, arguments as a value, thinking in another field, an unknown reason, no closing mark.
    let body = [
        chunk(json!({ "reasoning": "hm" }), ""),
        chunk(
            json!({ "tool_calls": [{ "id": "a", "function": { "name": "read", "arguments": { "path": "x" } } }] }),
            "",
        ),
        chunk(
            json!({ "tool_calls": [{ "id": "b", "function": { "name": "read", "arguments": "{}" } }] }),
            "",
        ),
        chunk(json!({}), "eos"),
    ];
    bench.server.push(Reply::whole(200, "text/event-stream", body.concat()));
    let message = bench.answer().await.unwrap();
    let ids: Vec<&str> = message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(message.tool_calls().next().unwrap().arguments, json!({ "path": "x" }));
    assert_eq!(message.stop_reason, StopReason::ToolUse);

    // Every call numbered zero; name and id in every piece; content as a list, with thinking in it.
    let piece = |id: &str, text: &str| json!({ "tool_calls": [{ "index": 0, "id": id, "function": { "name": "read", "arguments": text } }] });
    let body = [
        chunk(
            json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }, { "type": "text", "text": "so" }] }),
            "",
        ),
        chunk(piece("a", "{\"n\":"), ""),
        chunk(piece("a", "1}"), ""),
        chunk(piece("b", "{\"n\":2}"), "tool_calls"),
        "data: [DONE]\n\n".to_owned(),
    ];
    bench.server.push(Reply::whole(200, "text/event-stream", body.concat()));
    let message = bench.answer().await.unwrap();
    let calls: Vec<_> = message.tool_calls().map(|call| call.arguments["n"].clone()).collect();
    assert_eq!(calls, [1, 2]);
    assert_eq!(message.text(), "so");
}

/// What gateways pass on of other providers' thinking goes back as it came.
#[tokio::test]
async fn signed_thinking_behind_a_gateway_is_put_together_and_sent_back() {
    let bench = Bench::new(Wire::Chat).await;
    let chunk = |details: serde_json::Value, text: &str| {
        format!(
            "data: {}\n\n",
            json!({ "choices": [{ "delta": { "reasoning": text, "reasoning_details": details } }] })
        )
    };
    let body = [
        chunk(json!([{ "type": "reasoning.text", "index": 0, "text": "a" }]), "a"),
        chunk(json!([{ "type": "reasoning.text", "index": 0, "text": "b" }]), "b"),
        chunk(json!([{ "type": "reasoning.text", "index": 0, "signature": "S" }]), ""),
        "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
    ];
    bench.server.push(Reply::whole(200, "text/event-stream", body.concat()));
    let message = bench.answer().await.unwrap();
    bench.server.push(Reply::new());
    let history = [Message::user("hi"), Message::Assistant(message), Message::user("go on")];
    bench.stream(&Request::new(&bench.model).messages(&history)).finish().await.unwrap();
    assert_eq!(
        bench.server.last_request().body["messages"][1],
        json!({
            "role": "assistant",
            "content": "ok",
            "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "ab", "signature": "S" }],
        })
    );
}
