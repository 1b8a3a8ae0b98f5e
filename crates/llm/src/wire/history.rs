//! Normalises a conversation so that every provider accepts it. Sessions are interrupted, models are switched and tools
//! disappear; a single message that a provider rejects would make it reject every later request. For all formats:
//!
//! - Each call has exactly one result, directly after its message and in the order of the calls. A missing result is
//!   replaced by an error; a result without a call is omitted.
//! - Thinking and signatures are sent only to the model that created them, and only if signed.
//! - No text is empty. Models without image support receive a note for each image.
//! - Call ids use characters and lengths that all providers accept.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value};

use crate::{
    message::{AssistantBlock, AssistantMessage, ContentBlock, Message, TextBlock, ThinkingBlock, ToolCall},
    request::Request,
};

const NO_RESULT: &str = "This call was interrupted and has no result. Its side effects are unknown.";
const IMAGE_OMITTED: &str = "(image omitted: the model does not support images)";
/// Maximum length of an id that every provider accepts.
const MAX_ID_CHARS: usize = 64;

/// One turn of the conversation.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    User(Vec<Part<'a>>),
    Developer(Vec<Part<'a>>),
    Assistant(Vec<Block<'a>>),
    /// The results of the previous turn, in the order of its calls.
    Results(Vec<Outcome<'a>>),
}

/// An input block. Texts are never empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    Image { data: &'a str, mime_type: &'a str },
}

/// A block of a response.
#[derive(Debug, PartialEq)]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
        signature: Option<&'a str>,
    },
    /// Signed thinking of the requested model.
    Thinking(&'a ThinkingBlock),
    Call {
        id: Cow<'a, str>,
        call: &'a ToolCall,
        signature: Option<&'a str>,
    },
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: &'a str,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) is_error: bool,
}

impl Outcome<'_> {
    /// Returns the texts, joined by newlines.
    pub(super) fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(text) => Some(*text),
                Part::Image { .. } => None,
            })
            .collect();
        texts.join("\n")
    }

    /// Returns the texts for a format without an error field, marking errors in the text.
    pub(super) fn text_with_failure(&self) -> String {
        let text = self.text();
        if self.is_error && !text.to_lowercase().starts_with("error") {
            format!("Error: {text}")
        } else {
            text
        }
    }

    pub(super) fn images(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Image { data, mime_type } => Some((*data, *mime_type)),
            Part::Text(_) => None,
        })
    }
}

/// Returns the arguments as an object, for formats that take one.
pub(super) fn arguments_object(call: &ToolCall) -> Value {
    match &call.arguments {
        arguments @ Value::Object(_) => arguments.clone(),
        _ => Value::Object(Map::new()),
    }
}

/// Returns the arguments as valid JSON text, because servers that insert it into a template fail on anything else.
pub(super) fn arguments_text(call: &ToolCall) -> Cow<'_, str> {
    match &call.arguments {
        Value::Object(map) if !map.is_empty() => call.arguments_text(),
        _ => Cow::Borrowed("{}"),
    }
}

/// Maps an id to a form that a provider accepts.
pub(super) type SpellId = fn(&str) -> Cow<'_, str>;

/// Converts the request's conversation for the wire format `api`, mapping ids with `spell`. `used_ids` has the ids of
/// the conversation before these messages. Returns the turns, and for each the index of its first message.
pub(super) fn turns<'a>(
    request: &Request<'a>,
    api: &str,
    spell: SpellId,
    used_ids: &mut HashSet<String>,
) -> (Vec<Turn<'a>>, Vec<usize>) {
    let model = request.model;
    let parts = |content: &'a [ContentBlock]| parts(content, model.images);
    let mut turns = Vec::with_capacity(request.messages.len());
    let mut begin = Vec::with_capacity(request.messages.len());
    let mut rest = request.messages.as_slice();
    while let Some((message, after)) = rest.split_first() {
        let at = request.messages.len() - rest.len();
        rest = after;
        match *message {
            Message::User(input) => push_input(&mut turns, Turn::User(parts(&input.content))),
            Message::Developer(input) => push_input(&mut turns, Turn::Developer(parts(&input.content))),
            Message::Assistant(said) => {
                let is_own = said.api == api && said.provider == model.provider && said.model == model.id;
                let blocks = blocks(said, is_own, spell, used_ids);
                if blocks.is_empty() {
                    continue;
                }
                let outcomes = outcomes(&blocks, after, &parts);
                turns.push(Turn::Assistant(blocks));
                if !outcomes.is_empty() {
                    turns.push(Turn::Results(outcomes));
                }
            }
            // Handled with the message that made the call.
            Message::ToolResult(_) => {}
        }
        begin.resize(turns.len(), at);
    }
    (turns, begin)
}

fn push_input<'a>(turns: &mut Vec<Turn<'a>>, turn: Turn<'a>) {
    if let Turn::User(parts) | Turn::Developer(parts) = &turn
        && !parts.is_empty()
    {
        turns.push(turn);
    }
}

fn parts(content: &[ContentBlock], sees_images: bool) -> Vec<Part<'_>> {
    content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text { text } if text.trim().is_empty() => None,
            ContentBlock::Text { text } => Some(Part::Text(text)),
            ContentBlock::Image { data, mime_type } if sees_images => Some(Part::Image { data, mime_type }),
            _ => Some(Part::Text(IMAGE_OMITTED)),
        })
        .collect()
}

fn blocks<'a>(
    said: &'a AssistantMessage,
    is_own: bool,
    spell: SpellId,
    used_ids: &mut HashSet<String>,
) -> Vec<Block<'a>> {
    said.content
        .iter()
        .filter_map(|block| match block {
            AssistantBlock::Text(TextBlock { text, .. }) if text.trim().is_empty() => None,
            AssistantBlock::Text(block) => Some(Block::Text {
                text: &block.text,
                signature: block.text_signature.as_deref().filter(|_| is_own),
            }),
            AssistantBlock::Thinking(block) => {
                (is_own && block.thinking_signature.is_some()).then_some(Block::Thinking(block))
            }
            AssistantBlock::ToolCall(call) => Some(Block::Call {
                id: unused(spell(&call.id), used_ids),
                call,
                signature: call.thought_signature.as_deref().filter(|_| is_own),
            }),
        })
        .collect()
}

/// Returns one result for each call in `blocks`, from the results up to the model's next message.
fn outcomes<'a>(
    blocks: &[Block<'a>],
    after: &[&'a Message],
    parts: &impl Fn(&'a [ContentBlock]) -> Vec<Part<'a>>,
) -> Vec<Outcome<'a>> {
    let mut results: Vec<_> = after
        .iter()
        .take_while(|message| !matches!(message, Message::Assistant(_)))
        .filter_map(|message| match message {
            Message::ToolResult(result) => Some(result),
            _ => None,
        })
        .collect();
    let calls = blocks.iter().filter_map(|block| match block {
        Block::Call { id, call, .. } => Some((id, *call)),
        _ => None,
    });
    calls
        .map(|(id, call)| {
            let found = results.iter().position(|result| result.tool_call_id == call.id);
            let (parts, is_error) = match found.map(|at| results.remove(at)) {
                Some(result) => (parts(&result.content), result.is_error),
                None => (vec![Part::Text(NO_RESULT)], true),
            };
            let parts = if parts.is_empty() { vec![Part::Text("(no output)")] } else { parts };
            Outcome { id: id.clone(), name: &call.name, parts, is_error }
        })
        .collect()
}

fn unused<'a>(id: Cow<'a, str>, used: &mut HashSet<String>) -> Cow<'a, str> {
    if used.insert(id.clone().into_owned()) {
        return id;
    }
    let base: String = id.chars().take(MAX_ID_CHARS - 8).collect();
    let mut again = 2;
    loop {
        let other = format!("{base}_{again}");
        if used.insert(other.clone()) {
            return Cow::Owned(other);
        }
        again += 1;
    }
}

/// Maps an id to letters, digits, `_` and `-`, at most 64 of them.
pub(super) fn plain_id(id: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !id.is_empty() && id.len() <= MAX_ID_CHARS && id.chars().all(is_plain) {
        return Cow::Borrowed(id);
    }
    let plain: String = id.chars().map(|c| if is_plain(c) { c } else { '_' }).take(MAX_ID_CHARS).collect();
    Cow::Owned(if plain.is_empty() { "call".to_owned() } else { plain })
}

/// Maps an id to exactly nine letters and digits, which Mistral requires.
pub(super) fn short_id(id: &str) -> Cow<'_, str> {
    const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(id);
    }
    // FNV-1a: the same id must map to the same short id on every turn.
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let short = (0..9)
        .map(|_| {
            let digit = DIGITS[(hash % 36) as usize];
            hash /= 36;
            char::from(digit)
        })
        .collect();
    Cow::Owned(short)
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
