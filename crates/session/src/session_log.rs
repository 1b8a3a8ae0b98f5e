//! One session: its tree in memory and the store for its lines.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use serde_json::Value;
use toolsmith_llm::{Message, Usage};

use super::{
    artifacts::Artifacts,
    blobs::Blobs,
    context::{self, SessionState, Told},
    entry::{BranchSummary, Entry, EntryKind, Header},
    error::{SessionError, StoreError},
    format::{entry_line, write_header},
    live::{Live, live},
    store::{MemoryStore, ReadOnlyStore, SessionStore, Weight},
    tree::{Position, Tree},
};

/// A session. Clones are the same session: one appends while tools read through another.
#[derive(Clone, Debug)]
pub struct SessionLog {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    tree: RwLock<Tree>,
    /// Held while a line is appended, so that the lines in the file have the order of the tree. Reading needs only
    /// `tree`, so readers never wait for the disk.
    store: Mutex<Box<dyn SessionStore>>,
    /// The messages last sent to the model. Locked before `tree`.
    told: Mutex<Told>,
    path: Option<PathBuf>,
    /// Storage for large images; `None` keeps them in the lines.
    blobs: Option<Blobs>,
}

/// Result of moving the leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The new leaf.
    pub leaf: Option<String>,
    /// Text of the user message at that position, for editing.
    pub text: Option<String>,
}

impl SessionLog {
    /// Creates a session in memory.
    pub fn in_memory(cwd: impl Into<PathBuf>) -> Self {
        let header = Header::new(cwd.into());
        let line = write_header(&header);
        Self::new(Tree::empty(header, &line), Box::new(MemoryStore), None)
    }

    /// Creates a session with a custom store.
    pub fn with_store(cwd: impl Into<PathBuf>, store: Box<dyn SessionStore>) -> Self {
        let header = Header::new(cwd.into());
        let line = write_header(&header);
        Self::new(Tree::empty(header, &line), store, None)
    }

    pub(crate) fn new(tree: Tree, store: Box<dyn SessionStore>, blobs: Option<Blobs>) -> Self {
        let path = store.path().map(Path::to_path_buf);
        let (tree, store, told) = (RwLock::new(tree), Mutex::new(store), Mutex::default());
        Self { inner: Arc::new(Inner { tree, store, told, path, blobs }) }
    }

    // A panic in another thread leaves the tree intact: every change is one push or one assignment.
    pub(crate) fn tree(&self) -> RwLockReadGuard<'_, Tree> {
        self.inner.tree.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn tree_mut(&self) -> RwLockWriteGuard<'_, Tree> {
        self.inner.tree.write().unwrap_or_else(PoisonError::into_inner)
    }
    fn store(&self) -> MutexGuard<'_, Box<dyn SessionStore>> {
        self.inner.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(crate) fn blobs(&self) -> Option<&Blobs> {
        self.inner.blobs.as_ref()
    }
    /// Returns the place of artifacts. Beside a session file that somebody else made, a link would lead anywhere.
    pub(crate) fn artifacts(&self) -> Option<Artifacts> {
        let folder = self.inner.path.as_ref()?.with_extension("");
        let is_link = fs::symlink_metadata(&folder).is_ok_and(|about| about.is_symlink());
        (!is_link).then_some(Artifacts { folder })
    }

    /// Returns the session's id.
    pub fn id(&self) -> String {
        self.tree().header.id.clone()
    }
    /// Returns the header.
    pub fn header(&self) -> Header {
        self.tree().header.clone()
    }
    /// Returns the working directory.
    pub fn cwd(&self) -> PathBuf {
        self.tree().header.cwd.clone()
    }
    /// Returns the file, unless the session is in memory. It may not exist yet: an empty session has none.
    pub fn file(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }
    /// Returns the name given by the user.
    pub fn name(&self) -> Option<String> {
        self.tree().name().map(str::to_owned)
    }
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.tree().len()
    }
    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the problems found in the file.
    pub fn problems(&self) -> Vec<String> {
        self.tree().problems().to_vec()
    }
    /// Returns the number of entries that could not be written so far.
    pub fn unsaved(&self) -> usize {
        self.store().unsaved()
    }

    /// Appends an entry after the leaf and makes it the leaf; returns its id. After `Ok` it survives the death of this
    /// process.
    ///
    /// # Errors
    /// [`SessionError::NotSaved`] if it could not be written: it is part of the session nevertheless.
    pub fn append(&self, kind: EntryKind) -> Result<String, SessionError> {
        let mut store = self.store();
        self.append_to(store.as_mut(), kind)
    }

    fn append_to(&self, store: &mut dyn SessionStore, kind: EntryKind) -> Result<String, SessionError> {
        let weight = if kind.sets_the_scene() { Weight::Light } else { Weight::Full };
        let entry = self.tree().next_entry(kind);
        let (id, kind) = (entry.id.clone(), entry.kind.clone());
        let mut value = entry_line(entry);
        // The blob is written first: a line never refers to a missing one. A blob that could not be written stays in
        // the line.
        if let Some(blobs) = &self.inner.blobs
            && let Err(error) = blobs.put_images(&mut value)
        {
            tracing::warn!(%error, "an image is kept in the session file");
        }
        let line = value.to_string();
        self.tree_mut().push(&id, &kind, &line);
        match store.append(&line, weight) {
            Ok(()) => Ok(id),
            Err(source) => Err(SessionError::NotSaved { id, waiting: store.unsaved(), source }),
        }
    }

    /// Appends a message.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn append_message(&self, message: Message) -> Result<String, SessionError> {
        self.append(EntryKind::Message(message))
    }

    /// Waits until everything is on disk. Blocks; used at the end of a turn.
    ///
    /// # Errors
    /// Fails if the disk reports an error.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.store().sync()
    }

    /// Waits until everything is on disk and closes the file, even if other handles exist: other processes can then
    /// open it. Afterwards the session is read-only. Blocks.
    ///
    /// # Errors
    /// Fails if the disk reports an error; the file then stays open.
    pub fn close(&self) -> Result<(), StoreError> {
        let mut store = self.store();
        store.sync()?;
        if let Some(path) = &self.inner.path {
            *store = Box::new(ReadOnlyStore::new(path.clone()));
        }
        Ok(())
    }

    /// Names the session; an empty name removes it.
    ///
    /// # Errors
    /// As [`SessionLog::append`].
    pub fn set_name(&self, name: &str) -> Result<String, SessionError> {
        let title = name.trim().to_owned();
        let mut store = self.store();
        let outcome = self.append_to(store.as_mut(), EntryKind::Title { title: title.clone() });
        // Only listings use this line, so a failure is ignored.
        if let Err(error) = store.set_title(&title) {
            tracing::warn!(%error, "the title line could not be written");
        }
        outcome
    }

    /// Sets or removes the label of an entry.
    ///
    /// # Errors
    /// Fails if there is no such entry; else as [`SessionLog::append`].
    pub fn set_label(&self, target_id: &str, label: Option<&str>) -> Result<String, SessionError> {
        self.position(target_id)?;
        let label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        self.append(EntryKind::Label { target_id: target_id.to_owned(), label })
    }

    /// Returns the id of the leaf.
    pub fn leaf_id(&self) -> Option<String> {
        self.tree().leaf_id().map(str::to_owned)
    }

    /// Returns one entry with its images.
    pub fn entry(&self, id: &str) -> Option<Entry> {
        let tree = self.tree();
        tree.position(id).map(|at| context::read(&tree, at, self.blobs()))
    }

    /// Returns all entries in the order they were appended.
    pub fn entries(&self) -> Vec<Entry> {
        let tree = self.tree();
        (0..tree.len()).map(|at| context::read(&tree, at, self.blobs())).collect()
    }

    /// Returns the entries from the root to `from`, or to the leaf.
    ///
    /// # Errors
    /// Fails if there is no such entry.
    pub fn path(&self, from: Option<&str>) -> Result<Vec<Entry>, SessionError> {
        let from = from.map(|id| self.position(id)).transpose()?;
        let tree = self.tree();
        let path = tree.path_to(from.or_else(|| tree.leaf()));
        Ok(path.into_iter().map(|at| context::read(&tree, at, self.blobs())).collect())
    }

    /// Returns the first value that `pick` finds on the path to the leaf, newest entry first. Only lines that contain
    /// `word` are parsed, because parsing all of a long session takes time.
    pub fn newest_naming<T>(&self, word: &str, mut pick: impl FnMut(&Value) -> Option<T>) -> Option<T> {
        let tree = self.tree();
        let mut at = tree.leaf();
        while let Some(position) = at {
            if tree.line(position).contains(word)
                && let Some(picked) = pick(&Value::Object(tree.value(position)))
            {
                return Some(picked);
            }
            at = tree.parent(position);
        }
        None
    }

    /// Returns the messages of the path to the leaf, as sent to the model.
    pub fn messages(&self) -> Vec<Message> {
        self.context().into_iter().map(Arc::unwrap_or_clone).collect()
    }

    /// Returns the same, shared.
    pub fn context(&self) -> Vec<Arc<Message>> {
        let mut told = self.inner.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.at_leaf(&self.tree(), self.blobs()).to_vec()
    }

    /// Returns the same, and the index of the first message after the last change to earlier ones.
    pub fn context_since_change(&self) -> (Vec<Arc<Message>>, usize) {
        let mut told = self.inner.told.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = told.at_leaf(&self.tree(), self.blobs()).to_vec();
        (messages, told.unchanged_from())
    }

    /// Returns the part of the path that the model receives, with images as stored.
    pub fn live(&self) -> Live {
        let tree = self.tree();
        live(&tree, tree.leaf(), None)
    }

    /// Returns the settings at the leaf.
    pub fn state(&self) -> SessionState {
        let tree = self.tree();
        context::state(&tree, tree.leaf())
    }

    /// Returns tokens and cost of all responses, on every branch.
    pub fn usage(&self) -> Usage {
        self.tree_mut().usage()
    }

    /// Moves the leaf: before a user message, so that it can be edited, or after any other entry. `None` is before
    /// everything. With a summary, an entry with it is appended there.
    ///
    /// # Errors
    /// Fails if there is no such entry; else as [`SessionLog::append`], for the summary.
    pub fn go_to(&self, target: Option<&str>, summary: Option<BranchSummary>) -> Result<Moved, SessionError> {
        let target = target.map(|id| self.position(id)).transpose()?;
        let mut store = self.store();
        let (leaf, text) = {
            let tree = self.tree();
            match target {
                Some(at) => match said_by_person(&context::read(&tree, at, None).kind) {
                    Some(text) => (tree.parent(at), Some(text)),
                    None => (Some(at), None),
                },
                None => (None, None),
            }
        };
        let left = self.leaf_id();
        self.tree_mut().set_leaf(leaf);
        if let Some(mut summary) = summary {
            if summary.from_id.is_empty() {
                summary.from_id = left.unwrap_or_else(|| "root".to_owned());
            }
            self.append_to(store.as_mut(), EntryKind::BranchSummary(summary))?;
        }
        Ok(Moved { leaf: self.leaf_id(), text })
    }

    /// Returns the entries abandoned by moving to `target`: from the fork to the leaf. A branch summary covers them.
    ///
    /// # Errors
    /// Fails if there is no such entry.
    pub fn left_behind(&self, target: Option<&str>) -> Result<Vec<Entry>, SessionError> {
        let target = target.map(|id| self.position(id)).transpose()?;
        let tree = self.tree();
        let (old, new) = (tree.path_to(tree.leaf()), tree.path_to(target));
        let both = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
        Ok(old[both..].iter().map(|at| context::read(&tree, *at, self.blobs())).collect())
    }

    fn position(&self, id: &str) -> Result<Position, SessionError> {
        self.tree().position(id).ok_or_else(|| SessionError::NoEntry { id: id.to_owned() })
    }

    /// Returns the position and the text of a user message.
    pub(crate) fn user_message(&self, id: &str) -> Result<(Position, String), SessionError> {
        let at = self.position(id)?;
        match context::read(&self.tree(), at, None).kind {
            EntryKind::Message(Message::User(said)) => Ok((at, text_of(&said.content))),
            _ => Err(SessionError::NotAUserMessage { id: id.to_owned() }),
        }
    }

    pub(crate) fn set_leaf(&self, leaf: Option<Position>) {
        self.tree_mut().set_leaf(leaf);
    }

    /// Returns the header as JSON.
    pub(crate) fn header_line(&self) -> Value {
        self.tree().header_line().clone()
    }
}

fn said_by_person(kind: &EntryKind) -> Option<String> {
    match kind {
        EntryKind::Message(Message::User(said)) => Some(text_of(&said.content)),
        EntryKind::CustomMessage(custom) => Some(text_of(&custom.content)),
        _ => None,
    }
}

pub(super) fn text_of(content: &[toolsmith_llm::ContentBlock]) -> String {
    content.iter().filter_map(toolsmith_llm::ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}
