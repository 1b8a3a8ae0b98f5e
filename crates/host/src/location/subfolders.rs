//! The folders of a project from the top down, with limits, so that a large project does not delay a write.

use std::{collections::VecDeque, ffi::OsStr, fs, iter, path::PathBuf};

/// Limits of the depth and the number of visited folders.
const MAX_DEPTH: usize = 4;
const MAX_FOLDERS: usize = 2000;

/// A visited folder.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Zero for the root.
    pub(super) depth: usize,
    pub(super) entries: Vec<fs::DirEntry>,
}

/// Visits `root` and the folders below it. Links, packages, build output, and folders that `enters` refuses by name are not entered.
pub(super) fn subfolders(root: PathBuf, enters: impl Fn(&OsStr) -> bool) -> impl Iterator<Item = Folder> {
    let mut open = VecDeque::from([(root, 0)]);
    let next = move || {
        let (path, depth) = open.pop_front()?;
        let entries: Vec<fs::DirEntry> = fs::read_dir(&path).into_iter().flatten().flatten().collect();
        for entry in entries.iter().filter(|_| depth < MAX_DEPTH) {
            let name = entry.file_name();
            let is_entered = !is_skipped(&name) && enters(&name);
            if is_entered && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push_back((entry.path(), depth + 1));
            }
        }
        Some(Folder { path, depth, entries })
    };
    iter::from_fn(next).take(MAX_FOLDERS)
}

/// Returns whether a folder holds code of others or copies of code.
pub(super) fn is_skipped(name: &OsStr) -> bool {
    name == "node_modules" || name == "target"
}
