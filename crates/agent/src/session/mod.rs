//! Sessions: a conversation as a tree of entries in a file (CONTRACT §7).
//!
//! [`Sessions`] finds and makes them, [`Session`] is one of them, and a [`SessionStore`] is where its lines go. What
//! stands in a file is described in `docs/sessions.md`.

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
mod handle;
mod ids;
mod listing;
mod location;
mod lock;
mod sessions;
mod store;
mod tree;
mod view;

pub use context::SessionState;
pub use current::CurrentSession;
pub use entry::{BranchSummary, Compaction, CustomMessage, Entry, EntryKind, Header};
pub use error::{SessionError, StoreError};
pub use file_store::FileStore;
pub use format::FORMAT_VERSION;
pub use handle::{Moved, Session};
pub use listing::SessionSummary;
pub use sessions::{Branched, Sessions};
pub use store::{MemoryStore, SessionStore, Weight};
