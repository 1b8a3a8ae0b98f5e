//! Files and directories of sessions: accessible only to their owner, with errors that name the path.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::error::StoreError;

pub(crate) fn read_failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Read { path, source }
}

pub(crate) fn write_failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |source| StoreError::Write { path, source }
}

/// Creates a directory and its parents, accessible only to its owner.
pub(crate) fn create_private_folder(path: &Path) -> Result<(), StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(write_failed(path))
}

/// Creates a file that must not exist.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Appends to the file name of a path.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Removes a file if it exists.
pub(crate) fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_failed(path)(error)),
        _ => Ok(()),
    }
}
