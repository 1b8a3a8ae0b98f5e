//! The current session. The agent, its tools and its hooks hold this handle, so that the session can be replaced while
//! they run.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_llm::Message;
use toolsmith_tool::{Artifact, SessionView, ViewError};

use super::session_log::SessionLog;
use crate::conversation::{Conversation, ConversationError};

/// The current session. Clones refer to the same slot.
#[derive(Clone, Debug)]
pub struct CurrentSession {
    slot: Arc<RwLock<SessionLog>>,
    /// Where tools work, if that is not the directory which the session names.
    cwd: Option<Arc<Path>>,
}

impl CurrentSession {
    /// Creates a slot with `session`.
    pub fn new(session: SessionLog) -> Self {
        Self { slot: Arc::new(RwLock::new(session)), cwd: None }
    }

    /// Sets the directory in which tools work, whatever a session file says.
    #[must_use]
    pub fn working_directory(mut self, cwd: &Path) -> Self {
        self.cwd = Some(Arc::from(cwd));
        self
    }

    /// Returns the current session.
    pub fn get(&self) -> SessionLog {
        self.slot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the current session and returns the previous one. Must not be called during a run.
    pub fn replace(&self, session: SessionLog) -> SessionLog {
        let mut slot = self.slot.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *slot, session)
    }
}

#[async_trait]
impl Conversation for CurrentSession {
    async fn append(&self, message: Arc<Message>) -> Result<(), ConversationError> {
        Conversation::append(&self.get(), message).await
    }
    async fn sync(&self) -> Result<(), ConversationError> {
        Conversation::sync(&self.get()).await
    }
    fn context(&self) -> Vec<Arc<Message>> {
        self.get().context()
    }
}

impl SessionView for CurrentSession {
    fn cwd(&self) -> PathBuf {
        self.cwd.as_ref().map_or_else(|| self.get().cwd(), |cwd| cwd.to_path_buf())
    }
    fn session_id(&self) -> String {
        self.get().id()
    }
    fn session_file(&self) -> Option<PathBuf> {
        self.get().session_file()
    }
    fn session_name(&self) -> Option<String> {
        self.get().name()
    }
    fn header(&self) -> Option<Value> {
        SessionView::header(&self.get())
    }
    fn entries(&self) -> Vec<Value> {
        SessionView::entries(&self.get())
    }
    fn entry(&self, id: &str) -> Option<Value> {
        SessionView::entry(&self.get(), id)
    }
    fn leaf_id(&self) -> Option<String> {
        self.get().leaf_id()
    }
    fn branch(&self, from: Option<&str>) -> Vec<Value> {
        self.get().branch(from)
    }
    fn last_details(&self, tool: &str) -> Option<Value> {
        self.get().last_details(tool)
    }
    fn all_details(&self, tool: &str) -> Vec<Value> {
        self.get().all_details(tool)
    }
    fn tree(&self) -> Vec<Value> {
        SessionView::tree(&self.get())
    }
    fn label(&self, id: &str) -> Option<String> {
        self.get().label(id)
    }
    fn usage(&self) -> Value {
        SessionView::usage(&self.get())
    }
    fn artifacts_dir(&self) -> Option<PathBuf> {
        self.get().artifacts_dir()
    }
    fn allocate_artifact(&self, kind: &str) -> Result<Artifact, ViewError> {
        self.get().allocate_artifact(kind)
    }
    fn save_artifact(&self, text: &str, kind: &str) -> Result<Artifact, ViewError> {
        self.get().save_artifact(text, kind)
    }
    fn artifact_path(&self, id: &str) -> Option<PathBuf> {
        self.get().artifact_path(id)
    }
    fn put_blob(&self, bytes: &[u8]) -> Result<String, ViewError> {
        self.get().put_blob(bytes)
    }
}
