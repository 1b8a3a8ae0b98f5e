//! What a session does when the user's list of what is trusted changes: nothing of a project that lost its trust is used any more,
//! and the session continues like one that was started without it. Custom tools and extensions are followed by `reload.rs`, and
//! hooks check trust themselves before each run.

use std::sync::PoisonError;

use super::{library::Library, session::Session};
use crate::trust::TrustDecision;

impl Session {
    /// Applies a changed list to MCP servers, skills and Markdown commands.
    pub(super) async fn follow_trust(&self, trust: TrustDecision, has_lost_extensions: bool) {
        if let Some(mcp) = &self.mcp {
            for (server, tools) in mcp.follow_trust().await {
                let tools = match tools.as_slice() {
                    [] => String::new(),
                    tools => format!(" Its tools are removed: {}.", tools.join(", ")),
                };
                self.agent().notice(format!(
                    "The MCP server {server} is stopped, because its project is not trusted any more.{tools} To trust the \
                     directory, run: toolsmith trust"
                ));
            }
        }
        if has_lost_extensions {
            // It is not known which extension named a path, and one that may no longer run chooses nothing.
            let resources = &self.extensions.inner.resources;
            std::mem::take(&mut *resources.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.find_library_again(trust).await;
    }

    /// Finds skills and Markdown commands again. Those of a project that is not trusted are text only, and do not take the place of
    /// the user's.
    async fn find_library_again(&self, trust: TrustDecision) {
        let Some(searched) = self.loaded().discovered.searched.clone() else { return };
        let options = searched.as_ref().clone().trust(trust);
        let Ok(found) = tokio::task::spawn_blocking(move || Library::find(&options)).await else { return };
        let before = self.library.catalogue();
        *self.library.skills.write().unwrap_or_else(PoisonError::into_inner) = found.skills();
        *self.library.commands.write().unwrap_or_else(PoisonError::into_inner) = found.commands();
        self.add_resources(&self.extension_resources());
        let after = self.library.catalogue();
        if before != after {
            self.agent().set_prompt_part("skills", &after.unwrap_or_default());
        }
    }
}
