//! Telling tools what happens to the session (CONTRACT 7.1, 7.2), and the end of it (8.6).

use std::{sync::Arc, time::Duration};

use toolsmith_tool::{CancelToken, OriginKind, SessionEvent, Tool};

use super::handle::Agent;
use crate::panics::catching;

/// How long one tool may take to hear one event, and one staged action to be dropped.
const HEARING: Duration = Duration::from_secs(5);

impl Agent {
    /// Tells every tool that is not built in, one after the other in the order they were registered. What goes wrong in a
    /// tool is logged.
    pub async fn tell_tools(&self, event: &SessionEvent) {
        let tools: Vec<Arc<dyn Tool>> = self.dispatcher().registry().read(|registry| {
            let custom = registry.iter().filter(|found| found.origin.kind != OriginKind::BuiltIn);
            custom.map(|found| Arc::clone(&found.tool)).collect()
        });
        for tool in tools {
            let cancel = CancelToken::new();
            let context = self.core().tool_context(&cancel);
            let told = catching(tool.on_session(event, &context));
            let problem = match tokio::time::timeout(HEARING, told).await {
                Ok(Ok(Ok(()))) => continue,
                Ok(Ok(Err(error))) => error.to_string(),
                Ok(Err(panic)) => panic,
                Err(_) => {
                    cancel.force("it took too long to hear of the session");
                    format!("no answer within {HEARING:?}")
                }
            };
            let (tool, reason) = (&tool.spec().name, event.reason());
            tracing::warn!(%tool, reason, problem, "A tool failed to hear of the session");
        }
    }

    /// Drops every staged action, newest first; each is told why.
    pub async fn drop_pending(&self, reason: &str) {
        while let Some(action) = self.pending().pop() {
            let context = self.core().tool_context(&CancelToken::new());
            let rejected = catching(action.callbacks.reject(reason, context));
            if tokio::time::timeout(HEARING, rejected).await.is_err() {
                tracing::warn!(label = %action.label, "A staged action did not answer to being dropped");
            }
        }
    }

    /// Ends the session: stops the run, drops what is staged, tells the tools. The agent can still be looked at.
    pub async fn dispose(&self) {
        self.abort_by_force("the session ends");
        self.wait_for_idle().await;
        self.drop_pending("the session ended").await;
        self.tell_tools(&SessionEvent::Shutdown).await;
    }
}
