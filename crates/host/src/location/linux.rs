//! How Linux opens directories and files without following links, and files without a name.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::{
        fd::{AsFd, AsRawFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, fstatfs, linkat, openat, openat2, readlinkat},
    io::Errno,
};

/// Opens a directory to look up names; search permission is enough.
pub(super) const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
/// Opens whatever a name is, a link included, to look at it only.
pub(super) const PEEK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW);

/// Permissions of a new file.
pub(super) fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(bits)
}

/// Reads a link from its handle: the same link that was looked at.
pub(super) fn read_link(_folder: impl AsFd, _name: &OsStr, link: &File) -> io::Result<OsString> {
    Ok(OsString::from_vec(readlinkat(link, "", Vec::new())?.into_bytes()))
}

/// Reports links of /proc that name open files and other processes: they do not lead where their text says. Those that do
/// are relative and contain no colon, such as `self` and `mounts`.
pub(super) fn leads_to_open_file(folder: impl AsFd, text: &OsStr) -> io::Result<bool> {
    let on_proc = fstatfs(folder)?.f_type == rustix::fs::PROC_SUPER_MAGIC;
    Ok(on_proc && (text.as_bytes().starts_with(b"/") || text.as_bytes().contains(&b':')))
}

/// Where an open directory is now; `None` without /proc.
pub(super) fn path_of(folder: impl AsFd) -> Option<PathBuf> {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd()));
    path.ok().filter(|path| path.is_absolute())
}

/// Opens a file for reading if no link is on the way; `None` where the kernel cannot check that. Does not wait for the other
/// end of a pipe.
pub(super) fn open_without_links(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(Some(file.into())),
        // Old kernels, and containers that refuse calls they do not know.
        Err(Errno::NOSYS | Errno::PERM) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Creates a file without a name, which is gone with the process; `None` where the file system cannot.
pub(super) fn create_unnamed(folder: impl AsFd, mode: Mode) -> io::Result<Option<File>> {
    match openat(folder, ".", OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC, mode) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives a file without a name one that must be free; `false` where that is not possible.
pub(super) fn name_file(folder: impl AsFd, file: &File, name: &OsStr) -> io::Result<bool> {
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    match linkat(CWD, unnamed.as_str(), folder, name, AtFlags::SYMLINK_FOLLOW) {
        Ok(()) => Ok(true),
        // No /proc, or no links on this file system.
        Err(Errno::NOENT | Errno::XDEV | Errno::PERM | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
