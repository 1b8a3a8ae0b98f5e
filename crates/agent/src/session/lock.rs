//! The lock against two writers: on the session's file itself, so that it goes away with the process that has it,
//! however that ends. A small file beside it says who that is; it is for people and decides nothing.

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

/// The lock, until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    note: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // In this order, so that it is never the next writer's note.
        let _ = fs::remove_file(&self.note);
        // Closing the file is not enough: a process that is being started at this moment has a copy of it until it runs
        // its own program.
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
        // Some network file systems know no locks. Refusing to work there would protect nothing.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(source)) => return Err(write_failed(path)(source)),
    }
    // Somebody may have removed the session between our opening and locking it.
    if file.metadata().map_err(read_failed(path))?.nlink() == 0 {
        return Err(StoreError::Removed { path: path.to_path_buf() });
    }
    let file = file.try_clone().map_err(read_failed(path))?;
    let _ = fs::write(&note, format!("{}\n", std::process::id()));
    Ok(Lock { file, note })
}
