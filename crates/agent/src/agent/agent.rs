//! The agent's handle, used by clients.

use std::sync::{Arc, PoisonError, Weak};

use serde_json::Value;
use thiserror::Error;
use toolsmith_llm::{
    ContentBlock, Endpoint, InputMessage, Message, Model, Provider, ThinkingLevel, ToolDefinition,
};
use toolsmith_tool::{CancelToken, PendingStack, panics};

use super::{
    builder::AgentBuilder,
    state::{Activity, Core, Selected, Totals},
};
use crate::{
    Conversation,
    dispatch::{Dispatcher, check_image},
    events::{AgentEvent, RunEnd, Subscription},
    prompt::{PromptPart, SystemPrompt},
    queues::{Lane, QueueMode, QueueModes, Queued},
    turn::{self, InputSource},
};

/// User input: text and images.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// Text and images, in order.
    pub content: Vec<ContentBlock>,
}

impl Prompt {
    /// Creates input from these blocks.
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self { content }
    }

    /// Adds an image in base64.
    #[must_use]
    pub fn image(mut self, data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        self.content.push(ContentBlock::Image { data: data.into(), mime_type: mime_type.into() });
        self
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }
}

/// The prompt was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A run is in progress.
    #[error(
        "Agent is already processing. Use steer() or follow_up() to queue messages, or wait for completion."
    )]
    Busy,
    /// The prompt is empty.
    #[error("The prompt is empty")]
    Empty,
    /// A run needs a tokio runtime.
    #[error("a run needs a tokio runtime")]
    NoRuntime,
    /// No provider would accept the image, in this or any later request.
    #[error("The image cannot be sent: {0}")]
    Image(String),
}

/// The run cannot continue from here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ContinueError {
    /// A run is in progress.
    #[error(transparent)]
    Busy(#[from] PromptError),
    /// The conversation is empty.
    #[error("Cannot continue: no messages in context")]
    NoMessages,
    /// The conversation ends with a response of the model.
    #[error("Cannot continue from message role: assistant")]
    AfterAssistant,
}

/// Summary of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunSummary {
    /// How it ended.
    pub end: RunEnd,
    /// The model's final text.
    pub text: String,
    /// Usage of the run.
    pub totals: Totals,
}

/// An agent. Clones are the same agent; dropping the last one stops a run in progress.
#[derive(Clone, Debug)]
pub struct Agent {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    core: Arc<Core>,
}

/// A handle that does not keep the agent alive.
#[derive(Clone, Debug)]
pub struct WeakAgent {
    owner: Weak<Owner>,
}

impl WeakAgent {
    /// Returns the agent, if it is still there.
    pub fn upgrade(&self) -> Option<Agent> {
        self.owner.upgrade().map(|owner| Agent { owner })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.core.abort("the agent was dropped", true);
    }
}

impl Agent {
    /// Creates a builder.
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }

    pub(super) fn new(core: Arc<Core>) -> Self {
        Self { owner: Arc::new(Owner { core }) }
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.owner.core
    }

    /// Starts a run in the background.
    ///
    /// # Errors
    /// Fails if a run is in progress, the prompt is empty, or this is not called on a tokio runtime.
    pub fn prompt(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        self.prompt_from(prompt, InputSource::Interactive)
    }

    /// Starts a run in the background, on behalf of a person, a program or an extension.
    ///
    /// # Errors
    /// As [`Agent::prompt`].
    pub fn prompt_from(&self, prompt: impl Into<Prompt>, source: InputSource) -> Result<(), PromptError> {
        let message = self.message(prompt.into())?;
        self.start(vec![message], source)
    }

    /// Starts a run with a message that is not from the user.
    ///
    /// # Errors
    /// Fails if a run is in progress, or this is not called on a tokio runtime.
    pub fn prompt_message(&self, message: Message) -> Result<(), PromptError> {
        self.start(vec![message], InputSource::Extension)
    }

    /// Starts a run and waits for its end.
    ///
    /// # Errors
    /// Fails if a run is in progress or the prompt is empty.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<Arc<RunSummary>, PromptError> {
        self.prompt(prompt)?;
        // A started run always ends.
        self.wait_for_idle().await.ok_or(PromptError::Busy)
    }

    /// Starts a run from the current conversation: after a user message, or after tool results.
    ///
    /// # Errors
    /// Fails if a run is in progress, or the conversation is empty or ends with a response of the model.
    pub fn continue_run(&self) -> Result<(), ContinueError> {
        match self.core().conversation().context().last().map(Arc::as_ref) {
            None => Err(ContinueError::NoMessages),
            Some(Message::Assistant(_)) => Err(ContinueError::AfterAssistant),
            Some(_) => Ok(self.start(Vec::new(), InputSource::Interactive)?),
        }
    }

    fn message(&self, mut prompt: Prompt) -> Result<Message, PromptError> {
        let is_empty = |block: &ContentBlock| block.as_text().is_some_and(|text| text.trim().is_empty());
        if prompt.content.iter().all(is_empty) {
            return Err(PromptError::Empty);
        }
        for block in &mut prompt.content {
            if let ContentBlock::Image { data, mime_type } = block {
                check_image(data, mime_type).map_err(PromptError::Image)?;
            }
        }
        let mut input = InputMessage::new(prompt.content);
        input.timestamp = self.core().now();
        Ok(Message::User(input))
    }

    fn start(&self, messages: Vec<Message>, source: InputSource) -> Result<(), PromptError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PromptError::NoRuntime)?;
        let cancel = CancelToken::new();
        self.core().begin_activity(&cancel)?;
        let core = Arc::clone(self.core());
        runtime.spawn(async move {
            let run = turn::run(Arc::clone(&core), messages, source, cancel);
            if let Err(panic) = panics::catching(run).await {
                // A hook, a listener or a store panicked; the agent must not stay busy forever.
                tracing::error!(panic, "The run panicked");
                core.finish_run(RunEnd::Fatal { message: format!("The run crashed: {panic}") }, Vec::new());
            }
        });
        Ok(())
    }

    /// Queues a message for the next request of the run, or of the next run if none is in progress.
    ///
    /// # Errors
    /// Fails if the message is empty.
    pub fn steer(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        let message = self.message(prompt.into())?;
        self.core().enqueue(Lane::Steering, message);
        Ok(())
    }

    /// Queues a message for the time when the agent would stop.
    ///
    /// # Errors
    /// Fails if the message is empty.
    pub fn follow_up(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        let message = self.message(prompt.into())?;
        self.core().enqueue(Lane::FollowUp, message);
        Ok(())
    }

    /// Queues a message that is not from the user, such as a reminder, for the next request.
    pub fn steer_message(&self, message: Message) {
        self.core().enqueue(Lane::Steering, message);
    }

    /// Queues a message that is not from the user for the time when the agent would stop.
    pub fn follow_up_message(&self, message: Message) {
        self.core().enqueue(Lane::FollowUp, message);
    }

    /// Removes and returns all queued messages, steering first.
    pub fn clear_queues(&self) -> Vec<Message> {
        let taken = self.core().queues.clear();
        if !taken.is_empty() {
            self.core().tell_queues();
        }
        taken
    }

    /// Returns the number of queued messages: for the next request, and for the end of the run.
    pub fn queued(&self) -> Queued {
        self.core().queued()
    }

    /// Requests that the run stops. Queued messages stay.
    pub fn abort(&self, reason: &str) {
        self.core().abort(reason, false);
    }

    /// Stops the run immediately, killing tools that have not stopped.
    pub fn force_stop(&self, reason: &str) {
        self.core().abort(reason, true);
    }

    /// Returns whether no run is in progress.
    pub fn is_idle(&self) -> bool {
        self.core().is_idle()
    }

    /// Waits until no run is in progress; returns the summary of the last one, if any.
    pub async fn wait_for_idle(&self) -> Option<Arc<RunSummary>> {
        let mut activity = self.core().activity.subscribe();
        // The sender lives as long as this handle.
        let idle = activity.wait_for(|activity| matches!(activity, Activity::Idle { .. })).await.ok()?;
        match &*idle {
            Activity::Idle { last } => last.clone(),
            Activity::Running { .. } => None,
        }
    }

    /// Waits until no run is in progress and the hooks of the last one have settled; a hook may start another run.
    pub async fn wait_until_settled(&self) -> Option<Arc<RunSummary>> {
        let mut settling = self.core().settling.subscribe();
        loop {
            let last = self.wait_for_idle().await;
            // The sender lives as long as this handle.
            let _ = settling.wait_for(|count| *count == 0).await;
            if self.is_idle() {
                return last;
            }
        }
    }

    /// Returns a handle that does not keep the agent alive.
    pub fn downgrade(&self) -> WeakAgent {
        WeakAgent { owner: Arc::downgrade(&self.owner) }
    }

    /// Emits the events of a message that was added to the conversation outside a run.
    pub fn show_message(&self, message: Message) {
        self.core().emit(AgentEvent::MessageStart { message: message.clone() });
        self.core().emit(AgentEvent::MessageEnd { message });
    }

    /// Emits a notice for the user.
    pub fn notice(&self, message: impl Into<String>) {
        self.core().emit(AgentEvent::Notice { message: message.into() });
    }

    /// Returns the time in milliseconds since the Unix epoch.
    pub fn now(&self) -> u64 {
        self.core().now()
    }

    /// Returns the system prompt for the active tools.
    pub fn system_prompt(&self) -> String {
        self.core().current_system_prompt()
    }

    /// Returns the facts the system prompt is built from, as extensions see them.
    pub fn system_prompt_options(&self) -> Value {
        self.core().system_prompt_options()
    }

    /// Subscribes to all events from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.core().events.subscribe()
    }

    /// Returns the conversation.
    pub fn conversation(&self) -> Arc<dyn Conversation> {
        Arc::clone(&self.core().conversation)
    }

    /// Returns the parts of the system prompt for the active tools, and the tools as they are sent.
    pub fn prompt_parts(&self) -> (Vec<PromptPart>, Vec<ToolDefinition>) {
        self.core().prompt_parts()
    }

    /// Returns the dispatcher.
    pub fn dispatcher(&self) -> &Dispatcher {
        self.core().dispatcher()
    }

    /// Returns the stack of pending actions.
    pub fn pending(&self) -> &Arc<PendingStack> {
        &self.core().pending
    }

    /// Returns the usage of all runs so far.
    pub fn totals(&self) -> Totals {
        self.core().totals().0
    }

    /// Returns the current model.
    pub fn model(&self) -> Model {
        self.core().selected().model
    }

    /// Returns the endpoint of that model, or `None` if it has none that could be configured.
    pub fn endpoint(&self) -> Option<Endpoint> {
        self.core().selected().provider.endpoint()
    }

    /// Returns the provider of the current model.
    pub fn provider(&self) -> Arc<dyn Provider> {
        self.core().selected().provider
    }

    /// Asks another model from the next request on.
    pub fn set_model(&self, provider: Arc<dyn Provider>, model: Model) {
        let mut selected = self.core().selected.write().unwrap_or_else(PoisonError::into_inner);
        *selected = Selected { provider, model, thinking: selected.thinking };
    }

    /// Changes the thinking level from the next request on.
    pub fn set_thinking(&self, level: ThinkingLevel) {
        self.core().selected.write().unwrap_or_else(PoisonError::into_inner).thinking = level;
    }

    /// Returns the thinking level.
    pub fn thinking(&self) -> ThinkingLevel {
        self.core().selected().thinking
    }

    /// Returns how queued messages are delivered: steering, follow-ups.
    pub fn queue_modes(&self) -> QueueModes {
        self.core().queues.modes()
    }

    /// Changes how steering messages are delivered.
    pub fn set_steering_mode(&self, mode: QueueMode) {
        self.core().queues.set_mode(Lane::Steering, mode);
    }

    /// Changes how follow-ups are delivered.
    pub fn set_follow_up_mode(&self, mode: QueueMode) {
        self.core().queues.set_mode(Lane::FollowUp, mode);
    }

    /// Sets the appended part of the system prompt that has this origin, from the next request on.
    pub fn set_prompt_part(&self, origin: &str, text: &str) {
        let mut system = self.core().system.write().unwrap_or_else(PoisonError::into_inner);
        system.set_part(origin, text);
    }

    /// Changes the system prompt from the next request on.
    pub fn set_system_prompt(&self, system: SystemPrompt) {
        *self.core().system.write().unwrap_or_else(PoisonError::into_inner) = system;
    }
}
