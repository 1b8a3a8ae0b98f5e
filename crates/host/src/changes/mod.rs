//! Changes of files that are bound to bytes: computed from a content, shown as an exact difference, and made only where
//! the content is still that one; all of them or none, whatever happens halfway; and undone on request.
//!
//! ```
//! use toolsmith_host::changes::{ChangeNote, ChangeSet, ChangeStore, Wanted};
//! use toolsmith_tool::CancelToken;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (project, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! let set = ChangeSet::bind(project.path(), vec![Wanted::write("notes.txt", "hello\n")])?;
//! assert!(set.preview()?[0].diff_text().ends_with("@@ -0,0 +1 @@\n+hello\n"));
//! let store = ChangeStore::open(state.path())?;
//! store.apply(&set, &ChangeNote::new("write", "Write notes.txt", project.path()), &CancelToken::new())?;
//! assert_eq!(std::fs::read(project.path().join("notes.txt"))?, b"hello\n");
//! store.undo_last(project.path(), &CancelToken::new())?;
//! assert!(!project.path().join("notes.txt").exists());
//! # Ok(())
//! # }
//! ```

mod blobs;
mod calls;
mod change_set;
mod check;
mod diff;
mod durable;
mod error;
mod journal;
mod record;
mod recording;
mod selection;
mod snapshot;
mod store;
mod transaction;

pub use blobs::content_hash;
pub use calls::{apply_change_set, as_tool_error};
pub use change_set::{Base, ChangeSet, Wanted};
pub use diff::{BinaryContent, FilePreview, Hunk};
pub use error::{ChangeError, Drift, DriftKind};
pub use journal::Recovery;
pub use record::{ChangedFile, Entry, PastChange, UndoPlan};
pub use recording::Recording;
pub use snapshot::Snapshot;
pub use store::{Applied, ChangeNote, ChangeStore, UndoLimits};
