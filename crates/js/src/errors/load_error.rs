//! Load errors of a module or one of its tools (CONTRACT 2.7).

use std::{
    fmt,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// A position in an author's file. Line and column start at one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Path of the file.
    pub file: PathBuf,
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// A load error. The display form is one line; the fields are for detailed output.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}{}", .location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default())]
#[non_exhaustive]
pub struct LoadError {
    /// Path of the module.
    pub path: PathBuf,
    /// Error message.
    pub message: String,
    /// Position in the author's source.
    pub location: Option<Location>,
    /// Lines around the position.
    pub frame: Option<String>,
    /// How to fix it.
    pub hint: Option<String>,
    /// Stack in the author's files.
    pub stack: Option<String>,
    /// Index in the factory's array.
    pub index: Option<usize>,
}

impl LoadError {
    /// Returns whether the load exceeded the memory limit.
    pub(crate) fn is_about_memory(&self) -> bool {
        self.message.contains("exceeded the memory limit")
    }

    pub(crate) fn new(path: &Path, message: impl Into<String>) -> Self {
        Self {
            path: path.to_path_buf(),
            message: message.into(),
            location: None,
            frame: None,
            hint: None,
            stack: None,
            index: None,
        }
    }
}
