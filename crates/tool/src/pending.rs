//! The stack of pending actions (CONTRACT 8.1, 8.2): tools push previews, `resolve` takes the newest first.
//!
//! The stack only stores actions; the resolver handles callbacks, deadlines and approval.

use std::{
    collections::BTreeMap,
    fmt,
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
    file_change::{FileChange, FileSelection, FileTiers},
    result::{ToolError, ToolResult},
};

/// Maximum number of pending actions. A person decides about each of them.
const MAX_PENDING: usize = 2000;

/// Source of an action whose tool gives none.
const DEFAULT_SOURCE: &str = "custom_tool";

/// This runtime has no store (CONTRACT 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("Pending action store unavailable for custom tools in this runtime.")]
pub struct PendingUnavailable;

/// Errors of staging an action.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PushError {
    /// There is no store in this runtime.
    #[error(transparent)]
    Unavailable(#[from] PendingUnavailable),
    /// One of the action's files may not be changed by tools.
    #[error("{0}")]
    Refused(String),
}

/// Callbacks of a pending action.
#[async_trait]
pub trait PendingCallbacks: Send + Sync {
    /// Applies the change.
    ///
    /// # Errors
    /// The error reaches the model; the action is consumed regardless (CONTRACT 8.5).
    async fn apply(&self, reason: &str, ctx: ToolContext) -> Result<ToolResult, ToolError>;

    /// Applies the change to some of the action's files, or to parts of them.
    ///
    /// # Errors
    /// Fails without changes if the action can only be applied whole, which is the default.
    async fn apply_files(
        &self,
        _files: &[FileSelection],
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

    /// Returns a reason if the callbacks can no longer be called, because the engine that held them was rebuilt. Files that the host
    /// writes are not affected.
    fn void(&self) -> Option<String> {
        None
    }

    /// Returns whether whoever staged the action may no longer run. Nothing of the action is then applied.
    fn is_revoked(&self) -> bool {
        false
    }
}

/// Writer of an action's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Writes {
    /// The action's own `apply`. Changed files are detected before it is called.
    #[default]
    Callback,
    /// The host; there is no `apply`.
    Host,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

/// Tells one action from all others of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingId(u64);

impl PendingId {
    fn next() -> Self {
        Self(LAST_ID.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// The newest id that was given out.
    pub fn newest() -> Self {
        Self(LAST_ID.load(Ordering::SeqCst))
    }

    /// Returns the number by which people and programs refer to it.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// The call an action was staged by. Set by the host: a tool cannot choose it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StagedBy {
    /// The tool's registered name.
    pub tool_name: String,
    /// The id of the call.
    pub call_id: String,
}

/// A staged action. Clones are the same action.
#[derive(Clone)]
#[non_exhaustive]
pub struct PendingAction {
    /// Its id.
    pub id: PendingId,
    /// Description for people.
    pub label: String,
    /// Which tool staged it, in the tool's own words.
    pub source_tool_name: String,
    /// The tool whose call staged it, and the id of that call; `None` when it was not staged through a call's handle.
    pub staged_by: Option<StagedBy>,
    /// Whatever the tool wants shown beside the label.
    pub details: Option<Value>,
    /// Files it changes, bound to their content at the preview; empty if it does not declare them.
    pub files: Vec<FileChange>,
    /// Writer of the files.
    pub writes: Writes,
    /// Approval tier for applying it. `None` is unknown, which counts as the highest.
    pub tier: Option<Tier>,
    /// Its callbacks.
    pub callbacks: Arc<dyn PendingCallbacks>,
}

impl PendingAction {
    /// Returns the tool whose call staged it, for people, with the source it names if that is another one.
    pub fn stager(&self) -> String {
        let source = &self.source_tool_name;
        match &self.staged_by {
            Some(by) if source == DEFAULT_SOURCE => by.tool_name.clone(),
            Some(by) if by.tool_name != *source => {
                format!("{} (it names {source} as the source)", by.tool_name)
            }
            _ => source.clone(),
        }
    }

    /// Creates an action with the default source.
    pub fn new(label: impl Into<String>, callbacks: Arc<dyn PendingCallbacks>) -> Self {
        Self {
            id: PendingId::next(),
            label: label.into(),
            source_tool_name: DEFAULT_SOURCE.to_owned(),
            staged_by: None,
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
    file_tiers: Option<Arc<dyn FileTiers>>,
}

impl PendingStack {
    /// Creates an empty stack.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// An empty stack whose actions have at least the tier of the files they name.
    pub fn with_file_tiers(file_tiers: Arc<dyn FileTiers>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), file_tiers: Some(file_tiers) })
    }

    /// Returns the tier for applying an action now. Its files are judged again, because what lies beside them may have
    /// changed since it was staged. Reads the file system.
    pub fn tier_to_apply(&self, action: &PendingAction) -> Tier {
        let staged = action.tier.unwrap_or_default();
        match action.files.is_empty() || self.file_tiers.is_none() {
            true => staged,
            false => staged.max(self.tier_of(&action.files)),
        }
    }

    /// Returns the tier of writing these files now; `exec` if nothing is known about places. Reads the file system.
    pub fn tier_of(&self, files: &[FileChange]) -> Tier {
        let judged = self.file_tiers.as_ref().map(|file_tiers| file_tiers.tier_of(files));
        judged.and_then(Result::ok).unwrap_or(Tier::Exec)
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

    /// Takes the newest action if it is this one.
    ///
    /// # Errors
    /// The newest action, where it is another; `None` where there is none.
    pub fn pop_if(&self, id: PendingId) -> Result<PendingAction, Option<PendingAction>> {
        let mut state = self.lock();
        match state.actions.pop() {
            Some(action) if action.id == id => {
                let change = PendingChange::Popped(action.clone(), state.actions.len());
                Self::tell(state, &change);
                Ok(action)
            }
            Some(other) => {
                state.actions.push(other.clone());
                Err(Some(other))
            }
            None => Err(None),
        }
    }

    /// The action of this number, left where it is.
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
    staged_by: Option<StagedBy>,
}

impl PendingHandle {
    /// Creates a handle that pushes onto `stack`.
    pub fn new(stack: Arc<PendingStack>) -> Self {
        Self { stack: Some(stack), tier: None, staged_by: None }
    }

    /// Creates a handle for a runtime without a store.
    pub fn unavailable() -> Self {
        Self { stack: None, tier: None, staged_by: None }
    }

    /// Tags pushed actions with the tier of the called tool, unless they declare their own.
    #[must_use]
    pub fn with_tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }

    /// Marks what is pushed with the call that pushes it.
    #[must_use]
    pub fn with_call(mut self, tool_name: impl Into<String>, call_id: impl Into<String>) -> Self {
        self.staged_by = Some(StagedBy { tool_name: tool_name.into(), call_id: call_id.into() });
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

    /// Stages an action. Its tier is its own, or that of the tool that stages it, and never below that of its files
    /// (CONTRACT 5.7).
    ///
    /// # Errors
    /// When this runtime has no store, or one of the files may not be changed by tools.
    pub fn push(&self, mut action: PendingAction) -> Result<(), PushError> {
        let stack = self.stack.as_ref().ok_or(PendingUnavailable)?;
        if stack.count() >= MAX_PENDING {
            return Err(PushError::Refused(format!(
                "{MAX_PENDING} actions are pending already; apply or discard some first"
            )));
        }
        action.tier = action.tier.or(self.tier);
        if let Some(file_tiers) = stack.file_tiers.as_ref().filter(|_| !action.files.is_empty()) {
            let files = file_tiers.tier_of(&action.files).map_err(PushError::Refused)?;
            // `None` counts as the highest already.
            action.tier = action.tier.map(|own| own.max(files));
        }
        action.staged_by = self.staged_by.clone();
        stack.push(action);
        Ok(())
    }
}

#[cfg(test)]
#[path = "pending_tests.rs"]
mod tests;
