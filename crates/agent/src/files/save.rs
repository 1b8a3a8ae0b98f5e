//! Whole-file writes: the old file or the new one, never half of one, whenever the power goes.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

/// How many links are followed to a file that is not there yet.
const MAX_LINKS: usize = 32;

/// What tells whether a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(found: &fs::Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// Puts `bytes` in place of what is at `path`, or makes the file and the folders it needs. Links are followed, mode and
/// owner stay. With a stamp, nothing is written to a file that changed since.
pub(crate) fn save(path: &Path, bytes: &[u8], since: Option<Stamp>) -> io::Result<()> {
    let target = behind_links(path)?;
    let old = match fs::metadata(&target) {
        Ok(found) if found.is_dir() => return Err(io::Error::other("it is a folder")),
        Ok(found) if !found.is_file() => {
            return Err(io::Error::other("it is not a regular file (a pipe, socket or device)"));
        }
        Ok(found) => {
            // Renaming over it would succeed without asking; a file that may not be written stays.
            OpenOptions::new().write(true).open(&target)?;
            Some(found)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if old.is_none() {
        fs::create_dir_all(folder)?;
    }
    let mode = old.as_ref().map_or(0o666, |old| old.permissions().mode() & 0o7777);
    // For a new file the system takes the user's mask off the mode.
    let made = tempfile::Builder::new()
        .prefix(".toolsmith-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder);
    let mut temporary = match made {
        Ok(temporary) => temporary,
        // A file that may be written in a folder that may not.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && old.is_some() => {
            check_unchanged(&target, since)?;
            return write_in_place(&target, bytes);
        }
        Err(error) => return Err(error),
    };
    temporary.write_all(bytes)?;
    if let Some(old) = &old {
        let mine = temporary.as_file().metadata()?;
        if (mine.uid(), mine.gid()) != (old.uid(), old.gid()) {
            // Only root may give files away; others keep what they can.
            let _ = chown(temporary.path(), Some(old.uid()), Some(old.gid()));
        }
        // After the owner: changing that takes bits off the mode.
        temporary.as_file().set_permissions(Permissions::from_mode(mode))?;
    }
    temporary.as_file().sync_all()?;
    check_unchanged(&target, since)?;
    match temporary.persist(&target) {
        Ok(_) => {}
        // A file that is mounted by itself can be written but not replaced.
        Err(error) if error.error.kind() == io::ErrorKind::ResourceBusy => write_in_place(&target, bytes)?,
        Err(error) => return Err(error.error),
    }
    // The name is on the disk once its folder is; where a folder cannot be synced, the data is safe all the same.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn write_in_place(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(target)?;
    file.write_all(bytes)?;
    file.sync_all()
}

pub(super) fn check_unchanged(target: &Path, since: Option<Stamp>) -> io::Result<()> {
    let Some(since) = since else { return Ok(()) };
    match fs::metadata(target) {
        Ok(found) if Stamp::of(&found) == since => Ok(()),
        _ => Err(io::Error::other("it was changed by somebody else meanwhile; read it again")),
    }
}

/// The file a path means when it is a link, also when that file is not there yet.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

#[cfg(test)]
#[path = "save_tests.rs"]
mod tests;
