//! Keys of model providers that the user stored: one file that only its owner can read, by the name of the environment
//! variable each key stands for. A variable that is set takes precedence.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use thiserror::Error;
use toolsmith_llm::Environment;

use crate::{home::Home, small_file};

/// Stored keys cannot be read or written.
#[derive(Debug, Error)]
#[error("{}: {source}", .path.display())]
pub struct KeyStoreError {
    /// The file.
    path: PathBuf,
    /// The cause.
    source: io::Error,
}

/// The stored keys.
#[derive(Clone, Debug)]
pub struct KeyStore {
    file: PathBuf,
}

impl KeyStore {
    /// Uses the file in a home.
    pub fn at(home: &Home) -> Self {
        Self { file: home.toolsmith().join("keys.json") }
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    fn failed(&self) -> impl FnOnce(io::Error) -> KeyStoreError + use<> {
        let path = self.file.clone();
        |source| KeyStoreError { path, source }
    }

    fn read(&self) -> Result<BTreeMap<String, String>, KeyStoreError> {
        match small_file::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| self.failed()(error.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(self.failed()(error)),
        }
    }

    /// Returns the names of the variables with a stored key.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn names(&self) -> Result<Vec<String>, KeyStoreError> {
        Ok(self.read()?.into_keys().collect())
    }

    /// Stores a key for a variable, replacing an earlier one.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn set(&self, variable: &str, key: &str) -> Result<(), KeyStoreError> {
        let mut keys = self.read()?;
        keys.insert(variable.to_owned(), key.trim().to_owned());
        self.write(&keys).map_err(self.failed())
    }

    /// Removes a key; returns whether there was one.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn remove(&self, variable: &str) -> Result<bool, KeyStoreError> {
        let mut keys = self.read()?;
        let is_removed = keys.remove(variable).is_some();
        if is_removed {
            self.write(&keys).map_err(self.failed())?;
        }
        Ok(is_removed)
    }

    fn write(&self, keys: &BTreeMap<String, String>) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        toolsmith_host::create_private_folder(folder)?;
        // A temporary file is only readable by its owner from the start.
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        toolsmith_host::make_private(new.as_file())?;
        new.write_all(serde_json::to_string_pretty(keys)?.as_bytes())?;
        new.as_file().sync_all()?;
        new.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns an environment with these keys behind the variables of the process. Keys are read when they are needed.
    pub fn environment(&self) -> Environment {
        let store = self.clone();
        Environment::new(move |name| {
            let set = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
            set.or_else(|| store.read().ok()?.remove(name))
        })
    }
}

#[cfg(test)]
#[path = "key_store_tests.rs"]
mod tests;
