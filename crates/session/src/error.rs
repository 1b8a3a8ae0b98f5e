//! Session errors.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Storage errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has the file open for writing.
    #[error("{} is open in {}; close it there, or start a new session", path.display(), holder(*pid))]
    Locked {
        /// The session's file.
        path: PathBuf,
        /// The process, if known.
        pid: Option<u32>,
    },
    /// The file no longer exists.
    #[error("{} was removed", path.display())]
    Removed {
        /// The session's file.
        path: PathBuf,
    },
    /// The session was opened read-only.
    #[error("{} was opened read-only", path.display())]
    ReadOnly {
        /// The session's file.
        path: PathBuf,
    },
    /// Reading failed.
    #[error("could not read {}: {source}", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Writing failed.
    #[error("could not write {}: {source}{}", path.display(), advice(source))]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Session errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The entry is part of the session in memory, but not of the file. It is written with the next one.
    #[error("it is in memory only (unsaved entries: {waiting}): {source}")]
    NotSaved {
        /// Id of the entry.
        id: String,
        /// Number of unwritten entries, including this one.
        waiting: usize,
        /// The cause.
        source: StoreError,
    },
    /// The file is not a session.
    #[error("{} is not a session: {reason}", path.display())]
    NotASession {
        /// The file.
        path: PathBuf,
        /// Description of the actual content.
        reason: String,
    },
    /// The file was written by a later version of this program.
    #[error("{} has format version {version}, but this version of Toolsmith supports {known}; update Toolsmith", path.display(), known = super::FORMAT_VERSION)]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// No session matches.
    #[error("Session \"{what}\" not found.")]
    NotFound {
        /// The requested id prefix or path.
        what: String,
    },
    /// Several sessions match.
    #[error("\"{what}\" matches {} sessions; give a longer id prefix: {}", candidates.len(), candidates.join(", "))]
    Ambiguous {
        /// The requested id prefix.
        what: String,
        /// The matching ids.
        candidates: Vec<String>,
    },
    /// There is no such entry.
    #[error("the session has no entry \"{id}\"")]
    NoEntry {
        /// The id.
        id: String,
    },
    /// A branch must start from a user message.
    #[error("entry \"{id}\" is not a user message; a branch must start from one")]
    NotAUserMessage {
        /// The id.
        id: String,
    },
}

fn holder(pid: Option<u32>) -> String {
    match pid {
        Some(pid) if pid == std::process::id() => "this process".to_owned(),
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some disk space, and the missing entries are written with the next one"
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            "; make it writable, or set TOOLSMITH_HOME to a writable directory"
        }
        _ => "",
    }
}
