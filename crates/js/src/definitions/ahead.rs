//! Entries of the cache that another thread reads and parses while the program is still busy with its settings. Whoever needs an
//! entry before that parses it: nobody waits for work that nobody does.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use super::{
    cache::{CacheFile, Definitions},
    entry::{CachedModule, Remembered},
};
use crate::{described::Described, load::real_path};

/// Definitions up to this many bytes are parsed ahead.
const MAX_DEFINITIONS: usize = 64 << 10;

/// A parsed entry with its definitions.
#[derive(Debug)]
pub(super) struct ParsedEntry {
    pub(super) entry: CachedModule,
    pub(super) described: Option<Described>,
}

/// The place of one entry. Whoever needs it before it is parsed puts nothing there and parses it.
type Slot = OnceLock<Mutex<Option<ParsedEntry>>>;

/// The entries of a file, each parsed once by whoever is first.
#[derive(Debug, Default)]
pub(super) struct ParsedAhead {
    slots: HashMap<String, Slot>,
    /// There is a thread that parses.
    is_filled: AtomicBool,
}

impl ParsedAhead {
    pub(super) fn of<'a>(modules: impl Iterator<Item = &'a String>) -> Self {
        let slots = modules.map(|module| (module.clone(), Slot::default())).collect();
        Self { slots, is_filled: AtomicBool::new(false) }
    }

    /// Parses the entries that nobody needed yet.
    pub(super) fn fill(&self, parse: impl Fn(&str) -> Option<CachedModule>) {
        self.is_filled.store(true, Ordering::Release);
        for (module, slot) in &self.slots {
            slot.get_or_init(|| {
                let parsed = parse(module).map(|entry| ParsedEntry { described: described(&entry), entry });
                Mutex::new(parsed)
            });
        }
    }

    /// Takes an entry that was parsed, or is being parsed. `None` leaves that to the caller.
    pub(super) fn take(&self, module: &str) -> Option<ParsedEntry> {
        let slot = self.slots.get(module).filter(|_| self.is_filled.load(Ordering::Acquire))?;
        slot.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Parses definitions of ordinary size. Larger ones are left to whoever knows the limits of the module.
fn described(entry: &CachedModule) -> Option<Described> {
    match &entry.remembered {
        Remembered::Definitions(said) if said.len() <= MAX_DEFINITIONS => serde_json::from_str(said).ok(),
        _ => None,
    }
}

/// The definition cache of a working directory, read by another thread for the next session there.
#[derive(Clone, Debug)]
pub struct PreparedDefinitions(Arc<Preparing>);

#[derive(Debug)]
struct Preparing {
    folder: PathBuf,
    cwd: PathBuf,
    file: OnceLock<Arc<CacheFile>>,
    /// It was used. Another load reads the file again, because it may have changed.
    is_taken: AtomicBool,
}

impl PreparedDefinitions {
    /// Starts to read the definition cache in `folder`.
    pub fn start(folder: impl Into<PathBuf>, cwd: &Path) -> Self {
        let (folder, cwd) = (folder.into(), real_path(cwd, cwd));
        let (file, is_taken) = (OnceLock::new(), AtomicBool::new(false));
        let preparing = Arc::new(Preparing { folder, cwd, file, is_taken });
        let own = Arc::clone(&preparing);
        // Without a thread, whoever needs the file reads it.
        let _ = thread::Builder::new().name("definitions".to_owned()).spawn(move || own.file().parse_ahead());
        Self(preparing)
    }

    pub(super) fn is_for(&self, folder: &Path, cwd: &Path) -> bool {
        self.0.folder == folder && self.0.cwd == cwd
    }

    /// Returns the file, once.
    pub(super) fn take(&self) -> Option<Arc<CacheFile>> {
        let is_taken = self.0.is_taken.swap(true, Ordering::AcqRel);
        (!is_taken).then(|| Arc::clone(self.0.file()))
    }
}

impl Preparing {
    fn file(&self) -> &Arc<CacheFile> {
        let definitions = || Definitions::new(self.folder.clone(), self.cwd.clone());
        self.file.get_or_init(|| Arc::new(definitions().read()))
    }
}

#[cfg(test)]
#[path = "ahead_tests.rs"]
mod tests;
