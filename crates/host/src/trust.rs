//! What the user trusts (CONTRACT 2.8): folders and single files, by their real path, in one file of the user's own.
//!
//! The file is replaced whole, under a lock, so two processes at once lose nothing and a kill leaves the old or the new one.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    file_lock,
    spelling::{fold_path, is_same_place},
    system::files::sync_folder,
};

/// The newest form of the file this program knows.
const VERSION: u32 = 1;

/// Errors of the trust list.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The file is there and cannot be read.
    #[error("the list of trusted folders {} cannot be read: {source}", .file.display())]
    Read {
        /// The list.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not what this program writes.
    #[error("the list of trusted folders {} is damaged: {reason}; correct or remove it", .file.display())]
    Damaged {
        /// The list.
        file: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// The file cannot be replaced.
    #[error("the list of trusted folders {} cannot be written: {source}", .file.display())]
    Write {
        /// The list.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The path to trust does not exist.
    #[error("{} cannot be trusted: {source}", .path.display())]
    Missing {
        /// The given path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The list holds text, and this path is none.
    #[error("{} cannot be trusted: its name is not UTF-8", .path.display())]
    NotText {
        /// The given path.
        path: PathBuf,
    },
}

/// The user's decision about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TrustKind {
    /// A folder with everything in it.
    Folder,
    /// One file.
    File,
    /// The user was asked and said no, so nobody asks again.
    Declined,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustEntry {
    /// The real path, without symbolic links.
    pub path: PathBuf,
    /// The decision.
    pub kind: TrustKind,
}

impl TrustEntry {
    /// Returns whether the path still exists as the same kind.
    pub fn exists(&self) -> bool {
        match self.kind {
            TrustKind::File => self.path.is_file(),
            _ => self.path.is_dir(),
        }
    }
}

/// The list as it was at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trusted {
    entries: BTreeMap<PathBuf, TrustKind>,
    /// The paths of the entries by their folded form, to find another spelling of one.
    folded: BTreeMap<PathBuf, Vec<PathBuf>>,
}

impl Trusted {
    fn new(entries: BTreeMap<PathBuf, TrustKind>) -> Self {
        let mut folded: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for path in entries.keys() {
            folded.entry(fold_path(path)).or_default().push(path.clone());
        }
        Self { entries, folded }
    }

    /// Returns the decision about a real path itself, in whatever spelling it was stored.
    fn decision(&self, real: &Path, folded: &Path) -> Option<TrustKind> {
        self.entries.get(real).or_else(|| self.entries.get(self.stored(real, folded)?)).copied()
    }

    /// Returns the spelling in which a real path is stored.
    fn stored(&self, real: &Path, folded: &Path) -> Option<&PathBuf> {
        self.folded.get(folded)?.iter().find(|path| is_same_place(path, real))
    }

    /// Returns whether `path` itself or a directory above it is trusted. Symbolic links are followed first, so a link
    /// to an untrusted place is not trusted, wherever it lies. Missing paths are not trusted.
    pub fn covers(&self, path: &Path) -> bool {
        let Ok(real) = crate::real_path(path) else {
            return false;
        };
        let folded = fold_path(&real);
        // A directory in the place of a file that was trusted is something else.
        let is_own =
            self.decision(&real, &folded).is_some_and(|kind| kind == TrustKind::File && !real.is_dir());
        let mut above = real.ancestors().zip(folded.ancestors());
        is_own || above.any(|(folder, folded)| self.decision(folder, folded) == Some(TrustKind::Folder))
    }

    /// Returns whether the user declined to trust this directory.
    pub fn was_declined(&self, folder: &Path) -> bool {
        let real = crate::real_path(folder);
        real.is_ok_and(|real| self.decision(&real, &fold_path(&real)) == Some(TrustKind::Declined))
    }

    /// Every line, by path.
    pub fn entries(&self) -> Vec<TrustEntry> {
        self.entries.iter().map(|(path, kind)| TrustEntry { path: path.clone(), kind: *kind }).collect()
    }
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    version: u32,
    entries: Vec<StoredEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredEntry {
    path: String,
    kind: TrustKind,
}

/// The list on disk. Each method reads or replaces the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustStore {
    file: PathBuf,
}

impl TrustStore {
    /// The list in `file`, which need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Where the list is.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Reads the list; a missing file is an empty one.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged. Nothing is trusted then.
    pub fn load(&self) -> Result<Trusted, TrustError> {
        let text = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Trusted::default()),
            Err(source) => return Err(TrustError::Read { file: self.file.clone(), source }),
        };
        let damaged = |reason: String| TrustError::Damaged { file: self.file.clone(), reason };
        let stored: Stored = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if stored.version != VERSION {
            return Err(damaged(format!("version {} is not known here", stored.version)));
        }
        let entries = stored.entries.into_iter().map(|entry| (PathBuf::from(entry.path), entry.kind));
        Ok(Trusted::new(entries.collect()))
    }

    /// Trusts a folder with everything in it, or one file.
    ///
    /// # Errors
    /// When there is nothing at `path`, or the list cannot be changed.
    pub fn add(&self, path: &Path) -> Result<TrustEntry, TrustError> {
        let real = real_path(path)?;
        let kind = if real.is_dir() { TrustKind::Folder } else { TrustKind::File };
        self.set(real, kind)
    }

    /// Remembers that the user was asked about a folder and said no.
    ///
    /// # Errors
    /// When there is nothing at `folder`, or the list cannot be changed.
    pub fn decline(&self, folder: &Path) -> Result<TrustEntry, TrustError> {
        self.set(real_path(folder)?, TrustKind::Declined)
    }

    /// Forgets what was said of a path; `false` when nothing was. The path need not exist any more.
    ///
    /// # Errors
    /// When the list cannot be changed.
    pub fn remove(&self, path: &Path) -> Result<bool, TrustError> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let real = crate::real_path(&absolute).unwrap_or_else(|_| absolute.clone());
        self.change(|trusted| {
            let stored = trusted.stored(&real, &fold_path(&real)).cloned().unwrap_or(real);
            let entries = &mut trusted.entries;
            entries.remove(&stored).or_else(|| entries.remove(&absolute)).is_some()
        })
    }

    fn set(&self, path: PathBuf, kind: TrustKind) -> Result<TrustEntry, TrustError> {
        self.change(|trusted| {
            let stored = trusted.stored(&path, &fold_path(&path)).cloned();
            trusted.entries.insert(stored.unwrap_or_else(|| path.clone()), kind)
        })?;
        Ok(TrustEntry { path, kind })
    }

    /// Reads, changes and replaces the list while no other process does.
    fn change<T>(&self, edit: impl FnOnce(&mut Trusted) -> T) -> Result<T, TrustError> {
        let failed = |source| TrustError::Write { file: self.file.clone(), source };
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let _lock = lock(&self.file).map_err(failed)?;
        let mut trusted = self.load()?;
        let outcome = edit(&mut trusted);
        let entries = trusted.entries.iter().map(|(path, kind)| {
            // Only text gets in: `real_path` refuses the rest.
            StoredEntry { path: path.to_string_lossy().into_owned(), kind: *kind }
        });
        let stored = Stored { version: VERSION, entries: entries.collect() };
        let mut text = serde_json::to_string_pretty(&stored).map_err(|error| failed(error.into()))?;
        text.push('\n');
        replace(&self.file, folder, text.as_bytes()).map_err(failed)?;
        Ok(outcome)
    }
}

fn real_path(path: &Path) -> Result<PathBuf, TrustError> {
    let real =
        crate::real_path(path).map_err(|source| TrustError::Missing { path: path.to_path_buf(), source })?;
    if real.to_str().is_none() {
        return Err(TrustError::NotText { path: real });
    }
    Ok(real)
}

/// Keeps other processes from changing a list until the handle is dropped. The lock is a file of its own because the list itself
/// is replaced.
pub(crate) fn lock(file: &Path) -> io::Result<File> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    let lock = File::options().create(true).truncate(false).write(true).open(file.with_extension("lock"))?;
    file_lock::lock(&lock)?;
    Ok(lock)
}

/// Replaces a file as a whole.
pub(crate) fn replace(file: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    fresh.persist(file).map_err(|error| error.error)?;
    // The new name is on disk once its folder is.
    sync_folder(folder)
}
