//! Why a change was not made.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// How many files an error lists.
const MAX_LISTED: usize = 20;

/// How a file changed since the change was computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriftKind {
    /// It is gone.
    Deleted,
    /// Its content is another.
    Changed,
    /// There is a file where there was none.
    Appeared,
    /// The path leads to another file: it, or a folder on the way, became a symlink or was one and changed.
    Redirected {
        /// Where it leads now.
        to: PathBuf,
    },
    /// It may not be written.
    ReadOnly,
    /// It is a folder, a device or the like.
    NotAFile,
}

/// One file that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The file, as it was asked for.
    pub path: PathBuf,
    /// How it changed.
    pub kind: DriftKind,
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.path.display())?;
        match &self.kind {
            DriftKind::Deleted => f.write_str("was deleted"),
            DriftKind::Changed => f.write_str("changed"),
            DriftKind::Appeared => f.write_str("was created by somebody else"),
            DriftKind::Redirected { to } => write!(f, "leads elsewhere now: to {}", to.display()),
            DriftKind::ReadOnly => f.write_str("is read-only"),
            DriftKind::NotAFile => f.write_str("is no regular file"),
        }
    }
}

/// Errors of a change. Unless stated otherwise, nothing was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// Files are not as they were when the change was computed.
    #[error("Nothing was changed, because not every file is as it was at the preview: {}. Make the preview again.", list(.0))]
    Drifted(Vec<Drift>),
    /// Two changes of one file.
    #[error("{path} is named twice in one change; give each file once")]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// A symlink leads out of the project.
    #[error("{path} leads out of {root}, to {target}; to change that file, name it by that path")]
    Escapes {
        /// As it was asked for.
        path: PathBuf,
        /// The project.
        root: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The path has no file name.
    #[error("{path} names no file")]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The named file is not one of the change's.
    #[error("{path} is not among the files of this change")]
    NotIncluded {
        /// The file.
        path: PathBuf,
    },
    /// The selected part is not one of the file's change.
    #[error("the change of {path} has no such part; look at the preview again")]
    UnknownHunk {
        /// The file.
        path: PathBuf,
    },
    /// Stopped in time.
    #[error("Stopped before anything was changed.")]
    Cancelled,
    /// There is nothing to undo here.
    #[error("There is nothing to undo.")]
    NothingToUndo,
    /// No such entry.
    #[error("There is no change {id}; it may have been too old to keep")]
    Unknown {
        /// The number asked for.
        id: String,
    },
    /// The record of the change is not one of this user's.
    #[error("The record of change {id} was not written by this user's Toolsmith, so it is not undone")]
    NotAuthentic {
        /// Its number.
        id: String,
    },
    /// It is undone already.
    #[error("The change {id} is undone already")]
    AlreadyUndone {
        /// Its number.
        id: String,
    },
    /// The content before is not there any more.
    #[error("{path} cannot be restored: its content before the change was not kept")]
    NotKept {
        /// The file.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{path}: cannot {doing}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The attempted operation.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A failure halfway, after which some files could not be put back.
    #[error("{error}. These could not be put back: {}", lines(.left))]
    NotRestored {
        /// The first error.
        error: Box<Self>,
        /// Which files, and why.
        left: Vec<String>,
    },
}

impl ChangeError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_path_buf(), doing, source }
    }

    pub(super) fn drift(path: &Path, kind: DriftKind) -> Self {
        Self::Drifted(vec![Drift { path: path.to_path_buf(), kind }])
    }
}

fn list(drifts: &[Drift]) -> String {
    let all: Vec<String> = drifts.iter().map(ToString::to_string).collect();
    lines(&all)
}

fn lines(all: &[String]) -> String {
    let shown = all.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join("; ");
    match all.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
