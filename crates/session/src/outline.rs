//! An outline of a session's tree, for navigation in a UI.

use serde::Serialize;
use serde_json::Value;
use toolsmith_llm::Message;

use super::{
    context,
    entry::{Entry, EntryKind},
    listing::beginning,
    session_log::{SessionLog, text_of},
    tree::Tree,
};

/// One entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutlineRow {
    /// Id of the entry.
    pub id: String,
    /// Row of the parent, always an earlier one; `None` for a root.
    pub parent: Option<usize>,
    /// Kind of entry: the role of a message, else the type.
    pub kind: String,
    /// Beginning of its text, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Time of appending: RFC 3339, UTC.
    pub timestamp: String,
    /// Set if it lies on the path to the leaf.
    pub on_path: bool,
}

/// A user message from which a branch can start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserMessage {
    /// Id of the entry.
    pub entry_id: String,
    /// Text.
    pub text: String,
}

impl SessionLog {
    /// Returns the outline, in the order the entries were appended.
    pub fn outline(&self) -> Vec<OutlineRow> {
        let tree = self.tree();
        let mut on_path = vec![false; tree.len()];
        for at in tree.path_to(tree.leaf()) {
            on_path[at] = true;
        }
        let rows = on_path.into_iter().enumerate();
        rows.map(|(at, on_path)| {
            let entry = context::read(&tree, at, None);
            OutlineRow {
                parent: tree.parent(at),
                kind: kind_of(&tree, at),
                text: beginning(&said(&entry)),
                label: tree.label(&entry.id).map(str::to_owned),
                id: entry.id,
                timestamp: entry.timestamp,
                on_path,
            }
        })
        .collect()
    }

    /// Returns all user messages with text, on every branch, oldest first.
    pub fn user_messages(&self) -> Vec<UserMessage> {
        let tree = self.tree();
        let entries = (0..tree.len()).map(|at| context::read(&tree, at, None));
        entries
            .filter_map(|entry| match entry.kind {
                EntryKind::Message(Message::User(said)) => {
                    Some(UserMessage { entry_id: entry.id, text: text_of(&said.content) })
                }
                _ => None,
            })
            .filter(|message| !message.text.trim().is_empty())
            .collect()
    }
}

fn kind_of(tree: &Tree, at: usize) -> String {
    let fields = tree.value(at);
    let role = fields.get("message").and_then(|message| message.get("role"));
    role.or(fields.get("type")).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn said(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::Message(Message::Assistant(said)) => {
            let calls = said.tool_calls().map(|call| format!("[{}]", call.name));
            std::iter::once(said.text()).chain(calls).collect::<Vec<_>>().join(" ")
        }
        EntryKind::Message(Message::ToolResult(result)) => {
            format!("{}: {}", result.tool_name, text_of(&result.content))
        }
        EntryKind::Message(Message::User(said) | Message::Developer(said)) => text_of(&said.content),
        EntryKind::CustomMessage(custom) => text_of(&custom.content),
        EntryKind::Custom { custom_type, .. } => custom_type.clone(),
        EntryKind::Compaction(compaction) => {
            compaction.short_summary.as_ref().unwrap_or(&compaction.summary).clone()
        }
        EntryKind::BranchSummary(left) => left.summary.clone(),
        EntryKind::ModelChange { model, .. } => model.clone(),
        EntryKind::ThinkingChange { level } => level.clone(),
        EntryKind::Label { label, .. } => label.clone().unwrap_or_default(),
        EntryKind::Title { title } => title.clone(),
        EntryKind::StreamRules { rules } => rules.join(", "),
        EntryKind::ModeChange { mode, .. } => mode.clone(),
        _ => String::new(),
    }
}
