//! Opening files that have an end, and that somebody else may have put there. Pipes, sockets, devices and files of the
//! kernel that wait for data are refused instead of waited for, and a link must not lead out of a project to the user's
//! files. The check is made on the opened file, so nothing can take its place in between.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
};

use crate::location;

/// Opens a regular file for reading, following symbolic links. Opening and reading never wait for another process: a read
/// that would gives [`io::ErrorKind::WouldBlock`].
///
/// # Errors
/// Fails if it cannot be opened, or is not a regular file ([`io::ErrorKind::InvalidInput`]; a directory gives
/// [`io::ErrorKind::IsADirectory`]).
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// Opens a regular file for reading if it really lies in `folder`, after following symbolic links.
///
/// # Errors
/// As for [`open_regular`], and if it lies elsewhere.
pub fn open_within(path: &Path, folder: &Path) -> io::Result<File> {
    let real = fs::canonicalize(path)?;
    if !real.starts_with(fs::canonicalize(folder)?) {
        let message = format!("it lies outside {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    open_with(&real, libc::O_NOFOLLOW)
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As for [`open_regular`], and [`io::ErrorKind::FileTooLarge`] if it is larger.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_up_to(open_regular(path)?, limit)
}

/// Opens a regular file at a path that [`leads_to`](crate::location::leads_to) gave earlier, without following links: one
/// that appeared on the way since then is an error.
///
/// # Errors
/// As for [`open_regular`], and if there is a link.
pub fn open_real(path: &Path) -> io::Result<File> {
    require_regular(&fs::symlink_metadata(path)?)?;
    let file = location::open_real(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a file of at most `limit` bytes as [`open_real`] opens it.
///
/// # Errors
/// As for [`open_real`], and [`io::ErrorKind::FileTooLarge`] if it is larger.
pub fn read_real(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_up_to(open_real(path)?, limit)
}

/// Returns whether an opened file is the one at a path without links.
pub fn is_file_at(file: &File, path: &Path) -> bool {
    let same = |other: File| -> io::Result<bool> {
        let (one, other) = (file.metadata()?, other.metadata()?);
        Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
    };
    location::open_real(path).and_then(same).unwrap_or(false)
}

fn read_up_to(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}

/// Opens an existing regular file for reading and writing. A symbolic link is refused: writing through it would change another
/// file than the named one.
///
/// # Errors
/// Fails if it cannot be opened, or is not a regular file.
pub fn open_for_writing(path: &Path) -> io::Result<File> {
    open_unlinked(path, File::options().read(true).write(true))
}

/// Opens a regular file for reading. A symbolic link is refused.
///
/// # Errors
/// Fails if it cannot be opened, or is not a regular file.
pub fn open_not_linked(path: &Path) -> io::Result<File> {
    // Opening some devices has effects.
    if let Ok(about) = fs::symlink_metadata(path)
        && !about.is_symlink()
    {
        require_regular(&about)?;
    }
    open_unlinked(path, File::options().read(true))
}

/// Opens a regular file for appending, readable only by its owner if it is new. A symbolic link is refused.
///
/// # Errors
/// Fails if it cannot be opened, or is not a regular file.
pub fn open_for_appending(path: &Path) -> io::Result<File> {
    open_unlinked(path, File::options().append(true).create(true).mode(0o600))
}

fn open_unlinked(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = options.custom_flags(flags).open(path).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a symbolic link, and would change another file",
        ),
        _ => error,
    })?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

fn open_with(path: &Path, flags: libc::c_int) -> io::Result<File> {
    // Checked before opening, because opening some devices has effects, and again on what was opened.
    require_regular(&fs::metadata(path)?)?;
    let flags = flags | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

fn require_regular(about: &fs::Metadata) -> io::Result<()> {
    match (about.is_file(), about.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file (a pipe, socket or device)",
        )),
    }
}
