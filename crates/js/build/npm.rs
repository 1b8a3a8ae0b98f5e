//! Installs the libraries with `npm ci` in the build directory, so that the checkout stays clean.

use std::{fs, path::Path, process::Command};

/// Installs the packages of the lock file, unless they are installed already.
pub(crate) fn install(root: &Path, folder: &Path) {
    let lock = root.join("npm/package-lock.json");
    let lock = fs::read(&lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let stamp = folder.join("installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return;
    }
    fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for file in ["package.json", "package-lock.json"] {
        let from = root.join("npm").join(file);
        fs::copy(&from, folder.join(file)).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
    let output = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"])
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("npm could not be started ({error}): install Node.js with npm"));
    if !output.status.success() {
        panic!(
            "npm ci failed; it fetches zod, TypeBox and arktype from the npm registry:\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    fs::write(&stamp, lock).unwrap_or_else(|error| panic!("{}: {error}", stamp.display()));
}
