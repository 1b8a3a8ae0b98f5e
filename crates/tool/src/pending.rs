//! The stack of pending actions (CONTRACT 8.1, 8.2): tools push previews, `resolve` takes the newest first.
//!
//! The stack only stores actions; the resolver handles callbacks, deadlines and approval.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;

use crate::{
    approval::Tier,
    context::ToolContext,
    file_change::FileChange,
    result::{ToolError, ToolResult},
};

/// Source of an action whose tool gives none.
const DEFAULT_SOURCE: &str = "custom_tool";

/// This runtime has no store (CONTRACT 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("Pending action store unavailable for custom tools in this runtime.")]
pub struct PendingUnavailable;

/// Callbacks of a pending action.
#[async_trait]
pub trait PendingCallbacks: Send + Sync {
    /// Applies the change.
    ///
    /// # Errors
    /// The error reaches the model; the action is consumed regardless (CONTRACT 8.5).
    async fn apply(&self, reason: &str, ctx: ToolContext) -> Result<ToolResult, ToolError>;

    /// Applies the change to some of the action's files only.
    ///
    /// # Errors
    /// Fails without changes if the action can only be applied whole, which is the default.
    async fn apply_files(
        &self,
        _files: &[PathBuf],
        _reason: &str,
        _ctx: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        Err(ToolError::reply("This action can only be applied as a whole."))
    }

    /// Cleans up after a discard. `None` uses the default message.
    ///
    /// # Errors
    /// The error reaches the model; the action is consumed regardless.
    async fn reject(&self, _reason: &str, _ctx: ToolContext) -> Result<Option<ToolResult>, ToolError> {
        Ok(None)
    }

    /// Returns a reason if the action can no longer be applied, because the engine that held it was rebuilt.
    fn void(&self) -> Option<String> {
        None
    }
}

/// Who writes the files of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Writes {
    /// The action's own `apply`. Changed files are detected before it is called.
    #[default]
    Callback,
    /// The host; there is no `apply`.
    Host,
}

/// Identifies an action within this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingId(u64);

impl PendingId {
    fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns the number by which people and programs refer to it.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A pending action. Clones are the same action.
#[derive(Clone)]
#[non_exhaustive]
pub struct PendingAction {
    /// Its id.
    pub id: PendingId,
    /// Description for people.
    pub label: String,
    /// Name of the tool that staged it.
    pub source_tool_name: String,
    /// Details shown beside the label.
    pub details: Option<Value>,
    /// Files it changes, bound to their content at the preview; empty if it does not declare them.
    pub files: Vec<FileChange>,
    /// Who writes the files.
    pub writes: Writes,
    /// Approval tier for applying it. `None` is unknown, which counts as the highest.
    pub tier: Option<Tier>,
    /// Its callbacks.
    pub callbacks: Arc<dyn PendingCallbacks>,
}

impl PendingAction {
    /// Creates an action with the default source.
    pub fn new(label: impl Into<String>, callbacks: Arc<dyn PendingCallbacks>) -> Self {
        Self {
            id: PendingId::next(),
            label: label.into(),
            source_tool_name: DEFAULT_SOURCE.to_owned(),
            details: None,
            files: Vec::new(),
            writes: Writes::Callback,
            tier: None,
            callbacks,
        }
    }

    /// Sets the tool that staged it.
    #[must_use]
    pub fn source(mut self, tool: impl Into<String>) -> Self {
        self.source_tool_name = tool.into();
        self
    }

    /// Sets the details.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Sets the files it changes, and who writes them.
    #[must_use]
    pub fn files(mut self, files: Vec<FileChange>, writes: Writes) -> Self {
        self.files = files;
        self.writes = writes;
        self
    }

    /// Sets the approval tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }
}

impl fmt::Debug for PendingAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingAction")
            .field("id", &self.id)
            .field("label", &self.label)
            .field("source_tool_name", &self.source_tool_name)
            .finish_non_exhaustive()
    }
}

/// A stack event, with the number of remaining actions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PendingChange {
    /// An action was pushed.
    Pushed(PendingAction, usize),
    /// An action was removed: the newest, or a specific one.
    Popped(PendingAction, usize),
}

type Listener = Arc<dyn Fn(&PendingChange) + Send + Sync>;

#[derive(Default)]
struct State {
    actions: Vec<PendingAction>,
    listeners: BTreeMap<u64, Listener>,
    next_listener: u64,
}

/// The stack, one per session. Shared by reference; every method locks briefly.
#[derive(Default)]
pub struct PendingStack {
    state: Mutex<State>,
}

impl PendingStack {
    /// Creates an empty stack.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pushes an action.
    pub fn push(&self, action: PendingAction) {
        let mut state = self.lock();
        state.actions.push(action.clone());
        let change = PendingChange::Pushed(action, state.actions.len());
        Self::tell(state, &change);
    }

    /// Returns the newest action without removing it.
    pub fn peek(&self) -> Option<PendingAction> {
        self.lock().actions.last().cloned()
    }

    /// Removes and returns the newest action.
    pub fn pop(&self) -> Option<PendingAction> {
        let mut state = self.lock();
        let action = state.actions.pop()?;
        let change = PendingChange::Popped(action.clone(), state.actions.len());
        Self::tell(state, &change);
        Some(action)
    }

    /// Returns the action with this id without removing it.
    pub fn get(&self, id: PendingId) -> Option<PendingAction> {
        self.lock().actions.iter().find(|action| action.id == id).cloned()
    }

    /// Removes and returns the action with this id.
    pub fn take(&self, id: PendingId) -> Option<PendingAction> {
        let mut state = self.lock();
        let at = state.actions.iter().position(|action| action.id == id)?;
        let action = state.actions.remove(at);
        let change = PendingChange::Popped(action.clone(), state.actions.len());
        Self::tell(state, &change);
        Some(action)
    }

    /// Returns whether anything is pending.
    pub fn has_pending(&self) -> bool {
        self.count() > 0
    }

    /// Returns the number of pending actions.
    pub fn count(&self) -> usize {
        self.lock().actions.len()
    }

    /// Returns all actions, newest first, as `resolve` would take them.
    pub fn list(&self) -> Vec<PendingAction> {
        self.lock().actions.iter().rev().cloned().collect()
    }

    /// Calls `listener` on every change until the subscription is dropped.
    #[must_use = "dropping the subscription ends it"]
    pub fn subscribe(
        self: &Arc<Self>,
        listener: impl Fn(&PendingChange) + Send + Sync + 'static,
    ) -> PendingSubscription {
        let mut state = self.lock();
        let id = state.next_listener;
        state.next_listener += 1;
        state.listeners.insert(id, Arc::new(listener));
        PendingSubscription { stack: Arc::downgrade(self), id }
    }

    /// Listeners run without the lock, so that they may use the stack.
    fn tell(state: MutexGuard<'_, State>, change: &PendingChange) {
        let listeners: Vec<Listener> = state.listeners.values().cloned().collect();
        drop(state);
        for listener in listeners {
            listener(change);
        }
    }
}

impl fmt::Debug for PendingStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingStack").field("count", &self.count()).finish()
    }
}

/// Ends its subscription when dropped.
#[derive(Debug)]
pub struct PendingSubscription {
    stack: Weak<PendingStack>,
    id: u64,
}

impl Drop for PendingSubscription {
    fn drop(&mut self) {
        if let Some(stack) = self.stack.upgrade() {
            stack.lock().listeners.remove(&self.id);
        }
    }
}

/// A call's access to the stack: it can push, and check whether a file has a pending change.
#[derive(Clone, Debug)]
pub struct PendingHandle {
    stack: Option<Arc<PendingStack>>,
    tier: Option<Tier>,
}

impl PendingHandle {
    /// Creates a handle that pushes onto `stack`.
    pub fn new(stack: Arc<PendingStack>) -> Self {
        Self { stack: Some(stack), tier: None }
    }

    /// Creates a handle for a runtime without a store.
    pub fn unavailable() -> Self {
        Self { stack: None, tier: None }
    }

    /// Tags pushed actions with the tier of the called tool, unless they declare their own.
    #[must_use]
    pub fn with_tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }

    /// Returns whether a push would succeed.
    pub fn is_available(&self) -> bool {
        self.stack.is_some()
    }

    /// Returns the label of the newest pending action that changes one of these files. A second change would be
    /// computed from content that the first is about to replace.
    pub fn staged_for(&self, files: &[FileChange]) -> Option<String> {
        let stack = self.stack.as_ref()?;
        let is_same = |theirs: &FileChange| files.iter().any(|ours| ours.target == theirs.target);
        stack.list().into_iter().find(|action| action.files.iter().any(is_same)).map(|action| action.label)
    }

    /// Pushes an action.
    ///
    /// # Errors
    /// Fails if this runtime has no store.
    pub fn push(&self, mut action: PendingAction) -> Result<(), PendingUnavailable> {
        let stack = self.stack.as_ref().ok_or(PendingUnavailable)?;
        action.tier = action.tier.or(self.tier);
        stack.push(action);
        Ok(())
    }
}

#[cfg(test)]
#[path = "pending_tests.rs"]
mod tests;
