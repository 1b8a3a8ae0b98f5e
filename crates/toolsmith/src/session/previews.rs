//! What a person decides in a session about staged actions (CONTRACT 8.6).

use std::path::PathBuf;

use toolsmith_agent::{PendingChoice, PendingView};
use toolsmith_host::changes::FilePreview;
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
}
