//! Sessions: a conversation as a tree of entries in a file (CONTRACT §7).
//!
//! [`Sessions`] finds and creates them, [`SessionLog`] is one of them, and a [`SessionStore`] receives its lines.
//! `docs/sessions.md` describes the file format.

#![warn(missing_docs)]

mod artifacts;
mod blobs;
mod context;
mod conversation;
mod current;
mod entry;
mod error;
mod export;
mod file_store;
mod files;
mod format;
mod ids;
mod listing;
mod live;
mod log_view;
mod outline;
mod recorded_use;
mod session_log;
mod sessions;
mod store;
mod stored_lines;
mod tree;

pub use context::SessionState;
pub use context::message_for_model;
pub use conversation::{Conversation, ConversationError, InMemory};
pub use current::CurrentSession;
pub use entry::{BranchSummary, Compaction, CustomMessage, Entry, EntryKind, Header};
pub use error::{SessionError, StoreError};
pub use file_store::FileStore;
pub use format::FORMAT_VERSION;
pub use listing::SessionSummary;
pub use live::{Live, LiveEntry, leave_out};
pub use outline::{OutlineRow, UserMessage};
pub use recorded_use::{RecordedCall, RecordedResponse, RecordedUse, UseReader};
pub use session_log::{Moved, SessionLog};
pub use sessions::{Branched, Sessions};
pub use store::{MemoryStore, SessionStore, Weight};
