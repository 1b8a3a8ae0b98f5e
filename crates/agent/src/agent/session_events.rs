//! Delivery of session events to clients and tools (CONTRACT 7.1, 7.2).

use std::{pin::pin, sync::Arc, time::Duration};

use toolsmith_tool::{CancelToken, OriginKind, SessionEvent, Tool, ToolContext, panics::catching};

use super::{agent::Agent, state::Core};
use crate::events::AgentEvent;

/// Time a tool that missed its deadline has to stop.
const STOPPING: Duration = Duration::from_secs(1);

impl Core {
    /// Notifies clients, and then every tool that is not built in, one after another in registration order. Failures of
    /// a tool are logged.
    pub(crate) async fn announce(&self, event: SessionEvent) {
        if matches!(event, SessionEvent::Switch { .. } | SessionEvent::Branch { .. }) {
            self.dispatcher().forget_permissions();
        }
        self.emit(AgentEvent::Session(event.clone()));
        let tools: Vec<Arc<dyn Tool>> = self.dispatcher().registry().read(|registry| {
            let custom = registry.iter().filter(|found| {
                found.origin.kind != OriginKind::BuiltIn && found.tool.handles_session_events()
            });
            custom.map(|found| Arc::clone(&found.tool)).collect()
        });
        let hearing = self.limits().hearing;
        for tool in tools {
            let cancel = CancelToken::new();
            let context = self.tool_context(&cancel);
            let mut told = pin!(catching(tool.on_session(&event, &context)));
            let problem = match tokio::time::timeout(hearing, &mut told).await {
                Ok(Ok(Ok(()))) => continue,
                Ok(Ok(Err(error))) => error.to_string(),
                Ok(Err(panic)) => panic,
                Err(_) => {
                    cancel.force("it did not handle the session event in time");
                    // This stops the tool's engine. The next call must not meet it while it stops.
                    let _ = tokio::time::timeout(STOPPING, told).await;
                    format!("no answer within {hearing:?}")
                }
            };
            let (tool, reason) = (&tool.spec().name, event.reason());
            tracing::warn!(%tool, reason, problem, "A tool failed to handle a session event");
        }
    }
}

impl Agent {
    /// Notifies clients and then every tool of a session event.
    pub async fn announce(&self, event: SessionEvent) {
        self.core().announce(event).await;
    }

    /// Returns the context for a tool that is not being called: for decisions about its pending actions.
    #[must_use]
    pub fn tool_context(&self) -> ToolContext {
        self.core().tool_context(&CancelToken::new())
    }
}
