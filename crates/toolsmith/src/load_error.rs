//! Why a module or tool is not there, with where it came from (CONTRACT 2.7).

use std::path::{Path, PathBuf};

use thiserror::Error;
use toolsmith_js::{LoadError, Location};

use crate::discovery::ToolSource;

/// Why something was not loaded. The display form is one line; the rest is for showing it well.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}{}", .location.as_ref().map(|place| format!(" ({place})")).unwrap_or_default())]
#[non_exhaustive]
pub struct ToolLoadError {
    /// The module, manifest or folder.
    pub path: PathBuf,
    /// Where the path came from.
    pub source_of_path: ToolSource,
    /// What is wrong.
    pub message: String,
    /// Where, in the author's source.
    pub location: Option<Location>,
    /// The lines around that place.
    pub frame: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// How it came about, in the author's files.
    pub stack: Option<String>,
    /// Which entry of the factory's array it is about.
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
