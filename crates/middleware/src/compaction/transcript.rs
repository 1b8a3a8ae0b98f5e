//! A conversation as text for a summary, so that the model reads it instead of continuing it.

use std::collections::VecDeque;

use toolsmith_llm::{AssistantBlock, ContentBlock, Message};

/// Maximum characters of a result, of arguments or of thinking.
const SHOWN: usize = 2000;

/// Formats the newest of these messages in at most about this many characters.
pub(super) fn write(messages: &[Message], max_chars: usize) -> String {
    let mut parts = VecDeque::new();
    let mut room = max_chars;
    let mut left_out = 0;
    for message in messages.iter().rev() {
        let text = one(message);
        if text.is_empty() {
            continue;
        }
        let chars = text.chars().count();
        if left_out > 0 || (chars > room && !parts.is_empty()) {
            left_out += 1;
            continue;
        }
        // The newest message is always included, as far as it fits.
        parts.push_front(if chars > room { shorten(&text, room) } else { text });
        room = room.saturating_sub(chars);
    }
    if left_out > 0 {
        parts.push_front(format!("[{left_out} older messages omitted because they do not fit]"));
    }
    let text = parts.into_iter().collect::<Vec<_>>().join("\n\n");
    // No content may look like the end of the conversation.
    text.replace("</conversation>", "<\\/conversation>")
        .replace("</previous-summary>", "<\\/previous-summary>")
}

fn one(message: &Message) -> String {
    match message {
        Message::User(input) => part("User", &content(&input.content)),
        Message::Developer(input) => part("Program", &content(&input.content)),
        Message::ToolResult(result) => {
            let failed = if result.is_error { ", failed" } else { "" };
            part(
                &format!("Result of {}{failed}", result.tool_name),
                &shorten(&content(&result.content), SHOWN),
            )
        }
        Message::Assistant(said) => {
            let parts = said.content.iter().map(|block| match block {
                AssistantBlock::Text(block) => part("Assistant", &block.text),
                AssistantBlock::Thinking(block) => {
                    part("Assistant thinking", &shorten(&block.thinking, SHOWN))
                }
                AssistantBlock::ToolCall(call) => {
                    part(&format!("Assistant calls {}", call.name), &shorten(&call.arguments_text(), SHOWN))
                }
                _ => String::new(),
            });
            parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
        }
        _ => String::new(),
    }
}

fn part(who: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("[{who}]: {text}") }
}

fn content(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().map(|block| block.as_text().unwrap_or("[image]"));
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the beginning and the end of a text.
fn shorten(text: &str, max_chars: usize) -> String {
    let chars = text.chars().count();
    if chars <= max_chars {
        return text.to_owned();
    }
    let head = max_chars * 3 / 4;
    let tail = max_chars - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(chars - tail).collect();
    format!("{start}\n[… {} characters …]\n{end}", chars - max_chars)
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
