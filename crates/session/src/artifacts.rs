//! Artifacts: tool output stored in files beside a session.

use std::{fs, io, path::PathBuf};

use toolsmith_tool::{Artifact, ViewError};

use super::files::{create_private_file, create_private_folder};

/// Returns the artifacts directory: the session's file without its extension.
#[derive(Clone, Debug)]
pub(crate) struct Artifacts {
    pub(crate) folder: PathBuf,
}

impl Artifacts {
    /// Creates an empty file `<number>.<kind>.log`. The number is the id.
    pub(crate) fn allocate(&self, kind: &str) -> Result<Artifact, ViewError> {
        let failed = |source: io::Error| ViewError::Write { path: self.folder.clone(), source };
        create_private_folder(&self.folder).map_err(|error| failed(io::Error::other(error)))?;
        let kind = plain(kind);
        let mut number = self.numbers().max().map_or(0, |last| last + 1);
        loop {
            let path = self.folder.join(format!("{number}.{kind}.log"));
            match create_private_file(&path) {
                Ok(_) => return Ok(Artifact { id: number.to_string(), path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(ViewError::Write { path, source }),
            }
        }
    }

    /// Stores a text.
    pub(crate) fn save(&self, text: &str, kind: &str) -> Result<Artifact, ViewError> {
        let artifact = self.allocate(kind)?;
        fs::write(&artifact.path, text)
            .map_err(|source| ViewError::Write { path: artifact.path.clone(), source })?;
        Ok(artifact)
    }

    /// Returns the file of an id.
    pub(crate) fn find(&self, id: &str) -> Option<PathBuf> {
        let number: u64 = id.parse().ok()?;
        self.files().find(|(found, _)| *found == number).map(|(_, path)| path)
    }

    fn numbers(&self) -> impl Iterator<Item = u64> {
        self.files().map(|(number, _)| number)
    }

    fn files(&self) -> impl Iterator<Item = (u64, PathBuf)> {
        fs::read_dir(&self.folder).into_iter().flatten().filter_map(|file| {
            let file = file.ok()?;
            let number = file.file_name().to_str()?.split('.').next()?.parse().ok()?;
            Some((number, file.path()))
        })
    }
}

/// Converts a kind to a part of a file name.
fn plain(kind: &str) -> String {
    let plain: String = kind
        .chars()
        .take(40)
        .map(|char| if char.is_ascii_alphanumeric() || matches!(char, '-' | '_') { char } else { '_' })
        .collect();
    if plain.is_empty() { "output".to_owned() } else { plain }
}
