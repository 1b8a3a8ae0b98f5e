//! How many tokens something is, as far as that can be told without asking: four characters each, and what the provider
//! counted where it did.

use std::sync::Arc;

use toolsmith_llm::{AssistantBlock, ContentBlock, Message, StopReason};

/// An image, whatever is on it.
const IMAGE_TOKENS: u64 = 1200;

/// The tokens of a message, estimated.
pub(super) fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::User(input) | Message::Developer(input) => content_tokens(&input.content),
        Message::ToolResult(result) => content_tokens(&result.content),
        Message::Assistant(said) => {
            let sizes = said.content.iter().map(|block| match block {
                AssistantBlock::Text(block) => chars(&block.text),
                AssistantBlock::Thinking(block) => chars(&block.thinking),
                AssistantBlock::ToolCall(call) => chars(&call.name) + chars(&call.arguments_text()),
                _ => 0,
            });
            tokens(sizes.sum())
        }
        _ => 0,
    }
}

/// The tokens of what goes to the model from outside.
pub(super) fn content_tokens(content: &[ContentBlock]) -> u64 {
    content.iter().map(|block| block.as_text().map_or(IMAGE_TOKENS, |text| tokens(chars(text)))).sum()
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

fn tokens(chars: u64) -> u64 {
    chars.div_ceil(4)
}

/// The size of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// The best that is known: what the provider counted last, and an estimate of what came after.
    pub(super) known: u64,
    /// All of it estimated, to compare with.
    pub(super) estimated: u64,
}

impl Size {
    /// Of a context, of which the messages from `counted_from` on were sent as they stand: what the provider counted before
    /// is no longer true.
    pub(super) fn of(messages: &[Arc<Message>], counted_from: usize) -> Self {
        let mut estimated = 0;
        let mut since = 0;
        let mut counted = None;
        for (at, message) in messages.iter().enumerate() {
            let own = message_tokens(message);
            estimated += own;
            match message.as_ref() {
                Message::Assistant(said)
                    if at >= counted_from
                        && said.usage.prompt_tokens() > 0
                        && !matches!(said.stop_reason, StopReason::Error | StopReason::Aborted) =>
                {
                    counted = Some(said.usage.prompt_tokens().saturating_add(said.usage.output));
                    since = 0;
                }
                _ => since += own,
            }
        }
        Self { known: counted.map_or(estimated, |counted| counted.saturating_add(since)), estimated }
    }
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
