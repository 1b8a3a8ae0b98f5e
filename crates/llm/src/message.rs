//! The conversation: who said what, in which pieces, at what price. The JSON form is what sessions store.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
pub use toolsmith_tool::ContentBlock;

/// One message. In JSON the field `role` says which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Message {
    /// From the person.
    User(InputMessage),
    /// From the program around the model: reminders and the like. Providers without such a role get it as the user's.
    Developer(InputMessage),
    /// From the model.
    Assistant(AssistantMessage),
    /// What a call came to.
    ToolResult(ToolResultMessage),
}

impl Message {
    /// A text from the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(InputMessage::text(text))
    }

    /// A text from the program around the model.
    pub fn developer(text: impl Into<String>) -> Self {
        Self::Developer(InputMessage::text(text))
    }

    /// Its words, whoever said them; images, thinking and calls have none.
    pub fn joined_text(&self) -> String {
        match self {
            Self::User(message) | Self::Developer(message) => join_text(&message.content),
            Self::Assistant(message) => message.text(),
            Self::ToolResult(message) => message.joined_text(),
        }
    }
}

/// What goes to the model from outside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputMessage {
    /// Texts and images. Reads a bare string as one text.
    #[serde(deserialize_with = "string_or_blocks")]
    pub content: Vec<ContentBlock>,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: u64,
}

impl InputMessage {
    /// One text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// Texts and images.
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self { content, timestamp: 0 }
    }
}

/// What a call came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultMessage {
    /// The call it answers.
    pub tool_call_id: String,
    /// The tool that was called.
    pub tool_name: String,
    /// What the model sees.
    #[serde(deserialize_with = "string_or_blocks")]
    pub content: Vec<ContentBlock>,
    /// What the model never sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub timestamp: u64,
}

impl ToolResultMessage {
    /// A result without details.
    pub fn new(
        tool_call_id: impl Into<String>,
        tool_name: impl Into<String>,
        content: Vec<ContentBlock>,
    ) -> Self {
        Self { tool_call_id: tool_call_id.into(), tool_name: tool_name.into(), content, ..Self::default() }
    }

    /// Says that the call failed.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// The text blocks, joined by newlines.
    pub fn joined_text(&self) -> String {
        join_text(&self.content)
    }
}

/// What the model said, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// In the order the model began each.
    pub content: Vec<AssistantBlock>,
    /// The wire it came over, such as `anthropic-messages`.
    pub api: String,
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// What went wrong, where something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds since 1970.
    pub timestamp: u64,
}

impl AssistantMessage {
    /// The calls, in the order they were asked.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            AssistantBlock::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The text blocks, joined as they came.
    pub fn text(&self) -> String {
        self.content
            .iter()
            .filter_map(|block| match block {
                AssistantBlock::Text(block) => Some(block.text.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// One piece of what the model said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum AssistantBlock {
    /// Words for the reader.
    Text(TextBlock),
    /// Words on the way there.
    Thinking(ThinkingBlock),
    /// A tool to run.
    ToolCall(ToolCall),
}

/// Words for the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextBlock {
    /// The words.
    pub text: String,
    /// What the provider wants back with them, unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
}

/// Words on the way to the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ThinkingBlock {
    /// The words, or the provider's summary of them; may be empty where it shows none.
    pub thinking: String,
    /// What the provider wants back with them, unread. Only the model that made it can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// The provider withheld the words; the signature is all there is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// A tool the model wants run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCall {
    /// Unique in its conversation: a provider that repeats itself has been corrected.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments; an empty object where the text is not JSON.
    pub arguments: Value,
    /// The model's own text, where writing `arguments` out would not give it back. Replaying what the model wrote
    /// byte for byte keeps caches of the prompt warm, and broken JSON can be mended only from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_arguments: Option<String>,
    /// What the provider wants back with the call, unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
}

impl ToolCall {
    /// A call with arguments that are JSON already.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), name: name.into(), arguments, raw_arguments: None, thought_signature: None }
    }

    /// The arguments as the model wrote them: what argument repair wants to see.
    pub fn arguments_text(&self) -> Cow<'_, str> {
        match &self.raw_arguments {
            Some(raw) => Cow::Borrowed(raw),
            None => Cow::Owned(self.arguments.to_string()),
        }
    }

    /// Replaces the arguments, and with them what the model wrote.
    pub fn set_arguments(&mut self, arguments: Value) {
        self.arguments = arguments;
        self.raw_arguments = None;
    }

    /// Reads `raw_arguments`, once all of it is there.
    pub(crate) fn settle_arguments(&mut self) {
        let raw = self.raw_arguments.take().unwrap_or_default();
        self.arguments = Value::Object(Map::new());
        if raw.trim().is_empty() {
            return;
        }
        match serde_json::from_str(&raw) {
            Ok(value) => {
                self.arguments = value;
                let written = self.arguments.to_string();
                self.raw_arguments = (written != raw).then_some(raw);
            }
            Err(_) => self.raw_arguments = Some(raw),
        }
    }
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StopReason {
    /// It had said everything.
    #[default]
    Stop,
    /// It ran into a limit. Calls in such a message may be cut off and must not run.
    Length,
    /// It waits for tools.
    ToolUse,
    /// Something failed; what is there is what had arrived.
    Error,
    /// It was stopped; what is there is what had arrived.
    Aborted,
}

/// Tokens of one reply. The four counts do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Usage {
    /// Read afresh.
    pub input: u64,
    /// Written, thinking included.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Read and put into the provider's cache.
    pub cache_write: u64,
    /// All of them.
    pub total_tokens: u64,
    /// What they cost, in US dollars; zero where no price is known.
    pub cost: Cost,
}

impl Usage {
    /// Counts without a price.
    pub fn new(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Self {
        Self {
            input,
            output,
            cache_read,
            cache_write,
            total_tokens: input.saturating_add(output).saturating_add(cache_read).saturating_add(cache_write),
            cost: Cost::default(),
        }
    }

    /// Tokens of the prompt, however they were read: what has to fit the context window.
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Cost {
    /// For what was read afresh.
    pub input: f64,
    /// For what was written.
    pub output: f64,
    /// For what was read from the cache.
    pub cache_read: f64,
    /// For what was put into the cache.
    pub cache_write: f64,
    /// All of it.
    pub total: f64,
}

pub(crate) fn join_text(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

fn string_or_blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Blocks(Vec<ContentBlock>),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Text(text) => vec![ContentBlock::text(text)],
        Either::Blocks(blocks) => blocks,
    })
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
