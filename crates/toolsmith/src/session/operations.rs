//! Going over to another conversation while the session runs: new, switch, fork, branch, and moving in the tree (CONTRACT
//! 7.1, 8.6); and what is noted in the conversation on the way: names, labels, the model and how hard it thinks.
//!
//! What is gone over to is there, whole and locked, before anything of the old one is given up. So an operation that fails
//! leaves the conversation, what is queued and what is staged as they were, and tells nobody. It may have stopped the run.

use std::path::{Path, PathBuf};

use thiserror::Error;
use toolsmith_agent::{
    Occupied, SummaryError,
    session::{
        BranchSummary, EntryKind, OutlineRow, Session as KeptSession, SessionError as KeptError,
        SessionState, SessionSummary, StoreError, UserMessage,
    },
    summarize_branch,
};
use toolsmith_llm::{Message, Model, ThinkingLevel};
use toolsmith_tool::SessionEvent;

use super::{
    handle::Session,
    model_choice::ModelError,
    models::{Restored, note_endpoint},
};

/// What came of going elsewhere.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WentOver {
    /// What the person said at that place, to be said differently.
    pub text: Option<String>,
    /// What waited in the queues, steering first. Nobody says it now.
    pub queued: Vec<Message>,
}

/// Why nothing came of it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The conversation that was asked for, or the entry in it, cannot be had.
    #[error(transparent)]
    Kept(#[from] KeptError),
    /// Leaving the conversation would lose what is not in its file.
    #[error("the conversation was not left, because entries of it are not saved ({unsaved}): {source}")]
    NotSaved {
        /// How many.
        unsaved: usize,
        /// Why.
        source: StoreError,
    },
    /// There is no such model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Somebody stopped it.
    #[error("cancelled; the conversation is where it was")]
    Cancelled,
    /// The model did not sum up the path that would have been left.
    #[error("the conversation is where it was, because there is no summary: {0}")]
    Summary(SummaryError),
    /// The work was lost on its way.
    #[error("the work on the session's file broke off: {0}")]
    BrokeOff(String),
}

impl Session {
    /// Begins a new conversation, kept as this one is. The model and how hard it thinks stay.
    ///
    /// # Errors
    /// When this one cannot be saved.
    pub async fn new_session(&self) -> Result<WentOver, OperationError> {
        let held = self.hold("A new session begins").await?;
        let new = {
            let before = self.conversation();
            let new = match before.file() {
                Some(_) => self.sessions.create(&self.cwd),
                None => KeptSession::in_memory(&self.cwd),
            };
            carry_over(&held, &before.state(), &new);
            new
        };
        Ok(self.go_over(&held, new, switched).await)
    }

    /// Goes over to another conversation: by its id, the beginning of its id, or its path. Where it is open already,
    /// nothing happens.
    ///
    /// # Errors
    /// When it is not there, another process has it, or this one cannot be saved.
    pub async fn switch(&self, what: &str) -> Result<WentOver, OperationError> {
        let (sessions, cwd, wanted) = (self.sessions.clone(), self.cwd.clone(), what.to_owned());
        let path = blocking(move || sessions.find(&wanted, &cwd)).await??;
        if self.conversation().file().is_some_and(|open| is_same(open, &path)) {
            return Ok(WentOver::default());
        }
        let sessions = self.sessions.clone();
        let next = blocking(move || sessions.open(&path)).await??;
        // What was said to one provider is not continued with another by accident.
        if let Some(gone) = self.restored(&next).await.gone {
            return Err(gone.into());
        }
        let held = self.hold("Another session is opened").await?;
        let elsewhere = elsewhere(&next, &self.cwd);
        let went = self.go_over(&held, next, switched).await;
        if let Some(notice) = elsewhere {
            held.context().notice(notice);
        }
        Ok(went)
    }

    /// Goes on in a copy of this conversation, at the same place.
    ///
    /// # Errors
    /// When this one cannot be saved or the copy cannot be written.
    pub async fn fork(&self) -> Result<WentOver, OperationError> {
        let held = self.hold("The session is forked").await?;
        let (sessions, kept) = (self.sessions.clone(), self.conversation());
        let fork = blocking(move || sessions.fork(&kept)).await??;
        Ok(self.go_over(&held, fork, switched).await)
    }

    /// Goes back to before a message of the user, in a conversation of its own. [`WentOver::text`] is what it said.
    ///
    /// # Errors
    /// When the entry is no message of the user, this conversation cannot be saved, or the new one cannot be written.
    pub async fn branch(&self, entry_id: &str) -> Result<WentOver, OperationError> {
        // Asked before anything is stopped.
        if !matches!(entry(&self.conversation(), entry_id)?, EntryKind::Message(Message::User(_))) {
            return Err(KeptError::NotAUserMessage { id: entry_id.to_owned() }.into());
        }
        let held = self.hold("The conversation goes back to an earlier message").await?;
        let (sessions, kept, id) = (self.sessions.clone(), self.conversation(), entry_id.to_owned());
        let branched = blocking(move || sessions.branch(&kept, &id)).await??;
        let event = |previous_session_file| SessionEvent::Branch { previous_session_file };
        let went = self.go_over(&held, branched.session, event).await;
        Ok(WentOver { text: Some(branched.text), ..went })
    }

    /// Goes to another place of this conversation: before a message of the user, whose words are in [`WentOver::text`],
    /// after any other entry, or before everything. With `summary`, the model first sums up the path that is left, and
    /// that is told at the new place; [`Session::abort`] meanwhile leaves everything as it was.
    ///
    /// # Errors
    /// When there is no such entry, there is no summary, or the conversation cannot be saved.
    pub async fn go_to(&self, target: Option<&str>, summary: bool) -> Result<WentOver, OperationError> {
        if let Some(id) = target {
            entry(&self.conversation(), id)?;
        }
        let held = self.hold("The conversation goes on from another place").await?;
        let kept = self.conversation();
        let summary = if summary { summarize(&held, &kept, target).await? } else { None };
        let queued = self.put_down().await;
        let from_id = kept.leaf_id().unwrap_or_else(|| "root".to_owned());
        let moved = kept.go_to(target, None)?;
        if let Some(summary) = summary {
            let left = BranchSummary { from_id, summary, ..BranchSummary::default() };
            // It holds whether it is in the file already or not.
            if let Err(error) = kept.append(EntryKind::BranchSummary(left)) {
                held.context().notice(error.to_string());
            }
        }
        let restored = self.restored(&kept).await;
        self.take_up(&restored);
        self.agent().announce(SessionEvent::Tree).await;
        tell(&held, restored);
        Ok(WentOver { text: moved.text, queued })
    }

    /// Names the conversation; an empty name takes the name away.
    ///
    /// # Errors
    /// When it could not be written. It is part of the conversation nevertheless.
    pub fn set_name(&self, name: &str) -> Result<(), OperationError> {
        self.conversation().set_name(name)?;
        Ok(())
    }

    /// Gives an entry a label, or takes it away.
    ///
    /// # Errors
    /// When there is no such entry, or it could not be written.
    pub fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), OperationError> {
        self.conversation().set_label(entry_id, label)?;
        Ok(())
    }

    /// Asks another model from the next request on, by a name as people type it, and notes it in the conversation.
    ///
    /// # Errors
    /// When there is no such model, or the note could not be written; then the model is asked nevertheless.
    pub async fn set_model(&self, name: &str) -> Result<Model, OperationError> {
        let selection = self.models.select(name).await?;
        let model = selection.model;
        self.agent().set_model(selection.provider, model.clone());
        let noted =
            self.conversation().append(EntryKind::ModelChange { model: model.reference(), role: None });
        note_endpoint(&self.conversation(), self.agent().endpoint().as_ref(), &model);
        if let Some(level) = selection.thinking {
            self.set_thinking(level)?;
        }
        noted?;
        Ok(model)
    }

    /// Thinks this hard from the next request on, and notes it in the conversation.
    ///
    /// # Errors
    /// When the note could not be written. It holds nevertheless.
    pub fn set_thinking(&self, level: ThinkingLevel) -> Result<(), OperationError> {
        self.agent().set_thinking(level);
        self.conversation().append(EntryKind::ThinkingChange { level: level.as_str().to_owned() })?;
        Ok(())
    }

    /// The conversations of this folder, the one written last first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionSummary>, OperationError> {
        Ok(self.sessions.list(&self.cwd)?)
    }

    /// Where [`Session::branch`] can go, on every path of this conversation.
    pub fn user_messages(&self) -> Vec<UserMessage> {
        self.conversation().user_messages()
    }

    /// Where [`Session::go_to`] can go.
    pub fn tree(&self) -> Vec<OutlineRow> {
        self.conversation().outline()
    }

    /// Stops the run, and waits until everything said so far is in the file.
    async fn hold(&self, reason: &str) -> Result<Occupied, OperationError> {
        let held = self.agent().stop_and_occupy(reason).await;
        let kept = self.conversation();
        let (saved, unsaved) = blocking(move || (kept.sync(), kept.unsaved())).await?;
        saved.map_err(|source| OperationError::NotSaved { unsaved, source })?;
        Ok(held)
    }

    /// Gives up what belongs to the place that is left: what waits, and what is staged (CONTRACT 8.6).
    async fn put_down(&self) -> Vec<Message> {
        let queued = self.agent().clear_queues();
        self.drop_pending("the session was switched").await;
        queued
    }

    async fn go_over(
        &self,
        held: &Occupied,
        next: KeptSession,
        event: impl FnOnce(Option<PathBuf>) -> SessionEvent,
    ) -> WentOver {
        let restored = self.restored(&next).await;
        let queued = self.put_down().await;
        // The old one is let go of at once: with it goes the lock on its file.
        let previous = self.current.replace(next).file().map(Path::to_path_buf);
        self.take_up(&restored);
        self.agent().announce(event(previous)).await;
        tell(held, restored);
        WentOver { text: None, queued }
    }

    async fn restored(&self, kept: &KeptSession) -> Restored {
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

/// The path that is left, in the model's words; `None` where nothing was said on it.
async fn summarize(
    held: &Occupied,
    kept: &KeptSession,
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

/// What was chosen in one conversation and holds in the next.
fn carry_over(held: &Occupied, state: &SessionState, new: &KeptSession) {
    let (model, level) = (held.context().model().reference(), held.context().thinking().as_str().to_owned());
    let model = state.model.is_some().then_some(EntryKind::ModelChange { model, role: None });
    let thinking = state.thinking.is_some().then_some(EntryKind::ThinkingChange { level });
    // A new session is held where this one is.
    let endpoint = held.context().provider().endpoint();
    let endpoint = endpoint.map(|endpoint| EntryKind::endpoint(&endpoint, &held.context().model().id));
    for kind in [model, thinking, endpoint].into_iter().flatten() {
        // Such an entry waits for one that is worth a file, so nothing is written here that could fail.
        if let Err(error) = new.append(kind) {
            tracing::warn!(%error, "a new session does not say how it began");
        }
    }
}

fn entry(kept: &KeptSession, id: &str) -> Result<EntryKind, KeptError> {
    kept.entry(id).map(|entry| entry.kind).ok_or_else(|| KeptError::NoEntry { id: id.to_owned() })
}

fn is_same(open: &Path, path: &Path) -> bool {
    open == path || matches!((open.canonicalize(), path.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// What a person should know of a conversation that was held in another folder.
fn elsewhere(next: &KeptSession, cwd: &Path) -> Option<String> {
    let theirs = next.cwd();
    (!is_same(&theirs, cwd)).then(|| {
        format!(
            "This conversation was held in {}; tools go on working in {}",
            theirs.display(),
            cwd.display()
        )
    })
}

/// A disk may take its time.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, OperationError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| OperationError::BrokeOff(error.to_string()))
}
