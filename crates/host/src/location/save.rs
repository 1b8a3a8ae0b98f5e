//! Whole-file writes: the old file or the new one, never half of one, whenever the power goes. The new content has no name
//! until it is complete, so a process that is killed leaves nothing behind.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata, Permissions},
    io::{self, ErrorKind, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
};

use super::{
    resolved_location::Location,
    temporaries::{Record, Temporaries},
};

const MODE_BITS: u32 = 0o7777;
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
        Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            changed: (found.ctime(), found.ctime_nsec()),
        }
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
                && error.raw_os_error() != Some(libc::ETXTBSY)
            {
                return Err(error);
            }
        } else {
            self.make_folders()?;
        }
        let mode = old.as_ref().map_or(NEW_FILE, |old| old.mode() & MODE_BITS);
        // Closed to others until it has its owner and mode.
        let first_mode = if old.is_some() { 0o600 } else { NEW_FILE };
        let done = match self.folder.create_unnamed(first_mode) {
            Ok(Some(file)) => {
                fill(&file, content, old.as_ref(), mode)?;
                self.check_unchanged(since)?;
                self.put_unnamed(&file, old.is_some(), temporaries)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        let done = match done {
            Ok(false) => self.save_named(content, old.as_ref(), first_mode, mode, since, temporaries),
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
        mode: u32,
        since: Option<Stamp>,
        temporaries: Option<&Temporaries>,
    ) -> io::Result<()> {
        let name = Temporaries::new_name()?;
        let _record = self.record(&name, temporaries);
        let file = self.folder.create(&name, first_mode)?;
        let written = fill(&file, content, old, mode).and_then(|()| self.check_unchanged(since));
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
        if (found.dev(), found.ino()) != (old.dev(), old.ino()) {
            return Err(changed());
        }
        check_kind(&found)?;
        if found.nlink() > 1 {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                "its directory cannot be written to, and the file has other hard links",
            ));
        }
        file.set_len(0)?;
        file.write_all(content)?;
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

/// Writes the content, and takes over owner and mode of the file it will replace.
fn fill(mut file: &File, content: &[u8], old: Option<&Metadata>, mode: u32) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(old) = old {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
            // Only root may give files away; others keep what they can.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
        // After the owner: changing that takes bits off the mode.
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.sync_all()
}

#[cfg(test)]
#[path = "save_tests.rs"]
mod tests;
