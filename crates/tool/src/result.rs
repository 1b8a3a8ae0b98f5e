//! Outcome of a call: a result and its content blocks (CONTRACT 4.1), a failure reported to the model, or a fatal error.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// A tool's result (CONTRACT 4.1). The model receives `content`; `details` is for people, renderers and state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Content sent to the model.
    pub content: Vec<ContentBlock>,
    /// Details that are never sent to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Set by the tool if the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// Creates a result with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// Creates an error result with one text block.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Adds details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Returns the text blocks joined by newlines.
    pub fn joined_text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
    }
}

impl From<String> for ToolResult {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for ToolResult {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// A failure that the model receives and can act on.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The message for the model.
    pub message: String,
    /// Class of the error, if the tool's language has one, such as `TypeError`.
    pub class: Option<String>,
    /// Stack in the author's own files.
    pub stack: Option<String>,
    /// Details for people and renderers.
    pub details: Option<Value>,
}

impl Failure {
    /// Creates a failure with only a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

/// How a cancelled call ended (CONTRACT 4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Stop {
    /// It was cancelled before it started.
    #[error("cancelled before it started")]
    NotStarted,
    /// It stopped when asked.
    #[error("stopped")]
    Stopped,
    /// It was killed because it did not stop when asked.
    #[error("killed; its side effects may be incomplete")]
    Forced,
}

/// Errors of a call.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The model receives the error and the run continues.
    #[error("{}", .0.message)]
    Reply(Box<Failure>),
    /// The call was cancelled; `note` has further information, such as the reason or lost state.
    #[error("{stop}{}", .note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default())]
    Stopped {
        /// How it ended.
        stop: Stop,
        /// Further information.
        note: Option<String>,
    },
    /// The run cannot continue.
    #[error("{0}")]
    Fatal(String),
}

impl ToolError {
    /// Creates a failure that is reported to the model.
    pub fn reply(message: impl Into<String>) -> Self {
        Self::Reply(Box::new(Failure::new(message)))
    }

    /// Creates an error for a cancelled call, without a note.
    pub fn stopped(stop: Stop) -> Self {
        Self::Stopped { stop, note: None }
    }

    /// Converts to the error result for the model (CONTRACT 4.5, 4.6). A fatal error has the same shape, for the
    /// record.
    pub fn into_result(self) -> ToolResult {
        let text = match self.to_string() {
            text if text.trim().is_empty() => "Tool failed with no output.".to_owned(),
            text => text,
        };
        let mut result = ToolResult::error(text);
        if let Self::Reply(failure) = self {
            result.details = failure.details;
        }
        result
    }
}

/// One block of a result. The JSON form is that of the contract: `{"type":"text","text":…}` or
/// `{"type":"image","data":…,"mimeType":…}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// The bytes in base64.
        data: String,
        /// Media type, such as `image/png`.
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
}

impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the size in bytes: of the text, or of the encoded image.
    pub fn size(&self) -> usize {
        match self {
            Self::Text { text } => text.len(),
            Self::Image { data, .. } => data.len(),
        }
    }

    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Image { .. } => None,
        }
    }
}
