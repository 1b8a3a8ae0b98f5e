//! Keys of model providers that the user stored, by the name of the environment variable each key stands for. They are in the
//! system's keychain where it has one, else in a file that only its owner can read. A variable that is set takes precedence.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use thiserror::Error;
use toolsmith_host::keychain::{SecretStore, system_secrets};
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

/// The place that a key was stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyPlace {
    /// The keychain of the system.
    Keychain,
    /// The file of the store.
    File,
}

/// The keys in the file by variable. A key that is `None` is in the keychain.
type Keys = BTreeMap<String, Option<String>>;

/// The stored keys.
#[derive(Clone, Debug)]
pub struct KeyStore {
    file: PathBuf,
    keychain: Option<Arc<dyn SecretStore>>,
}

impl KeyStore {
    /// Uses the keychain of the system, and the file in a home.
    pub fn at(home: &Home) -> Self {
        Self::new(home, system_secrets())
    }

    fn new(home: &Home, keychain: Option<Arc<dyn SecretStore>>) -> Self {
        Self { file: home.toolsmith().join("keys.json"), keychain }
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the service that keys have in the keychain. Another home has other keys.
    fn service(&self) -> String {
        format!("toolsmith {}", self.file.parent().unwrap_or(&self.file).display())
    }

    fn failed(&self) -> impl FnOnce(io::Error) -> KeyStoreError + use<> {
        let path = self.file.clone();
        |source| KeyStoreError { path, source }
    }

    fn read(&self) -> Result<Keys, KeyStoreError> {
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

    /// Stores a key for a variable, replacing an earlier one. A keychain that cannot be used, such as one that is locked in a
    /// remote login, leaves it to the file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn set(&self, variable: &str, key: &str) -> Result<KeyPlace, KeyStoreError> {
        let (mut keys, key) = (self.read()?, key.trim());
        let stored = self.keychain.as_ref().map(|keychain| keychain.set(&self.service(), variable, key));
        let place = match stored {
            Some(Ok(())) => KeyPlace::Keychain,
            Some(Err(error)) => {
                tracing::warn!(%error, "the key is stored in a file");
                KeyPlace::File
            }
            None => KeyPlace::File,
        };
        keys.insert(variable.to_owned(), (place == KeyPlace::File).then(|| key.to_owned()));
        self.write(&keys).map_err(self.failed())?;
        Ok(place)
    }

    /// Removes a key; returns whether there was one.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or the key cannot be removed from the keychain.
    pub fn remove(&self, variable: &str) -> Result<bool, KeyStoreError> {
        let mut keys = self.read()?;
        let Some(key) = keys.remove(variable) else { return Ok(false) };
        if let (None, Some(keychain)) = (key, &self.keychain) {
            keychain.remove(&self.service(), variable).map_err(self.failed())?;
        }
        self.write(&keys).map_err(self.failed())?;
        Ok(true)
    }

    fn write(&self, keys: &Keys) -> io::Result<()> {
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

    /// Returns a stored key.
    fn get(&self, variable: &str) -> Option<String> {
        if let Some(key) = self.read().ok()?.remove(variable)? {
            return Some(key);
        }
        let found = self.keychain.as_ref()?.get(&self.service(), variable);
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, variable, "a stored key cannot be read");
            None
        })
    }

    /// Returns an environment with these keys behind the variables of the process. Keys are read when they are needed.
    pub fn environment(&self) -> Environment {
        let store = self.clone();
        Environment::new(move |name| {
            let set = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
            set.or_else(|| store.get(name))
        })
    }
}

#[cfg(test)]
#[path = "key_store_tests.rs"]
mod tests;
