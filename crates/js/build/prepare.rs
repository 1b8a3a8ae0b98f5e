//! Prepares the JavaScript that needs npm: libraries, kernel and sidecar program as plain files in one folder. `build.rs`
//! compiles that folder; `cargo xtask js` writes it to `generated`, which packages include, so that building a package
//! needs neither Node nor npm.

#[path = "bundle.rs"]
mod bundle;
#[path = "lazy.rs"]
mod lazy;
#[path = "npm.rs"]
mod npm;
#[path = "sidecar.rs"]
mod sidecar;
#[path = "unbundled.rs"]
mod unbundled;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The prepared folder within the crate. Git ignores it.
pub(crate) const GENERATED: &str = "generated";
/// The file in a prepared folder with the digest of everything it was made from.
const STAMP: &str = "inputs.digest";
/// Everything a prepared folder is made from.
const INPUTS: &[&str] = &[
    "build/bundle.rs",
    "build/lazy.rs",
    "build/prepare.rs",
    "build/sidecar.rs",
    "build/unbundled.rs",
    "js/adapters",
    "js/compat",
    "js/kernel",
    "js/sidecar",
    "npm",
];

/// Returns whether `folder` was prepared from the present inputs.
pub(crate) fn is_current(root: &Path, folder: &Path) -> bool {
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|stamp| stamp == digest(root))
}

/// Returns whether npm is on the `PATH`.
pub(crate) fn has_npm() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| ["npm", "npm.cmd"].iter().any(|name| folder.join(name).is_file()))
}

/// Prepares `folder` from the crate at `root`, with packages installed in `libraries`.
pub(crate) fn prepare(root: &Path, libraries: &Path, folder: &Path) {
    npm::install(root, libraries);
    let _ = fs::remove_dir_all(folder);
    let lazy = lazy::lay_over(root, libraries);
    bundle::libraries(libraries, &lazy, &folder.join("npm"));
    for (file, code) in unbundled::zod(&lazy) {
        write(&folder.join("npm/zod").join(file), &code);
    }
    bundle::kernel(root, libraries, &folder.join("kernel.js"));
    sidecar::program(root, libraries, folder);
    copy_licenses(&libraries.join("node_modules"), &folder.join("licenses"));
    write(&folder.join(STAMP), &digest(root));
}

/// Returns every file below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a text file, with its directories.
fn write(path: &Path, text: &str) {
    let written = fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| fs::write(path, text));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path())
        .collect();
    paths.sort();
    paths
}

/// FNV-1a over names and contents: it detects edits, which need no cryptography.
fn digest(root: &Path) -> String {
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for input in INPUTS {
        let path = root.join(input);
        for file in if path.is_dir() { files_below(&path) } else { vec![path] } {
            let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            add(name.as_bytes());
            // Git may change line endings; the result does not depend on them.
            add(read(&file).replace("\r\n", "\n").as_bytes());
        }
    }
    format!("{digest:016x}")
}

/// Copies the licences of the packages beside their code.
fn copy_licenses(packages: &Path, folder: &Path) {
    for package in entries(packages).into_iter().filter(|path| path.is_dir()) {
        let name = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('@') {
            copy_licenses(&package, &folder.join(name));
            continue;
        }
        let files = entries(&package).into_iter().filter(|path| path.is_file());
        let is_license = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            name.starts_with("license") || name.starts_with("licence")
        };
        for license in files.filter(is_license).filter(|_| !name.contains("esbuild")) {
            write(&folder.join(format!("{name}.txt")), &read(&license));
        }
    }
}
