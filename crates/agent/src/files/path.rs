//! Paths as models write them: relative, with `~`, quoted, with an `@` in front, with another spelling of the same
//! characters. What is there as written always wins.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use toolsmith_tool::{Approval, Tier, ToolError, closest_names};
use unicode_normalization::UnicodeNormalization;

use super::change::Saving;

/// How many neighbours of a missing file are looked at.
const MAX_NEIGHBOURS: usize = 2000;
/// Below these a file is not only data: it decides what runs.
const POWERFUL_FOLDERS: [&str; 8] =
    [".git", ".toolsmith", ".omp", ".xcsh", ".claude", ".codex", ".ssh", ".vscode"];

/// Where the tools work.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    cwd: PathBuf,
    home: Option<PathBuf>,
    /// How changes are made here.
    pub(super) saving: Saving,
}

impl Workspace {
    pub(crate) fn new(cwd: PathBuf, home: Option<PathBuf>) -> Self {
        Self { cwd, home, saving: Saving::default() }
    }

    /// Sets how changes are made.
    #[must_use]
    pub(crate) fn saving(mut self, saving: Saving) -> Self {
        self.saving = saving;
        self
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The file a model means. One that is not there yet is where it would be.
    pub(crate) fn resolve(&self, written: &str) -> Result<PathBuf, ToolError> {
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
            Ok(inside) => inside.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    /// Why there is nothing at `path`, with names that are like it.
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

    /// What writing to `written` asks for. Files elsewhere, and those that decide what runs, ask for more than data does.
    pub(crate) fn write_approval(&self, written: &str) -> Approval {
        let careful = |reason: &str| Approval {
            tier: Tier::Exec,
            reason: Some(reason.to_owned()),
            ..Approval::default()
        };
        let Ok(path) = self.resolve(written) else {
            return Tier::Write.into();
        };
        let real = real_place(&path);
        let inside = |folder: &Path| real.starts_with(real_place(folder));
        let powerful = |part: Component<'_>| POWERFUL_FOLDERS.iter().any(|name| part.as_os_str() == *name);
        if !inside(&self.cwd) && !inside(&std::env::temp_dir()) {
            return careful("the file is outside the working folder");
        }
        let below = real.strip_prefix(real_place(&self.cwd)).unwrap_or(&real);
        if below.components().any(powerful) {
            return careful("the file decides what is run");
        }
        Tier::Write.into()
    }
}

/// Where a path leads when every link is followed, as far as it exists.
fn real_place(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let Ok(real) = fs::canonicalize(folder) {
            // A part that is not there cannot lead elsewhere, except back up.
            let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
            let mut place = real;
            for part in rest.components() {
                match part {
                    Component::ParentDir => {
                        place.pop();
                    }
                    part => place.push(part),
                }
            }
            return place;
        }
    }
    path.to_path_buf()
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
