//! Where the lines of a session go: a trait, and the two stores that keep nothing on a disk.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::error::StoreError;

/// Whether a line is worth making the file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weight {
    /// It may wait for the first line that is.
    Light,
    /// It is written at once.
    Full,
}

/// Takes the lines of one session, in order.
pub trait SessionStore: Send + fmt::Debug {
    /// The file, if there is one or will be one.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// Takes one line, without its end. `Ok` says that it outlives this process. After an error the line waits, and is
    /// written before the next one.
    ///
    /// # Errors
    /// When it could not be written.
    fn append(&mut self, line: &str, weight: Weight) -> Result<(), StoreError>;

    /// Notes the session's name where listings look for it.
    ///
    /// # Errors
    /// When it could not be written.
    fn set_title(&mut self, _title: &str) -> Result<(), StoreError> {
        Ok(())
    }

    /// Writes what waits, and returns when everything is on the disk: it outlives the machine.
    ///
    /// # Errors
    /// When the disk refused.
    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    /// How many lines were taken and could not be written.
    fn unsaved(&self) -> usize {
        0
    }
}

/// Keeps nothing: the session lives in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryStore;

impl SessionStore for MemoryStore {
    fn append(&mut self, _line: &str, _weight: Weight) -> Result<(), StoreError> {
        Ok(())
    }
}

/// For looking at a session that may be open elsewhere.
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
