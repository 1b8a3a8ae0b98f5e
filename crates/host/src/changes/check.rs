//! Whether a file is still what a change was computed from.

use std::{
    fs::{self, Metadata},
    io::ErrorKind,
    os::unix::fs::PermissionsExt,
    path::Path,
};

use rustix::fs::Access;
use toolsmith_tool::FileChange;

use super::{
    error::{ChangeError, Drift, DriftKind},
    hash::hash_file,
    place::resolve,
};

const ANY_WRITE_BIT: u32 = 0o222;

/// What the file is now, when nothing has changed; `None` when there is none, and was none.
pub(super) fn check(change: &FileChange) -> Result<Option<Metadata>, ChangeError> {
    let drift = |kind| Err(ChangeError::drift(&change.path, kind));
    match resolve(&change.path) {
        Ok(target) if target == change.target => {}
        Ok(to) => return drift(DriftKind::Redirected { to }),
        Err(error) if error.kind() == ErrorKind::NotFound => return drift(DriftKind::Deleted),
        Err(error) => return Err(ChangeError::io(&change.path, "look at it")(error)),
    }
    let found = match fs::symlink_metadata(&change.target) {
        Ok(found) => found,
        Err(error) if is_missing(&error) => {
            return if change.base.is_none() { Ok(None) } else { drift(DriftKind::Deleted) };
        }
        Err(error) => return Err(ChangeError::io(&change.target, "look at it")(error)),
    };
    let Some(base) = change.base else {
        return drift(DriftKind::Appeared);
    };
    if !found.is_file() {
        return drift(DriftKind::NotAFile);
    }
    if hash_file(&change.target).map_err(ChangeError::io(&change.target, "read"))? != base {
        return drift(DriftKind::Changed);
    }
    if is_read_only(&change.target, &found) {
        return drift(DriftKind::ReadOnly);
    }
    Ok(Some(found))
}

/// Checks all and says everything that has changed, not only the first.
pub(super) fn check_all(files: &[FileChange]) -> Result<Vec<Option<Metadata>>, ChangeError> {
    let mut drifts: Vec<Drift> = Vec::new();
    let mut found = Vec::with_capacity(files.len());
    for change in files {
        match check(change) {
            Ok(metadata) => found.push(metadata),
            Err(ChangeError::Drifted(more)) => drifts.extend(more),
            Err(error) => return Err(error),
        }
    }
    if drifts.is_empty() { Ok(found) } else { Err(ChangeError::Drifted(drifts)) }
}

/// A file can be replaced in a folder one may write to, whatever its own mode; but whoever made it read-only did not
/// mean that. To root every file is writable, so the mode counts too.
fn is_read_only(path: &Path, found: &Metadata) -> bool {
    found.permissions().mode() & ANY_WRITE_BIT == 0 || rustix::fs::access(path, Access::WRITE_OK).is_err()
}

/// Also when something on the way is no folder.
pub(super) fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
