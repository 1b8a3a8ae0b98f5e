//! Folders for the user alone.

use std::{fs::DirBuilder, io, path::Path};

/// Creates a folder and those above it. What is created can be read and written by the user alone.
///
/// # Errors
/// Fails if a folder cannot be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.recursive(true).create(path)
}
