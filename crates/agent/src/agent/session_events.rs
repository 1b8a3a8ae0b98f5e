//! Telling tools what happens to the session (CONTRACT 7.1, 7.2).

use std::{sync::Arc, time::Duration};

use toolsmith_tool::{CancelToken, OriginKind, SessionEvent, Tool, ToolContext};

use super::handle::Agent;
use crate::panics::catching;

/// How long one tool may take to hear one event.
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

    /// What a tool is handed that is not being called: for decisions about what it staged.
    #[must_use]
    pub fn tool_context(&self) -> ToolContext {
        self.core().tool_context(&CancelToken::new())
    }
}
