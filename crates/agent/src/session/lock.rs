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

/// Says who has the lock, until dropped.
#[derive(Debug)]
pub(crate) struct LockNote {
    path: PathBuf,
}

impl Drop for LockNote {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Locks a session's file for writing.
pub(crate) fn lock(file: &File, path: &Path) -> Result<LockNote, StoreError> {
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
    let _ = fs::write(&note, format!("{}\n", std::process::id()));
    Ok(LockNote { path: note })
}
