//! What comes back from a call: a result, a failure the model is told, or an end of the run.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::content::ContentBlock;

/// What a tool answers (CONTRACT 4.1). The model sees `content`; `details` is for people, renderers and state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// What the model sees.
    pub content: Vec<ContentBlock>,
    /// What the model never sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether the call failed, in the tool's own judgement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// A result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// An error result of one text block.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Adds details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The text blocks, joined by newlines.
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

/// A failure the model is told of and can act on.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// The text for the model.
    pub message: String,
    /// The class of the error where the tool's language has one, such as `TypeError`.
    pub class: Option<String>,
    /// Where it happened, in the author's own files.
    pub stack: Option<String>,
    /// Details for people and renderers.
    pub details: Option<Value>,
}

impl Failure {
    /// A failure of which only the message is known.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

/// How a cancelled call ended, as far as that is known (CONTRACT 4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Stop {
    /// Nothing of it ran.
    #[error("cancelled before it started")]
    NotStarted,
    /// It ended by itself when asked.
    #[error("stopped")]
    Stopped,
    /// It did not end when asked.
    #[error("stopped by force; its effects are unknown")]
    Forced,
}

/// Why a call gave no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The model is told and the run goes on.
    #[error("{}", .0.message)]
    Reply(Box<Failure>),
    /// The call was cancelled; `note` says what else is known, such as the reason or lost state.
    #[error("{stop}{}", .note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default())]
    Stopped {
        /// How it ended.
        stop: Stop,
        /// What else is known.
        note: Option<String>,
    },
    /// The run cannot go on.
    #[error("{0}")]
    Fatal(String),
}

impl ToolError {
    /// A failure the model is told.
    pub fn reply(message: impl Into<String>) -> Self {
        Self::Reply(Box::new(Failure::new(message)))
    }

    /// A cancelled call without a note.
    pub fn stopped(stop: Stop) -> Self {
        Self::Stopped { stop, note: None }
    }

    /// The error result the model gets (CONTRACT 4.5, 4.6). A fatal error has the same shape, for the record.
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
