//! The files of a command that runs in a directory which is known only when it starts, such as the output of another command.
//! Its relative names count in every directory.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    commands::{Named, named_files, words},
    lexical,
    modules::Runtimes,
    subfolders::{Folder, subfolders},
};

/// A directory that exists on no system.
const NOWHERE: &str = "\0";
/// Maximum number of directories in which the words of a command are looked for.
const MAX_BASES: usize = 64;

/// Files and directories that a command names in a directory which is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedAnywhere {
    /// Paths that are known.
    pub known: Named,
    /// Relative paths: every path that ends with one of them is named.
    pub endings: Named,
}

/// Returns the files that a command names if it may run in any directory. `root` is the project: what its packages
/// and links lead to counts too.
pub fn named_anywhere(command: &str, root: &Path, home: Option<&Path>) -> NamedAnywhere {
    let named = named_files(command, &[Path::new(NOWHERE)], home);
    let (files, mut known_files) = split(named.files);
    let (trees, mut known_trees) = split(named.trees);
    let runs_node = Runtimes::of(&words(command)).runs_node();
    let endings: Vec<&Path> = files.iter().chain(&trees).map(PathBuf::as_path).collect();
    for base in possible_directories(root, runs_node, &endings) {
        let named = named_files(command, &[&base], home);
        known_files.extend(named.files);
        known_trees.extend(named.trees);
    }
    NamedAnywhere { known: Named { files: known_files, trees: known_trees }, endings: Named { files, trees } }
}

/// Separates the paths of a directory that is not known from the absolute ones.
fn split(paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut endings = Vec::new();
    let mut known = Vec::new();
    for path in paths {
        match path.strip_prefix(NOWHERE) {
            Ok(ending) => endings.push(lexical(ending)),
            Err(_) if path.has_root() => known.push(path),
            // A spelling in which `..` has removed the unknown directory; the other spelling is an ending.
            Err(_) => {}
        }
    }
    // The directory itself: what a runtime starts in it is listed by its name.
    endings.retain(|ending| !ending.as_os_str().is_empty());
    (endings, known)
}

/// Returns the directories of a project in which the command is looked at as if it ran there, because a name alone does not
/// tell everything: those where a name is or leads through a link, and for Node those with a `package.json` and above them, from
/// which the command may name them.
fn possible_directories(root: &Path, runs_node: bool, endings: &[&Path]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for Folder { path, .. } in subfolders(root.to_path_buf(), |name| name != ".git") {
        if found.len() >= MAX_BASES {
            break;
        }
        if runs_node && path.join("package.json").is_file() {
            let above = path.ancestors().take_while(|base| base.starts_with(root));
            found.extend(above.map(Path::to_path_buf));
        }
        if endings.iter().any(|ending| has_link(&path, ending)) {
            found.insert(path);
        }
    }
    found
}

/// Returns whether a relative path is a link in this directory, or leads through one.
fn has_link(folder: &Path, relative: &Path) -> bool {
    let mut path = folder.to_path_buf();
    relative.components().any(|part| {
        path.push(part);
        fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink())
    })
}

#[cfg(test)]
#[path = "anywhere_tests.rs"]
mod tests;
