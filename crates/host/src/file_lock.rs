//! Locks of files, which other processes respect. Some network file systems have none. Refusing to work there would protect
//! nothing, so a lock that the file system does not have counts as taken.

use std::{
    fs::{File, TryLockError},
    io,
};

/// Waits until no other process holds the lock of a file, and takes it until the file is closed.
///
/// # Errors
/// Fails if the system reports an error other than that it has no locks.
pub fn lock(file: &File) -> io::Result<()> {
    match file.lock() {
        Err(error) if is_without_locks(&error) => Ok(()),
        done => done,
    }
}

/// Takes the lock of a file if no other process holds it.
///
/// # Errors
/// Fails if another process holds it, or the system reports an error other than that it has no locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    match file.try_lock() {
        Err(TryLockError::Error(error)) if is_without_locks(&error) => Ok(()),
        done => done,
    }
}

fn is_without_locks(error: &io::Error) -> bool {
    // NFS without a lock daemon has a number of its own for it.
    error.kind() == io::ErrorKind::Unsupported || (cfg!(unix) && error.raw_os_error() == Some(libc::ENOLCK))
}
