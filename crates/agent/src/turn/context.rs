//! The context of a turn hook.

use std::{fmt, sync::Arc};

use serde_json::Value;
use toolsmith_llm::{Message, Model, Provider, ThinkingLevel, Usage, text_tokens};
use toolsmith_tool::{CancelToken, SessionEvent, ToolContext, ToolSpec};

use super::compaction::{CompactionDecision, CompactionPlan, CompactionReport};
use crate::{agent::Core, events::AgentEvent, queues::Lane};

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

    /// Returns the cancel token of the run.
    pub fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// Returns the current model.
    pub fn model(&self) -> Model {
        self.core.selected().model
    }

    /// Returns its provider.
    pub fn provider(&self) -> Arc<dyn Provider> {
        self.core.selected().provider
    }

    /// Returns the thinking level.
    pub fn thinking(&self) -> ThinkingLevel {
        self.core.selected().thinking
    }

    /// Returns the system prompt of the next request, without what hooks replace.
    pub fn system_prompt(&self) -> String {
        self.core.current_system_prompt()
    }

    /// Returns the facts the system prompt is built from, as extensions see them.
    pub fn system_prompt_options(&self) -> Value {
        self.core.system_prompt_options()
    }

    /// Asks the hooks about a compaction, in their order. The first one that does not proceed decides.
    pub async fn decide_compaction(&self, plan: &CompactionPlan<'_>) -> CompactionDecision {
        for hook in self.core.hooks() {
            let decision = hook.before_compaction(plan, self).await;
            if decision != CompactionDecision::Proceed {
                return decision;
            }
        }
        CompactionDecision::Proceed
    }

    /// Reports the outcome of a compaction to the hooks.
    pub async fn report_compaction(&self, report: &CompactionReport) {
        for hook in self.core.hooks() {
            hook.after_compaction(report, self).await;
        }
    }

    /// Returns the conversation as the model sees it.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.core.conversation().context()
    }

    /// Estimates the tokens that every request has beside the conversation: the system prompt and the definitions of active tools.
    pub fn fixed_tokens(&self) -> u64 {
        let tools: u64 = self.core.dispatcher().registry().read(|registry| {
            let of_tool = |spec: &ToolSpec| {
                [&spec.name, &spec.description, &spec.parameters.to_string()]
                    .map(|text| text_tokens(text))
                    .iter()
                    .sum::<u64>()
            };
            registry.active().map(|found| of_tool(found.tool.spec())).sum()
        });
        text_tokens(&self.system_prompt()).saturating_add(tools)
    }

    /// Returns the time in milliseconds since the Unix epoch.
    pub fn now(&self) -> u64 {
        self.core.now()
    }

    /// Returns the context for a tool that is not being called.
    pub fn tool_context(&self) -> ToolContext {
        self.core.tool_context(&self.cancel)
    }

    /// Adds the usage of a model request outside the conversation to the totals.
    pub fn count_usage(&self, usage: &Usage) {
        self.core.count_usage(usage);
    }

    /// Emits a notice for the user.
    pub fn notice(&self, message: impl Into<String>) {
        self.core.emit(AgentEvent::Notice { message: message.into() });
    }

    /// Sends a message to the model before the next request; if the model would stop, the run continues.
    pub fn steer(&self, message: Message) {
        self.core.enqueue(Lane::Steering, message);
    }

    /// Notifies clients and then every tool of a session event.
    pub async fn announce(&self, event: SessionEvent) {
        self.core.announce(event).await;
    }
}

impl fmt::Debug for TurnContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnContext").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}
