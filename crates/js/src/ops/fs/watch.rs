//! File watching: changes are collected outside the engine and fetched in batches.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
};

use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, event::ModifyKind};
use rquickjs::{Ctx, Object, Result, function::Func};
use serde_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, mpsc};
use toolsmith_host::{posix::errno, real_path};

use super::{
    error::FsError,
    request::{GivenPath, name},
};
use crate::{
    instance::{HostError, Settled, ThreadState, unless_cancelled},
    ops::runtime::whole,
};

/// Maximum number of buffered changes. Beyond that some are lost, as with the system itself.
const MAX_WAITING: usize = 2048;

/// Maximum number of watchers of a tool: each uses a thread and system resources shared by all programs.
const MAX_WATCHED: usize = 128;

/// The watchers of one tool.
#[derive(Default)]
pub(crate) struct Watchers {
    list: Mutex<HashMap<u32, Watched>>,
}

struct Watched {
    changes: Arc<AsyncMutex<mpsc::Receiver<Value>>>,
    /// Stops when dropped.
    _watcher: RecommendedWatcher,
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    let start = move |ctx: Ctx<'js>, path: String, recursive: bool, raw: bool| -> Result<u32> {
        start(&own, &path, recursive, raw).map_err(|error| error.throw(&ctx))
    };
    host.set("watchStart", Func::from(start))?;
    let own = Rc::clone(state);
    host.set("watchNext", Func::from(move |number: f64, id: u32| next(&own, whole(number), id)))?;
    let own = Rc::clone(state);
    host.set(
        "watchStop",
        Func::from(move |id: u32| {
            let gone = own.shared.watchers.list.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            // Stopping a watcher may wait for its thread; the engine must not.
            own.shared.engine.runtime.spawn_blocking(move || drop(gone));
        }),
    )
}

fn start(
    state: &ThreadState,
    given: &str,
    recursive: bool,
    raw: bool,
) -> std::result::Result<u32, HostError> {
    let given: GivenPath = serde_json::from_str(given).unwrap_or_default();
    let failed = |number: i32| -> HostError {
        let error: HostError = FsError::number(number, "watch").with_path(given.shown()).into();
        error.with("filename", given.shown())
    };
    if state.shared.watchers.list.lock().unwrap_or_else(PoisonError::into_inner).len() >= MAX_WATCHED {
        return Err(failed(errno::EMFILE));
    }
    let path = state.current_dir().join(given.to_os());
    let found = path
        .symlink_metadata()
        .and_then(|_| real_path(&path))
        .map_err(|error| failed(errno::number(&error).unwrap_or(errno::EIO)))?;
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    let top = found.clone();
    let hear = move |event: notify::Result<Event>| {
        let Ok(event) = event else { return };
        let Some(kind) = kind(event.kind) else { return };
        for path in &event.paths {
            // Dropped if the queue is full.
            let _ = sender.try_send(json!([kind, name(&below(&top, path), raw)]));
        }
    };
    let number_of = |error: &notify::Error| match &error.kind {
        notify::ErrorKind::Io(error) => errno::number(error).unwrap_or(errno::EIO),
        notify::ErrorKind::PathNotFound => errno::ENOENT,
        notify::ErrorKind::MaxFilesWatch => errno::ENOSPC,
        _ => errno::EIO,
    };
    let mode = if recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
    // A large tree takes long; the engine waits only until it is to stop.
    let begin = move || {
        let mut watcher = RecommendedWatcher::new(hear, Config::default().with_follow_symlinks(false))?;
        watcher.watch(&found, mode).map(|()| watcher)
    };
    let runtime = state.shared.engine.runtime.clone();
    let begun = state.shared.wait_for(|_| async move { runtime.spawn_blocking(begin).await });
    let watcher = match begun {
        Some(Ok(watcher)) => watcher.map_err(|error| failed(number_of(&error)))?,
        _ => return Err(failed(errno::ECANCELED)),
    };
    let mut list = state.shared.watchers.list.lock().unwrap_or_else(PoisonError::into_inner);
    let id = list.keys().max().map_or(1, |last| last + 1);
    list.insert(id, Watched { changes: Arc::new(AsyncMutex::new(receiver)), _watcher: watcher });
    Ok(id)
}

/// Node's two event names.
fn kind(kind: EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
            Some("rename")
        }
        EventKind::Modify(_) => Some("change"),
        _ => None,
    }
}

/// Returns the reported path: relative to the directory, or the name of the watched file itself.
fn below(top: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(top) {
        Ok(rest) if !rest.as_os_str().is_empty() => rest.to_path_buf(),
        _ => PathBuf::from(path.file_name().unwrap_or(path.as_os_str())),
    }
}

/// Settles with the pending changes as soon as there is one.
fn next(state: &ThreadState, number: u64, id: u32) {
    let changes = state
        .shared
        .watchers
        .list
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&id)
        .map(|watched| Arc::clone(&watched.changes));
    state.shared.spawn_operation(number, |token| async move {
        let Some(changes) = changes else { return Settled::Nothing };
        let mut changes = changes.lock().await;
        let Some(Some(first)) = unless_cancelled(&token, changes.recv()).await else {
            return Settled::Nothing;
        };
        let mut batch = vec![first];
        while let Ok(more) = changes.try_recv() {
            // The system reports duplicates.
            if batch.last() != Some(&more) {
                batch.push(more);
            }
        }
        Settled::Text(Value::Array(batch).to_string())
    });
}
