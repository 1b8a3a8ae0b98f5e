//! One session: its tree in memory and the store its lines go to.

use std::{
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
    store::{MemoryStore, ReadOnlyStore, SessionStore, Weight},
    tree::{Position, Tree},
};

/// A session. Clones are the same session: one of them appends, while tools read through another.
#[derive(Clone, Debug)]
pub struct Session {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    tree: RwLock<Tree>,
    /// Held while a line is appended, so lines stand in the file in the order of the tree. Reading needs only `tree`,
    /// so nobody waits for a disk.
    store: Mutex<Box<dyn SessionStore>>,
    /// What the model was told last. Locked before `tree`.
    told: Mutex<Told>,
    path: Option<PathBuf>,
    /// Where large images go; `None` keeps them in the lines.
    blobs: Option<Blobs>,
}

/// Where the leaf went.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The leaf from here on.
    pub leaf: Option<String>,
    /// What the person said there, to be said differently.
    pub text: Option<String>,
}

impl Session {
    /// A session that is kept nowhere.
    pub fn in_memory(cwd: impl Into<PathBuf>) -> Self {
        let header = Header::new(cwd.into());
        let line = write_header(&header);
        Self::new(Tree::empty(header, &line), Box::new(MemoryStore), None)
    }

    /// A session over a store of one's own.
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

    // A panic of another thread leaves the tree whole: every change of it is one push or one assignment.
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
    pub(crate) fn artifacts(&self) -> Option<Artifacts> {
        self.inner.path.as_ref().map(|path| Artifacts { folder: path.with_extension("") })
    }

    /// The session's id.
    pub fn id(&self) -> String {
        self.tree().header.id.clone()
    }
    /// The first line.
    pub fn header(&self) -> Header {
        self.tree().header.clone()
    }
    /// The folder it belongs to.
    pub fn cwd(&self) -> PathBuf {
        self.tree().header.cwd.clone()
    }
    /// The file, unless it is kept nowhere. It may not be there yet: a session in which nothing was said has none.
    pub fn file(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }
    /// The name a person gave.
    pub fn name(&self) -> Option<String> {
        self.tree().name().map(str::to_owned)
    }
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.tree().len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What was wrong with the file, in words.
    pub fn problems(&self) -> Vec<String> {
        self.tree().problems().to_vec()
    }
    /// How many entries could not be written so far.
    pub fn unsaved(&self) -> usize {
        self.store().unsaved()
    }

    /// Appends an entry after the leaf and makes it the leaf; gives its id. `Ok` says that it outlives this process.
    ///
    /// # Errors
    /// [`SessionError::NotSaved`] when it could not be written: it is part of the session nevertheless.
    pub fn append(&self, kind: EntryKind) -> Result<String, SessionError> {
        let mut store = self.store();
        self.append_to(store.as_mut(), kind)
    }

    fn append_to(&self, store: &mut dyn SessionStore, kind: EntryKind) -> Result<String, SessionError> {
        let weight = if kind.sets_the_scene() { Weight::Light } else { Weight::Full };
        let entry = self.tree().next_entry(kind);
        let (id, kind) = (entry.id.clone(), entry.kind.clone());
        let mut value = entry_line(entry);
        // The blob comes first: a line never names one that is not there. One that could not be written stays in the line.
        if let Some(blobs) = &self.inner.blobs
            && let Err(error) = blobs.put_images(&mut value)
        {
            tracing::warn!(%error, "an image stays in the session's file");
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
    /// As [`Session::append`].
    pub fn append_message(&self, message: Message) -> Result<String, SessionError> {
        self.append(EntryKind::Message(message))
    }

    /// Waits until everything is on the disk. Blocks; for the end of a turn.
    ///
    /// # Errors
    /// When the disk refused.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.store().sync()
    }

    /// Ends writing: everything is on the disk, and the file is free for the next writer, also while something still looks
    /// at this session. What is appended from here on is refused. Blocks.
    ///
    /// # Errors
    /// When the disk refused.
    pub fn close(&self) -> Result<(), StoreError> {
        let mut store = self.store();
        let synced = store.sync();
        if let Some(path) = self.inner.path.clone() {
            *store = Box::new(ReadOnlyStore::new(path));
        }
        synced
    }

    /// Names the session; an empty name takes the name away.
    ///
    /// # Errors
    /// As [`Session::append`].
    pub fn set_name(&self, name: &str) -> Result<String, SessionError> {
        let title = name.trim().to_owned();
        let mut store = self.store();
        let outcome = self.append_to(store.as_mut(), EntryKind::Title { title: title.clone() });
        // Only listings miss this line when it cannot be written.
        if let Err(error) = store.set_title(&title) {
            tracing::warn!(%error, "the title line was not written");
        }
        outcome
    }

    /// Gives an entry a label, or takes it away.
    ///
    /// # Errors
    /// When there is no such entry; else as [`Session::append`].
    pub fn set_label(&self, target_id: &str, label: Option<&str>) -> Result<String, SessionError> {
        self.position(target_id)?;
        let label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        self.append(EntryKind::Label { target_id: target_id.to_owned(), label })
    }

    /// The id of the entry the next one follows.
    pub fn leaf_id(&self) -> Option<String> {
        self.tree().leaf_id().map(str::to_owned)
    }

    /// One entry, with its images.
    pub fn entry(&self, id: &str) -> Option<Entry> {
        let tree = self.tree();
        tree.position(id).map(|at| context::read(&tree, at, self.blobs()))
    }

    /// Every entry in the order they were appended.
    pub fn entries(&self) -> Vec<Entry> {
        let tree = self.tree();
        (0..tree.len()).map(|at| context::read(&tree, at, self.blobs())).collect()
    }

    /// The entries from the beginning to `from`, or to the leaf.
    ///
    /// # Errors
    /// When there is no such entry.
    pub fn path(&self, from: Option<&str>) -> Result<Vec<Entry>, SessionError> {
        let from = from.map(|id| self.position(id)).transpose()?;
        let tree = self.tree();
        let path = tree.path_to(from.or_else(|| tree.leaf()));
        Ok(path.into_iter().map(|at| context::read(&tree, at, self.blobs())).collect())
    }

    /// What the model is told: the messages of the path to the leaf.
    pub fn messages(&self) -> Vec<Message> {
        self.context().into_iter().map(Arc::unwrap_or_clone).collect()
    }

    /// The same, shared.
    pub fn context(&self) -> Vec<Arc<Message>> {
        let mut told = self.inner.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.at_leaf(&self.tree(), self.blobs()).to_vec()
    }

    /// The settings that hold at the leaf.
    pub fn state(&self) -> SessionState {
        let tree = self.tree();
        context::state(&tree, tree.leaf())
    }

    /// Tokens and cost of everything the model said, on every path.
    pub fn usage(&self) -> Usage {
        self.tree_mut().usage()
    }

    /// Goes to another place of the tree: before a message of the user, so that it can be said differently, or after any
    /// other entry. `None` is before everything. With a summary, an entry with it follows there.
    ///
    /// # Errors
    /// When there is no such entry; else as [`Session::append`], for the summary.
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

    /// The entries that are left behind by going to `target`: from where both paths part to the leaf. What a summary of
    /// the branch has to tell.
    ///
    /// # Errors
    /// When there is no such entry.
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

    /// The entry of a message the user sent: where it is and what it says.
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

    /// The first line as JSON.
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

fn text_of(content: &[toolsmith_llm::ContentBlock]) -> String {
    content.iter().filter_map(toolsmith_llm::ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}
