//! Everything a load depended on, as the module loader saw it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Files and decisions that a module was loaded from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// Files that were loaded, with their text.
    pub(crate) sources: Vec<(PathBuf, Arc<str>)>,
    /// Files that resolution found and read, such as manifests.
    pub(crate) consulted: BTreeSet<PathBuf>,
    /// Files that resolution looked for and did not find.
    pub(crate) missing: BTreeSet<PathBuf>,
    /// Decisions about which files may run.
    pub(crate) decisions: BTreeMap<PathBuf, bool>,
    /// It depends on something that is none of these.
    pub(crate) read_surroundings: bool,
}

impl Observed {
    /// Records the manifests that decide the format of an installed package's file.
    pub(crate) fn note_manifests(&mut self, file: &Path) {
        if !file.components().any(|part| part.as_os_str() == "node_modules") {
            return;
        }
        for folder in file.ancestors().skip(1) {
            let manifest = folder.join("package.json");
            if manifest.is_file() {
                self.consulted.insert(manifest);
                return;
            }
            self.missing.insert(manifest);
        }
    }
}
