//! Conversation messages: roles, content blocks, token usage and cost. Sessions store their JSON form.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use toolsmith_tool::CallMetrics;
pub use toolsmith_tool::ContentBlock;

/// One message. The JSON field `role` selects the variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Message {
    /// From the user.
    User(InputMessage),
    /// From the program, such as reminders. Providers without a developer role receive it as a user message.
    Developer(InputMessage),
    /// From the model.
    Assistant(AssistantMessage),
    /// The result of a tool call.
    ToolResult(ToolResultMessage),
}

impl Message {
    /// Creates a text message from the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(InputMessage::text(text))
    }

    /// Creates a text message from the program.
    pub fn developer(text: impl Into<String>) -> Self {
        Self::Developer(InputMessage::text(text))
    }

    /// Returns the text of the message; images, thinking and calls have none.
    pub fn joined_text(&self) -> String {
        match self {
            Self::User(message) | Self::Developer(message) => join_text(&message.content),
            Self::Assistant(message) => message.text(),
            Self::ToolResult(message) => message.joined_text(),
        }
    }
}

/// Content of a user or developer message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputMessage {
    /// Text and image blocks. A bare string is read as one text block.
    #[serde(deserialize_with = "string_or_blocks")]
    pub content: Vec<ContentBlock>,
    /// Milliseconds since the Unix epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Type of a message that an extension or a tool added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_type: Option<String>,
    /// Set if such a message is shown to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<bool>,
    /// Details of such a message, which are never sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl InputMessage {
    /// Creates a message with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// Creates a message with these blocks.
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self { content, ..Self::default() }
    }
}

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultMessage {
    /// Id of the call.
    pub tool_call_id: String,
    /// Name of the tool.
    pub tool_name: String,
    /// Content sent to the model.
    #[serde(deserialize_with = "string_or_blocks")]
    pub content: Vec<ContentBlock>,
    /// Details that are never sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Set if the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Milliseconds since the Unix epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Use of the call, which is never sent to the model; missing in sessions of other programs and of older versions.
    #[serde(default, deserialize_with = "metrics_or_none", skip_serializing_if = "Option::is_none")]
    pub metrics: Option<CallMetrics>,
}

impl ToolResultMessage {
    /// Creates a result without details.
    pub fn new(
        tool_call_id: impl Into<String>,
        tool_name: impl Into<String>,
        content: Vec<ContentBlock>,
    ) -> Self {
        Self { tool_call_id: tool_call_id.into(), tool_name: tool_name.into(), content, ..Self::default() }
    }

    /// Marks the result as an error.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Returns the text blocks joined by newlines.
    pub fn joined_text(&self) -> String {
        join_text(&self.content)
    }
}

/// A response of the model with its usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// Content blocks, in the order they were started.
    pub content: Vec<AssistantBlock>,
    /// Wire format, such as `anthropic-messages`.
    pub api: String,
    /// Name of the provider in the configuration.
    pub provider: String,
    /// Model that was requested.
    pub model: String,
    /// Token usage.
    pub usage: Usage,
    /// Reason why the response ended.
    pub stop_reason: StopReason,
    /// Error text, if the request failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub timestamp: u64,
}

impl AssistantMessage {
    /// Returns the tool calls in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            AssistantBlock::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the text blocks, concatenated.
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

/// One block of a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum AssistantBlock {
    /// Text.
    Text(TextBlock),
    /// Thinking.
    Thinking(ThinkingBlock),
    /// A tool call.
    ToolCall(ToolCall),
}

/// A text block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// Opaque data that the provider expects back with the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
}

/// A thinking block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ThinkingBlock {
    /// The thinking text or the provider's summary; may be empty if the provider shows none.
    pub thinking: String,
    /// Opaque data that the provider expects back. Only the model that created it can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// The provider withheld the text; only the signature is available.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// A tool call requested by the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCall {
    /// Unique within the conversation; duplicate ids from a provider are replaced.
    pub id: String,
    /// Name of the tool as the model wrote it.
    pub name: String,
    /// The arguments; an empty object if the text is not JSON.
    pub arguments: Value,
    /// The model's original text, if serialising `arguments` would not reproduce it. Replaying it byte for byte keeps
    /// prompt caches valid, and malformed JSON can only be repaired from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_arguments: Option<String>,
    /// Opaque data that the provider expects back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
}

impl ToolCall {
    /// Creates a call from parsed arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), name: name.into(), arguments, raw_arguments: None, thought_signature: None }
    }

    /// Returns the arguments as the model wrote them, for argument repair.
    pub fn arguments_text(&self) -> Cow<'_, str> {
        match &self.raw_arguments {
            Some(raw) => Cow::Borrowed(raw),
            None => Cow::Owned(self.arguments.to_string()),
        }
    }

    /// Replaces the arguments and discards the original text.
    pub fn set_arguments(&mut self, arguments: Value) {
        self.arguments = arguments;
        self.raw_arguments = None;
    }

    /// Parses `raw_arguments` once it is complete.
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

/// Reason why a response ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StopReason {
    /// The model finished.
    #[default]
    Stop,
    /// A limit was reached. Calls in such a message may be incomplete and must not run.
    Length,
    /// The model waits for tool results.
    ToolUse,
    /// The request failed; the message contains what had arrived.
    Error,
    /// The request was cancelled; the message contains what had arrived.
    Aborted,
}

/// Token usage of one response. The four counts do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Usage {
    /// Input tokens that were not cached.
    pub input: u64,
    /// Output tokens, including thinking.
    pub output: u64,
    /// Input tokens read from the provider's cache.
    pub cache_read: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write: u64,
    /// Sum of all tokens.
    pub total_tokens: u64,
    /// Cost in US dollars; zero if no price is known.
    pub cost: Cost,
}

impl Usage {
    /// Creates usage without a cost.
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

    /// Returns all input tokens, which must fit the context window.
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// Cost in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Cost {
    /// Uncached input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Cache reads.
    pub cache_read: f64,
    /// Cache writes.
    pub cache_write: f64,
    /// Total.
    pub total: f64,
}

pub(crate) fn join_text(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

/// Reads figures; a field of the same name that another program wrote is ignored.
fn metrics_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CallMetrics>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(if value.is_object() { CallMetrics::deserialize(value).ok() } else { None })
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
