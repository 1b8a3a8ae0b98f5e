//! What a session is made of: a header, and entries that form a tree.

use std::path::PathBuf;

use serde_json::{Map, Value};
use toolsmith_llm::{ContentBlock, Endpoint, Message};

/// The `customType` of the entry that says where the model is asked.
pub(crate) const ENDPOINT: &str = "toolsmith.endpoint";

/// What is known of a session from its first line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The session's id.
    pub id: String,
    /// When it began: RFC 3339, UTC.
    pub timestamp: String,
    /// The folder it belongs to.
    pub cwd: PathBuf,
    /// The name it had when the file was made.
    pub title: Option<String>,
    /// The file it was forked, branched or imported from.
    pub parent_session: Option<String>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Unique in its session.
    pub id: String,
    /// The entry it follows; `None` for a beginning.
    pub parent_id: Option<String>,
    /// When it was appended: RFC 3339, UTC.
    pub timestamp: String,
    /// What it says.
    pub kind: EntryKind,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A message of the conversation, with what its tool kept in `details`.
    Message(Message),
    /// Something put into the conversation by a tool, an extension or the program itself.
    CustomMessage(CustomMessage),
    /// State of a tool or an extension. The model never sees it.
    Custom {
        /// Whose it is.
        custom_type: String,
        /// The state.
        data: Option<Value>,
    },
    /// What came before was summed up.
    Compaction(Compaction),
    /// A path that was left was summed up.
    BranchSummary(BranchSummary),
    /// Another model from here on.
    ModelChange {
        /// `provider/id`.
        model: String,
        /// The role it was chosen for, if not the conversation itself.
        role: Option<String>,
    },
    /// Another thinking level from here on.
    ThinkingChange {
        /// The level's name.
        level: String,
    },
    /// A name for an entry.
    Label {
        /// The entry.
        target_id: String,
        /// The name; `None` takes it away.
        label: Option<String>,
    },
    /// A name for the session.
    Title {
        /// The name; an empty one takes it away.
        title: String,
    },
    /// Stream rules that were shown to the model.
    StreamRules {
        /// Their names.
        rules: Vec<String>,
    },
    /// Another mode from here on.
    ModeChange {
        /// The mode's name.
        mode: String,
        /// What the mode keeps.
        data: Option<Value>,
    },
    /// A type this version does not know, or one whose fields are not as they should be: the whole object as it stands.
    Unknown(Map<String, Value>),
}

impl EntryKind {
    /// Whether it only sets the scene. A file is not made for the sake of such entries alone; they are written with the
    /// first that is more.
    pub(crate) fn sets_the_scene(&self) -> bool {
        match self {
            Self::ModelChange { .. } | Self::ThinkingChange { .. } | Self::ModeChange { .. } => true,
            Self::Custom { custom_type, .. } => custom_type == ENDPOINT,
            _ => false,
        }
    }

    /// An entry that says where the model is asked from here on.
    pub fn endpoint(endpoint: &Endpoint, model_id: &str) -> Self {
        let mut data = serde_json::to_value(endpoint).unwrap_or_default();
        data["model"] = model_id.into();
        Self::Custom { custom_type: ENDPOINT.to_owned(), data: Some(data) }
    }
}

/// Something put into the conversation from the side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomMessage {
    /// What kind of thing it is.
    pub custom_type: String,
    /// What the model sees.
    pub content: Vec<ContentBlock>,
    /// Whether the person sees it too.
    pub display: bool,
    /// What the model never sees.
    pub details: Option<Value>,
    /// `user` when it speaks for the person; otherwise it speaks for the program.
    pub attribution: Option<String>,
}

/// A summary in place of what came before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compaction {
    /// What the model reads in place of the older entries.
    pub summary: String,
    /// One line of it.
    pub short_summary: Option<String>,
    /// The first entry that stays as it is.
    pub first_kept_entry_id: String,
    /// The size of the context before.
    pub tokens_before: u64,
    /// What made it wants to remember.
    pub details: Option<Value>,
    /// Data that outlives later compactions.
    pub preserve_data: Option<Value>,
    /// Whether an extension wrote it.
    pub from_extension: bool,
}

/// A summary of a path that was left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BranchSummary {
    /// The leaf of that path, or `root`.
    pub from_id: String,
    /// What happened on it.
    pub summary: String,
    /// What made it wants to remember.
    pub details: Option<Value>,
    /// Whether an extension wrote it.
    pub from_extension: bool,
}
