//! What may take part in the loop: choose what the next request offers, go on where the model would stop, try again after
//! an error. Pending previews, reminders and retries hang here.

use std::sync::Arc;

use async_trait::async_trait;
use toolsmith_llm::{Capabilities, LlmError, Message, ThinkingLevel, ToolChoice};
use toolsmith_tool::CancelToken;

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

/// Takes part in the loop. Every method does nothing by default.
#[async_trait]
pub trait TurnHook: Send + Sync {
    /// Before each request.
    async fn next_request(&self, _plan: &mut RequestPlan) {}

    /// The model is done and nothing is queued. A message makes it go on.
    async fn before_stop(&self) -> Option<Message> {
        None
    }

    /// The model gave no whole answer, `attempt` times by now. The hook does the waiting, and stops when `cancel` is
    /// tripped. The first hook that wants the request made again is heeded.
    async fn on_error(&self, _error: &LlmError, _attempt: usize, _cancel: &CancelToken) -> AfterError {
        AfterError::End
    }
}
