//! The handle: how a front end talks to an agent.

use std::sync::{Arc, PoisonError};

use thiserror::Error;
use toolsmith_llm::{ContentBlock, Endpoint, InputMessage, Message, Model, Provider, ThinkingLevel};
use toolsmith_tool::{CancelToken, PendingStack};

use super::{
    builder::AgentBuilder,
    state::{Activity, Core, Selected},
    totals::Totals,
};
use crate::{
    conversation::Conversation,
    dispatch::{Dispatcher, check_image},
    events::{RunEnd, Subscription},
    panics,
    prompt::SystemPrompt,
    queues::{Lane, QueueMode},
    turn,
};

/// What a person says: a text, and images.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// Texts and images, in order.
    pub content: Vec<ContentBlock>,
}

impl Prompt {
    /// Texts and images.
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

/// A prompt was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A run is on its way.
    #[error(
        "Agent is already processing. Use steer() or follow_up() to queue messages, or wait for completion."
    )]
    Busy,
    /// There is nothing in it.
    #[error("The prompt is empty")]
    Empty,
    /// A run needs a tokio runtime to run on.
    #[error("There is no tokio runtime here to run on")]
    NoRuntime,
    /// No provider would take the image, in this request or in any after it.
    #[error("The image cannot be sent: {0}")]
    Image(String),
}

/// There is nothing to go on from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ContinueError {
    /// A run is on its way.
    #[error(transparent)]
    Busy(#[from] PromptError),
    /// The conversation has not begun.
    #[error("Cannot continue: no messages in context")]
    NoMessages,
    /// The model had the last word.
    #[error("Cannot continue from message role: assistant")]
    AfterAssistant,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunSummary {
    /// How it ended.
    pub end: RunEnd,
    /// The model's last words.
    pub text: String,
    /// What it used.
    pub totals: Totals,
}

/// An agent. Clones are the same agent; when the last one is dropped, a run on its way is stopped.
#[derive(Clone, Debug)]
pub struct Agent {
    owner: Arc<Owner>,
}

#[derive(Debug)]
struct Owner {
    core: Arc<Core>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.core.abort("the agent is gone", true);
    }
}

impl Agent {
    /// Starts to set up an agent.
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
    /// When a run is on its way, there is nothing in the prompt, or this is not a thread of a tokio runtime.
    pub fn prompt(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        let message = self.message(prompt.into())?;
        self.start(vec![message])
    }

    /// Starts a run and waits for its end.
    ///
    /// # Errors
    /// When a run is on its way, or there is nothing in the prompt.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<Arc<RunSummary>, PromptError> {
        self.prompt(prompt)?;
        // A run that began has an end.
        self.wait_for_idle().await.ok_or(PromptError::Busy)
    }

    /// Starts a run from where the conversation is: after a person's message, or after results.
    ///
    /// # Errors
    /// When a run is on its way, or the conversation is empty or ends with the model's own words.
    pub fn continue_run(&self) -> Result<(), ContinueError> {
        match self.core().conversation().context().last().map(Arc::as_ref) {
            None => Err(ContinueError::NoMessages),
            Some(Message::Assistant(_)) => Err(ContinueError::AfterAssistant),
            Some(_) => Ok(self.start(Vec::new())?),
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

    fn start(&self, messages: Vec<Message>) -> Result<(), PromptError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PromptError::NoRuntime)?;
        let cancel = CancelToken::new();
        self.core().begin_activity(&cancel)?;
        let core = Arc::clone(self.core());
        runtime.spawn(async move {
            let run = turn::run(Arc::clone(&core), messages, cancel);
            if let Err(panic) = panics::catching(run).await {
                // A hook, a listener or a store failed; the agent must not stay busy for ever.
                tracing::error!(panic, "The run panicked");
                core.finish_run(RunEnd::Fatal { message: format!("The run crashed: {panic}") }, Vec::new());
            }
        });
        Ok(())
    }

    /// Says something before the next request of the run; before the first one of the next run if none is on its way.
    ///
    /// # Errors
    /// When there is nothing in it.
    pub fn steer(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        let message = self.message(prompt.into())?;
        self.core().enqueue(Lane::Steering, message);
        Ok(())
    }

    /// Says something when the agent would stop.
    ///
    /// # Errors
    /// When there is nothing in it.
    pub fn follow_up(&self, prompt: impl Into<Prompt>) -> Result<(), PromptError> {
        let message = self.message(prompt.into())?;
        self.core().enqueue(Lane::FollowUp, message);
        Ok(())
    }

    /// Queues a message that is not a person's, such as a reminder, before the next request.
    pub fn steer_message(&self, message: Message) {
        self.core().enqueue(Lane::Steering, message);
    }

    /// Takes back all queued messages, steering first.
    pub fn clear_queues(&self) -> Vec<Message> {
        let taken = self.core().queues.clear();
        if !taken.is_empty() {
            self.core().tell_queues();
        }
        taken
    }

    /// How many messages wait: for the next request, for the end of the run.
    pub fn queued(&self) -> (usize, usize) {
        self.core().queued()
    }

    /// Asks the run to stop. Queued messages stay.
    pub fn abort(&self, reason: &str) {
        self.core().abort(reason, false);
    }

    /// Stops the run at once: tools that have not ended are ended.
    pub fn abort_by_force(&self, reason: &str) {
        self.core().abort(reason, true);
    }

    /// Whether no run is on its way.
    pub fn is_idle(&self) -> bool {
        self.core().is_idle()
    }

    /// Waits until no run is on its way; gives how the last one went, if there was one.
    pub async fn wait_for_idle(&self) -> Option<Arc<RunSummary>> {
        let mut activity = self.core().activity.subscribe();
        // The sender lives as long as this handle.
        let idle = activity.wait_for(|activity| matches!(activity, Activity::Idle { .. })).await.ok()?;
        match &*idle {
            Activity::Idle { last } => last.clone(),
            Activity::Running { .. } => None,
        }
    }

    /// Hears everything that happens from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.core().events.subscribe()
    }

    /// The conversation.
    pub fn conversation(&self) -> Arc<dyn Conversation> {
        Arc::clone(&self.core().conversation)
    }

    /// How calls are made, and with which tools.
    pub fn dispatcher(&self) -> &Dispatcher {
        self.core().dispatcher()
    }

    /// Where tools stage actions.
    pub fn pending(&self) -> &Arc<PendingStack> {
        &self.core().pending
    }

    /// What was used by all runs so far.
    pub fn totals(&self) -> Totals {
        self.core().totals().0
    }

    /// The model that is asked.
    pub fn model(&self) -> Model {
        self.core().selected().model
    }

    /// Where that model is asked; `None` when it is no place anybody could configure.
    pub fn endpoint(&self) -> Option<Endpoint> {
        self.core().selected().provider.endpoint()
    }

    /// Asks another model from the next request on.
    pub fn set_model(&self, provider: Arc<dyn Provider>, model: Model) {
        let mut selected = self.core().selected.write().unwrap_or_else(PoisonError::into_inner);
        *selected = Selected { provider, model, thinking: selected.thinking };
    }

    /// Thinks this hard from the next request on.
    pub fn set_thinking(&self, level: ThinkingLevel) {
        self.core().selected.write().unwrap_or_else(PoisonError::into_inner).thinking = level;
    }

    /// How hard the model is asked to think.
    pub fn thinking(&self) -> ThinkingLevel {
        self.core().selected().thinking
    }

    /// How waiting messages are delivered: steering, follow-ups.
    pub fn queue_modes(&self) -> (QueueMode, QueueMode) {
        self.core().queues.modes()
    }

    /// Delivers waiting steering messages like this from now on.
    pub fn set_steering_mode(&self, mode: QueueMode) {
        self.core().queues.set_mode(Lane::Steering, mode);
    }

    /// Delivers waiting follow-ups like this from now on.
    pub fn set_follow_up_mode(&self, mode: QueueMode) {
        self.core().queues.set_mode(Lane::FollowUp, mode);
    }

    /// Uses another system prompt from the next request on.
    pub fn set_system_prompt(&self, system: SystemPrompt) {
        *self.core().system.write().unwrap_or_else(PoisonError::into_inner) = system;
    }
}
