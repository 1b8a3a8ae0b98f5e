//! Token estimates: four characters per token, and the provider's count where available.

use std::sync::Arc;

use toolsmith_llm::{AssistantBlock, ContentBlock, Message, StopReason};

/// Tokens of an image, whatever its content.
const IMAGE_TOKENS: u64 = 1200;

/// Estimates the tokens of a message.
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

/// Estimates the tokens of content blocks.
pub(crate) fn content_tokens(content: &[ContentBlock]) -> u64 {
    content.iter().map(|block| block.as_text().map_or(IMAGE_TOKENS, |text| tokens(chars(text)))).sum()
}

/// Estimates the tokens of a text.
pub fn text_tokens(text: &str) -> u64 {
    tokens(chars(text))
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

fn tokens(chars: u64) -> u64 {
    chars.div_ceil(4)
}

/// Size of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    /// The best estimate: the provider's last count, plus an estimate of what came after.
    pub(super) known: u64,
    /// An estimate of everything, for comparison.
    pub(super) estimated: u64,
}

impl Size {
    /// Measures a context whose messages from `counted_from` on were sent unchanged; earlier counts of the provider are
    /// no longer valid.
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
