//! Turn hooks, which take part in the loop: they compact the conversation, plan the next request, interrupt a response,
//! continue where the model would stop, or retry after an error. Pending previews, reminders, retries and stream rules
//! are hooks.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use toolsmith_llm::{
    AssistantMessage, Capabilities, Exchange, LlmError, Message, StreamEvent, ThinkingLevel, ToolChoice,
};
use toolsmith_tool::ToolContext;

use super::{
    compaction::{CompactionDecision, CompactionPlan, CompactionReport},
    context::TurnContext,
};
use crate::events::{AgentEvent, RunEnd};

/// The next request, as far as hooks can change it.
#[derive(Clone)]
#[non_exhaustive]
pub struct RequestPlan {
    /// The conversation as the model will see it. Changes affect this request only.
    pub messages: Vec<Arc<Message>>,
    /// Names of the tools to offer: the active ones. Any registered tool can be named.
    pub tools: Vec<String>,
    /// Which tools may or must be called.
    pub tool_choice: ToolChoice,
    /// Thinking level.
    pub thinking: ThinkingLevel,
    /// Capabilities of the model.
    pub capabilities: Capabilities,
    /// Sees the exchange with the provider.
    pub exchange: Option<Arc<dyn Exchange>>,
    /// Context for hooks that run code of tools and extensions.
    pub context: ToolContext,
}

impl fmt::Debug for RequestPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestPlan")
            .field("messages", &self.messages)
            .field("tools", &self.tools)
            .field("tool_choice", &self.tool_choice)
            .field("thinking", &self.thinking)
            .finish_non_exhaustive()
    }
}

/// Source of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputSource {
    /// A person.
    #[default]
    Interactive,
    /// A program.
    Rpc,
    /// An extension.
    Extension,
}

impl InputSource {
    /// Returns the name extensions see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Rpc => "rpc",
            Self::Extension => "extension",
        }
    }
}

/// A run that is about to start, as far as hooks can change it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunStart {
    /// The prompt, and messages added to it.
    pub messages: Vec<Message>,
    /// Replaces the system prompt for this run.
    pub system: Option<String>,
    /// The prompt was handled; the model is not asked.
    pub handled: bool,
    /// The prompt is not sent, for this reason.
    pub refused: Option<String>,
    /// Source of the prompt.
    pub source: InputSource,
}

/// Decision after a failed request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AfterError {
    /// The run ends.
    #[default]
    End,
    /// Repeat the request. What had arrived is discarded.
    Again,
}

/// A hook interrupts a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt;

/// Handling of an interrupted response.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// Keeps what had arrived in the conversation. Its calls do not run.
    pub keep_partial: bool,
    /// Messages for the model before the request is repeated.
    pub messages: Vec<Message>,
}

/// Takes part in the loop. Every method does nothing by default. Hooks are called in the order they were added.
#[async_trait]
pub trait TurnHook: Send + Sync {
    /// Called before a prompt starts a run. The prompt may be changed, completed or handled here.
    async fn run_starting(&self, _start: &mut RunStart, _context: &TurnContext) {}

    /// Called for every event of the agent. Called often; must not block.
    fn on_event(&self, _event: &AgentEvent) {}

    /// Called at the start of a turn, before queued messages are added.
    async fn turn_started(&self, _turn: usize, _context: &TurnContext) {}

    /// Called when a message starts. A response of the model is still empty here.
    async fn message_started(&self, _message: &Message, _context: &TurnContext) {}

    /// Called when a message is complete, before it is stored. Returns a replacement with the same role, or nothing.
    async fn message_ending(&self, _message: &Message, _context: &TurnContext) -> Option<Message> {
        None
    }

    /// Called before a compaction. The first hook that does not proceed decides.
    async fn before_compaction(
        &self,
        _plan: &CompactionPlan<'_>,
        _context: &TurnContext,
    ) -> CompactionDecision {
        CompactionDecision::Proceed
    }

    /// Called after a compaction, successful or not.
    async fn after_compaction(&self, _report: &CompactionReport, _context: &TurnContext) {}

    /// Returns the reason why the run must end before its next model request, such as a budget that is used up.
    fn limit_reached(&self) -> Option<String> {
        None
    }

    /// Called when a prompt starts a run.
    async fn run_started(&self, _context: &TurnContext) {}

    /// Called at the start of a turn: queued messages are in the conversation, and nothing is planned. The conversation
    /// itself may be changed here, such as by compacting it.
    async fn before_request(&self, _context: &TurnContext) {}

    /// Called before each request.
    async fn next_request(&self, _plan: &mut RequestPlan) {}

    /// Returns messages for the model at the start of each turn. They become a permanent part of the conversation.
    async fn notes(&self, _context: &TurnContext) -> Vec<Message> {
        Vec::new()
    }

    /// Called for each event of a response but the last. The first hook that interrupts receives
    /// [`TurnHook::interrupted`]. Called often; must not block.
    fn on_stream(&self, _event: &StreamEvent, _partial: &AssistantMessage) -> Option<Interrupt> {
        None
    }

    /// Called after this hook interrupted a response. The connection is closed; the request is repeated afterwards.
    async fn interrupted(&self, _partial: &AssistantMessage, _context: &TurnContext) -> Interruption {
        Interruption::default()
    }

    /// Called when a response is complete, before its calls run.
    async fn after_answer(&self, _message: &AssistantMessage, _context: &TurnContext) {}

    /// Called at the end of a turn: the response and the results of its calls are stored.
    async fn after_turn(&self, _message: &AssistantMessage, _results: &[Message], _context: &TurnContext) {}

    /// Called when the model is done and nothing is queued. A message continues the run.
    async fn before_stop(&self, _context: &TurnContext) -> Option<Message> {
        None
    }

    /// Called after the request failed `attempt` times in a row. The hook waits itself, and stops when the run is
    /// cancelled. The first hook that wants a retry decides.
    async fn on_error(&self, _error: &LlmError, _attempt: usize, _context: &TurnContext) -> AfterError {
        AfterError::End
    }

    /// Called when a run would end, with the messages it added. If messages are queued afterwards, the run continues.
    async fn run_ended(&self, _end: &RunEnd, _messages: &[Message], _context: &TurnContext) {}

    /// Called after the last event of a run, when another one can start.
    async fn settled(&self, _end: &RunEnd, _context: &TurnContext) {}

    /// Called when nothing of a run is left.
    fn run_over(&self) {}
}
