//! The builder of an agent.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, RwLock, Weak},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;
use thiserror::Error;
use tokio::sync::watch;
use toolsmith_llm::{EncodedHistory, Model, Provider, Selection, ThinkingLevel};
use toolsmith_tool::{AgentView, PendingStack, PendingSubscription, Registry, SessionView, UiHandle};

use super::{
    agent::Agent,
    default_views::{CoreView, FindModel, FolderSession},
    state::{Activity, Core, Selected},
};
use crate::{
    Conversation, InMemory,
    dispatch::Dispatcher,
    events::{AgentEvent, Broadcaster},
    prompt::SystemPrompt,
    queues::{QueueMode, Queues},
    turn::TurnHook,
};

/// Limits of a run, and delivery of queued messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentLimits {
    /// Maximum number of model turns per prompt.
    pub max_turns: usize,
    /// Maximum number of consecutive turns in which no call ran: unknown tools, invalid arguments, refused calls.
    pub max_refused_turns: usize,
    /// Delivery of steering messages.
    pub steering: QueueMode,
    /// Delivery of follow-up messages.
    pub follow_up: QueueMode,
    /// Deadline for one tool to handle a session event.
    pub hearing: Duration,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            max_turns: 1000,
            max_refused_turns: 15,
            steering: QueueMode::default(),
            follow_up: QueueMode::default(),
            hearing: Duration::from_secs(5),
        }
    }
}

impl AgentLimits {
    /// Sets the maximum number of turns per prompt.
    #[must_use]
    pub fn max_turns(mut self, turns: usize) -> Self {
        self.max_turns = turns;
        self
    }

    /// Sets the deadline for one tool to handle a session event.
    #[must_use]
    pub fn hearing(mut self, time: Duration) -> Self {
        self.hearing = time;
        self
    }
}

/// Errors of the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No model was given.
    #[error("no model selected; give the agent a provider and a model")]
    NoModel,
}

/// Builds an [`Agent`].
#[must_use]
pub struct AgentBuilder {
    selected: Option<Selected>,
    dispatcher: Option<Dispatcher>,
    system: SystemPrompt,
    conversation: Arc<dyn Conversation>,
    pending: Arc<PendingStack>,
    ui: UiHandle,
    session: Option<Arc<dyn SessionView>>,
    cwd: PathBuf,
    hooks: Vec<Arc<dyn TurnHook>>,
    limits: AgentLimits,
    settings: Value,
    models: Arc<dyn Fn() -> Vec<Model> + Send + Sync>,
    find_model: FindModel,
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl Default for AgentBuilder {
    fn default() -> Self {
        Self {
            selected: None,
            dispatcher: None,
            system: SystemPrompt::default(),
            conversation: Arc::new(InMemory::default()),
            pending: PendingStack::new(),
            ui: UiHandle::headless(),
            session: None,
            cwd: PathBuf::new(),
            hooks: Vec::new(),
            limits: AgentLimits::default(),
            settings: Value::Object(serde_json::Map::new()),
            models: Arc::new(Vec::new),
            find_model: None,
            clock: Arc::new(|| {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            }),
        }
    }
}

impl AgentBuilder {
    /// Sets the provider and the model.
    pub fn model(mut self, provider: Arc<dyn Provider>, model: Model) -> Self {
        let thinking = self.selected.map_or(ThinkingLevel::Off, |selected| selected.thinking);
        self.selected = Some(Selected { provider, model, thinking });
        self
    }

    /// Sets the model selected by [`toolsmith_llm::Providers::select`].
    pub fn selection(self, selection: Selection) -> Self {
        let thinking = selection.thinking;
        let builder = self.model(selection.provider, selection.model);
        match thinking {
            Some(level) => builder.thinking(level),
            None => builder,
        }
    }

    /// Sets the thinking level. Must come after the model.
    pub fn thinking(mut self, level: ThinkingLevel) -> Self {
        if let Some(selected) = &mut self.selected {
            selected.thinking = level;
        }
        self
    }

    /// Sets the dispatcher, which owns the tools.
    pub fn dispatcher(mut self, dispatcher: Dispatcher) -> Self {
        self.dispatcher = Some(dispatcher);
        self
    }

    /// Sets the system prompt.
    pub fn system_prompt(mut self, system: SystemPrompt) -> Self {
        self.system = system;
        self
    }

    /// Sets where the conversation is stored.
    pub fn conversation(mut self, conversation: Arc<dyn Conversation>) -> Self {
        self.conversation = conversation;
        self
    }

    /// Sets the stack of pending actions.
    pub fn pending(mut self, pending: Arc<PendingStack>) -> Self {
        self.pending = pending;
        self
    }

    /// Sets the UI for tools.
    pub fn ui(mut self, ui: UiHandle) -> Self {
        self.ui = ui;
        self
    }

    /// Sets the view of the session for tools.
    pub fn session(mut self, session: Arc<dyn SessionView>) -> Self {
        self.session = Some(session);
        self
    }

    /// Sets the working directory of tools that run without a session.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Adds a turn hook. Hooks are called in the order they were added.
    pub fn hook(mut self, hook: Arc<dyn TurnHook>) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Sets the limits of a run.
    pub fn limits(mut self, limits: AgentLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the settings tools see, without secrets.
    pub fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the models tools see.
    pub fn models(self, models: impl IntoIterator<Item = Model>) -> Self {
        let models: Vec<Model> = models.into_iter().collect();
        self.models_from(move || models.clone())
    }

    /// Sets the source of the models tools see. It is asked when a tool asks.
    pub fn models_from(mut self, models: impl Fn() -> Vec<Model> + Send + Sync + 'static) -> Self {
        self.models = Arc::new(models);
        self
    }

    /// Sets how a model is found that is not among those, such as one without a key.
    pub fn find_model(mut self, find: impl Fn(&str, &str) -> Option<Model> + Send + Sync + 'static) -> Self {
        self.find_model = Some(Arc::new(find));
        self
    }

    /// Sets the clock for messages: milliseconds since the Unix epoch.
    pub fn clock(mut self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Builds the agent.
    ///
    /// # Errors
    /// Fails if no model was given.
    pub fn build(self) -> Result<Agent, BuildError> {
        let selected = self.selected.ok_or(BuildError::NoModel)?;
        let dispatcher = self.dispatcher.unwrap_or_else(|| Dispatcher::builder(Registry::new()).build());
        let session = self.session.unwrap_or_else(|| Arc::new(FolderSession { cwd: self.cwd }));
        let (models, find_model) = (self.models, self.find_model);
        let settings = self.settings;
        let core = Arc::new_cyclic(|core| Core {
            selected: RwLock::new(selected),
            dispatcher,
            system: RwLock::new(self.system),
            conversation: self.conversation,
            encoded: EncodedHistory::default(),
            queues: Queues::new(self.limits.steering, self.limits.follow_up),
            _pending_told: tell_pending(&self.pending, core),
            pending: self.pending,
            ui: self.ui,
            session,
            view: Arc::new(CoreView { core: core.clone(), settings, models, find_model })
                as Arc<dyn AgentView>,
            hooks: self.hooks,
            limits: self.limits,
            clock: self.clock,
            events: Broadcaster::default(),
            activity: watch::Sender::new(Activity::Idle { last: None }),
            totals: Mutex::default(),
            run_system: Mutex::default(),
            settling: watch::Sender::new(0),
        });
        Ok(Agent::new(core))
    }
}

fn tell_pending(pending: &Arc<PendingStack>, core: &Weak<Core>) -> PendingSubscription {
    let core = core.clone();
    pending.subscribe(move |change| {
        if let (Some(core), Some(event)) = (core.upgrade(), AgentEvent::pending(change)) {
            core.emit(event);
        }
    })
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder").field("limits", &self.limits).finish_non_exhaustive()
    }
}
