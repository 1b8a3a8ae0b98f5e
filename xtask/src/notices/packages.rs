//! The packages in the program: crates of the default build, and bundled npm packages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cargo::{Metadata, Package, root};

/// Maximum depth at which licence files are searched inside a package.
const DEPTH: usize = 2;
/// A longer file is not a licence.
const MAX_BYTES: u64 = 100 * 1024;

/// A package and its licence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    /// `crate NAME VERSION` or `npm NAME VERSION`.
    pub(super) name: String,
    /// Licence expression.
    pub(super) licence: String,
    /// Authors, if the manifest names them.
    pub(super) authors: Vec<String>,
    /// Its licence texts.
    pub(super) texts: Vec<String>,
}

/// Returns the package names without reading their files.
pub(super) fn names(metadata: &Metadata) -> Result<Vec<String>> {
    let crates = shipped(metadata)?.into_iter().map(name_of);
    Ok(crates.chain(npm(None)?.into_iter().map(|notice| notice.name)).collect())
}

pub(super) fn crates(metadata: &Metadata) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    for package in shipped(metadata)? {
        let folder = package.manifest_path.parent().context("a manifest is in a folder")?;
        let licence = package.license.clone().unwrap_or_else(|| "see the text".to_owned());
        notices.push(Notice {
            name: name_of(package),
            texts: texts(folder, &licence)?,
            licence,
            authors: package.authors.clone(),
        });
    }
    Ok(notices)
}

fn name_of(package: &Package) -> String {
    format!("crate {} {}", package.name, package.version)
}

/// Returns the third-party crates linked into the command, by name.
pub(crate) fn shipped(metadata: &Metadata) -> Result<Vec<&Package>> {
    let own = metadata.packages.iter().find(|package| package.name == "toolsmith-cli");
    let mut queue = vec![own.context("there is a toolsmith-cli")?.id.as_str()];
    let mut seen = BTreeSet::new();
    while let Some(id) = queue.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = metadata.resolve.nodes.iter().find(|node| node.id == id);
        let deps = node.into_iter().flat_map(|node| &node.deps);
        queue.extend(deps.filter(|dep| dep.is_linked()).map(|dep| dep.pkg.as_str()));
    }
    let foreign = metadata.packages.iter().filter(|package| {
        seen.contains(package.id.as_str()) && !metadata.workspace_members.contains(&package.id)
    });
    let mut foreign: Vec<&Package> = foreign.collect();
    foreign.sort_by_key(|package| (&package.name, &package.version));
    Ok(foreign)
}

#[derive(Deserialize)]
struct NpmLock {
    packages: BTreeMap<String, NpmPackage>,
}

#[derive(Deserialize)]
struct NpmPackage {
    version: Option<String>,
    license: Option<String>,
    #[serde(default)]
    dev: bool,
    #[serde(default)]
    optional: bool,
}

/// Returns the npm packages; their texts come from `installed`, the directory they are installed in.
pub(super) fn npm(installed: Option<&Path>) -> Result<Vec<Notice>> {
    let lock = fs::read_to_string(root().join("crates/js/npm/package-lock.json"))?;
    let lock: NpmLock = serde_json::from_str(&lock).context("crates/js/npm/package-lock.json")?;
    let mut notices = Vec::new();
    for (path, package) in lock.packages {
        let Some(name) = path.strip_prefix("node_modules/") else { continue };
        // The bundler is not part of the program.
        if package.dev || package.optional {
            continue;
        }
        let licence = package.license.unwrap_or_else(|| "see the text".to_owned());
        let texts = match installed {
            Some(installed) => texts(&installed.join(name), &licence)?,
            None => Vec::new(),
        };
        let name = format!("npm {name} {}", package.version.unwrap_or_default());
        notices.push(Notice { name, licence, authors: Vec::new(), texts });
    }
    Ok(notices)
}

/// Returns a package's texts. Where there is a choice, we choose MIT, else Apache.
fn texts(folder: &Path, licence: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    find(folder, DEPTH, &mut files)?;
    files.sort();
    let is_choice = (licence.contains(" OR ") || licence.contains('/')) && !licence.contains(" AND ");
    let has = |word: &&str| {
        files.iter().any(|file| file.parent() == Some(folder) && file_name(file).contains(*word))
    };
    let word = ["MIT", "APACHE"].into_iter().find(has).filter(|_| is_choice);
    let chosen = files.iter().filter(|file| {
        let name = file_name(file);
        // Texts in subdirectories are third-party code and always included.
        file.parent() != Some(folder)
            || name.starts_with("NOTICE")
            || word.is_none_or(|word| name.contains(word))
    });
    chosen.map(|file| Ok(String::from_utf8_lossy(&fs::read(file)?).into_owned())).collect()
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase()
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    const BEGINNINGS: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT"];
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let found = fs::metadata(&path)?;
        let name = file_name(&path);
        if found.is_dir() {
            if depth > 1 && !matches!(name.as_str(), "TESTS" | "BENCHES" | "EXAMPLES" | "NODE_MODULES") {
                find(&path, depth - 1, files)?;
            }
            continue;
        }
        let is_code = [".RS", ".JS", ".TS", ".JSON", ".PY", ".HTML"].iter().any(|end| name.ends_with(end));
        if !is_code && found.len() < MAX_BYTES && BEGINNINGS.iter().any(|begin| name.starts_with(begin)) {
            files.push(path);
        }
    }
    Ok(())
}
