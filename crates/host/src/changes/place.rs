//! Which file a path means: symlinks are followed, also for a file that does not exist yet.

use std::{
    ffi::OsString,
    fs,
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
};

/// As many as the kernel follows.
const MAX_LINKS: usize = 40;

/// The path without `.` and `..`, by its text alone.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
}

/// The file behind a path, which need not exist.
pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Ok(found) => return Ok(found),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ErrorKind::NotFound.into());
        };
        match fs::read_link(&path) {
            // A link to a file that is still to be made.
            Ok(link) => path = parent.join(link),
            Err(_) => return Ok(resolve_folder(parent)?.join(name)),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// The deepest folder that exists, and after it what is still to be made.
fn resolve_folder(folder: &Path) -> io::Result<PathBuf> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = folder;
    loop {
        match fs::canonicalize(existing) {
            Ok(mut found) => {
                found.extend(missing.iter().rev());
                return Ok(found);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // A `..` below a folder that does not exist has no meaning, and `file_name` is `None` for it.
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
            return Err(ErrorKind::NotFound.into());
        };
        missing.push(name.to_owned());
        existing = parent;
    }
}
