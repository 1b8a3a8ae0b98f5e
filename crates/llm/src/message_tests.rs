//! Messages survive being stored, and read what others stored.

use serde_json::json;

use super::*;

#[test]
fn each_role_is_stored_in_the_form_sessions_have() {
    let mut call = ToolCall::new("id_a", "read", json!({ "path": "x" }));
    call.thought_signature = Some("S".to_owned());
    let message = Message::Assistant(AssistantMessage {
        content: vec![
            AssistantBlock::Thinking(ThinkingBlock {
                thinking: "hm".to_owned(),
                thinking_signature: Some("T".to_owned()),
                redacted: false,
            }),
            AssistantBlock::Text(TextBlock { text: "so".to_owned(), text_signature: None }),
            AssistantBlock::ToolCall(call),
        ],
        api: "anthropic-messages".to_owned(),
        provider: "anthropic".to_owned(),
        model: "m".to_owned(),
        usage: Usage::new(1, 2, 3, 4),
        stop_reason: StopReason::ToolUse,
        error_message: None,
        timestamp: 5,
    });
    let stored = json!({
        "role": "assistant",
        "content": [
            { "type": "thinking", "thinking": "hm", "thinkingSignature": "T" },
            { "type": "text", "text": "so" },
            { "type": "toolCall", "id": "id_a", "name": "read", "arguments": { "path": "x" }, "thoughtSignature": "S" },
        ],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "m",
        "usage": {
            "input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10,
            "cost": { "input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.0 },
        },
        "stopReason": "toolUse",
        "timestamp": 5,
    });
    assert_eq!(serde_json::to_value(&message).unwrap(), stored);
    assert_eq!(serde_json::from_value::<Message>(stored).unwrap(), message);

    let result =
        Message::ToolResult(ToolResultMessage::new("id_a", "read", vec![ContentBlock::text("x")]).failed());
    let stored = json!({
        "role": "toolResult", "toolCallId": "id_a", "toolName": "read",
        "content": [{ "type": "text", "text": "x" }], "isError": true, "timestamp": 0,
    });
    assert_eq!(serde_json::to_value(&result).unwrap(), stored);
    assert_eq!(serde_json::from_value::<Message>(stored).unwrap(), result);
}

#[test]
fn what_relatives_stored_is_read_too() {
    // A bare string for content, fields we do not know, fields that are missing.
    let stored = json!({ "role": "user", "content": "hi", "attribution": "user", "timestamp": 7 });
    let Message::User(input) = serde_json::from_value(stored).unwrap() else {
        panic!("not a user message");
    };
    assert_eq!((input.content, input.timestamp), (vec![ContentBlock::text("hi")], 7));
    let stored =
        json!({ "role": "assistant", "content": [{ "type": "text", "text": "x" }], "stopReason": "stop" });
    assert!(matches!(serde_json::from_value(stored).unwrap(), Message::Assistant(_)));
    assert!(serde_json::from_value::<Message>(json!({ "role": "stranger" })).is_err());
}

#[test]
fn arguments_are_a_value_and_the_models_own_text() {
    let settled = |raw: &str| {
        let mut call = ToolCall::new("a", "b", Value::Null);
        call.raw_arguments = Some(raw.to_owned());
        call.settle_arguments();
        call
    };
    let same = settled("{\"b\":1,\"a\":2}");
    assert_eq!((same.arguments.clone(), same.raw_arguments.clone()), (json!({ "b": 1, "a": 2 }), None));
    assert_eq!(same.arguments_text(), "{\"b\":1,\"a\":2}", "the order is kept");

    let spaced = settled("{ \"a\": 1 }");
    assert_eq!(spaced.arguments, json!({ "a": 1 }));
    assert_eq!(spaced.arguments_text(), "{ \"a\": 1 }");

    for nothing in ["", "  "] {
        assert_eq!((settled(nothing).arguments, settled(nothing).raw_arguments), (json!({}), None));
    }
    let broken = settled("{\"a\":");
    assert_eq!((broken.arguments.clone(), broken.arguments_text().as_ref()), (json!({}), "{\"a\":"));
    // Deeper than anything is read; kept as text, and nothing overflows.
    let deep = "[".repeat(100_000);
    assert_eq!(settled(&deep).arguments_text(), deep);

    let mut changed = spaced;
    changed.set_arguments(json!({ "a": 2 }));
    assert_eq!(changed.arguments_text(), "{\"a\":2}");
}
