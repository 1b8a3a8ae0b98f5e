//! What git says of a folder, read from its files: a program would cost more than the rest of the prompt.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use toolsmith_host::regular_file;

/// Returns the directory that contains `.git`, from `folder` upward.
pub fn git_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())
}

/// The branch that is checked out, or the beginning of the commit where there is none.
pub fn git_branch(folder: &Path) -> Option<String> {
    let root = git_root(folder)?;
    let head = read_small(&git_folder(root)?.join("HEAD"))?;
    let head = head.trim();
    // Anything else is not from git, and may be a file that nobody meant to send to a provider.
    match head.strip_prefix("ref: ") {
        Some(name) => {
            let name = name.strip_prefix("refs/").filter(|name| !name.contains(|c: char| c.is_control()))?;
            Some(name.strip_prefix("heads/").unwrap_or(name).to_owned())
        }
        None if head.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            head.get(..12).map(|commit| format!("detached at {commit}"))
        }
        None => None,
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
    let mut text = String::new();
    regular_file::open_regular(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
    Some(text)
}
