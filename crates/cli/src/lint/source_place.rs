//! Finds the position of a tool or a parameter in the author's file by searching its text.

use std::{fs, path::PathBuf};

/// Maximum number of files searched; a tool rarely has more of its own.
const MAX_FILES: usize = 20;
const MAX_BYTES: u64 = 1 << 20;

/// The author's own files of a module.
pub(crate) struct Sources {
    files: Vec<(PathBuf, Vec<String>)>,
}

impl Sources {
    /// Reads a module's files, its own first.
    pub(crate) fn read(files: &[PathBuf]) -> Self {
        let own =
            files.iter().filter(|path| !path.components().any(|part| part.as_os_str() == "node_modules"));
        let read = own.take(MAX_FILES).filter_map(|path| {
            let is_small = fs::metadata(path).is_ok_and(|found| found.len() <= MAX_BYTES);
            let text = is_small.then(|| fs::read_to_string(path).ok())??;
            Some((path.clone(), text.lines().map(str::to_owned).collect()))
        });
        Self { files: read.collect() }
    }

    /// Returns the line of a tool's name, or of one of its parameters.
    pub(crate) fn find(&self, tool: &str, parameter: Option<&str>) -> Option<(PathBuf, u32)> {
        let tool_at = self.first(0, 0, &|line| has_quoted(line, tool));
        let Some(parameter) = parameter else { return self.place(tool_at?) };
        // Parameters are below the name, or above it if the schema is a separate variable.
        let is_key = |line: &str| has_key(line, parameter);
        let below = tool_at.and_then(|(file, line)| self.first(file, line, &is_key));
        self.place(below.or_else(|| self.first(0, 0, &is_key)).or(tool_at)?)
    }

    fn first(&self, file: usize, line: usize, fits: &dyn Fn(&str) -> bool) -> Option<(usize, usize)> {
        self.files.iter().enumerate().skip(file).find_map(|(index, (_, lines))| {
            let start = if index == file { line } else { 0 };
            let at = lines.iter().skip(start).position(|line| fits(line))?;
            Some((index, start + at))
        })
    }

    fn place(&self, (file, line): (usize, usize)) -> Option<(PathBuf, u32)> {
        Some((self.files.get(file)?.0.clone(), u32::try_from(line + 1).ok()?))
    }
}

fn has_quoted(line: &str, word: &str) -> bool {
    ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{word}{quote}")))
}

/// Returns whether a line contains `word:`, quoted or not.
fn has_key(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].trim_start_matches(['"', '\'', '?']).trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.')) && after.starts_with(':')
    })
}

#[cfg(test)]
#[path = "source_place_tests.rs"]
mod tests;
