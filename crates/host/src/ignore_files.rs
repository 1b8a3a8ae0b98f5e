//! Ignore files of a project, before a walk reads them. Walks read `.gitignore` and others whole, whatever they are: a link to a
//! device has no end, and a pipe waits for a writer.

use std::{fs, path::Path};

/// Files that a walk reads in a directory.
const NAMES: [&str; 4] = [".gitignore", ".ignore", ".git/info/exclude", ".git/commondir"];
/// Longer ones are not rules that somebody wrote.
const MAX_BYTES: u64 = 1 << 20;

/// Returns whether a walk may read the ignore files of a directory: each is a regular file of moderate size, or missing.
pub fn are_readable(folder: &Path) -> bool {
    // `.git` is a file in worktrees and submodules, and is read there.
    let git = fs::metadata(folder.join(".git")).ok().filter(|metadata| !metadata.is_dir());
    let files = NAMES.iter().filter_map(|name| fs::metadata(folder.join(name)).ok());
    files.chain(git).all(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES)
}

/// Returns whether a walk from `root` may read the ignore files of this directory and of those above it.
pub fn are_readable_above(root: &Path) -> bool {
    let real = crate::real_path(root).unwrap_or_else(|_| root.to_path_buf());
    real.ancestors().all(are_readable)
}

#[cfg(all(test, unix))]
#[path = "ignore_files_tests.rs"]
mod tests;
