//! Small files of the store that are there whole or not at all, and folders that remember it.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

/// Mode of private files: the store contains file contents that may be private.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// Makes a folder, with those above it, for the user alone.
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(path)
}

/// Creates a file that must not exist yet, for the user alone.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path)
}

/// Writes a file whole: after this it survives a loss of power; before this there is none.
pub(super) fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let temporary = path.with_extension("tmp");
    // Left by somebody who died while writing it; the lock of the store is ours.
    remove_if_there(&temporary)?;
    let written = create_private(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&temporary, path)).and_then(|()| sync_folder(folder));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// Makes renames in a folder durable.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems cannot do this for folders, and need not.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOTSUP)) => Ok(()),
        done => done,
    }
}

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        done => done,
    }
}
