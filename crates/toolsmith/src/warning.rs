//! Warnings, which stop nothing.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use toolsmith_tool::Name;

/// A warning with its location and a hint. The display form is one line, whatever the names in it contain; the fields are for
/// detailed output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// File or directory.
    pub path: Option<PathBuf>,
    /// Line and column in the file, starting at one.
    pub place: Option<(u32, u32)>,
    /// Message.
    pub message: String,
    /// Lines around the location.
    pub frame: Option<String>,
    /// How to fix it.
    pub hint: Option<String>,
}

impl Warning {
    /// Creates a warning without a path.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: None, place: None, message: message.into(), frame: None, hint: None }
    }

    /// Creates a warning about a file or directory.
    pub fn about(path: &Path, message: impl Into<String>) -> Self {
        Self { path: Some(path.to_path_buf()), ..Self::new(message) }
    }

    /// Creates a warning from a text of several lines, such as what a program printed: the first is the message, and the others
    /// are shown below it.
    pub fn from_lines(text: &str) -> Self {
        match text.split_once('\n') {
            Some((message, rest)) => Self { frame: Some(rest.to_owned()), ..Self::new(message) },
            None => Self::new(text),
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", Name(path.display()))?;
            if let Some((line, column)) = self.place {
                write!(f, ":{line}:{column}")?;
            }
            // A message with a location is a sentence of its own; one about a whole file continues after the path.
            f.write_str(if self.place.is_some() { ": " } else { " " })?;
        }
        write!(f, "{}", Name(&self.message))
    }
}
