//! The compiled files of one runtime: those known from earlier runs, and those its module uses.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    rc::Rc,
};

use toolsmith_host::changes::content_hash;

use super::pack::CompiledCode;
use crate::modules::Format;

/// Less source text than this is compiled sooner than a file is read and verified.
const MIN_SOURCE_BYTES: usize = 32 << 10;

/// A compiled file.
#[derive(Clone, Debug)]
pub(crate) struct CompiledFile {
    /// Its name in the engine, which the code contains.
    pub(crate) name: String,
    /// SHA-256 of its text.
    pub(crate) hash: String,
    pub(crate) format: Format,
    /// It mentions `import.meta`.
    pub(crate) uses_meta: bool,
    /// Imported names by specifier.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    pub(crate) code: Rc<[u8]>,
}

/// The compiled files of one runtime.
#[derive(Debug, Default)]
pub(crate) struct CompiledFiles {
    kept_in: Option<CompiledCode>,
    /// The module that the runtime is for; `None` once it has loaded another one, which would share its imports.
    module: RefCell<Option<PathBuf>>,
    has_begun: Cell<bool>,
    known: RefCell<HashMap<String, CompiledFile>>,
    used: RefCell<HashMap<String, CompiledFile>>,
    source_bytes: Cell<usize>,
    is_changed: Cell<bool>,
}

impl CompiledFiles {
    pub(crate) fn new(kept_in: Option<CompiledCode>) -> Self {
        Self { kept_in, ..Self::default() }
    }

    /// Prepares for the load of a module.
    pub(crate) fn begin(&self, module: &Path) {
        let Some(kept_in) = &self.kept_in else { return };
        if self.has_begun.replace(true) {
            self.module.take();
            return;
        }
        let known = kept_in.read(module).into_iter().map(|file| (file.name.clone(), file));
        self.known.borrow_mut().extend(known);
        self.module.replace(Some(module.to_path_buf()));
    }

    /// Returns whether new code would be kept.
    pub(crate) fn is_on(&self) -> bool {
        self.module.borrow().is_some()
    }

    /// Returns the code of a file with this text.
    pub(crate) fn find(&self, name: &str, source: &str) -> Option<CompiledFile> {
        if !self.is_on() {
            return None;
        }
        self.source_bytes.set(self.source_bytes.get() + source.len());
        let known = self.known.borrow().get(name).cloned()?;
        if known.hash != content_hash(source.as_bytes()).to_string() {
            return None;
        }
        self.used.borrow_mut().insert(name.to_owned(), known.clone());
        Some(known)
    }

    /// Adds a file that was compiled.
    pub(crate) fn add(&self, file: CompiledFile) {
        self.is_changed.set(true);
        self.used.borrow_mut().insert(file.name.clone(), file);
    }

    /// Forgets the code of a file.
    pub(crate) fn forget(&self, name: &str) {
        self.is_changed.set(true);
        self.known.borrow_mut().remove(name);
        self.used.borrow_mut().remove(name);
    }

    /// Keeps the code for the next run, after the module was loaded. Failing to is not an error.
    pub(crate) fn save(&self) {
        let (Some(kept_in), Some(module)) = (&self.kept_in, self.module.take()) else { return };
        self.known.take();
        let used = self.used.take();
        if !self.is_changed.get() || self.source_bytes.get() < MIN_SOURCE_BYTES {
            return;
        }
        let mut files: Vec<CompiledFile> = used.into_values().collect();
        files.sort_by(|one, other| one.name.cmp(&other.name));
        if let Err(error) = kept_in.write(&module, &files) {
            tracing::debug!(%error, "compiled code was not kept");
        }
    }
}
