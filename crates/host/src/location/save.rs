//! Whole-file writes: the old file or the new one, never half of one, whenever the power goes. The new content has no name
//! until it is complete, so a process that is killed leaves nothing behind.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata},
    io::{self, ErrorKind, Write},
};

use super::{
    resolved_location::Location,
    temporaries::{Record, Temporaries},
};
use crate::system::files;

/// For a new file the system takes the user's mask off this.
const NEW_FILE: u32 = 0o666;

/// Tells whether a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file as it was when this was read.
    pub fn of(found: &Metadata) -> Self {
        let (device, inode, changed) = files::identity(found);
        Self { device, inode, bytes: found.len(), changed }
    }
}

impl Location {
    /// Puts `content` in place of what is there, or makes the file and the directories it needs. Mode and owner of an
    /// existing file are kept; other hard links to it keep the old content. With a stamp, a file that changed since is
    /// left alone.
    ///
    /// The name under which a new content waits to replace a file is written down in `temporaries`, so that it is removed
    /// at the next start if the process is killed in that moment.
    ///
    /// # Errors
    /// When something that is not a regular file is there, when the file changed, or when the system refuses.
    pub fn save(
        &mut self,
        content: &[u8],
        since: Option<Stamp>,
        temporaries: Option<&Temporaries>,
    ) -> io::Result<()> {
        let old = self.metadata()?;
        if let Some(old) = &old {
            check_kind(old)?;
            // Replacing it would succeed; a file that may not be written stays all the same.
            if let Err(error) = self.folder.open_to_write(&self.name)
                && !files::is_running_program(&error)
            {
                return Err(error);
            }
        } else {
            self.make_folders()?;
        }
        // Closed to others until it has its owner and mode.
        let first_mode = if old.is_some() { 0o600 } else { NEW_FILE };
        let done = match self.folder.create_unnamed(first_mode) {
            Ok(Some(file)) => {
                self.fill(&file, content, old.as_ref())?;
                self.check_unchanged(since)?;
                self.put_unnamed(&file, old.is_some(), temporaries)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        let done = match done {
            Ok(false) => self.save_named(content, old.as_ref(), first_mode, since, temporaries),
            done => done.map(|_| ()),
        };
        match (done, &old) {
            (Ok(()), _) => {}
            // A file that may be written in a directory that may not, or a file that is mounted by itself.
            (Err(error), Some(old))
                if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ResourceBusy) =>
            {
                self.check_unchanged(since)?;
                return self.write_in_place(content, old);
            }
            (Err(error), None) if error.kind() == ErrorKind::AlreadyExists => return Err(changed()),
            (Err(error), _) => return Err(error),
        }
        // The name is on the disk once its directory is; where that cannot be synced, the data is safe all the same.
        let _ = self.sync_folder();
        Ok(())
    }

    /// Fails when the file is not the one the stamp was taken of.
    ///
    /// # Errors
    /// See above.
    pub fn check_unchanged(&self, since: Option<Stamp>) -> io::Result<()> {
        let Some(since) = since else { return Ok(()) };
        match self.metadata()? {
            Some(found) if Stamp::of(&found) == since => Ok(()),
            _ => Err(changed()),
        }
    }

    /// Gives a finished file its name; `false` where this file system cannot.
    fn put_unnamed(
        &self,
        file: &File,
        replaces: bool,
        temporaries: Option<&Temporaries>,
    ) -> io::Result<bool> {
        if !replaces {
            return self.folder.name_file(file, &self.name);
        }
        // There is no way to give a file a name that is taken, so it gets another one for a moment.
        let name = Temporaries::new_name()?;
        let _record = self.record(&name, temporaries);
        if !self.folder.name_file(file, &name)? {
            return Ok(false);
        }
        self.rename_or_remove(&name).map(|()| true)
    }

    /// For file systems without files that have no name.
    fn save_named(
        &self,
        content: &[u8],
        old: Option<&Metadata>,
        first_mode: u32,
        since: Option<Stamp>,
        temporaries: Option<&Temporaries>,
    ) -> io::Result<()> {
        let name = Temporaries::new_name()?;
        let _record = self.record(&name, temporaries);
        let file = self.folder.create(&name, first_mode)?;
        let written = self.fill(&file, content, old).and_then(|()| self.check_unchanged(since));
        drop(file);
        if let Err(error) = written {
            let _ = self.folder.remove(&name);
            return Err(error);
        }
        match old {
            Some(_) => self.rename_or_remove(&name),
            None => {
                let done = self.folder.rename_to_free(&name, &self.name);
                if done.is_err() {
                    let _ = self.folder.remove(&name);
                }
                done
            }
        }
    }

    /// A name that cannot be written down is used all the same: it matters only if the process is killed now.
    fn record(&self, name: &OsStr, temporaries: Option<&Temporaries>) -> Option<Record> {
        temporaries?.begin(&self.real_path().with_file_name(name)).ok()
    }

    fn rename_or_remove(&self, name: &OsString) -> io::Result<()> {
        let done = self.folder.rename(name, &self.name);
        if done.is_err() {
            let _ = self.folder.remove(name);
        }
        done
    }

    /// Writes into the file that was checked, and no other: not into one that took its place, nor into one that has
    /// another name elsewhere.
    fn write_in_place(&self, content: &[u8], old: &Metadata) -> io::Result<()> {
        let mut file = self.folder.open_to_write(&self.name)?;
        let found = file.metadata()?;
        let (device, inode, _) = files::identity(&found);
        let (old_device, old_inode, _) = files::identity(old);
        if (device, inode) != (old_device, old_inode) {
            return Err(changed());
        }
        check_kind(&found)?;
        if files::hard_links(&file)? > 1 {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                "its directory cannot be written to, and the file has other hard links",
            ));
        }
        file.set_len(0)?;
        file.write_all(content)?;
        file.sync_all()
    }

    /// Writes the content, and takes over owner and permissions of the file it will replace.
    fn fill(&self, mut file: &File, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        file.write_all(content)?;
        if let Some(old) = old {
            files::take_over(file, || self.open(), old)?;
        }
        file.sync_all()
    }
}

fn changed() -> io::Error {
    io::Error::other("it was changed by somebody else meanwhile; read it again")
}

fn check_kind(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    Err(io::Error::other(match () {
        () if found.is_dir() => "it is a folder",
        () if found.is_symlink() => "the path now leads elsewhere; try again",
        () => "it is not a regular file (a pipe, socket or device)",
    }))
}

#[cfg(unix)]
#[cfg(test)]
#[path = "save_tests.rs"]
mod tests;
