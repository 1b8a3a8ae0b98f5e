//! Whatever a provider writes, the events come out in order.

use proptest::prelude::*;

use super::*;
use crate::{message::Message, model::Model};

fn reply() -> Reply {
    let model = Model::unknown("p", "m");
    Reply::new(&Request::new(&model), "test")
}

fn drain(reply: &mut Reply) -> Vec<StreamEvent> {
    std::iter::from_fn(|| reply.take_event()).collect()
}

#[test]
fn writing_after_the_end_changes_nothing() {
    let mut reply = reply();
    reply.text(0, "x");
    reply.finish(StopReason::Stop);
    let ended = reply.message().clone();
    reply.finish(StopReason::Length);
    reply.fail(LlmError::network("late"));
    assert_eq!(reply.message(), &ended);
    let ends = drain(&mut reply)
        .iter()
        .filter(|event| matches!(event, StreamEvent::Done { .. } | StreamEvent::Error { .. }))
        .count();
    assert_eq!(ends, 1);
}

#[test]
fn calls_decide_what_a_natural_end_is_called() {
    for (wrote_call, told, expected) in [
        (true, StopReason::Stop, StopReason::ToolUse),
        (false, StopReason::ToolUse, StopReason::Stop),
        (true, StopReason::Length, StopReason::Length),
    ] {
        let mut reply = reply();
        if wrote_call {
            reply.call(0, "a", "read");
        }
        reply.finish(told);
        assert_eq!(reply.message().stop_reason, expected);
    }
}

#[test]
fn a_failure_keeps_a_call_that_was_cut_off() {
    let mut reply = reply();
    reply.call(0, "a", "read");
    reply.arguments(0, "{\"pa");
    reply.fail(LlmError::network("cut"));
    let call = reply.message().tool_calls().next().unwrap();
    assert_eq!(call.arguments_text(), "{\"pa");
    assert_eq!(reply.message().error_message.as_deref(), Some("p: no connection: cut"));
}

#[test]
fn made_up_ids_differ_between_turns_and_are_the_same_when_replayed() {
    let id = |messages: &[Message]| {
        let model = Model::unknown("p", "m");
        let mut reply = Reply::new(&Request::new(&model).messages(messages), "test");
        reply.call(0, "", "read");
        reply.message().tool_calls().next().unwrap().id.clone()
    };
    let one = [Message::user("a")];
    let two = [Message::user("a"), Message::user("b")];
    assert_eq!(id(&one), id(&one));
    assert_ne!(id(&one), id(&two));
}

#[derive(Clone, Debug)]
enum Write {
    Text(u64, String),
    Thinking(u64, String),
    Call(u64, String),
    Arguments(u64, String),
    Sign(u64),
    Close(u64),
}

fn any_write() -> impl Strategy<Value = Write> {
    let slot = 0u64..4;
    prop_oneof![
        (slot.clone(), "[a-z]{0,3}").prop_map(|(slot, text)| Write::Text(slot, text)),
        (slot.clone(), "[a-z]{0,3}").prop_map(|(slot, text)| Write::Thinking(slot, text)),
        (slot.clone(), "[ab]?").prop_map(|(slot, id)| Write::Call(slot, id)),
        (slot.clone(), "[{}a]{0,3}").prop_map(|(slot, text)| Write::Arguments(slot, text)),
        slot.clone().prop_map(Write::Sign),
        slot.prop_map(Write::Close),
    ]
}

proptest! {
    /// Wires may be wrong in any way; readers still see each block start, grow and end, and the deltas add up.
    #[test]
    fn any_sequence_of_writes_gives_events_in_order(writes in proptest::collection::vec(any_write(), 0..40)) {
        let mut reply = reply();
        for write in writes {
            match write {
                Write::Text(slot, text) => reply.text(slot, &text),
                Write::Thinking(slot, text) => reply.thinking(slot, &text),
                Write::Call(slot, id) => reply.call(slot, &id, "t"),
                Write::Arguments(slot, text) => reply.arguments(slot, &text),
                Write::Sign(slot) => reply.sign(slot, "s"),
                Write::Close(slot) => reply.close(slot),
            }
        }
        reply.finish(StopReason::Stop);
        let events = drain(&mut reply);
        prop_assert_eq!(&events[0], &StreamEvent::Start);
        let mut blocks: Vec<(bool, String)> = Vec::new();
        for event in &events {
            let value = serde_json::to_value(event).unwrap();
            let Some(index) = value["contentIndex"].as_u64().map(|index| index as usize) else { continue };
            let kind = value["type"].as_str().unwrap();
            if kind.ends_with("_start") {
                prop_assert_eq!(index, blocks.len(), "blocks are numbered as they begin");
                blocks.push((true, String::new()));
            } else if kind.ends_with("_delta") {
                prop_assert!(blocks[index].0, "grows only while it is open");
                let delta = value["delta"].as_str().unwrap().to_owned();
                prop_assert!(!delta.is_empty());
                blocks[index].1.push_str(&delta);
            } else {
                prop_assert!(blocks[index].0, "ends once");
                blocks[index].0 = false;
            }
        }
        prop_assert!(blocks.iter().all(|(open, _)| !open), "all ended");
        let message = reply.message();
        prop_assert_eq!(message.content.len(), blocks.len());
        let mut ids = std::collections::HashSet::new();
        for (block, (_, text)) in message.content.iter().zip(&blocks) {
            match block {
                AssistantBlock::Text(block) => prop_assert_eq!(&block.text, text),
                AssistantBlock::Thinking(block) => prop_assert_eq!(&block.thinking, text),
                AssistantBlock::ToolCall(call) => {
                    prop_assert!(ids.insert(call.id.clone()), "ids are unique");
                    if !text.is_empty() {
                        prop_assert_eq!(&call.arguments_text(), text);
                    }
                }
            }
        }
        let is_done = matches!(events.last(), Some(StreamEvent::Done { .. }));
        prop_assert!(is_done);
    }
}

/// Writes without an end.
struct Endless(Step);

type Step = fn(&mut Reply, u64);

#[crate::async_trait]
impl crate::ReplySource for Endless {
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        for n in 0..256 {
            (self.0)(reply, n);
        }
        Ok(())
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up_and_the_error_names_the_limit() {
    const MEGABYTE: usize = 1 << 20;
    let cases: [(Step, &str); 5] = [
        (|reply, _| reply.text(0, &"x".repeat(MEGABYTE)), "33554432 bytes of content"),
        (|reply, _| reply.thinking(0, &"x".repeat(MEGABYTE)), "33554432 bytes of content"),
        (
            |reply, n| {
                if n == 0 {
                    reply.call(0, "id", "tool");
                }
                reply.arguments(0, &"x".repeat(MEGABYTE));
            },
            "16777216 bytes of arguments for one call",
        ),
        (
            |reply, n| {
                let slot = reply.message().content.len() as u64 + n;
                reply.call(slot, "", "tool");
                reply.close(slot);
            },
            "4096 blocks",
        ),
        (|reply, _| reply.redacted_thinking(0, &"x".repeat(MEGABYTE)), "33554432 bytes of content"),
    ];
    for (write, limit) in cases {
        let source = Box::new(Endless(write));
        let mut stream = crate::EventStream::new(source, reply(), crate::CancelToken::new());
        let mut bytes = 0;
        let error = loop {
            match stream.next().await.unwrap() {
                StreamEvent::Error { error, .. } => break error,
                StreamEvent::TextDelta { delta, .. } | StreamEvent::ThinkingDelta { delta, .. } => {
                    bytes += delta.len();
                }
                _ => {}
            }
        };
        assert!(error.to_string().contains(limit), "{error}");
        assert!(bytes <= MAX_CONTENT_BYTES && stream.partial().content.len() <= MAX_BLOCKS);
    }
}
