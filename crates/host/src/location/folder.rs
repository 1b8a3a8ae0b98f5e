//! An open directory, and every operation on names in it. All of them work relative to the open handle and none follows
//! a symbolic link, so nothing that happens to the path of the directory can redirect them. What differs between systems is in
//! `linux.rs` and `macos.rs`.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata},
    io::{self, ErrorKind},
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{
        AtFlags, CWD, Mode, OFlags, RenameFlags, linkat, mkdirat, openat, renameat, renameat_with, unlinkat,
    },
    io::Errno,
};

use super::{system, walk::Part};
use crate::system::files;

/// A directory that everybody may write to, but in which only the owner of a file may remove it.
const SHARED: u32 = 0o1002;

/// Splits a path into its steps. The text of a link may be relative.
pub(super) fn split(path: &OsStr, _link_in: &Path) -> io::Result<Vec<Part>> {
    let bytes = path.as_bytes();
    let mut parts = Vec::new();
    if bytes.starts_with(b"/") {
        parts.push(Part::Root(PathBuf::from("/")));
    }
    for part in bytes.split(|byte| *byte == b'/') {
        parts.push(match part {
            b"" => continue,
            b"." => Part::Here,
            b".." => Part::Up,
            name => Part::Name(OsStr::from_bytes(name).to_owned()),
        });
    }
    // A slash at the end asks for a directory.
    if bytes.ends_with(b"/") {
        parts.push(Part::Here);
    }
    Ok(parts)
}

/// Kind of an entry in a directory.
pub(super) enum Entry {
    Missing,
    Folder(Folder),
    /// A symbolic link, with its text.
    Link(OsString),
    Other,
}

/// An open directory. The handle permits looking up names, not listing them.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        let flags = system::FOLDER | OFlags::CLOEXEC;
        Ok(Self(openat(CWD, path, flags, Mode::empty())?))
    }

    pub(super) fn parent(&self) -> io::Result<Self> {
        let flags = system::FOLDER | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, "..", flags, Mode::empty())?))
    }

    /// Looks up `name`. Links that the kernel would not follow here are errors.
    pub(super) fn look(&self, name: &OsStr) -> io::Result<Entry> {
        let Some(file) = self.peek(name)? else { return Ok(Entry::Missing) };
        let found = file.metadata()?;
        if found.is_dir() {
            return Ok(Entry::Folder(Self(file.into())));
        }
        if !found.is_symlink() {
            return Ok(Entry::Other);
        }
        let text = system::read_link(&self.0, name, &file)?;
        self.check_link(&found, &text)?;
        Ok(Entry::Link(text))
    }

    /// Refuses what `RESOLVE_NO_MAGICLINKS` and `fs.protected_symlinks` refuse.
    fn check_link(&self, link: &Metadata, text: &OsStr) -> io::Result<()> {
        if system::leads_to_open_file(&self.0, text)? {
            return Err(io::Error::other("the path leads through a link of /proc to an open file"));
        }
        let folder = self.metadata()?;
        let is_foreign = link.uid() != rustix::process::geteuid().as_raw() && link.uid() != folder.uid();
        if folder.mode() & SHARED == SHARED && is_foreign {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                "the path leads through a link of another user in a shared directory",
            ));
        }
        Ok(())
    }

    fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.0.try_clone()?).metadata()
    }

    /// A handle to whatever `name` is, good for looking at it only.
    fn peek(&self, name: &OsStr) -> io::Result<Option<File>> {
        let flags = system::PEEK | OFlags::CLOEXEC;
        match openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => Ok(Some(file.into())),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the metadata of `name` itself; `None` if it does not exist.
    pub(super) fn metadata_of(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        self.peek(name)?.map(|file| file.metadata()).transpose()
    }

    /// Where the directory is now. The kernel knows; without /proc it is where it was found.
    pub(super) fn path(&self, found: &Path) -> io::Result<PathBuf> {
        if self.metadata()?.nlink() == 0 {
            return Err(ErrorKind::NotFound.into());
        }
        Ok(system::path_of(&self.0).unwrap_or_else(|| found.to_path_buf()))
    }

    /// Returns a name as it is written in the directory. The kernel takes names as they are.
    pub(super) fn written_name(&self, name: OsString) -> OsString {
        name
    }

    /// Makes a directory, unless there is one, and opens it. A link in its place is an error.
    pub(super) fn make(&self, name: &OsStr) -> io::Result<Self> {
        match mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = system::FOLDER | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Opens a file for reading. Does not wait for the other end of a pipe.
    pub(super) fn open(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Opens a file for writing, as it is.
    pub(super) fn open_to_write(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, Mode::empty())?.into())
    }

    /// Creates a file that must not exist yet.
    pub(super) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, system::mode(mode))?.into())
    }

    /// Creates a file without a name, which is gone with the process; `None` where the file system cannot.
    pub(super) fn create_unnamed(&self, mode: u32) -> io::Result<Option<File>> {
        system::create_unnamed(&self.0, system::mode(mode))
    }

    /// Gives a file without a name one that must be free; `false` where that is not possible.
    pub(super) fn name_file(&self, file: &File, name: &OsStr) -> io::Result<bool> {
        system::name_file(&self.0, file, name)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames to a name that must be free.
    pub(super) fn rename_to_free(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                linkat(&self.0, from, &self.0, to, AtFlags::empty())?;
                Ok(unlinkat(&self.0, from, AtFlags::empty())?)
            }
            done => Ok(done?),
        }
    }

    /// Exchanges two files in one step; `false` where the file system cannot.
    pub(super) fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<bool> {
        match renameat_with(&self.0, one, &self.0, other, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file or link. A missing one is not an error.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an empty directory.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Makes renames in the directory durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let listed: File = openat(&self.0, ".", flags, Mode::empty())?.into();
        files::sync_opened_folder(&listed)
    }
}
