//! What can go wrong with sessions, in words for the person who has to do something about it.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Why a session could not be stored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another writer has the file.
    #[error("{} is open in {}; close it there, or begin a new session", path.display(), holder(*pid))]
    Locked {
        /// The session's file.
        path: PathBuf,
        /// The process that has it, where it is known.
        pid: Option<u32>,
    },
    /// The file is gone.
    #[error("{} was removed", path.display())]
    Removed {
        /// The session's file.
        path: PathBuf,
    },
    /// The session was opened for reading only.
    #[error("{} was opened for reading only", path.display())]
    ReadOnly {
        /// The session's file.
        path: PathBuf,
    },
    /// The system refused to read.
    #[error("could not read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused to write.
    #[error("could not write {}: {source}{}", path.display(), advice(source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why something with a session did not work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entry is part of the session in memory, but not of the file. It is written with the next one that can be.
    #[error("it is in memory only (unsaved entries: {waiting}): {source}")]
    NotSaved {
        /// The entry's id.
        id: String,
        /// How many entries wait, this one included.
        waiting: usize,
        /// Why.
        source: StoreError,
    },
    /// The file is something else.
    #[error("{} is not a session: {reason}", path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// What was found in place of one.
        reason: String,
    },
    /// Written by a later version of this program.
    #[error("{} has format version {version}, and this Toolsmith knows version {known}; use a newer one", path.display(), known = super::FORMAT_VERSION)]
    TooNew {
        /// The file.
        path: PathBuf,
        /// The version it states.
        version: u64,
    },
    /// Nothing fits what was asked for.
    #[error("Session \"{what}\" not found.")]
    NotFound {
        /// What was asked for.
        what: String,
    },
    /// More than one fits what was asked for.
    #[error("\"{what}\" fits {} sessions; write more of the id: {}", candidates.len(), candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        what: String,
        /// The ids that fit.
        candidates: Vec<String>,
    },
    /// There is no such entry.
    #[error("the session has no entry \"{id}\"")]
    NoEntry {
        /// The id.
        id: String,
    },
    /// Branching starts from what a person said.
    #[error("entry \"{id}\" is no message of the user; a branch starts from one")]
    NotAUserMessage {
        /// The id.
        id: String,
    },
}

fn holder(pid: Option<u32>) -> String {
    match pid {
        Some(pid) if pid == std::process::id() => "this process already".to_owned(),
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space, and the next entry brings what is missing"
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            "; make it writable, or set TOOLSMITH_HOME to a folder that is"
        }
        _ => "",
    }
}
