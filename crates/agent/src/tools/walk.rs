//! Walking a folder as people see it: without what git ignores and without git's own files, in the order of names.

use std::path::Path;

use ignore::{DirEntry, WalkBuilder};
use toolsmith_tool::{CancelToken, ToolError};

use super::blocking::check;

/// Calls `visit` for everything below `root` until it says to stop. What cannot be read is passed over: a folder without
/// permission or a link that leads nowhere must not hide the rest.
pub(super) fn walk(
    root: &Path,
    cancel: &CancelToken,
    mut visit: impl FnMut(&DirEntry) -> Result<bool, ToolError>,
) -> Result<(), ToolError> {
    let walker = WalkBuilder::new(root)
        .hidden(false)
        // An ignore file counts also where git was not initialised.
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

/// Whether an entry is a plain file.
pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}
