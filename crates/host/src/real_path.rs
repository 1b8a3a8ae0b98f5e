//! Paths without links.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::system::files;

/// Returns the absolute path of an existing file without links and without `.` and `..`. Unlike
/// [`std::fs::canonicalize`] it gives `C:\x` and not `\\?\C:\x` on Windows, wherever the two mean the same: programs and people
/// expect the short form, and it can be compared with the other paths of this program.
///
/// # Errors
/// Fails if the file does not exist or cannot be reached.
pub fn real_path(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    files::real_path(path.as_ref())
}
