//! Load errors of a module or one of its tools (CONTRACT 2.7), and code frames: a few lines of source with a mark under a
//! position.

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

/// Lines shown before and after.
const CONTEXT: usize = 2;
/// Longer lines are cut around the mark.
const MAX_COLUMNS: usize = 100;

/// Draws the frame; `None` if the source has no such line. Line and column start at one.
pub fn code_frame(source: &str, line: u32, column: u32) -> Option<String> {
    let lines: Vec<&str> = source.lines().collect();
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    if index >= lines.len() {
        return None;
    }
    let first = index.saturating_sub(CONTEXT);
    let last = (index + CONTEXT).min(lines.len() - 1);
    let gutter = (last + 1).to_string().len();
    let column = usize::try_from(column).ok()?.max(1) - 1;
    // All lines are shifted equally, so that the mark stays in place.
    let shift = column.saturating_sub(MAX_COLUMNS * 3 / 4);
    let mut frame = Vec::new();
    for (number, text) in lines.iter().enumerate().take(last + 1).skip(first) {
        let shown: String = text
            .chars()
            .skip(shift)
            .take(MAX_COLUMNS)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let mark = if number == index { '>' } else { ' ' };
        frame.push(format!("{mark} {:>gutter$} | {shown}", number + 1).trim_end().to_owned());
        if number == index {
            frame.push(format!("  {:>gutter$} | {:>width$}", "", "^", width = column - shift + 1));
        }
    }
    Some(frame.join("\n"))
}

#[cfg(test)]
#[path = "load_error_tests.rs"]
mod tests;
