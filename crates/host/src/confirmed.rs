//! What the user confirmed by content: hooks of projects, each by a hash of everything it runs (CONTRACT 11.2). Trusting a
//! folder does not cover a hook that changes later; this list does.
//!
//! The file is replaced whole, under a lock, so two processes at once lose nothing.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    spelling::is_same_place,
    trust::{lock, replace},
};

/// The newest form of the file this program knows.
const VERSION: u32 = 1;

/// Errors of the list.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfirmedError {
    /// The file cannot be read or written.
    #[error("the list of confirmed hooks {} cannot be used: {source}", .file.display())]
    File {
        /// The list.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not what this program writes.
    #[error("the list of confirmed hooks {} is damaged: {reason}; correct or remove it", .file.display())]
    Damaged {
        /// The list.
        file: PathBuf,
        /// Description of the problem.
        reason: String,
    },
}

/// One decision of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    /// Place of the hook: its file and event. Several hooks can share one.
    pub place: String,
    /// Hash of everything it runs.
    pub hash: String,
    /// Command or file, for people.
    pub what: String,
    /// Calls it was confirmed for; unknown in lists of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The user declined it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
}

/// The list as it was at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    projects: BTreeMap<PathBuf, Vec<Confirmation>>,
}

impl Confirmed {
    /// Returns the decisions about a project, by its real path.
    pub fn of(&self, project: &Path) -> &[Confirmation] {
        let stored = self.stored(project);
        stored.and_then(|path| self.projects.get(path)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the spelling in which a project is stored.
    fn stored(&self, project: &Path) -> Option<&PathBuf> {
        let exact = self.projects.get_key_value(project).map(|(path, _)| path);
        exact.or_else(|| self.projects.keys().find(|path| is_same_place(path, project)))
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    version: u32,
    projects: Vec<StoredProject>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredProject {
    path: String,
    hooks: Vec<Confirmation>,
}

/// The list on disk.
#[derive(Clone, Debug)]
pub struct ConfirmedStore {
    file: PathBuf,
}

impl ConfirmedStore {
    /// The list in `file`, which need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Reads the list; a missing file is an empty one.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is damaged. Nothing is confirmed then.
    pub fn load(&self) -> Result<Confirmed, ConfirmedError> {
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Confirmed::default()),
            Err(source) => return Err(ConfirmedError::File { file: self.file.clone(), source }),
        };
        let damaged = |reason: String| ConfirmedError::Damaged { file: self.file.clone(), reason };
        let stored: Stored = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if stored.version != VERSION {
            return Err(damaged(format!("version {} is not known here", stored.version)));
        }
        let projects =
            stored.projects.into_iter().map(|project| (PathBuf::from(project.path), project.hooks));
        Ok(Confirmed { projects: projects.collect() })
    }

    /// Changes the decisions about a project, given by its real path, while no other process does.
    ///
    /// # Errors
    /// Fails if the path is not UTF-8, or the list cannot be changed.
    pub fn change(
        &self,
        project: &Path,
        edit: impl FnOnce(&mut Vec<Confirmation>),
    ) -> Result<(), ConfirmedError> {
        let failed = |source| ConfirmedError::File { file: self.file.clone(), source };
        if project.to_str().is_none() {
            return Err(failed(io::Error::other("the name of the project is not UTF-8")));
        }
        let _lock = lock(&self.file).map_err(failed)?;
        let mut list = self.load()?;
        let stored = list.stored(project).cloned().unwrap_or_else(|| project.to_path_buf());
        edit(list.projects.entry(stored).or_default());
        list.projects.retain(|_, decisions| !decisions.is_empty());
        let projects = list.projects.into_iter().map(|(path, hooks)| {
            // Only text gets in.
            StoredProject { path: path.to_string_lossy().into_owned(), hooks }
        });
        let stored = Stored { version: VERSION, projects: projects.collect() };
        let mut text = serde_json::to_string_pretty(&stored).map_err(|error| failed(error.into()))?;
        text.push('\n');
        let folder = self.file.parent().unwrap_or(Path::new("."));
        replace(&self.file, folder, text.as_bytes()).map_err(failed)
    }
}
