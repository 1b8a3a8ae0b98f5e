//! Load errors with their origin (CONTRACT 2.7).

use std::path::{Path, PathBuf};

use thiserror::Error;
use toolsmith_js::{LoadError, Location};

use crate::discovery::ToolSource;

/// A load error. The display form is one line; the fields are for detailed output.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}{}", .location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default())]
#[non_exhaustive]
pub struct ToolLoadError {
    /// Module, manifest or directory.
    pub path: PathBuf,
    /// Origin of the path.
    pub source_of_path: ToolSource,
    /// Error message.
    pub message: String,
    /// Location in the author's source.
    pub location: Option<Location>,
    /// Lines around the location.
    pub frame: Option<String>,
    /// How to fix it.
    pub hint: Option<String>,
    /// Stack in the author's files.
    pub stack: Option<String>,
    /// Index in the factory's array.
    pub index: Option<usize>,
}

impl ToolLoadError {
    pub(crate) fn new(path: &Path, source: &ToolSource, message: impl Into<String>) -> Self {
        Self {
            path: path.to_path_buf(),
            source_of_path: source.clone(),
            message: message.into(),
            location: None,
            frame: None,
            hint: None,
            stack: None,
            index: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn from_engine(error: LoadError, source: &ToolSource) -> Self {
        Self {
            location: error.location,
            frame: error.frame,
            hint: error.hint,
            stack: error.stack,
            index: error.index,
            ..Self::new(&error.path, source, error.message)
        }
    }
}
