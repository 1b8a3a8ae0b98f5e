//! Sizes of contexts.

use std::sync::Arc;

use toolsmith_llm::{AssistantBlock, AssistantMessage, Message, StopReason, TextBlock, Usage};

use super::Size;

fn said(text: &str, usage: Usage) -> Message {
    let mut block = TextBlock::default();
    text.clone_into(&mut block.text);
    let mut message = AssistantMessage::default();
    message.content = vec![AssistantBlock::Text(block)];
    message.usage = usage;
    Message::Assistant(message)
}

fn size(messages: Vec<Message>, counted_from: usize) -> (u64, u64) {
    let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
    let size = Size::of(&messages, counted_from);
    assert_eq!(Size::known(&messages, counted_from), size.known);
    (size.known, size.estimated)
}

#[test]
fn what_the_provider_counted_comes_before_estimates() {
    let usage = Usage::new(1000, 20, 300, 0);
    let messages = vec![Message::user("abcd"), said("abcd", usage), Message::user("abcdefgh")];
    assert_eq!(size(messages.clone(), 0), (1322, 4));
    assert_eq!(size(messages.clone(), 2), (4, 4), "counted before the context was changed");
    assert_eq!(size(messages[..1].to_vec(), 0), (1, 1));
}

#[test]
fn an_answer_that_failed_or_was_not_counted_counts_for_nothing() {
    let Message::Assistant(mut failed) = said("abcd", Usage::new(5, 5, 0, 0)) else { unreachable!() };
    failed.stop_reason = StopReason::Error;
    assert_eq!(size(vec![said("abcd", Usage::new(100, 0, 0, 0)), Message::Assistant(failed)], 0), (101, 2));
    assert_eq!(size(vec![said("abcd", Usage::default())], 0), (1, 1));
}
