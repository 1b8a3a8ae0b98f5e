//! Token estimates: four characters per token.

use crate::message::{AssistantBlock, ContentBlock, Message};

/// Tokens of an image, whatever its content.
const IMAGE_TOKENS: u64 = 1200;

/// Estimates the tokens of a message.
pub fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::User(input) | Message::Developer(input) => content_tokens(&input.content),
        Message::ToolResult(result) => content_tokens(&result.content),
        Message::Assistant(said) => {
            let sizes = said.content.iter().map(|block| match block {
                AssistantBlock::Text(block) => chars(&block.text),
                AssistantBlock::Thinking(block) => chars(&block.thinking),
                AssistantBlock::ToolCall(call) => chars(&call.name) + chars(&call.arguments_text()),
            });
            tokens(sizes.sum())
        }
    }
}

/// Estimates the tokens of content blocks.
pub fn content_tokens(content: &[ContentBlock]) -> u64 {
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

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
