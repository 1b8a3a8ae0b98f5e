//! The user's decisions in a session: pending actions and undo (CONTRACT 8.6). The model is informed with its next
//! request.

use toolsmith_agent::{PendingChoice, PendingView};
use toolsmith_host::changes::{FilePreview, PastChange};
use toolsmith_tool::{FileSelection, ToolError, ToolResult};

use super::session::Session;

impl Session {
    /// Returns the pending actions, newest first.
    pub fn pending_actions(&self) -> Vec<PendingView> {
        self.pending().list()
    }

    /// Reads the list of trusted directories again, as before each call: what may no longer run is removed, and its actions are void.
    /// The methods below do so; a program that decides with [`Session::pending`] calls it first.
    pub async fn refresh_trust(&self) {
        self.reload.refresh_trust().await;
    }

    /// Returns the exact diff of an action; empty if it does not declare its files.
    ///
    /// # Errors
    /// Fails if there is no such action, or a file changed since the preview.
    pub async fn view_pending(&self, choice: PendingChoice) -> Result<Vec<FilePreview>, ToolError> {
        self.pending().view(choice).await
    }

    /// Applies an action: all of it, or only the selected files and hunks. What is left out is dropped. The action is
    /// consumed even if it fails.
    ///
    /// # Errors
    /// Fails with the action's error.
    pub async fn apply_pending(
        &self,
        choice: PendingChoice,
        selection: Option<Vec<FileSelection>>,
        reason: &str,
    ) -> Result<ToolResult, ToolError> {
        self.refresh_trust().await;
        self.pending().apply(choice, selection, reason, self.agent().tool_context()).await
    }

    /// Discards an action. It is consumed even if `reject` fails.
    ///
    /// # Errors
    /// Fails with the error of `reject`.
    pub async fn discard_pending(
        &self,
        choice: PendingChoice,
        reason: &str,
    ) -> Result<ToolResult, ToolError> {
        self.refresh_trust().await;
        self.pending().discard(choice, reason, self.agent().tool_context()).await
    }

    /// Drops all pending actions and calls `reject`, as when the session is switched or ends. The model is not
    /// informed.
    pub async fn drop_pending(&self, reason: &str) {
        self.pending().drop_all(reason, self.agent().tool_context()).await;
    }

    /// Returns file changes made by tools in this directory, newest first, including undone ones.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    pub async fn changes(&self) -> Result<Vec<PastChange>, ToolError> {
        self.pending().changes().await
    }

    /// Returns what undoing a change would do to its files now.
    ///
    /// # Errors
    /// Fails if the change is unknown or its old content is no longer stored.
    pub async fn view_undo(&self, id: &str) -> Result<Vec<FilePreview>, ToolError> {
        self.pending().view_undo(id).await
    }

    /// Undoes a change: by id, or the last one in this directory.
    ///
    /// # Errors
    /// Fails without changes if there is none, or its files were changed since.
    pub async fn undo(&self, id: Option<&str>) -> Result<PastChange, ToolError> {
        self.pending().undo(id).await
    }
}
