//! Locks on files that others may read meanwhile.

use std::fs::{File, TryLockError};

use crate::system::files;

/// Locks a file for this process; fails at once if another one has locked it. The lock ends with the last handle to the file.
/// Unlike [`File::try_lock`] it keeps nobody from reading and writing, also on Windows.
///
/// # Errors
/// Fails if the file is locked, or with the system's error.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    files::try_lock(file)
}

/// Releases the lock of [`try_lock`].
pub fn unlock(file: &File) {
    files::unlock(file);
}
