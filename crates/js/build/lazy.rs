//! Libraries with parts that are loaded on first use. If a file of a package has a counterpart in `npm/lazy`, the
//! counterpart replaces it in a copy of the package, and the original is kept as `NAME.whole.js`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::entries;

/// Creates the copies; returns their directory.
pub(crate) fn lay_over(root: &Path, libraries: &Path) -> PathBuf {
    let folder = libraries.join("lazy");
    let _ = fs::remove_dir_all(&folder);
    for package in entries(&root.join("npm/lazy")) {
        let name = package.file_name().unwrap_or_default();
        let copy = folder.join("node_modules").join(name);
        copy_code(&libraries.join("node_modules").join(name), &copy);
        replace(&package, &copy);
    }
    folder
}

/// Copies code and package manifests.
fn copy_code(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    for path in entries(from) {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_code(&path, &target);
        } else if path.extension().is_some_and(|extension| extension == "js" || extension == "json") {
            fs::copy(&path, &target).unwrap_or_else(|error| panic!("{}: {error}", target.display()));
        }
    }
}

fn replace(ours: &Path, theirs: &Path) {
    for path in entries(ours) {
        let target = theirs.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            replace(&path, &target);
            continue;
        }
        fs::rename(&target, target.with_extension("whole.js")).unwrap_or_else(|error| {
            panic!("{} stands for a file that is not there: {error}", path.display())
        });
        fs::copy(&path, &target).unwrap_or_else(|error| panic!("{}: {error}", target.display()));
    }
}
