//! Changes that somebody else is about to make, file by file as they come: each is looked at before it is touched, and
//! all are written down as one change at the end.

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use toolsmith_tool::FileWatch;

use super::{
    error::ChangeError,
    snapshot::Snapshot,
    store::{Applied, ChangeNote, ChangeStore},
};
use crate::location::Location;

/// Files that are looked at; a change of more cannot be undone as a whole, so none of it is kept.
const MAX_FILES: usize = 10_000;
/// Bytes of contents that are held until the end; what comes after them is written down but cannot be restored.
const MAX_BYTES: u64 = 256 << 20;

/// Looks at files before they are changed. Clones of the handle are the same recording; it ends with
/// [`Recording::finish`].
#[derive(Debug)]
pub struct Recording {
    store: Arc<ChangeStore>,
    /// `None` once it is over.
    state: Mutex<Option<Watched>>,
}

#[derive(Debug)]
struct Watched {
    before: Snapshot,
    seen: HashSet<PathBuf>,
    bytes: u64,
    folders: BTreeSet<PathBuf>,
    too_many: bool,
}

impl Recording {
    /// Starts to look.
    pub fn start(store: Arc<ChangeStore>) -> Arc<Self> {
        let watched = Watched {
            before: Snapshot { files: Vec::new(), made_folders: Vec::new() },
            seen: HashSet::new(),
            bytes: 0,
            folders: BTreeSet::new(),
            too_many: false,
        };
        Arc::new(Self { store, state: Mutex::new(Some(watched)) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Watched>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what was changed since, as one change. `None` when nothing was, or it is over already.
    ///
    /// # Errors
    /// When the store cannot be written. The change itself is not touched.
    pub fn finish(&self, note: &ChangeNote) -> Result<Option<Applied>, ChangeError> {
        let Some(watched) = self.lock().take() else {
            return Ok(None);
        };
        if watched.too_many {
            tracing::warn!(label = note.label, "A change of more than {MAX_FILES} files cannot be undone");
            return Ok(None);
        }
        let mut before = watched.before;
        before.made_folders = watched.folders.into_iter().collect();
        self.store.record(before, note)
    }

    /// One file, or everything below a folder. Links are changed by their names, so they are passed over here.
    fn look(&self, watched: &mut Watched, path: &Path) {
        let mut waiting = vec![path.to_path_buf()];
        while let Some(path) = waiting.pop() {
            let found = fs::symlink_metadata(&path).ok();
            if found.as_ref().is_some_and(fs::Metadata::is_dir) {
                let below = fs::read_dir(&path).into_iter().flatten().flatten();
                waiting.extend(below.map(|entry| entry.path()).filter(|path| !path.is_symlink()));
                continue;
            }
            // By its real place: the same file can be reached by several names, and must be restored once.
            let Ok(place) = Location::resolve(&path) else { continue };
            let target = place.real_path().to_path_buf();
            if place.metadata().ok().flatten().is_some_and(|found| !found.is_file())
                || watched.seen.contains(&target)
            {
                continue;
            }
            if watched.seen.len() >= MAX_FILES {
                watched.too_many = true;
                return;
            }
            match self.store.snapshot_one(&target) {
                Ok(mut before) => {
                    let bytes = before.content.as_ref().map_or(0, |content| content.len() as u64);
                    if watched.bytes.saturating_add(bytes) > MAX_BYTES {
                        before.content = None;
                    } else {
                        watched.bytes += bytes;
                    }
                    watched.before.files.push(before);
                }
                Err(error) => tracing::warn!(%error, "A change of this file cannot be undone"),
            }
            watched.seen.insert(target);
        }
    }
}

impl FileWatch for Recording {
    fn before_change(&self, path: &Path) {
        if let Some(watched) = self.lock().as_mut() {
            self.look(watched, path);
        }
    }

    fn before_folder(&self, path: &Path) {
        if let Some(watched) = self.lock().as_mut()
            && let Ok(place) = Location::resolve(path)
        {
            watched.folders.extend(place.missing_folders());
            if place.metadata().is_ok_and(|found| found.is_none()) {
                watched.folders.insert(place.real_path().to_path_buf());
            }
        }
    }
}
