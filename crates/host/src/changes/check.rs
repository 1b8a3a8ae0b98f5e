//! Whether a file is still what a change was computed from.

use std::{fs::Metadata, io::ErrorKind};

use toolsmith_tool::FileChange;

use super::{
    blobs::hash_file,
    error::{ChangeError, Drift, DriftKind},
};
use crate::{location::Location, system::files};

/// Returns the file's metadata if nothing has changed; `None` if it did not and does not exist.
pub(super) fn check(change: &FileChange) -> Result<Option<Metadata>, ChangeError> {
    let drift = |kind| Err(ChangeError::drift(&change.path, kind));
    let place = match Location::resolve(&change.path) {
        Ok(place) if place.real_path() == change.target => place,
        Ok(place) => return drift(DriftKind::Redirected { to: place.real_path().to_path_buf() }),
        Err(error) if error.kind() == ErrorKind::NotFound => return drift(DriftKind::Deleted),
        Err(error) => return Err(ChangeError::io(&change.path, "look at it")(error)),
    };
    let Some(found) = place.metadata().map_err(ChangeError::io(&change.target, "look at it"))? else {
        return if change.base.is_none() { Ok(None) } else { drift(DriftKind::Deleted) };
    };
    let Some(base) = change.base else {
        return drift(DriftKind::Appeared);
    };
    if !found.is_file() {
        return drift(DriftKind::NotAFile);
    }
    if place.open().and_then(hash_file).map_err(ChangeError::io(&change.target, "read"))? != base {
        return drift(DriftKind::Changed);
    }
    // A file can be replaced in a folder one may write to, whatever its own mode; but whoever made it read-only did not
    // mean that. To root every file is writable, so the mode counts too.
    if files::is_read_only(&found) || !place.is_writable() {
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

/// Also when something on the way is no folder.
pub(super) fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
