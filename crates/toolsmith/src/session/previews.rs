//! What a person decides in a session: about staged actions, and about changes that were made (CONTRACT 8.6). The model
//! hears of it with its next request.

use std::path::PathBuf;

use toolsmith_agent::{PendingChoice, PendingView};
use toolsmith_host::changes::{FilePreview, PastChange};
use toolsmith_tool::{ToolError, ToolResult};

use super::handle::Session;

impl Session {
    /// The staged actions that wait for a decision, the newest first.
    pub fn pending_actions(&self) -> Vec<PendingView> {
        self.pending().list()
    }

    /// The exact differences an action will make; empty when it does not name its files.
    ///
    /// # Errors
    /// When there is no such action, or a file changed since: then there is no exact difference any more.
    pub async fn view_pending(&self, choice: PendingChoice) -> Result<Vec<FilePreview>, ToolError> {
        self.pending().view(choice).await
    }

    /// Applies an action: all of it, or with `files` only those. It is used up, whatever comes of it.
    ///
    /// # Errors
    /// What the action could not do.
    pub async fn apply_pending(
        &self,
        choice: PendingChoice,
        files: Option<Vec<PathBuf>>,
        reason: &str,
    ) -> Result<ToolResult, ToolError> {
        self.pending().apply(choice, files, reason, self.agent().tool_context()).await
    }

    /// Discards an action. It is used up, whatever comes of it.
    ///
    /// # Errors
    /// What the action's `reject` said.
    pub async fn discard_pending(
        &self,
        choice: PendingChoice,
        reason: &str,
    ) -> Result<ToolResult, ToolError> {
        self.pending().discard(choice, reason, self.agent().tool_context()).await
    }

    /// Drops all staged actions with `reject` called, as when the session is switched or ends. The model hears nothing.
    pub async fn drop_pending(&self, reason: &str) {
        self.pending().drop_all(reason, self.agent().tool_context()).await;
    }

    /// What tools changed of files in this folder, newest first, undone changes included.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn changes(&self) -> Result<Vec<PastChange>, ToolError> {
        self.pending().changes().await
    }

    /// Undoes a change: the one of this number, or the last one in this folder.
    ///
    /// # Errors
    /// When there is none, or somebody went on working with its files. Nothing was changed then.
    pub async fn undo(&self, id: Option<&str>) -> Result<PastChange, ToolError> {
        self.pending().undo(id).await
    }
}
