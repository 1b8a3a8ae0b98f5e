//! Opening files that somebody else may have put there. A project is read before it is trusted, so a pipe must not be waited
//! for, a device must not be touched, and a link must not lead out of the project to the user's files.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Opens a regular file for reading, following symbolic links.
///
/// # Errors
/// When it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, 0)
}

/// Opens a regular file for reading if it really lies in `folder`, after following symbolic links.
///
/// # Errors
/// When it cannot be opened, is not a regular file, or lies elsewhere.
pub fn open_within(path: &Path, folder: &Path) -> io::Result<File> {
    let real = fs::canonicalize(path)?;
    if !real.starts_with(fs::canonicalize(folder)?) {
        let message = format!("it lies outside {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    open_with(&real, libc::O_NOFOLLOW)
}

fn open_with(path: &Path, flags: libc::c_int) -> io::Result<File> {
    // Asked before opening, because opening some devices has effects, and again of what was opened.
    require_regular(&fs::metadata(path)?)?;
    let flags = flags | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    require_regular(&file.metadata()?)?;
    Ok(file)
}

fn require_regular(about: &fs::Metadata) -> io::Result<()> {
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(())
}
