//! This program as a client: what servers may ask of it, and what they notify it of.
#![expect(deprecated, reason = "servers of older revisions ask for roots and send log messages")]

use std::{path::PathBuf, sync::Arc};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationCapability, FormElicitationCapability, Implementation, ListRootsResult,
        LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion, Root,
        UrlElicitationCapability,
    },
    service::{NotificationContext, RequestContext},
};
use tokio::sync::Semaphore;
use toolsmith_tool::{CancelToken, UiHandle};

use super::{elicitation, progress::ProgressRoutes};

/// Maximum number of a server's questions that are open at once. More are answered with `cancel`.
pub(crate) const MAX_QUESTIONS: usize = 16;

/// A list of a server that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Tools,
    Prompts,
    Resources,
}

/// The client's side of one connection.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) server: String,
    pub(crate) cwd: PathBuf,
    pub(crate) ui: UiHandle,
    pub(crate) progress: ProgressRoutes,
    pub(crate) on_list_changed: Arc<dyn Fn(ListKind) + Send + Sync>,
    /// Room for open questions.
    pub(crate) questions: Arc<Semaphore>,
}

impl Handler {
    /// Asks the person, also for a server that asks through a repeated call.
    pub(crate) async fn elicit(&self, request: ElicitRequestParams, cancel: &CancelToken) -> ElicitResult {
        elicitation::ask(&self.server, self.ui.current().as_ref(), request, cancel).await
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(Default::default());
        let elicitation = ElicitationCapability::new()
            .with_form(FormElicitationCapability::default())
            .with_url(UrlElicitationCapability::default());
        capabilities.elicitation = Some(elicitation);
        let us = Implementation::new("toolsmith", env!("CARGO_PKG_VERSION")).with_title("Toolsmith");
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let uri = url::Url::from_directory_path(&self.cwd).map(|url| url.to_string()).unwrap_or_default();
        Ok(ListRootsResult::new(vec![Root::new(uri.trim_end_matches('/'))]))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Ok(_room) = self.questions.try_acquire() else {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        let cancel = CancelToken::new();
        let asked = self.elicit(request, &cancel);
        tokio::pin!(asked);
        tokio::select! {
            answer = &mut asked => Ok(answer),
            () = context.ct.cancelled() => {
                cancel.cancel("the server withdrew its question");
                Ok(asked.await)
            }
        }
    }

    async fn on_progress(&self, param: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.progress.deliver(param);
    }

    async fn on_logging_message(
        &self,
        param: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        tracing::debug!(server = self.server, level = ?param.level, data = %param.data, "MCP server log");
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        (self.on_list_changed)(ListKind::Tools);
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        (self.on_list_changed)(ListKind::Prompts);
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        (self.on_list_changed)(ListKind::Resources);
    }
}
