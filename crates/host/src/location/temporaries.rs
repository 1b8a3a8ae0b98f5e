//! The names that complete contents have for a moment before they replace a file. Each is written down first, so that
//! those of a process that was killed are removed at the next start.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use super::resolved_location::Location;
use crate::{file_lock, system::files};

const PREFIX: &str = ".toolsmith-";
const SUFFIX: &str = ".tmp";
/// No path is longer.
const MAX_PATH: u64 = 64 << 10;

/// The folder of records, one for all processes of a user.
#[derive(Clone, Debug)]
pub struct Temporaries {
    folder: PathBuf,
}

/// A name that is in use. The record is locked as long as the process lives, and removed with the last use.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    _locked: File,
}

impl Drop for Record {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Temporaries {
    /// Keeps the records in `folder`, which must exist when something is written.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn new_name() -> io::Result<OsString> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(format!("{PREFIX}{:016x}{SUFFIX}", u64::from_ne_bytes(bytes)).into())
    }

    fn is_name(name: &OsStr) -> bool {
        let hex = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
        hex.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    /// Writes down a name before it is used.
    pub(super) fn begin(&self, temporary: &Path) -> io::Result<Record> {
        let path = self.folder.join(temporary.file_name().unwrap_or_default());
        let mut file = files::private(File::options().write(true).create_new(true)).open(&path)?;
        file_lock::lock(&file)?;
        file.write_all(&files::path_to_bytes(temporary))?;
        Ok(Record { path, _locked: file })
    }

    /// Removes what processes that are gone left behind.
    pub(crate) fn clear(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if let Err(error) = clear_one(&entry.path()) {
                tracing::warn!(%error, path = %entry.path().display(), "A temporary file could not be removed");
            }
        }
    }
}

fn clear_one(record: &Path) -> io::Result<()> {
    let file = match File::open(record) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    // A file system without locks cannot tell, so it counts as locked.
    if file.try_lock().is_err() {
        // The process is alive.
        return Ok(());
    }
    let mut path = Vec::new();
    file.take(MAX_PATH).read_to_end(&mut path)?;
    let path = files::path_from_bytes(path).unwrap_or_default();
    // Only names that are made here are removed, whatever a record says.
    if path.is_absolute()
        && path.file_name().is_some_and(Temporaries::is_name)
        && let Ok(place) = Location::at_real_path(&path)
        && place.metadata()?.is_some_and(|found| found.is_file())
    {
        place.own()?.remove()?;
    }
    fs::remove_file(record)
}
