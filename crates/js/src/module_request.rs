//! A module to load, and the files it may import.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::load::real_path;

/// Decides which files a module may run by importing them. The embedder supplies it, for example from a list of trusted
/// folders (CONTRACT 2.8).
#[derive(Clone)]
pub struct ImportGate {
    allows: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
}

impl ImportGate {
    /// A gate that asks `allows` for every file that is about to run. Paths are absolute; links may be in them.
    pub fn new(allows: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self { allows: Arc::new(allows) }
    }

    /// A number that clones of this gate share.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.allows).addr()
    }

    /// Returns whether a file may run.
    pub(crate) fn allows(&self, file: &Path) -> bool {
        (self.allows)(file)
    }
}

impl fmt::Debug for ImportGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportGate").finish_non_exhaustive()
    }
}

/// A module to load. Without a gate it may import every file it can name.
///
/// A module with a gate runs in the embedded engine only, because Bun and Node resolve imports themselves. Packages that the
/// host serves are taken from the host when the gate refuses the installed copy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModuleRequest {
    /// The module file.
    pub path: PathBuf,
    /// Which files it may import.
    pub imports: Option<ImportGate>,
    /// Its real path, if the embedder resolved it.
    pub(crate) real_path: Option<PathBuf>,
}

impl ModuleRequest {
    /// A module that may import every file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), imports: None, real_path: None }
    }

    /// Restricts which files the module may import.
    #[must_use]
    pub fn imports(mut self, gate: ImportGate) -> Self {
        self.imports = Some(gate);
        self
    }

    /// Sets the path without links, so that it is not resolved again.
    #[must_use]
    pub fn real_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.real_path = Some(path.into());
        self
    }

    /// Returns the file to load.
    pub(crate) fn file(&self, cwd: &Path) -> PathBuf {
        self.real_path.clone().unwrap_or_else(|| real_path(cwd, &self.path))
    }
}

impl From<&PathBuf> for ModuleRequest {
    fn from(path: &PathBuf) -> Self {
        Self::new(path)
    }
}
