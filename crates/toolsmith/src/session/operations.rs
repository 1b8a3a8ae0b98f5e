//! Operations on a running session: new, switch, fork, branch and tree navigation (CONTRACT 7.1, 8.6); and changes
//! recorded in the session: names, labels, model and thinking level.
//!
//! The new session is opened and locked before the old one is closed. An operation that fails leaves the session, the
//! queues and the pending actions unchanged and emits no event. It may have stopped the run.

use std::path::{Path, PathBuf};

use serde_json::json;
use thiserror::Error;
use toolsmith_agent::{
    Occupied,
    session::{
        BranchSummary, EntryKind, OutlineRow, SessionError, SessionLog, SessionState, SessionSummary,
        StoreError, UserMessage,
    },
};
use toolsmith_llm::{Message, Model, ThinkingLevel};
use toolsmith_middleware::{SummaryError, summarize_branch};
use toolsmith_tool::SessionEvent;

use super::{
    extensions::SwitchKind,
    model_choice::ModelError,
    models::{Restored, note_endpoint},
    session::Session,
};

/// Handling of the branch that [`Session::go_to`] leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AbandonedBranch {
    /// The model receives nothing of it.
    #[default]
    Drop,
    /// The model summarises it for the new position.
    Summarise,
}

/// Result of switching.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionSwitched {
    /// Text of the user message at that position, for editing.
    pub text: Option<String>,
    /// Messages removed from the queues, steering first.
    pub queued: Vec<Message>,
}

/// Errors of session operations.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The requested session or entry is not available.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Leaving the session would lose unsaved entries.
    #[error("the session was not switched because it has unsaved entries ({unsaved}): {source}")]
    NotSaved {
        /// Number of unsaved entries.
        unsaved: usize,
        /// The cause.
        source: StoreError,
    },
    /// There is no such model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It was aborted.
    #[error("cancelled; the session is unchanged")]
    Cancelled,
    /// The summary of the abandoned branch failed.
    #[error("the session is unchanged because the summary failed: {0}")]
    Summary(SummaryError),
    /// The task was lost.
    #[error("writing the session file was interrupted: {0}")]
    Interrupted(String),
}

impl Session {
    /// Starts a new session, stored like this one. Model and thinking level stay.
    ///
    /// # Errors
    /// Fails if this session cannot be saved.
    pub async fn new_session(&self) -> Result<SessionSwitched, OperationError> {
        if self.switch_is_cancelled(SwitchKind::New, None).await {
            return Err(OperationError::Cancelled);
        }
        let held = self.hold("a new session was started").await?;
        let new = {
            let before = self.log();
            let new = match before.file() {
                Some(_) => self.sessions.create(&self.cwd),
                None => SessionLog::in_memory(&self.cwd),
            };
            carry_over(&held, &before.state(), &new);
            new
        };
        Ok(self.go_over(&held, new, switched, SwitchKind::New).await)
    }

    /// Switches to another session by id, id prefix or path. Does nothing if it is already open.
    ///
    /// # Errors
    /// Fails if it does not exist, another process has it open, or this session cannot be saved.
    pub async fn switch(&self, what: &str) -> Result<SessionSwitched, OperationError> {
        let (sessions, cwd, wanted) = (self.sessions.clone(), self.cwd.clone(), what.to_owned());
        let path = blocking(move || sessions.find(&wanted, &cwd)).await??;
        if self.log().file().is_some_and(|open| is_same(open, &path)) {
            return Ok(SessionSwitched::default());
        }
        if self.switch_is_cancelled(SwitchKind::Resume, Some(&path)).await {
            return Err(OperationError::Cancelled);
        }
        let sessions = self.sessions.clone();
        let next = blocking(move || sessions.open(&path)).await??;
        // What was said to one provider is not continued with another by accident.
        if let Some(gone) = self.restored(&next).await.gone {
            return Err(gone.into());
        }
        let held = self.hold("another session was opened").await?;
        let elsewhere = elsewhere(&next, &self.cwd);
        let went = self.go_over(&held, next, switched, SwitchKind::Resume).await;
        if let Some(notice) = elsewhere {
            held.context().notice(notice);
        }
        Ok(went)
    }

    /// Continues in a copy of this session at the same position.
    ///
    /// # Errors
    /// Fails if this session cannot be saved or the copy cannot be written.
    pub async fn fork(&self) -> Result<SessionSwitched, OperationError> {
        if self.fork_is_cancelled(self.log().leaf_id().as_deref(), "at").await {
            return Err(OperationError::Cancelled);
        }
        let held = self.hold("the session was forked").await?;
        let (sessions, kept) = (self.sessions.clone(), self.log());
        let fork = blocking(move || sessions.fork(&kept)).await??;
        Ok(self.go_over(&held, fork, switched, SwitchKind::Fork).await)
    }

    /// Starts a new session from before a user message. [`SessionSwitched::text`] is the text of that message.
    ///
    /// # Errors
    /// Fails if the entry is not a user message, this session cannot be saved, or the new one cannot be written.
    pub async fn branch(&self, entry_id: &str) -> Result<SessionSwitched, OperationError> {
        // Checked before anything is stopped.
        if !matches!(entry(&self.log(), entry_id)?, EntryKind::Message(Message::User(_))) {
            return Err(SessionError::NotAUserMessage { id: entry_id.to_owned() }.into());
        }
        if self.fork_is_cancelled(Some(entry_id), "before").await {
            return Err(OperationError::Cancelled);
        }
        let held = self.hold("the session was branched from an earlier message").await?;
        let (sessions, kept, id) = (self.sessions.clone(), self.log(), entry_id.to_owned());
        let branched = blocking(move || sessions.branch(&kept, &id)).await??;
        let event = |previous_session_file| SessionEvent::Branch { previous_session_file };
        let went = self.go_over(&held, branched.session, event, SwitchKind::Fork).await;
        Ok(SessionSwitched { text: Some(branched.text), ..went })
    }

    /// Moves within this session: before a user message, whose text is in [`SessionSwitched::text`], after any other entry, or
    /// before everything. With [`AbandonedBranch::Summarise`], the model first summarises the abandoned branch, and the
    /// summary is added at the new position; [`Session::abort`] meanwhile leaves everything unchanged.
    ///
    /// # Errors
    /// Fails if there is no such entry, the summary fails, or the session cannot be saved.
    pub async fn go_to(
        &self,
        target: Option<&str>,
        abandoned: AbandonedBranch,
    ) -> Result<SessionSwitched, OperationError> {
        if let Some(id) = target {
            entry(&self.log(), id)?;
        }
        let decided = self.before_tree(&self.log(), target, abandoned == AbandonedBranch::Summarise).await;
        if decided.cancelled {
            return Err(OperationError::Cancelled);
        }
        let held = self.hold("the session moved to another entry").await?;
        let kept = self.log();
        let from_extension = decided.summary.is_some();
        let (summary, details) = match (decided.summary, abandoned) {
            (Some((summary, details)), _) => (Some(summary), details),
            (None, AbandonedBranch::Drop) => (None, None),
            (None, AbandonedBranch::Summarise) => (summarize(&held, &kept, target).await?, None),
        };
        let queued = self.put_down().await;
        let old_leaf = kept.leaf_id();
        let from_id = old_leaf.clone().unwrap_or_else(|| "root".to_owned());
        let moved = kept.go_to(target, None)?;
        let mut summary_id = None;
        if let Some(summary) = summary {
            let left = BranchSummary { from_id, summary, details, from_extension };
            // It takes effect whether or not it is in the file already.
            match kept.append(EntryKind::BranchSummary(left)) {
                Ok(id) => summary_id = Some(id),
                Err(error) => held.context().notice(error.to_string()),
            }
        }
        let restored = self.restored(&kept).await;
        self.take_up(&restored);
        self.reload.refresh_trust().await;
        self.agent().announce(SessionEvent::Tree).await;
        self.tree_moved(old_leaf.as_deref(), summary_id.as_deref(), from_extension).await;
        tell(&held, restored);
        Ok(SessionSwitched { text: moved.text, queued })
    }

    /// Names the session; an empty name removes it.
    ///
    /// # Errors
    /// Fails if it could not be written. It is part of the session nevertheless.
    pub fn set_name(&self, name: &str) -> Result<(), OperationError> {
        self.log().set_name(name)?;
        let event = || json!({ "type": "session_info_changed", "name": self.log().name() });
        self.extensions.modules.send("session_info_changed", event, || self.agent().tool_context());
        Ok(())
    }

    /// Sets or removes the label of an entry.
    ///
    /// # Errors
    /// Fails if there is no such entry, or it could not be written.
    pub fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), OperationError> {
        self.log().set_label(entry_id, label)?;
        Ok(())
    }

    /// Changes the model by name from the next request on, and records it in the session.
    ///
    /// # Errors
    /// Fails if there is no such model, or the record could not be written; in the latter case the model is changed
    /// nevertheless.
    pub async fn set_model(&self, name: &str) -> Result<Model, OperationError> {
        let previous = self.agent().model();
        let selection = self.models.select(name).await?;
        let model = selection.model;
        self.agent().set_model(selection.provider, model.clone());
        let noted = self.log().append(EntryKind::ModelChange { model: model.reference(), role: None });
        note_endpoint(&self.log(), self.agent().endpoint().as_ref(), &model);
        if let Some(level) = selection.thinking {
            self.set_thinking(level)?;
        }
        let event = || {
            json!({
                "type": "model_select",
                "model": toolsmith_agent::model_json(&model),
                "previousModel": toolsmith_agent::model_json(&previous),
                "source": "set",
            })
        };
        self.extensions.modules.send("model_select", event, || self.agent().tool_context());
        noted?;
        Ok(model)
    }

    /// Changes the thinking level from the next request on, and records it in the session.
    ///
    /// # Errors
    /// Fails if the record could not be written. The level is changed nevertheless.
    pub fn set_thinking(&self, level: ThinkingLevel) -> Result<(), OperationError> {
        let previous = self.agent().thinking();
        self.agent().set_thinking(level);
        let event = || json!({ "type": "thinking_level_select", "level": level.as_str(), "previousLevel": previous.as_str() });
        if previous != level {
            self.extensions.modules.send("thinking_level_select", event, || self.agent().tool_context());
        }
        self.log().append(EntryKind::ThinkingChange { level: level.as_str().to_owned() })?;
        Ok(())
    }

    /// Lists the sessions of this directory, most recent first.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionSummary>, OperationError> {
        Ok(self.sessions.list(&self.cwd)?)
    }

    /// Returns the user messages on every branch, from which [`Session::branch`] can start.
    pub fn user_messages(&self) -> Vec<UserMessage> {
        self.log().user_messages()
    }

    /// Returns the outline of the tree, for [`Session::go_to`].
    pub fn tree(&self) -> Vec<OutlineRow> {
        self.log().outline()
    }

    /// Stops the run, and waits until everything is in the file.
    async fn hold(&self, reason: &str) -> Result<Occupied, OperationError> {
        let held = self.agent().stop_and_occupy(reason).await;
        let kept = self.log();
        let (saved, unsaved) = blocking(move || (kept.sync(), kept.unsaved())).await?;
        saved.map_err(|source| OperationError::NotSaved { unsaved, source })?;
        Ok(held)
    }

    /// Drops queued messages and pending actions of the old session (CONTRACT 8.6).
    async fn put_down(&self) -> Vec<Message> {
        let queued = self.agent().clear_queues();
        self.drop_pending("the session was switched").await;
        queued
    }

    async fn go_over(
        &self,
        held: &Occupied,
        next: SessionLog,
        event: impl FnOnce(Option<PathBuf>) -> SessionEvent,
        kind: SwitchKind,
    ) -> SessionSwitched {
        let restored = self.restored(&next).await;
        let queued = self.put_down().await;
        self.leave_hooks(kind).await;
        // The old session is released at once, and with it the lock on its file.
        let previous = self.current.replace(next).file().map(Path::to_path_buf);
        self.take_up(&restored);
        self.reload.refresh_trust().await;
        self.agent().announce(event(previous.clone())).await;
        let now = self.log().file().map(Path::to_path_buf);
        let context = self.agent().tool_context();
        self.switched_hooks(kind).await;
        self.extensions.switched(kind, previous.as_deref(), now.as_deref(), &context).await;
        tell(held, restored);
        SessionSwitched { text: None, queued }
    }

    async fn restored(&self, kept: &SessionLog) -> Restored {
        let is_ours = kept.file().is_none_or(|file| self.sessions.owns(file));
        let (model, endpoint) = (self.agent().model(), self.agent().endpoint());
        self.models.restore(&kept.state(), &model, endpoint.as_ref(), is_ours).await
    }

    fn take_up(&self, restored: &Restored) {
        if let Some(selection) = &restored.model {
            self.agent().set_model(selection.provider.clone(), selection.model.clone());
        }
        if let Some(level) = restored.thinking {
            self.agent().set_thinking(level);
        }
    }
}

/// Summarises the abandoned branch; `None` if it is empty.
async fn summarize(
    held: &Occupied,
    kept: &SessionLog,
    target: Option<&str>,
) -> Result<Option<String>, OperationError> {
    match summarize_branch(&kept.left_behind(target)?, held.context()).await {
        Ok(summary) => Ok(Some(summary)),
        Err(SummaryError::Nothing) => Ok(None),
        Err(SummaryError::Aborted) => Err(OperationError::Cancelled),
        Err(error) => Err(OperationError::Summary(error)),
    }
}

fn switched(previous_session_file: Option<PathBuf>) -> SessionEvent {
    SessionEvent::Switch { previous_session_file }
}

fn tell(held: &Occupied, restored: Restored) {
    if let Some(gone) = restored.gone {
        let current = held.context().model().reference();
        held.context().notice(format!("The session goes on with {current}. {gone}"));
    }
}

/// Settings that carry over to the next session.
fn carry_over(held: &Occupied, state: &SessionState, new: &SessionLog) {
    let (model, level) = (held.context().model().reference(), held.context().thinking().as_str().to_owned());
    let model = state.model.is_some().then_some(EntryKind::ModelChange { model, role: None });
    let thinking = state.thinking.is_some().then_some(EntryKind::ThinkingChange { level });
    // A new session is held where this one is.
    let endpoint = held.context().provider().endpoint();
    let endpoint = endpoint.map(|endpoint| EntryKind::endpoint(&endpoint, &held.context().model().id));
    for kind in [model, thinking, endpoint].into_iter().flatten() {
        // Such an entry waits for one that is worth a file, so nothing is written here that could fail.
        if let Err(error) = new.append(kind) {
            tracing::warn!(%error, "the settings of a new session could not be recorded");
        }
    }
}

fn entry(kept: &SessionLog, id: &str) -> Result<EntryKind, SessionError> {
    kept.entry(id).map(|entry| entry.kind).ok_or_else(|| SessionError::NoEntry { id: id.to_owned() })
}

fn is_same(open: &Path, path: &Path) -> bool {
    open == path
        || matches!((toolsmith_host::real_path(open), toolsmith_host::real_path(path)), (Ok(one), Ok(other)) if one == other)
}

/// Emits a notice about a session of another directory.
fn elsewhere(next: &SessionLog, cwd: &Path) -> Option<String> {
    let theirs = next.cwd();
    (!is_same(&theirs, cwd))
        .then(|| format!("This session was created in {}; tools work in {}", theirs.display(), cwd.display()))
}

/// Disk writes may take time.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, OperationError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| OperationError::Interrupted(error.to_string()))
}
