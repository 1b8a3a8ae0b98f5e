//! Folders for the user alone.

use std::{io, path::Path};

use crate::system::files;

/// Creates a folder and those above it. What is created can be read and written by the user alone.
///
/// # Errors
/// Fails if a folder cannot be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    files::create_private_folder(path)
}
