//! Small files of the store that are there whole or not at all, and folders that remember it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    path::Path,
};

use crate::system::files;
pub(super) use files::{create_private_folder as private_folder, sync_folder};

/// Creates a file that must not exist yet, for the user alone.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    files::private(OpenOptions::new().write(true).create_new(true)).open(path)
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

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        done => done,
    }
}
