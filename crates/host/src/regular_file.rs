//! Opening files that have an end. Pipes, sockets, devices and files of the kernel that wait for data are refused instead of
//! waited for: the check is made on the opened file, so nothing can take its place in between.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Opens a regular file for reading. Opening and reading never wait for another process: a read that would gives
/// [`io::ErrorKind::WouldBlock`].
///
/// # Errors
/// When it cannot be opened, or is not a regular file ([`io::ErrorKind::InvalidInput`]; a folder gives
/// [`io::ErrorKind::IsADirectory`]).
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    let kind = file.metadata()?.file_type();
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(file),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file (a pipe, socket or device)",
        )),
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As for [`open_regular`], and [`io::ErrorKind::FileTooLarge`] if it is larger.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}
