//! Paths as models write them: relative, with `~`, quoted, with an `@` in front, with another spelling of the same
//! characters. What is there as written always wins.

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use toolsmith_host::location::WriteRules;
use toolsmith_tool::{Name, ToolError, closest_names};
use unicode_normalization::UnicodeNormalization;

use super::change::Saving;

/// How many neighbours of a missing file are looked at.
const MAX_NEIGHBOURS: usize = 2000;
/// Where the tools work.
#[derive(Clone, Debug)]
pub struct Workspace {
    cwd: PathBuf,
    home: Option<PathBuf>,
    /// Which tier a write has by where it lands.
    pub(super) rules: Arc<WriteRules>,
    /// How changes are made here.
    pub(super) saving: Saving,
}

impl Workspace {
    /// Creates a workspace in a directory. `~` stands for `home`.
    pub fn new(cwd: PathBuf, home: Option<PathBuf>) -> Self {
        let mut rules = WriteRules::new(&cwd);
        if let Some(home) = &home {
            rules = rules.user_home(home);
        }
        Self { cwd, home, rules: Arc::new(rules), saving: Saving::default() }
    }

    /// Sets the tiers of writes.
    #[must_use]
    pub(crate) fn rules(mut self, rules: Arc<WriteRules>) -> Self {
        self.rules = rules;
        self
    }

    /// Sets how changes are made.
    #[must_use]
    pub(crate) fn saving(mut self, saving: Saving) -> Self {
        self.saving = saving;
        self
    }

    /// Returns the directory.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the file a model means. One that does not exist yet is where it would be created.
    ///
    /// # Errors
    /// Fails if the path cannot be meant.
    pub fn resolve(&self, written: &str) -> Result<PathBuf, ToolError> {
        if written.contains('\0') {
            return Err(ToolError::reply("The path contains a NUL byte"));
        }
        let clean = clean(written);
        if clean.is_empty() {
            return Err(ToolError::reply("The path is empty"));
        }
        let exact = self.expand(written);
        if fs::symlink_metadata(&exact).is_ok() {
            return Ok(exact);
        }
        let path = self.expand(&clean);
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(path);
        }
        Ok(find_respelled(&path).unwrap_or(path))
    }

    fn expand(&self, written: &str) -> PathBuf {
        let below_home = match written {
            "~" => Some(""),
            _ => written.strip_prefix("~/"),
        };
        match (below_home, &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(written),
        }
    }

    /// The path as people and models read it: relative where it lies in the working folder.
    pub(crate) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.cwd) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => Name(inside.display()).to_string(),
            Err(_) => Name(path.display()).to_string(),
        }
    }

    /// Creates the error for a missing `path`, with similar names.
    pub(crate) fn missing(&self, path: &Path) -> ToolError {
        let shown = self.show(path);
        let Some(parent) = path.parent().filter(|parent| parent.is_dir()) else {
            let there = path.ancestors().skip(1).find(|folder| folder.is_dir());
            let there = there.map(|folder| format!(" (the folder {} exists)", self.show(folder)));
            return ToolError::reply(format!("No such file or folder: {shown}{}", there.unwrap_or_default()));
        };
        let names: Vec<String> = fs::read_dir(parent)
            .into_iter()
            .flatten()
            .take(MAX_NEIGHBOURS)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let wanted = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let close = closest_names(&wanted, names.iter().map(String::as_str));
        let close: Vec<String> = close.into_iter().map(|name| self.show(&parent.join(name))).collect();
        ToolError::reply(match close.as_slice() {
            [] => format!("No such file or folder: {shown}"),
            close => format!("No such file or folder: {shown}. Did you mean {}?", close.join(" or ")),
        })
    }

    /// The system's error about `path`, in words.
    pub(crate) fn failed(&self, doing: &str, path: &Path, error: &std::io::Error) -> ToolError {
        match error.kind() {
            std::io::ErrorKind::NotFound => self.missing(path),
            _ => ToolError::reply(format!("Could not {doing} {}: {error}", self.show(path))),
        }
    }
}

/// Takes off what models put around paths.
fn clean(written: &str) -> String {
    let mut text = written.trim();
    for quote in ['"', '\'', '`'] {
        if text.len() >= 2
            && let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote))
        {
            text = inner;
        }
    }
    let text = text.strip_prefix('@').unwrap_or(text);
    let text = text.strip_prefix("file://").unwrap_or(text);
    text.replace("\\ ", " ")
}

/// The same path with other characters for the same letters: composed or not, with another space or quote.
fn find_respelled(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        let next = found.join(part);
        found = match part {
            Component::Normal(name) if fs::symlink_metadata(&next).is_err() => {
                let wanted = fold(name.to_str()?);
                let mut same = fs::read_dir(&found)
                    .ok()?
                    .take(MAX_NEIGHBOURS)
                    .filter_map(|entry| Some(entry.ok()?.file_name()))
                    .filter(|name| name.to_str().is_some_and(|name| fold(name) == wanted));
                let only = same.next()?;
                if same.next().is_some() {
                    return None;
                }
                found.join(only)
            }
            _ => next,
        };
    }
    Some(found)
}

fn fold(name: &str) -> String {
    name.nfc()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            c if c.is_whitespace() => ' ',
            c => c,
        })
        .collect()
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
