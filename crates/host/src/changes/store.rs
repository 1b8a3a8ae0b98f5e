//! The store: makes changes, remembers what was before, and undoes them. One folder for all processes of a user.

use std::{
    collections::HashSet,
    fs::{self, File, Metadata},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use jiff::{Timestamp, ToSpan};
use toolsmith_tool::{CancelToken, FileChange};

use super::{
    blobs::{Blobs, content_hash},
    change_set::{ChangeSet, read},
    check::check_all,
    diff::FilePreview,
    durable::{private_folder, remove_if_there, write_private},
    error::ChangeError,
    journal::{Journal, Recovery, plans_folder},
    record::{ChangedFile, Entry, PastChange, Plan, Step, UndoPlan},
    transaction::{clear_up, missing_folders, remove_made_folders, restore, stage, swap_all},
};
use crate::{file_lock, location::Temporaries, real_path, seal::SealKey, system::files};

/// Kind of a sealed entry.
const ENTRY: &str = "entry";

/// Origin of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangeNote {
    /// The tool.
    pub tool: String,
    /// Description.
    pub label: String,
    /// The project: undoing the last change means the last one here.
    pub root: PathBuf,
}

impl ChangeNote {
    /// A change by `tool` in the project `root`.
    pub fn new(tool: impl Into<String>, label: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self { tool: tool.into(), label: label.into(), root: root.into() }
    }
}

/// How much is kept for undoing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoLimits {
    /// Changes.
    pub entries: usize,
    /// Bytes of contents, all changes together.
    pub bytes: u64,
    /// Bytes of one content; a larger file can be changed but not restored.
    pub file_bytes: u64,
    /// How old.
    pub age: Duration,
}

impl Default for UndoLimits {
    fn default() -> Self {
        Self {
            entries: 500,
            bytes: 512 << 20,
            file_bytes: 64 << 20,
            age: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

impl UndoLimits {
    /// Sets how many changes are kept.
    #[must_use]
    pub fn entries(mut self, entries: usize) -> Self {
        self.entries = entries;
        self
    }

    /// Sets how many bytes are kept in all.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets how large a content may be to be kept.
    #[must_use]
    pub fn file_bytes(mut self, bytes: u64) -> Self {
        self.file_bytes = bytes;
        self
    }

    /// Sets how long changes are kept.
    #[must_use]
    pub fn age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Id for [`ChangeStore::undo`].
    pub id: String,
    /// The files, as they were asked for.
    pub files: Vec<PathBuf>,
}

/// Makes and undoes changes. Blocks; call it where blocking is allowed.
#[derive(Debug)]
pub struct ChangeStore {
    pub(super) folder: PathBuf,
    pub(super) limits: UndoLimits,
    /// Known once the store was locked.
    key: OnceLock<SealKey>,
    /// Removes a store that ends with the process.
    _temporary: Option<tempfile::TempDir>,
    /// Exchanges files in one step if the file system supports it.
    exchange: bool,
}

impl ChangeStore {
    /// Opens the store in `folder`, and takes back what was interrupted. A folder that is missing is made with the first
    /// change.
    ///
    /// # Errors
    /// When the folder cannot be read, or could not be made.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, ChangeError> {
        let store = Self {
            folder: folder.into(),
            limits: UndoLimits::default(),
            key: OnceLock::new(),
            _temporary: None,
            exchange: true,
        };
        if store.folder.exists() {
            store.recover()?;
            store.temporaries().clear();
        } else if let Some(above) = store.folder.ancestors().find(|above| above.exists()) {
            if !above.is_dir() {
                return Err(ChangeError::io(&store.folder, "make the folder")(
                    std::io::ErrorKind::NotADirectory.into(),
                ));
            }
            files::require_writable(above).map_err(ChangeError::io(&store.folder, "make the folder"))?;
        }
        Ok(store)
    }

    /// A store in a new private folder of the system's temporary folder. It ends with the process, and so does its key:
    /// what another process kept is never believed.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn temporary() -> Result<Self, ChangeError> {
        let above = std::env::temp_dir();
        let failed = || ChangeError::io(&above, "make a folder in it");
        let folder = files::private_temporary_folder("toolsmith-changes-").map_err(failed())?;
        let key = OnceLock::from(SealKey::new().map_err(failed())?);
        Ok(Self {
            folder: folder.path().to_path_buf(),
            limits: UndoLimits::default(),
            key,
            _temporary: Some(folder),
            exchange: true,
        })
    }

    /// The folder of the store.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where names of temporary files are written down.
    pub fn temporaries(&self) -> Temporaries {
        Temporaries::at(self.folder.join("temporaries"))
    }

    /// Sets how much is kept for undoing.
    #[must_use]
    pub fn limits(mut self, limits: UndoLimits) -> Self {
        self.limits = limits;
        self
    }

    #[cfg(test)]
    pub(super) fn without_exchange(mut self) -> Self {
        self.exchange = false;
        self
    }

    fn entries_folder(&self) -> PathBuf {
        self.folder.join("entries")
    }

    fn entry_path(&self, id: &str) -> PathBuf {
        self.entries_folder().join(format!("{id}.json"))
    }

    /// One process at a time. The lock goes with the process, however that ends.
    pub(super) fn lock(&self) -> Result<File, ChangeError> {
        self.make_folders()?;
        let path = self.folder.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file
            .and_then(|file| file_lock::lock(&file).map(|()| file))
            .map_err(ChangeError::io(&path, "lock it"))?;
        if self.key.get().is_none() {
            let path = self.folder.join("key");
            let _ = self.key.set(SealKey::in_file(&path).map_err(ChangeError::io(&path, "read the key"))?);
        }
        Ok(file)
    }

    /// Makes the folders of the store.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn make_folders(&self) -> Result<(), ChangeError> {
        let temporaries = self.folder.join("temporaries");
        for folder in [&self.folder, &self.entries_folder(), &plans_folder(&self.folder), &temporaries] {
            private_folder(folder).map_err(ChangeError::io(folder, "make the folder"))?;
        }
        Ok(())
    }

    fn key(&self) -> Result<&SealKey, ChangeError> {
        let unknown = || ChangeError::io(&self.folder, "read the key")(std::io::ErrorKind::NotFound.into());
        self.key.get().ok_or_else(unknown)
    }

    fn journal(&self) -> Result<Journal<'_>, ChangeError> {
        Ok(Journal::new(&self.folder, self.key()?))
    }

    /// The entry of this number, if the key of the store sealed it.
    fn entry(&self, id: &str) -> Option<Entry> {
        let text = fs::read(self.entry_path(id)).ok()?;
        let entry: Entry = serde_json::from_slice(self.key.get()?.open(ENTRY, id, &text)?).ok()?;
        (entry.id == id).then_some(entry)
    }

    pub(super) fn recover_locked(&self) -> Result<Recovery, ChangeError> {
        let recovery = self.journal()?.recover(|id| self.entry(id).is_some())?;
        for label in &recovery.taken_back {
            tracing::warn!(label, "A change of files had been interrupted and was taken back");
        }
        for file in &recovery.left {
            tracing::error!(file, "A file of an interrupted change could not be put back");
        }
        Ok(recovery)
    }

    /// Takes back what was interrupted, and says what.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn recover(&self) -> Result<Recovery, ChangeError> {
        let _lock = self.lock()?;
        self.recover_locked()
    }

    /// Makes all changes of the set, or none. A cancel counts until the first file is replaced; from there it is only a
    /// matter of renames.
    ///
    /// # Errors
    /// When a file is not what its change was computed from, or the system refuses. Nothing was changed then, unless the
    /// error is [`ChangeError::NotRestored`].
    pub fn apply(
        &self,
        set: &ChangeSet,
        note: &ChangeNote,
        cancel: &CancelToken,
    ) -> Result<Applied, ChangeError> {
        let _lock = self.lock()?;
        self.recover_locked()?;
        self.apply_locked(set.files(), note, None, cancel)
    }

    fn apply_locked(
        &self,
        changes: &[FileChange],
        note: &ChangeNote,
        undoes: Option<String>,
        cancel: &CancelToken,
    ) -> Result<Applied, ChangeError> {
        let found = check_all(changes)?;
        let id = new_id();
        let files: Vec<ChangedFile> = changes
            .iter()
            .zip(&found)
            .map(|(change, found)| ChangedFile {
                path: change.path.clone(),
                target: change.target.clone(),
                before: change.base,
                after: change.content.as_deref().map(content_hash),
                mode: found.as_ref().map(mode),
            })
            .collect();
        let steps = changes.iter().enumerate().map(|(at, change)| {
            let beside = |end: &str| change.target.with_file_name(format!(".toolsmith-{id}-{at}.{end}"));
            Step { fresh: beside("new"), old: beside("old") }
        });
        let plan = Plan {
            steps: steps.collect(),
            entry: Entry {
                id: id.clone(),
                time: Timestamp::now().to_string(),
                tool: note.tool.clone(),
                label: note.label.clone(),
                root: real(&note.root),
                undoes,
                files,
                made_folders: missing_folders(changes),
            },
        };
        self.keep_contents(changes, cancel)?;
        let journal = self.journal()?;
        journal.begin(&plan)?;
        let mut staged = false;
        let done = stage(&plan, changes, &found, cancel).and_then(|()| {
            journal.mark_staged(&plan)?;
            staged = true;
            swap_all(&plan, self.exchange)?;
            self.write_entry(&plan.entry)
        });
        if let Err(error) = done {
            // An entry means that the change was made. It may be there although writing it failed at last.
            let _ = remove_if_there(&self.entry_path(&id));
            let left = restore(&plan, staged);
            if !left.try_again {
                // A plan that cannot be removed is restored once more at the next start, which does no harm.
                let _ = journal.end(&plan);
            }
            return Err(match left.lines.is_empty() {
                true => error,
                false => ChangeError::NotRestored { error: Box::new(error), left: left.lines },
            });
        }
        // From here on the change is made. What fails below is done again at the next start.
        let cleared = clear_up(&plan)
            .map_err(ChangeError::io(&self.folder, "remove the old files"))
            .and_then(|()| journal.end(&plan))
            .and_then(|()| self.prune());
        if let Err(error) = cleared {
            tracing::warn!(%error, "A change of files was made, but not everything was cleared up after it");
        }
        Ok(Applied { id, files: changes.iter().map(|change| change.path.clone()).collect() })
    }

    /// Keeps what the files are now.
    fn keep_contents(&self, changes: &[FileChange], cancel: &CancelToken) -> Result<(), ChangeError> {
        let blobs = Blobs::new(&self.folder);
        for change in changes {
            if cancel.is_cancelled() {
                return Err(ChangeError::Cancelled);
            }
            let Some(base) = change.base else {
                continue;
            };
            let size = fs::symlink_metadata(&change.target).map_or(0, |found| found.len());
            if size > self.limits.file_bytes {
                continue;
            }
            let content = read(&change.target).map_err(ChangeError::io(&change.target, "read"))?;
            // Something else would be kept under a wrong name; the comparison after the exchange finds it.
            if content_hash(&content) == base {
                blobs
                    .put(base, &content)
                    .map_err(ChangeError::io(&self.folder, "keep the content for undoing"))?;
            }
        }
        Ok(())
    }

    pub(super) fn write_entry(&self, entry: &Entry) -> Result<(), ChangeError> {
        let path = self.entry_path(&entry.id);
        let text =
            serde_json::to_vec(entry).map_err(|error| ChangeError::io(&path, "write")(error.into()))?;
        let text = self.key()?.seal(ENTRY, &entry.id, &text);
        write_private(&path, &text).map_err(ChangeError::io(&path, "write"))
    }

    /// Everything that was done, newest first; with `root`, only what was done in that project.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn list(&self, root: Option<&Path>) -> Result<Vec<PastChange>, ChangeError> {
        let _lock = self.lock()?;
        let root = root.map(real);
        let mut past = self.past()?;
        past.retain(|past| root.as_ref().is_none_or(|root| past.entry.root == *root));
        Ok(past)
    }

    fn past(&self) -> Result<Vec<PastChange>, ChangeError> {
        let folder = self.entries_folder();
        let failed = || ChangeError::io(&folder, "read what was done");
        let mut entries: Vec<Entry> = Vec::new();
        for file in fs::read_dir(&folder).map_err(failed())? {
            let path = file.map_err(failed())?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                match path.file_stem().and_then(|id| id.to_str()).and_then(|id| self.entry(id)) {
                    Some(entry) => entries.push(entry),
                    None => tracing::warn!(path = %path.display(), "The record of a change is not authentic"),
                }
            }
        }
        entries.sort_by(|a, b| b.id.cmp(&a.id));
        // Newest first, so whether an undo still counts is known before the entry it undid.
        let mut undone: HashSet<String> = HashSet::new();
        let past = entries.into_iter().map(|entry| {
            let is_undone = undone.contains(&entry.id);
            if let (false, Some(other)) = (is_undone, &entry.undoes) {
                undone.insert(other.clone());
            }
            PastChange { entry, is_undone }
        });
        Ok(past.collect())
    }

    /// Undoes the last change in a project that is not undone yet.
    ///
    /// # Errors
    /// As [`ChangeStore::undo`], and when there is none.
    pub fn undo_last(&self, root: &Path, cancel: &CancelToken) -> Result<PastChange, ChangeError> {
        let _lock = self.lock()?;
        self.recover_locked()?;
        let root = real(root);
        let last = self
            .past()?
            .into_iter()
            .find(|past| past.entry.root == root && past.entry.undoes.is_none() && !past.is_undone)
            .ok_or(ChangeError::NothingToUndo)?;
        self.undo_locked(last, cancel)
    }

    /// Undoes a change by its number. Undoing an undo makes the change again.
    ///
    /// # Errors
    /// When a file is not what the change made of it, when its content before was not kept, or when the change is unknown
    /// or undone already. Nothing was changed then.
    pub fn undo(&self, id: &str, cancel: &CancelToken) -> Result<PastChange, ChangeError> {
        let _lock = self.lock()?;
        self.recover_locked()?;
        let found = self.past()?.into_iter().find(|past| past.entry.id == id);
        let past = found.ok_or_else(|| match is_id(id) && self.entry_path(id).exists() {
            true => ChangeError::NotAuthentic { id: id.to_owned() },
            false => ChangeError::Unknown { id: id.to_owned() },
        })?;
        if past.is_undone {
            return Err(ChangeError::AlreadyUndone { id: id.to_owned() });
        }
        self.undo_locked(past, cancel)
    }

    /// Returns what undoing a change would do to its files as they are now. Nothing is changed.
    ///
    /// # Errors
    /// When the change is unknown, or a content was not kept.
    pub fn undo_preview(&self, id: &str) -> Result<Vec<FilePreview>, ChangeError> {
        let found = self.list(None)?.into_iter().find(|past| past.entry.id == id);
        let past = found.ok_or_else(|| ChangeError::Unknown { id: id.to_owned() })?;
        let previews = self.undo_changes(&past)?.into_iter().map(|change| {
            let current = fs::read(&change.target).ok();
            FilePreview::new(
                &change.path,
                Some(&past.entry.root),
                current.as_deref(),
                change.content.as_deref(),
            )
        });
        Ok(previews.collect())
    }

    /// Returns what undoing a change of a project would write: the change with this id, or the last one. Nothing is changed.
    ///
    /// # Errors
    /// When there is none in this project, it is undone already, or a content was not kept.
    pub fn plan_undo(&self, root: &Path, id: Option<&str>) -> Result<UndoPlan, ChangeError> {
        let mut past = self.list(Some(root))?.into_iter();
        let found = match id {
            Some(id) => past
                .find(|past| past.entry.id == id)
                .ok_or_else(|| ChangeError::Unknown { id: id.to_owned() })?,
            None => past
                .find(|past| past.entry.undoes.is_none() && !past.is_undone)
                .ok_or(ChangeError::NothingToUndo)?,
        };
        if found.is_undone {
            return Err(ChangeError::AlreadyUndone { id: found.entry.id });
        }
        Ok(UndoPlan { files: self.undo_changes(&found)?, past: found })
    }

    fn undo_locked(&self, past: PastChange, cancel: &CancelToken) -> Result<PastChange, ChangeError> {
        let changes = self.undo_changes(&past)?;
        let entry = &past.entry;
        let note = ChangeNote::new("undo", format!("Undo: {}", entry.label), entry.root.clone());
        self.apply_locked(&changes, &note, Some(entry.id.clone()), cancel)?;
        remove_made_folders(&entry.made_folders);
        Ok(PastChange { is_undone: true, ..past })
    }

    /// The changes that bring back the contents from before a change.
    fn undo_changes(&self, past: &PastChange) -> Result<Vec<FileChange>, ChangeError> {
        let entry = &past.entry;
        let blobs = Blobs::new(&self.folder);
        let mut changes = Vec::with_capacity(entry.files.len());
        for file in &entry.files {
            let content = match file.before {
                Some(before) => {
                    Some(blobs.get(before).ok_or_else(|| ChangeError::NotKept { path: file.path.clone() })?)
                }
                None => None,
            };
            changes.push(FileChange {
                path: file.path.clone(),
                target: file.target.clone(),
                base: file.after,
                content,
                mode: file.mode,
            });
        }
        Ok(changes)
    }

    /// Forgets what is too old or too much, the oldest first. The newest entry always stays.
    pub(super) fn prune(&self) -> Result<(), ChangeError> {
        let blobs = Blobs::new(&self.folder);
        let oldest = i64::try_from(self.limits.age.as_secs())
            .ok()
            .and_then(|seconds| Timestamp::now().checked_sub(seconds.seconds()).ok());
        let mut needed = HashSet::new();
        let (mut bytes, mut full) = (0_u64, false);
        for (at, past) in self.past()?.iter().enumerate() {
            let more: Vec<_> = past
                .entry
                .files
                .iter()
                .filter_map(|file| file.before)
                .filter(|hash| !needed.contains(hash))
                .collect();
            bytes += more.iter().map(|hash| blobs.size(*hash)).sum::<u64>();
            let is_old = match (past.entry.time.parse::<Timestamp>(), oldest) {
                (Ok(time), Some(oldest)) => time < oldest,
                _ => false,
            };
            full |= at > 0 && (at >= self.limits.entries || bytes > self.limits.bytes || is_old);
            if full {
                let path = self.entry_path(&past.entry.id);
                remove_if_there(&path).map_err(ChangeError::io(&path, "forget it"))?;
            } else {
                needed.extend(more);
            }
        }
        blobs.keep_only(&needed).map_err(ChangeError::io(&self.folder, "forget old contents"))
    }
}

/// Sorts by time, also within a millisecond of one process.
pub(super) fn new_id() -> String {
    static LAST: AtomicU32 = AtomicU32::new(0);
    let count = LAST.fetch_add(1, Ordering::Relaxed);
    format!("{:013}-{count:08x}-{:x}", Timestamp::now().as_millisecond(), std::process::id())
}

/// Returns whether it has the form of a change id, not of a path.
fn is_id(id: &str) -> bool {
    id.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

pub(super) fn mode(found: &Metadata) -> u32 {
    files::mode(found)
}

pub(super) fn real(path: &Path) -> PathBuf {
    real_path(path).unwrap_or_else(|_| path.to_path_buf())
}
