//! Directory walk that respects git's ignore rules and skips git's own files, in name order.

use std::path::Path;

use ignore::{DirEntry, WalkBuilder};
use toolsmith_host::{blocking::check, ignore_files};
use toolsmith_tool::{CancelToken, ToolError};

/// Calls `visit` for everything below `root` until it stops. Unreadable entries are skipped: a directory without
/// permission or a dangling link must not hide the rest.
pub(super) fn walk(
    root: &Path,
    cancel: &CancelToken,
    mut visit: impl FnMut(&DirEntry) -> Result<bool, ToolError>,
) -> Result<(), ToolError> {
    let walker = walker(root, |entry| entry.file_name() != ".git")
        .follow_links(false)
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

/// Creates a walk by the rules of ignore files. `enters` leaves out entries. If an ignore file at or above `root` cannot be read, no
/// such rules apply; a directory below with one is left out.
pub(super) fn walker(root: &Path, enters: impl Fn(&DirEntry) -> bool + Send + Sync + 'static) -> WalkBuilder {
    let has_rules = ignore_files::are_readable_above(root);
    let mut walk = WalkBuilder::new(root);
    walk.hidden(false)
        // Ignore files apply even without a git repository.
        .require_git(false)
        .parents(has_rules)
        .ignore(has_rules)
        .git_ignore(has_rules)
        .git_exclude(has_rules)
        .filter_entry(move |entry| {
            let is_folder = || entry.file_type().is_some_and(|kind| kind.is_dir());
            enters(entry) && (!has_rules || !is_folder() || ignore_files::are_readable(entry.path()))
        });
    walk
}

/// Returns whether an entry is a regular file.
pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}
