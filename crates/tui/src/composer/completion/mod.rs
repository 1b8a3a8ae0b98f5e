//! Completion: what the word at the cursor asks for, and the menu of candidates.

mod files;
mod fuzzy;
mod menu;

pub use files::{FileIndex, MAX_FILES};
pub use fuzzy::{filter as fuzzy_filter, score as fuzzy_score};
pub use menu::{Candidate, Menu};

use std::ops::Range;

/// Longer words are not completed: every candidate would be compared with them.
const MAX_QUERY: usize = 1000;

/// Something that can be completed at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A command name: the text is a slash and part of a name.
    Command {
        /// Range to replace.
        range: Range<usize>,
        /// Part after the slash.
        query: String,
    },
    /// An argument of a command.
    Argument {
        /// Name of the command.
        command: String,
        /// Range to replace.
        range: Range<usize>,
        /// Part of the argument.
        query: String,
    },
    /// A file after `@`.
    File {
        /// Range to replace, `@` included.
        range: Range<usize>,
        /// Part of the path.
        query: String,
    },
}

impl Trigger {
    /// Finds what can be completed at the end of `before`, the text before the cursor.
    pub fn find(before: &str) -> Option<Self> {
        if let Some(rest) = before.strip_prefix('/')
            && !before.contains('\n')
        {
            if rest.len() > MAX_QUERY {
                return None;
            }
            return Some(match rest.split_once(' ') {
                None => Self::Command { range: 0..before.len(), query: rest.to_owned() },
                Some((command, argument)) => Self::Argument {
                    command: command.to_owned(),
                    range: before.len() - argument.len()..before.len(),
                    query: argument.to_owned(),
                },
            });
        }
        let at = before.rfind('@')?;
        let query = before.get(at + 1..).filter(|query| query.len() <= MAX_QUERY)?;
        let starts_word =
            before.get(..at)?.chars().next_back().is_none_or(|c| c.is_whitespace() || "([{\"'".contains(c));
        let is_path = match query.strip_prefix('"') {
            Some(quoted) => !quoted.contains(['"', '\n']),
            None => !query.contains(char::is_whitespace),
        };
        (starts_word && is_path)
            .then(|| Self::File { range: at..before.len(), query: query.trim_start_matches('"').to_owned() })
    }
}
