//! The storage trait for the lines of a session, and the two stores without a file.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::error::StoreError;

/// Weight of a line: decides when the file is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weight {
    /// It may wait for the first line that does.
    Light,
    /// It is written at once.
    Full,
}

/// Stores the lines of one session, in order.
pub trait SessionStore: Send + fmt::Debug {
    /// Returns the file, if there is one or will be one.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// Stores one line, given without its line end. After `Ok` it survives the death of this process. After an error
    /// the line waits, and is written before the next one.
    ///
    /// # Errors
    /// Fails if it could not be written.
    fn append(&mut self, line: &str, weight: Weight) -> Result<(), StoreError>;

    /// Stores the session's name for listings.
    ///
    /// # Errors
    /// Fails if it could not be written.
    fn set_title(&mut self, _title: &str) -> Result<(), StoreError> {
        Ok(())
    }

    /// Writes waiting lines, and returns when everything is on disk.
    ///
    /// # Errors
    /// Fails if the disk reports an error.
    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the number of accepted lines that could not be written.
    fn unsaved(&self) -> usize {
        0
    }
}

/// Stores nothing: the session is in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryStore;

impl SessionStore for MemoryStore {
    fn append(&mut self, _line: &str, _weight: Weight) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Read-only access to a session that may be open elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct ReadOnlyStore {
    path: PathBuf,
    refused: usize,
}

impl ReadOnlyStore {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, refused: 0 }
    }
}

impl SessionStore for ReadOnlyStore {
    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
    fn append(&mut self, _line: &str, _weight: Weight) -> Result<(), StoreError> {
        self.refused += 1;
        Err(StoreError::ReadOnly { path: self.path.clone() })
    }
    fn unsaved(&self) -> usize {
        self.refused
    }
}
