//! Opening files that have an end, and that somebody else may have put there. Pipes, sockets, devices and files of the
//! kernel that wait for data are refused instead of waited for, and a link must not lead out of a project to the user's
//! files. The check is made on the opened file, so nothing can take its place in between.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::Path,
};

use crate::{location, real_path, system::files};

/// Opens a regular file for reading, following symbolic links. Opening and reading never wait for another process: a read
/// that would gives [`io::ErrorKind::WouldBlock`].
///
/// # Errors
/// Fails if it cannot be opened, or is not a regular file ([`io::ErrorKind::InvalidInput`]; a directory gives
/// [`io::ErrorKind::IsADirectory`]).
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, true)
}

/// Opens a regular file for reading if it really lies in `folder`, after following symbolic links.
///
/// # Errors
/// As for [`open_regular`], and if it lies elsewhere.
pub fn open_within(path: &Path, folder: &Path) -> io::Result<File> {
    let real = real_path(path)?;
    if !real.starts_with(real_path(folder)?) {
        let message = format!("it lies outside {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    open_with(&real, false)
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
    files::check_path(path)?;
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
    location::open_real(path).and_then(|other| files::is_same(file, &other)).unwrap_or(false)
}

/// Returns whether an opened file has no name any more.
///
/// # Errors
/// Fails with the system's error.
pub fn is_removed(file: &File) -> io::Result<bool> {
    Ok(files::hard_links(file)? == 0)
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
    open_unlinked(path, files::private(File::options().append(true).create(true)))
}

fn open_unlinked(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let is_link = || {
        io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link, and would change another file")
    };
    files::check_path(path)?;
    let opened = files::without_waiting(options, false).open(path);
    let file = opened.map_err(|error| if files::is_link_error(&error) { is_link() } else { error })?;
    let found = file.metadata()?;
    if found.is_symlink() {
        return Err(is_link());
    }
    require_regular(&found)?;
    Ok(file)
}

fn open_with(path: &Path, follow: bool) -> io::Result<File> {
    files::check_path(path)?;
    // Checked before opening, because opening some devices has effects, and again on what was opened.
    require_regular(&fs::metadata(path)?)?;
    let file = files::without_waiting(File::options().read(true), follow).open(path)?;
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
