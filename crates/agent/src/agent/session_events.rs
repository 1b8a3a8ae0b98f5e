//! Telling front ends and tools what happens to the session (CONTRACT 7.1, 7.2).

use std::{sync::Arc, time::Duration};

use toolsmith_tool::{CancelToken, OriginKind, SessionEvent, Tool, ToolContext};

use super::{handle::Agent, state::Core};
use crate::{events::AgentEvent, panics::catching};

/// How long one tool may take to hear one event.
const HEARING: Duration = Duration::from_secs(5);

impl Core {
    /// Tells front ends, and then every tool that is not built in, one after the other in the order they were registered.
    /// What goes wrong in a tool is logged.
    pub(crate) async fn announce(&self, event: SessionEvent) {
        self.emit(AgentEvent::Session(event.clone()));
        let tools: Vec<Arc<dyn Tool>> = self.dispatcher().registry().read(|registry| {
            let custom = registry.iter().filter(|found| found.origin.kind != OriginKind::BuiltIn);
            custom.map(|found| Arc::clone(&found.tool)).collect()
        });
        for tool in tools {
            let cancel = CancelToken::new();
            let context = self.tool_context(&cancel);
            let told = catching(tool.on_session(&event, &context));
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
}

impl Agent {
    /// Tells front ends and then every tool what happened to the session.
    pub async fn announce(&self, event: SessionEvent) {
        self.core().announce(event).await;
    }

    /// What a tool is handed that is not being called: for decisions about what it staged.
    #[must_use]
    pub fn tool_context(&self) -> ToolContext {
        self.core().tool_context(&CancelToken::new())
    }
}
