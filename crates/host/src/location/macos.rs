//! How macOS opens directories and files without following links. It has no files without a name.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::{
        fd::AsFd,
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::MetadataExt,
        },
    },
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags, getpath, openat, readlinkat};

/// Opens a directory to look up names.
pub(super) const FOLDER: OFlags = OFlags::DIRECTORY;
/// Opens whatever a name is, a link included, to look at it only. Does not wait for the other end of a pipe.
pub(super) const PEEK: OFlags =
    OFlags::from_bits_retain((libc::O_SYMLINK | libc::O_EVTONLY | libc::O_NONBLOCK).cast_unsigned());

/// Permissions of a new file.
pub(super) fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(u16::try_from(bits & 0o7777).unwrap_or(0))
}

/// Reads a link by its name. One that was replaced meanwhile is not the link that was looked at, and an error.
pub(super) fn read_link(folder: impl AsFd, name: &OsStr, link: &File) -> io::Result<OsString> {
    let text = OsString::from_vec(readlinkat(&folder, name, Vec::new())?.into_bytes());
    let now: File = openat(folder, name, PEEK | OFlags::CLOEXEC, Mode::empty())?.into();
    let (now, before) = (now.metadata()?, link.metadata()?);
    if (now.dev(), now.ino()) == (before.dev(), before.ino()) {
        Ok(text)
    } else {
        Err(io::Error::other("the link was replaced while it was read"))
    }
}

/// There are no links to open files.
pub(super) fn leads_to_open_file(_folder: impl AsFd, _text: &OsStr) -> io::Result<bool> {
    Ok(false)
}

/// Where an open directory is now.
pub(super) fn path_of(folder: impl AsFd) -> Option<PathBuf> {
    getpath(folder).ok().map(|path| PathBuf::from(OsStr::from_bytes(path.as_bytes())))
}

/// The kernel is not asked; the path is followed step by step instead.
pub(super) fn open_without_links(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// There are no files without a name.
pub(super) fn create_unnamed(_folder: impl AsFd, _mode: Mode) -> io::Result<Option<File>> {
    Ok(None)
}

/// Not called, because there are no files without a name.
pub(super) fn name_file(_folder: impl AsFd, _file: &File, _name: &OsStr) -> io::Result<bool> {
    Ok(false)
}
