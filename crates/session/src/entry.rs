//! The parts of a session: a header, and entries that form a tree.

use std::path::PathBuf;

use serde_json::{Map, Value};
use toolsmith_llm::{ContentBlock, Endpoint, Message};

/// The `customType` of the entry that says where the model is asked.
pub(crate) const ENDPOINT: &str = "toolsmith.endpoint";

/// The header of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Id of the session.
    pub id: String,
    /// Creation time: RFC 3339, UTC.
    pub timestamp: String,
    /// Working directory.
    pub cwd: PathBuf,
    /// Name when the file was created.
    pub title: Option<String>,
    /// File it was forked, branched or imported from.
    pub parent_session: Option<String>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Id, unique in its session.
    pub id: String,
    /// Parent entry; `None` for a root.
    pub parent_id: Option<String>,
    /// Time of appending: RFC 3339, UTC.
    pub timestamp: String,
    /// Content.
    pub kind: EntryKind,
}

/// Content of an entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A message, including the `details` of tool results.
    Message(Message),
    /// A message added by a tool, an extension or the program.
    CustomMessage(CustomMessage),
    /// State of a tool or an extension. The model never sees it.
    Custom {
        /// Owner of the state.
        custom_type: String,
        /// The state.
        data: Option<Value>,
    },
    /// A summary of earlier entries.
    Compaction(Compaction),
    /// A summary of an abandoned branch.
    BranchSummary(BranchSummary),
    /// A model change.
    ModelChange {
        /// `provider/id`.
        model: String,
        /// Role of the model, if it is not the conversation itself.
        role: Option<String>,
    },
    /// A change of the thinking level.
    ThinkingChange {
        /// Name of the level.
        level: String,
    },
    /// A label for an entry.
    Label {
        /// Id of the entry.
        target_id: String,
        /// The label; `None` removes it.
        label: Option<String>,
    },
    /// A name for the session.
    Title {
        /// The name; an empty one removes it.
        title: String,
    },
    /// Stream rules that were sent to the model.
    StreamRules {
        /// Names of the rules.
        rules: Vec<String>,
    },
    /// A mode change.
    ModeChange {
        /// Name of the mode.
        mode: String,
        /// Data of the mode.
        data: Option<Value>,
    },
    /// An unknown type, or one with unexpected fields: the whole object unchanged.
    Unknown(Map<String, Value>),
}

impl EntryKind {
    /// Returns whether it only changes settings. A file is not created for such entries alone; they are written with
    /// the first other entry.
    pub(crate) fn sets_the_scene(&self) -> bool {
        match self {
            Self::ModelChange { .. } | Self::ThinkingChange { .. } | Self::ModeChange { .. } => true,
            Self::Custom { custom_type, .. } => custom_type == ENDPOINT,
            _ => false,
        }
    }

    /// The entry of a message. One with a type of its own is stored as such, so that extensions find it again.
    pub fn of_message(message: Message) -> Self {
        let (input, attribution) = match message {
            Message::Developer(input) if input.custom_type.is_some() => (input, None),
            Message::User(input) if input.custom_type.is_some() => (input, Some("user".to_owned())),
            message => return Self::Message(message),
        };
        Self::CustomMessage(CustomMessage {
            custom_type: input.custom_type.unwrap_or_default(),
            content: input.content,
            display: input.display.unwrap_or(true),
            details: input.details,
            attribution,
        })
    }

    /// An entry that says where the model is asked from here on.
    pub fn endpoint(endpoint: &Endpoint, model_id: &str) -> Self {
        let mut data = serde_json::to_value(endpoint).unwrap_or_default();
        data["model"] = model_id.into();
        Self::Custom { custom_type: ENDPOINT.to_owned(), data: Some(data) }
    }
}

/// A message added by a tool, an extension or the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomMessage {
    /// Kind of message, chosen by its creator.
    pub custom_type: String,
    /// Content for the model.
    pub content: Vec<ContentBlock>,
    /// Shown to the user too.
    pub display: bool,
    /// Details that are never sent to the model.
    pub details: Option<Value>,
    /// `user` if it speaks for the user; otherwise it speaks for the program.
    pub attribution: Option<String>,
}

/// A summary of earlier entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compaction {
    /// The summary for the model.
    pub summary: String,
    /// The summary in one line.
    pub short_summary: Option<String>,
    /// The first entry that is kept.
    pub first_kept_entry_id: String,
    /// Size of the context before.
    pub tokens_before: u64,
    /// Details stored by its creator.
    pub details: Option<Value>,
    /// Data that survives later compactions.
    pub preserve_data: Option<Value>,
    /// Set if an extension created it.
    pub from_extension: bool,
}

/// A summary of an abandoned branch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BranchSummary {
    /// Leaf of that branch, or `root`.
    pub from_id: String,
    /// The summary.
    pub summary: String,
    /// Details stored by its creator.
    pub details: Option<Value>,
    /// Set if an extension created it.
    pub from_extension: bool,
}
