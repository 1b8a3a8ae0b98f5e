//! What a hook can reach while it takes part in the loop.

use std::{fmt, sync::Arc};

use toolsmith_llm::{Message, Model, Provider, ThinkingLevel};
use toolsmith_tool::{CancelToken, SessionEvent, ToolContext};

use crate::{agent::Core, events::AgentEvent};

/// The agent as its hooks see it.
#[derive(Clone)]
pub struct TurnContext {
    core: Arc<Core>,
    cancel: CancelToken,
}

impl TurnContext {
    pub(crate) fn new(core: Arc<Core>, cancel: CancelToken) -> Self {
        Self { core, cancel }
    }

    /// Tripped when the run is to stop.
    pub fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// The model that is asked.
    pub fn model(&self) -> Model {
        self.core.selected().model
    }

    /// Who is asked for it.
    pub fn provider(&self) -> Arc<dyn Provider> {
        self.core.selected().provider
    }

    /// How hard it thinks.
    pub fn thinking(&self) -> ThinkingLevel {
        self.core.selected().thinking
    }

    /// The conversation as the model sees it.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.core.conversation().context()
    }

    /// Milliseconds since 1970, by the agent's clock.
    pub fn now(&self) -> u64 {
        self.core.now()
    }

    /// What a tool is handed that is not being called.
    pub fn tool_context(&self) -> ToolContext {
        self.core.tool_context(&self.cancel)
    }

    /// Says something a person should know.
    pub fn notice(&self, message: impl Into<String>) {
        self.core.emit(AgentEvent::Notice { message: message.into() });
    }

    /// Tells front ends and then every tool what happened to the session.
    pub async fn announce(&self, event: SessionEvent) {
        self.core.announce(event).await;
    }
}

impl fmt::Debug for TurnContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnContext").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}
