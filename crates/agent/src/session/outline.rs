//! The tree of a session in short: what a front end lists for a person who looks for a place in it.

use serde::Serialize;
use serde_json::Value;
use toolsmith_llm::Message;

use super::{
    context,
    entry::{Entry, EntryKind},
    handle::{Session, text_of},
    listing::beginning,
    tree::Tree,
};

/// One entry in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutlineRow {
    /// The entry.
    pub id: String,
    /// The row of the entry it follows, which is always an earlier one; `None` for a beginning.
    pub parent: Option<usize>,
    /// What kind of entry: the role of a message, else the type.
    pub kind: String,
    /// The beginning of what it says, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// When it was appended: RFC 3339, UTC.
    pub timestamp: String,
    /// Whether the model is told of it, or would be: it lies on the path to the leaf.
    pub on_path: bool,
}

/// A message of the user, from which a branch can start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserMessage {
    /// Its entry.
    pub entry_id: String,
    /// What it says.
    pub text: String,
}

impl Session {
    /// Every entry in short, in the order they were appended.
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

    /// Every message of the user that has words, on every path, the oldest first.
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
