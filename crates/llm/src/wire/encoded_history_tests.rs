//! A conversation that grows is encoded as if it were encoded anew.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::EncodedHistory;
use crate::{
    config::{ApiKind, Quirks},
    message::Message,
    model::Model,
    request::Request,
    wire::encode,
};

const APIS: [ApiKind; 4] =
    [ApiKind::AnthropicMessages, ApiKind::OpenAiResponses, ApiKind::OpenAiChat, ApiKind::GoogleGemini];

fn message(value: Value) -> Arc<Message> {
    Arc::new(serde_json::from_value(value).unwrap())
}

/// Messages of all kinds: empty ones, calls without results, results without calls, ids that occur twice, images, and
/// names that providers do not accept.
fn any_message() -> impl Strategy<Value = Arc<Message>> {
    let text = prop_oneof![Just(""), Just(" "), Just("words"), Just("\u{fc}\"\n")];
    let id = prop_oneof![Just("a"), Just("b"), Just("c|d"), Just("")];
    let image = json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" });
    prop_oneof![
        text.clone().prop_map(|text| message(json!({ "role": "user", "content": text }))),
        text.clone().prop_map(|text| message(json!({ "role": "developer", "content": text }))),
        Just(message(json!({ "role": "user", "content": [image.clone()] }))),
        (text.clone(), id.clone(), id.clone(), 0..4_u8).prop_map(|(text, one, other, calls)| {
            let call = |id: &str, name: &str| {
                json!({ "type": "toolCall", "id": id, "name": name, "arguments": { "x": id } })
            };
            let mut content = vec![
                json!({ "type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning" }),
                json!({ "type": "text", "text": text }),
            ];
            content.extend((calls > 0).then(|| call(one, "read")));
            content.extend((calls > 1).then(|| call(other, "odd.name")));
            let mut answer = json!({ "role": "assistant", "content": content });
            if calls == 2 {
                answer["provider"] = json!("p");
                answer["model"] = json!("gemini-3-m");
                answer["api"] = json!("openai-chat");
            }
            message(answer)
        }),
        (text, id, any::<bool>()).prop_map(move |(text, id, is_error)| {
            let content = json!([{ "type": "text", "text": text }, image]);
            message(json!({
                "role": "toolResult", "toolCallId": id, "toolName": "read", "content": content, "isError": is_error,
            }))
        }),
    ]
}

fn bytes(api: ApiKind, model: &Model, messages: &[Arc<Message>], encoded: &EncodedHistory) -> String {
    let quirks = Quirks::default();
    let request = Request::new(model).system("Be brief.").conversation(messages, encoded);
    let body = encode(api, &request, &quirks).body;
    let text = String::from_utf8(body.to_content().to_bytes()).unwrap();
    assert_eq!(body.to_value(), serde_json::from_str::<Value>(&text).unwrap());
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_growing_conversation_is_encoded_as_if_it_were_new(
        messages in proptest::collection::vec(any_message(), 0..30),
        api in proptest::sample::select(APIS.to_vec()),
        steps in proptest::collection::vec(1..4_usize, 1..20),
        branch in proptest::option::of(0..30_usize),
        inline_system in any::<bool>(),
    ) {
        let mut model = Model::unknown("p", "gemini-3-m");
        model.inline_system = inline_system;
        let kept = EncodedHistory::default();
        let mut end = 0;
        for step in steps {
            end = (end + step).min(messages.len());
            let fresh = bytes(api, &model, &messages[..end], &EncodedHistory::default());
            prop_assert_eq!(bytes(api, &model, &messages[..end], &kept), fresh);
        }
        // A branch, another model, and a message that was replaced by an equal one.
        let end = branch.unwrap_or(end).min(messages.len());
        let mut changed = messages[..end].to_vec();
        if let Some(first) = changed.first_mut() {
            *first = message(json!({ "role": "user", "content": "something else" }));
        }
        let other = Model::unknown("p", "other");
        for (model, messages) in [(&model, &messages[..end]), (&model, &changed[..]), (&other, &changed[..])] {
            let fresh = bytes(api, model, messages, &EncodedHistory::default());
            prop_assert_eq!(bytes(api, model, messages, &kept), fresh);
        }
    }
}

#[test]
fn a_branch_inside_the_kept_part_is_encoded_as_if_it_were_new() {
    let model = Model::unknown("p", "m");
    let user = |text: &str| Arc::new(Message::user(text));
    let answer =
        |text: &str| message(json!({ "role": "assistant", "content": [{ "type": "text", "text": text }] }));
    let long = [user("one"), answer("yes"), user("two"), answer("no")];
    let branches: [&[Arc<Message>]; 4] = [
        // It ends where the kept part does.
        &long[..3],
        // It continues with a message that is joined with the last kept one.
        &[long[0].clone(), long[1].clone(), long[2].clone(), user("three")],
        &[long[0].clone(), long[1].clone(), long[2].clone(), answer(""), user("three")],
        &long[..1],
    ];
    for api in APIS {
        for branch in branches {
            let kept = EncodedHistory::default();
            bytes(api, &model, &long, &kept);
            let fresh = bytes(api, &model, branch, &EncodedHistory::default());
            assert_eq!(bytes(api, &model, branch, &kept), fresh, "{api:?}");
        }
    }
}

#[test]
fn a_request_whose_messages_were_changed_afterwards_is_encoded_as_it_is() {
    let model = Model::unknown("p", "m");
    let kept = EncodedHistory::default();
    let said: Vec<_> = ["one", "two"].map(|text| Arc::new(Message::user(text))).into();
    let other = Message::user("three");
    let mut request = Request::new(&model).conversation(&said, &kept);
    request.messages.push(&other);
    let body = encode(ApiKind::OpenAiChat, &request, &Quirks::default()).body.to_value();
    assert_eq!(body["messages"][2]["content"], "three");
}

#[test]
fn only_what_is_new_is_encoded_again() {
    let model = Model::unknown("p", "m");
    let kept = EncodedHistory::default();
    let answer = || message(json!({ "role": "assistant", "content": [{ "type": "text", "text": "yes" }] }));
    let mut messages: Vec<Arc<Message>> = Vec::new();
    for turn in 0..100 {
        messages.push(Arc::new(Message::user(format!("question {turn}"))));
        let request = Request::new(&model).conversation(&messages, &kept);
        let body = encode(ApiKind::AnthropicMessages, &request, &Quirks::default()).body;
        assert!(body.items.len() <= 2, "{} items of turn {turn} were encoded", body.items.len());
        messages.push(answer());
    }
}
