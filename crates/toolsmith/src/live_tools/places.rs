//! The directories in which modules are found, with the trust list, and the test whether something was added or removed.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{
    discovery::{Discovered, DiscoveryOptions, tool_folders},
    seen::Seen,
    trust::TrustDecision,
};

/// Directories, as they were when modules were last searched for.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    folders: Vec<(PathBuf, Seen)>,
    trust: TrustDecision,
}

impl Places {
    /// Records the directories of a discovery.
    pub(super) fn new(
        options: Option<&DiscoveryOptions>,
        discovered: &Discovered,
        trust: TrustDecision,
    ) -> Self {
        let begun = discovered.begun.unwrap_or(SystemTime::UNIX_EPOCH);
        let mut folders = options.map(tool_folders).unwrap_or_default();
        for path in &discovered.configured {
            folders.push(if path.is_dir() { path.clone() } else { parent(path) });
        }
        folders.extend(discovered.modules.iter().map(|module| parent(&module.path)));
        // Most modules are in the same directories.
        folders.sort();
        folders.dedup();
        // The index file of a subdirectory is a module too.
        let below: Vec<PathBuf> = folders.iter().flat_map(|folder| subfolders(folder)).collect();
        folders.extend(below);
        folders.sort();
        folders.dedup();
        let seen: Vec<Seen> = folders.iter().map(|folder| Seen::at(folder, begun)).collect();
        Self { folders: folders.into_iter().zip(seen).collect(), trust }
    }

    /// Returns whether something was added to a directory or to the trust list, or removed from it.
    pub(super) fn are_changed(&self, trust: &TrustDecision) -> bool {
        let now = SystemTime::now();
        self.trust != *trust || self.folders.iter().any(|(folder, seen)| seen.is_changed(folder, now))
    }

    /// Returns the directories.
    pub(super) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().map(|(folder, _)| folder)
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("/")).to_path_buf()
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_searched =
        |name: &std::ffi::OsStr| name != "node_modules" && !name.as_encoded_bytes().starts_with(b".");
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_searched(&entry.file_name()))
        .map(|entry| entry.path())
        .collect()
}
