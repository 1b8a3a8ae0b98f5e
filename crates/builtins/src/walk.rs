//! Directory walk that respects git's ignore rules and skips git's own files, in name order.

use std::path::Path;

use ignore::{DirEntry, WalkBuilder};
use toolsmith_host::blocking::check;
use toolsmith_tool::{CancelToken, ToolError};

/// Calls `visit` for everything below `root` until it stops. Unreadable entries are skipped: a directory without
/// permission or a dangling link must not hide the rest.
pub(super) fn walk(
    root: &Path,
    cancel: &CancelToken,
    mut visit: impl FnMut(&DirEntry) -> Result<bool, ToolError>,
) -> Result<(), ToolError> {
    let walker = WalkBuilder::new(root)
        .hidden(false)
        // Ignore files apply even without a git repository.
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .build();
    for entry in walker {
        check(cancel)?;
        let Ok(entry) = entry else { continue };
        if entry.depth() > 0 && !visit(&entry)? {
            break;
        }
    }
    Ok(())
}

/// Returns whether an entry is a regular file.
pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}
