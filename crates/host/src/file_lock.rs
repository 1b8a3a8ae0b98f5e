//! Locks of files, which other processes respect and which keep nobody from reading. Some network file systems have none. Refusing
//! to work there would protect nothing, so a lock that the file system does not have counts as taken.

use std::{
    fs::{File, TryLockError},
    io,
};

use crate::system::files;

/// Waits until no other process holds the lock of a file, and takes it until the file is closed. Only for files that nobody reads:
/// on Windows this lock keeps others from reading.
///
/// # Errors
/// Fails if the system reports an error other than that it has no locks.
pub fn lock(file: &File) -> io::Result<()> {
    match file.lock() {
        Err(error) if is_without_locks(&error) => Ok(()),
        done => done,
    }
}

/// Takes the lock of a file if no other process holds it. It ends with the last handle to the file. Unlike [`File::try_lock`] it
/// keeps nobody from reading and writing, also on Windows.
///
/// # Errors
/// Fails if another process holds it, or the system reports an error other than that it has no locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    match files::try_lock(file) {
        Err(TryLockError::Error(error)) if is_without_locks(&error) => Ok(()),
        done => done,
    }
}

/// Releases the lock of [`try_lock`].
pub fn unlock(file: &File) {
    files::unlock(file);
}

fn is_without_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported || files::is_missing_lock_daemon(error)
}
