//! A file by its directory's handle and its name: what a path was resolved to, and what is then looked at and changed.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata},
    io,
    path::{Path, PathBuf},
};

use super::{
    Folder, system,
    walk::{Links, walk},
};
use crate::{real_path, spelling::fold_path, system::files};

/// The place a path leads to. The file, and directories above it, need not exist.
///
/// Everything is done through the handle of the last directory that existed when the path was resolved, so a directory
/// that is replaced by a link afterwards changes nothing about where a write lands.
#[derive(Debug)]
pub struct Location {
    pub(super) folder: Folder,
    missing: Vec<OsString>,
    pub(super) name: OsString,
    real_path: PathBuf,
}

impl Location {
    /// Follows all links, the way the kernel does to create a file: also a last link that leads to nothing, and links on
    /// the way. A relative path is seen from the working directory of the process.
    ///
    /// # Errors
    /// When the path leads through something that is not a directory, through too many links, or through `..` behind a
    /// directory that does not exist; when it ends in a directory by `/`, `.` or `..`; or when the system refuses.
    pub fn resolve(path: &Path) -> io::Result<Self> {
        Self::new(path, Links::Follow)
    }

    /// Follows the links on the way to the file, and not the file itself: it may be a link.
    ///
    /// # Errors
    /// As for [`Location::resolve`].
    pub fn resolve_folder(path: &Path) -> io::Result<Self> {
        Self::new(path, Links::FollowToFolder)
    }

    /// The place at a path that [`Location::resolve`] gave earlier. Links are not followed: one that appeared on the way
    /// is an error, and the file itself may be one.
    ///
    /// # Errors
    /// As for [`Location::resolve`], and for a link on the way.
    pub fn at_real_path(path: &Path) -> io::Result<Self> {
        Self::new(path, Links::Refuse)
    }

    fn new(path: &Path, links: Links) -> io::Result<Self> {
        let end = match path.is_absolute() {
            true => walk(path, links)?,
            // Not `std::path::absolute`, which drops a slash at the end.
            false => walk(&std::env::current_dir()?.join(path), links)?,
        };
        let mut real_path = end.folder.path(&end.found)?;
        if links == Links::Refuse && fold_path(&real_path) != fold_path(&end.found) {
            return Err(io::Error::other("the directory was moved meanwhile"));
        }
        real_path.extend(&end.missing);
        let name = if end.missing.is_empty() { end.folder.written_name(end.name) } else { end.name };
        real_path.push(&name);
        Ok(Self { folder: end.folder, missing: end.missing, name, real_path })
    }

    /// The absolute path without links.
    pub fn real_path(&self) -> &Path {
        &self.real_path
    }

    /// Refuses a place outside a directory.
    ///
    /// # Errors
    /// When the place is not below the directory, or the directory does not exist.
    pub fn require_within(&self, folder: &Path) -> io::Result<()> {
        match self.real_path.starts_with(real_path(folder)?) {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "it leads out of {}, to {}",
                folder.display(),
                self.real_path.display()
            ))),
        }
    }

    /// Returns the metadata without following a link; `None` if nothing exists.
    ///
    /// # Errors
    /// Fails if the system reports an error.
    pub fn metadata(&self) -> io::Result<Option<Metadata>> {
        if self.missing.is_empty() { self.folder.metadata_of(&self.name) } else { Ok(None) }
    }

    /// Opens the file for reading.
    ///
    /// # Errors
    /// When there is none, when it is a link, or when the system refuses.
    pub fn open(&self) -> io::Result<File> {
        match self.missing.is_empty() {
            true => self.folder.open(&self.name),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Returns whether the existing file is writable. For root everything is.
    pub(crate) fn is_writable(&self) -> bool {
        match self.folder.open_to_write(&self.name) {
            Ok(_) => true,
            // A program that runs cannot be written to, but it can be replaced.
            Err(error) => files::is_running_program(&error),
        }
    }

    /// The directories that have to be made for the file, outermost first.
    pub(crate) fn missing_folders(&self) -> Vec<PathBuf> {
        // The file itself, then the directories it needs, innermost first.
        let mut above: Vec<PathBuf> =
            self.real_path.ancestors().skip(1).take(self.missing.len()).map(Path::to_path_buf).collect();
        above.reverse();
        above
    }

    /// Makes the directories the file needs, each in the one before it.
    ///
    /// # Errors
    /// When something else appeared in the place of one of them, or the system refuses.
    pub fn make_folders(&mut self) -> io::Result<()> {
        for name in std::mem::take(&mut self.missing) {
            self.folder = self.folder.make(&name)?;
        }
        Ok(())
    }

    /// Another name in the same directory. An error when the directory does not exist.
    pub(crate) fn beside(&self, name: &OsStr) -> io::Result<Beside<'_>> {
        match self.missing.is_empty() {
            true => Ok(Beside { folder: &self.folder, name: name.to_owned() }),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The file itself, as one of the names in its directory.
    pub(crate) fn own(&self) -> io::Result<Beside<'_>> {
        self.beside(&self.name)
    }

    /// Makes renames in the directory durable.
    pub(crate) fn sync_folder(&self) -> io::Result<()> {
        self.folder.sync()
    }

    /// Removes the directory at this place, if it is empty.
    pub(crate) fn remove_folder(&self) -> io::Result<()> {
        self.own()?.folder.remove_folder(&self.name)
    }
}

/// Returns where a path leads, as an absolute path without links; `None` if it leads nowhere. Unlike [`Location::resolve`]
/// this also takes directories, however they are spelled, and links that only the kernel can follow.
pub fn leads_to(path: &Path) -> Option<PathBuf> {
    let place = Location::resolve(path).map(|place| place.real_path().to_path_buf());
    place.or_else(|_| real_path(path)).ok()
}

/// Returns the line of an approval question that names a directory, and where it leads.
pub fn directory_line(directory: &Path) -> String {
    match leads_to(directory) {
        Some(real) if real != *directory => {
            format!("Directory: {}, which leads to {}", directory.display(), real.display())
        }
        _ => format!("Directory: {}", directory.display()),
    }
}

/// Opens the file at a path that [`leads_to`] gave earlier. A link that appeared on the way, or at the end, is an error.
pub(crate) fn open_real(path: &Path) -> io::Result<File> {
    match system::open_without_links(path)? {
        Some(file) => Ok(file),
        None => Location::at_real_path(path)?.open(),
    }
}

/// A name in the directory of a [`Location`].
#[derive(Debug)]
pub(crate) struct Beside<'a> {
    folder: &'a Folder,
    name: OsString,
}

impl Beside<'_> {
    pub(crate) fn metadata(&self) -> io::Result<Option<Metadata>> {
        self.folder.metadata_of(&self.name)
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        self.folder.open(&self.name)
    }

    pub(crate) fn create(&self, mode: u32) -> io::Result<File> {
        self.folder.create(&self.name, mode)
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        self.folder.remove(&self.name)
    }

    pub(crate) fn rename(&self, to: &Self) -> io::Result<()> {
        self.folder.rename(&self.name, &to.name)
    }

    pub(crate) fn rename_to_free(&self, to: &Self) -> io::Result<()> {
        self.folder.rename_to_free(&self.name, &to.name)
    }

    /// Exchanges both in one step; `false` where the file system cannot.
    pub(crate) fn exchange(&self, with: &Self) -> io::Result<bool> {
        self.folder.exchange(&self.name, &with.name)
    }
}
