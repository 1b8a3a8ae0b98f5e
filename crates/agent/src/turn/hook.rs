//! Turn hooks, which take part in the loop: they compact the conversation, plan the next request, interrupt a response,
//! continue where the model would stop, or retry after an error. Pending previews, reminders, retries and stream rules
//! are hooks.

use std::sync::Arc;

use async_trait::async_trait;
use toolsmith_llm::{
    AssistantMessage, Capabilities, LlmError, Message, StreamEvent, ThinkingLevel, ToolChoice,
};

use super::context::TurnContext;
use crate::events::RunEnd;

/// The next request, as far as hooks can change it.
#[derive(Clone, Debug)]
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

    /// Called at the end of a run, before its last event.
    async fn run_ended(&self, _end: &RunEnd, _context: &TurnContext) {}
}
