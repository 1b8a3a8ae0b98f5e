//! Waits for changes of a module's files. Directories are watched rather than files, to detect editors that write a new
//! file and rename it, and files that are removed and recreated. A change is a change of content.

use std::{
    collections::{BTreeMap, BTreeSet, hash_map::DefaultHasher},
    fmt, fs,
    hash::{Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};

/// Changes within this time count as one, because editors write in several steps.
const QUIET: Duration = Duration::from_millis(60);
/// Interval for a file that changes continuously.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// Polling interval if the system cannot report changes.
const POLL: Duration = Duration::from_millis(500);

/// Content of a file; `None` if it does not exist.
type Print = Option<u64>;

/// Watches the files of a module.
pub struct Watch {
    watcher: Box<dyn Watcher + Send>,
    events: mpsc::UnboundedReceiver<()>,
    folders: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, Print>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Watch {
    /// Creates an empty watch.
    ///
    /// # Errors
    /// Fails if the system can neither report changes nor be polled for them.
    pub fn new() -> io::Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let tell = move |event: notify::Result<Event>| {
            // Reading is not a change. Unreadable events may be one.
            if event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_))) {
                let _ = sender.send(());
            }
        };
        let watcher: Box<dyn Watcher + Send> = match RecommendedWatcher::new(tell.clone(), Config::default())
        {
            Ok(watcher) => Box::new(watcher),
            Err(_) => Box::new(
                PollWatcher::new(tell, Config::default().with_poll_interval(POLL))
                    .map_err(io::Error::other)?,
            ),
        };
        Ok(Self { watcher, events, folders: BTreeSet::new(), files: BTreeMap::new() })
    }

    /// Adds these files. Later changes are compared with their current content; for files that were watched already,
    /// with their content at the last [`Watch::look`].
    pub fn add<'a>(&mut self, files: impl IntoIterator<Item = &'a PathBuf>) {
        for file in files {
            self.files.entry(file.clone()).or_insert_with(|| print(file));
        }
        self.follow();
    }

    /// Reads the files; returns those that changed since the last call.
    pub fn look(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, known) in &mut self.files {
            let now = print(path);
            if now != *known {
                *known = now;
                changed.push(path.clone());
            }
        }
        changed
    }

    /// Waits until a file changes; returns the changed files.
    pub async fn changed(&mut self) -> Vec<PathBuf> {
        loop {
            if self.events.recv().await.is_none() {
                // The watcher is ours, so its sender lives as long as this.
                std::future::pending::<()>().await;
            }
            let latest = Instant::now() + MAX_DELAY;
            while let Ok(Some(())) =
                timeout_at((Instant::now() + QUIET).min(latest), self.events.recv()).await
            {}
            self.follow();
            let changed = self.look();
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// Watches the directories of all files, or the nearest existing parent of a missing one.
    fn follow(&mut self) {
        let wanted: BTreeSet<PathBuf> = self
            .files
            .keys()
            .filter_map(|path| {
                let skipped = usize::from(!path.is_dir());
                path.ancestors().skip(skipped).find(|folder| folder.is_dir()).map(Path::to_path_buf)
            })
            .collect();
        for gone in self.folders.difference(&wanted) {
            // It may have been removed from disk too.
            let _ = self.watcher.unwatch(gone);
        }
        // A recreated directory is a different one with the same name, so all are registered again.
        let mut watched = BTreeSet::new();
        for folder in wanted {
            let _ = self.watcher.unwatch(&folder);
            if self.watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok() {
                watched.insert(folder);
            }
        }
        self.folders = watched;
    }

    /// Returns the number of watched files.
    pub fn count(&self) -> usize {
        self.files.len()
    }
}

fn print(path: &Path) -> Print {
    let mut hasher = DefaultHasher::new();
    if path.is_dir() {
        // A directory changes when entries are added or removed.
        let names: BTreeSet<_> = fs::read_dir(path).ok()?.flatten().map(|entry| entry.file_name()).collect();
        names.hash(&mut hasher);
    } else {
        fs::read(path).ok()?.hash(&mut hasher);
    }
    Some(hasher.finish())
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
