//! Waiting until a module's files change. Folders are watched and not files, so that editors that write beside and rename,
//! and files that go and come again, are seen too; what counts is whether a file says something else than before.

use std::{
    collections::{BTreeMap, BTreeSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash as _, Hasher as _},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use notify::{Config, Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};

/// Changes closer together than this are one: editors write in several steps.
const QUIET: Duration = Duration::from_millis(60);
/// A file that changes all the time is looked at this often.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often folders are looked at where the system cannot tell of changes.
const POLL: Duration = Duration::from_millis(500);

/// What a file says; `None` for one that is not there.
type Print = Option<u64>;

/// Watches the files of a module.
pub(super) struct Watch {
    watcher: Box<dyn Watcher + Send>,
    events: mpsc::UnboundedReceiver<()>,
    folders: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, Print>,
}

impl Watch {
    /// Watches nothing yet.
    pub(super) fn new() -> Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let tell = move |event: notify::Result<Event>| {
            // Being read is no change. What cannot be read of the events may be one.
            if event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_))) {
                let _ = sender.send(());
            }
        };
        let watcher: Box<dyn Watcher + Send> = match RecommendedWatcher::new(tell.clone(), Config::default())
        {
            Ok(watcher) => Box::new(watcher),
            Err(_) => Box::new(
                PollWatcher::new(tell, Config::default().with_poll_interval(POLL))
                    .context("files cannot be watched")?,
            ),
        };
        Ok(Self { watcher, events, folders: BTreeSet::new(), files: BTreeMap::new() })
    }

    /// Watches these files too. What they say now is what later changes are measured by; for those that were watched
    /// already it is what they said at the last [`Watch::look`].
    pub(super) fn add<'a>(&mut self, files: impl IntoIterator<Item = &'a PathBuf>) {
        for file in files {
            self.files.entry(file.clone()).or_insert_with(|| print(file));
        }
        self.follow();
    }

    /// Looks what the files say; gives those that changed since the last look.
    pub(super) fn look(&mut self) -> Vec<PathBuf> {
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

    /// Waits until a file says something else; gives those that do.
    pub(super) async fn changed(&mut self) -> Vec<PathBuf> {
        loop {
            if self.events.recv().await.is_none() {
                // The watcher is ours, so its sender lives as long as this.
                std::future::pending::<()>().await;
            }
            let latest = Instant::now() + PATIENCE;
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

    /// Watches the folders of all files, and where a folder is gone, the nearest one above, to see it come again.
    fn follow(&mut self) {
        let wanted: BTreeSet<PathBuf> = self
            .files
            .keys()
            .filter_map(|file| file.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf))
            .collect();
        for gone in self.folders.difference(&wanted) {
            // It may be gone from the disk too.
            let _ = self.watcher.unwatch(gone);
        }
        // A folder that was removed and made again is another one with the same name, so all are asked for anew.
        let mut watched = BTreeSet::new();
        for folder in wanted {
            let _ = self.watcher.unwatch(&folder);
            if self.watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok() {
                watched.insert(folder);
            }
        }
        self.folders = watched;
    }

    /// How many files are watched.
    pub(super) fn count(&self) -> usize {
        self.files.len()
    }
}

fn print(path: &Path) -> Print {
    let bytes = fs::read(path).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
