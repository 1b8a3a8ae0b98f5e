//! Something that looks wrong and stops nothing.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// What looks wrong, where, and what to do. The display form is one line; the rest is for showing it well.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The file or folder.
    pub path: Option<PathBuf>,
    /// Line and column in the file, from one.
    pub place: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// The lines around the place.
    pub frame: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Warning {
    /// A warning about nothing in the file system.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: None, place: None, message: message.into(), frame: None, hint: None }
    }

    /// A warning about a file or folder.
    pub fn about(path: &Path, message: impl Into<String>) -> Self {
        Self { path: Some(path.to_path_buf()), ..Self::new(message) }
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            if let Some((line, column)) = self.place {
                write!(f, ":{line}:{column}")?;
            }
            // A message about a place begins a sentence of its own; one about a whole file goes on with it.
            f.write_str(if self.place.is_some() { ": " } else { " " })?;
        }
        f.write_str(&self.message)
    }
}
