//! What git says of a folder, read from its files: a program would cost more than the rest of the prompt.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder that holds `.git`, from `folder` upward.
pub(super) fn git_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())
}

/// The branch that is checked out, or the beginning of the commit where there is none.
pub fn git_branch(folder: &Path) -> Option<String> {
    let root = git_root(folder)?;
    let head = read_small(&git_folder(root)?.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => head.get(..12).map(|commit| format!("detached at {commit}")),
    }
}

/// `.git` is a folder, or in worktrees and submodules a file that says where the folder is.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read_small(&git)?;
    Some(root.join(text.trim().strip_prefix("gitdir: ")?))
}

/// Such files have one line; anything else is not one of them.
fn read_small(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    (found.is_file() && found.len() < 4096).then(|| fs::read_to_string(path).ok())?
}
