//! Completions that tools offer in the editor, and taps on its input.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// The editor's text and cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EditorState {
    /// Lines of the text.
    pub lines: Vec<String>,
    /// Line of the cursor.
    pub cursor_line: usize,
    /// Column of the cursor, in UTF-16 code units, as JavaScript counts.
    pub cursor_col: usize,
}

/// An entry of a completion list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompletionItem {
    /// Text to insert.
    pub value: String,
    /// Text shown.
    pub label: String,
    /// Explanation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Completions for a state of the editor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Completions {
    /// The entries, best first.
    pub items: Vec<CompletionItem>,
    /// The text before the cursor that an entry replaces.
    pub prefix: String,
}

/// A source of completions. Each wraps those that were added before it.
#[async_trait]
pub trait CompletionSource: Send + Sync {
    /// Returns completions; `force` if they were requested by a key.
    async fn suggest(&self, state: &EditorState, force: bool) -> Option<Completions>;

    /// Returns the editor after an entry was chosen; `None` uses the editor's own way.
    async fn apply(&self, state: &EditorState, item: &CompletionItem, prefix: &str) -> Option<EditorState>;
}

/// Outcome of a tap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Tapped {
    /// Nobody else receives it.
    pub consume: bool,
    /// Replaces the input.
    pub data: Option<String>,
}

/// Sees input before the editor does. UIs wait only briefly for it.
#[async_trait]
pub trait InputTap: Send + Sync {
    /// Handles input as the terminal sent it.
    async fn tap(&self, data: &str) -> Tapped;
}
