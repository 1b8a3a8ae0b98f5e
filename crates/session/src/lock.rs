//! The writer lock: held on the session's file itself, so that it ends with the process. A small file beside it names
//! the process, for information only.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{
    error::StoreError,
    files::{beside, read_failed, write_failed},
};

/// The lock, held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    note: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // In this order, so that the next writer's note is never removed.
        let _ = fs::remove_file(&self.note);
        // Closing the file is not enough: a process being started at this moment has a copy of the descriptor until it
        // executes its program.
        let _ = self.file.unlock();
    }
}

/// Locks a session's file for writing.
pub(crate) fn lock(file: &File, path: &Path) -> Result<Lock, StoreError> {
    let note = beside(path, ".lock");
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let pid = fs::read_to_string(&note).ok().and_then(|text| text.trim().parse().ok());
            return Err(StoreError::Locked { path: path.to_path_buf(), pid });
        }
        // Some network file systems have no locks. Refusing to work there would protect nothing.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(source)) => return Err(write_failed(path)(source)),
    }
    // The session may have been removed between opening and locking.
    if file.metadata().map_err(read_failed(path))?.nlink() == 0 {
        return Err(StoreError::Removed { path: path.to_path_buf() });
    }
    let file = file.try_clone().map_err(read_failed(path))?;
    let _ = fs::write(&note, format!("{}\n", std::process::id()));
    Ok(Lock { file, note })
}
