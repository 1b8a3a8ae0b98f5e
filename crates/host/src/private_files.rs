//! Files and folders for the user alone.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

use crate::system::files;

/// Creates a folder and those above it. What is created can be read and written by the user alone.
///
/// # Errors
/// Fails if a folder cannot be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    files::create_private_folder(path)
}

/// Creates a temporary folder that only the user can read and write. It is removed on drop.
///
/// # Errors
/// Fails if it cannot be created.
pub fn private_temporary_folder(prefix: &str) -> io::Result<tempfile::TempDir> {
    files::private_temporary_folder(prefix)
}

/// Has a new file created for the user alone. On Windows its folder decides that, which should be a private one.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    files::private(options)
}

/// Makes a file one for the user alone.
///
/// # Errors
/// Fails with the system's error.
pub fn make_private(file: &File) -> io::Result<()> {
    files::make_private(file)
}
