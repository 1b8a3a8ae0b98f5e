//! What may take part in the loop: compact the conversation, choose what the next request offers, interrupt an answer, go on
//! where the model would stop, try again after an error. Pending previews, reminders, retries and stream rules hang here.

use std::sync::Arc;

use async_trait::async_trait;
use toolsmith_llm::{
    AssistantMessage, Capabilities, LlmError, Message, StreamEvent, ThinkingLevel, ToolChoice,
};

use super::context::TurnContext;
use crate::events::RunEnd;

/// The next request, as far as it can be chosen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestPlan {
    /// The conversation as the model will see it. Changing it changes this request only.
    pub messages: Vec<Arc<Message>>,
    /// The tools on offer, by name: the active ones. Any registered tool can be named.
    pub tools: Vec<String>,
    /// Which of them may or must be called.
    pub tool_choice: ToolChoice,
    /// How hard to think.
    pub thinking: ThinkingLevel,
    /// What can be asked of the model.
    pub capabilities: Capabilities,
}

/// What is done after the model gave no whole answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AfterError {
    /// The run ends.
    #[default]
    End,
    /// The same request again. What had arrived is forgotten.
    Again,
}

/// A hook has seen enough of an answer that is still coming in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt;

/// What is done about an answer that a hook interrupted.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// Whether what had arrived stays in the conversation. Its calls do not run.
    pub keep_partial: bool,
    /// What the model is told before it is asked again.
    pub messages: Vec<Message>,
}

/// Takes part in the loop. Every method does nothing by default. Hooks are asked in the order they were added.
#[async_trait]
pub trait TurnHook: Send + Sync {
    /// A run begins, because somebody prompted.
    async fn run_started(&self, _context: &TurnContext) {}

    /// A turn begins: what was queued is in the conversation, and nothing is planned. Here the conversation itself may be
    /// changed, such as by compacting it.
    async fn before_request(&self, _context: &TurnContext) {}

    /// Before each request.
    async fn next_request(&self, _plan: &mut RequestPlan) {}

    /// What the model has to hear first, before each request. It goes into the conversation, for good.
    async fn news(&self) -> Vec<Message> {
        Vec::new()
    }

    /// Each step of an answer but the last, with what has arrived. The first hook that interrupts is asked at
    /// [`TurnHook::interrupted`] what to do. Called often; must not wait.
    fn on_stream(&self, _event: &StreamEvent, _partial: &AssistantMessage) -> Option<Interrupt> {
        None
    }

    /// This hook interrupted an answer. The connection is closed; the model is asked again after this.
    async fn interrupted(&self, _partial: &AssistantMessage, _context: &TurnContext) -> Interruption {
        Interruption::default()
    }

    /// An answer is whole. Its calls have not run.
    async fn after_answer(&self, _message: &AssistantMessage, _context: &TurnContext) {}

    /// A turn is over: the answer and the results of its calls are kept.
    async fn after_turn(&self, _message: &AssistantMessage, _results: &[Message], _context: &TurnContext) {}

    /// The model is done and nothing is queued. A message makes it go on.
    async fn before_stop(&self, _context: &TurnContext) -> Option<Message> {
        None
    }

    /// The model gave no whole answer, `attempt` times in a row by now. The hook does the waiting, and stops when the
    /// run's cancel token is tripped. The first hook that wants the request made again is heeded.
    async fn on_error(&self, _error: &LlmError, _attempt: usize, _context: &TurnContext) -> AfterError {
        AfterError::End
    }

    /// A run is over; nothing of it has been told yet but its turns.
    async fn run_ended(&self, _end: &RunEnd, _context: &TurnContext) {}
}
