//! The state of an agent, shared by its handle, its running loop and the views for tools.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;
use toolsmith_llm::{
    AssistantMessage, EncodedHistory, Message, Model, Provider, ThinkingLevel, ToolDefinition, Usage,
};
use toolsmith_tool::{
    AgentView, CancelToken, PendingHandle, PendingStack, PendingSubscription, SessionView, ToolContext,
    UiHandle,
};

use super::{
    agent::{PromptError, RunSummary},
    builder::AgentLimits,
};
use crate::{
    Conversation,
    dispatch::{CallOutcome, Dispatcher},
    events::{AgentEvent, Broadcaster, RunEnd},
    prompt::{PromptPart, SystemPrompt, ToolNotes},
    queues::{Lane, Queued, Queues},
    turn::TurnHook,
};

/// The current model and its provider.
#[derive(Clone)]
pub(crate) struct Selected {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) model: Model,
    pub(crate) thinking: ThinkingLevel,
}

/// Activity of the agent.
#[derive(Clone, Debug)]
pub(super) enum Activity {
    Idle { last: Option<Arc<RunSummary>> },
    Running { cancel: CancelToken },
}

pub(crate) struct Core {
    pub(super) selected: RwLock<Selected>,
    pub(super) dispatcher: Dispatcher,
    pub(super) system: RwLock<SystemPrompt>,
    pub(super) conversation: Arc<dyn Conversation>,
    /// The parts that requests have in common.
    pub(super) encoded: EncodedHistory,
    pub(super) queues: Queues,
    pub(super) pending: Arc<PendingStack>,
    /// Converts stack changes to events.
    pub(super) _pending_told: PendingSubscription,
    pub(super) ui: UiHandle,
    pub(super) session: Arc<dyn SessionView>,
    pub(super) view: Arc<dyn AgentView>,
    pub(super) hooks: Vec<Arc<dyn TurnHook>>,
    pub(super) limits: AgentLimits,
    pub(super) clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    pub(super) events: Broadcaster,
    pub(super) activity: watch::Sender<Activity>,
    pub(super) totals: Mutex<(Totals, Totals)>,
    /// Replaces the system prompt for the current run.
    pub(super) run_system: Mutex<Option<String>>,
    /// Number of runs whose hooks have not settled.
    pub(super) settling: watch::Sender<usize>,
}

/// A run whose hooks have not settled.
pub(crate) struct Settling<'a>(&'a Core);

impl Drop for Settling<'_> {
    fn drop(&mut self) {
        self.0.settling.send_modify(|count| *count -= 1);
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.selected().model.reference())
            .field("activity", &*self.activity.borrow())
            .finish_non_exhaustive()
    }
}

impl Core {
    pub(crate) fn selected(&self) -> Selected {
        self.selected.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    pub(crate) fn conversation(&self) -> &dyn Conversation {
        self.conversation.as_ref()
    }

    pub(crate) fn encoded_history(&self) -> &EncodedHistory {
        &self.encoded
    }

    pub(crate) fn session(&self) -> &dyn SessionView {
        self.session.as_ref()
    }

    pub(crate) fn hooks(&self) -> &[Arc<dyn TurnHook>] {
        &self.hooks
    }

    pub(crate) fn limits(&self) -> &AgentLimits {
        &self.limits
    }

    pub(crate) fn now(&self) -> u64 {
        (self.clock)()
    }

    /// Renders the system prompt for a request that offers these tools.
    pub(crate) fn system_prompt(&self, tools: &[ToolDefinition]) -> String {
        let replaced = self.run_system.lock().unwrap_or_else(PoisonError::into_inner).clone();
        replaced.unwrap_or_else(|| {
            let system = self.system.read().unwrap_or_else(PoisonError::into_inner);
            let notes = self.dispatcher.registry().read(|registry| {
                ToolNotes::of(
                    tools.iter().filter_map(|tool| registry.get(&tool.name)).map(|found| found.tool.spec()),
                )
            });
            system.render_with(tools, &notes)
        })
    }

    /// Returns the parts of the system prompt for the active tools, and the tools.
    pub(crate) fn prompt_parts(&self) -> (Vec<PromptPart>, Vec<ToolDefinition>) {
        let (tools, notes) = self.dispatcher.registry().read(|registry| {
            let specs = || registry.active().map(|found| found.tool.spec()).filter(|spec| !spec.hidden);
            let tools: Vec<ToolDefinition> = specs()
                .map(|spec| ToolDefinition::new(&spec.name, &spec.description, Arc::clone(&spec.parameters)))
                .collect();
            (tools, ToolNotes::of(specs()))
        });
        let system = self.system.read().unwrap_or_else(PoisonError::into_inner);
        (system.parts(&tools, &notes), tools)
    }

    /// Renders the system prompt for the active tools.
    pub(crate) fn current_system_prompt(&self) -> String {
        let tools: Vec<ToolDefinition> = self.dispatcher.registry().read(|registry| {
            let specs = registry.active().map(|found| found.tool.spec());
            specs.map(|spec| ToolDefinition::new(&spec.name, &spec.description, Value::Null)).collect()
        });
        self.system_prompt(&tools)
    }

    pub(crate) fn system_prompt_options(&self) -> Value {
        let (names, notes) = self.dispatcher.registry().read(|registry| {
            let names: Vec<String> = registry.active().map(|found| found.tool.spec().name.clone()).collect();
            (names, ToolNotes::of(registry.active().map(|found| found.tool.spec())))
        });
        let system = self.system.read().unwrap_or_else(PoisonError::into_inner);
        system.options_json(&names, &notes)
    }

    pub(crate) fn set_run_system(&self, system: Option<String>) {
        *self.run_system.lock().unwrap_or_else(PoisonError::into_inner) = system;
    }

    pub(crate) fn begin_settling(&self) -> Settling<'_> {
        self.settling.send_modify(|count| *count += 1);
        Settling(self)
    }

    pub(crate) fn emit(&self, event: AgentEvent) {
        for hook in &self.hooks {
            hook.on_event(&event);
        }
        self.events.emit(event);
    }

    /// Creates the context for a tool; updates go to the observer of the call.
    pub(crate) fn tool_context(&self, cancel: &CancelToken) -> ToolContext {
        ToolContext::detached()
            .with_cancel(cancel.child())
            .with_pending(PendingHandle::new(Arc::clone(&self.pending)))
            .with_ui(self.ui.clone())
            .with_session(Arc::clone(&self.session))
            .with_agent(Arc::clone(&self.view))
    }

    pub(crate) fn queued(&self) -> Queued {
        self.queues.counts()
    }

    pub(crate) fn enqueue(&self, lane: Lane, message: Message) {
        self.queues.push(lane, message);
        self.tell_queues();
    }

    pub(crate) fn take_queued(&self, lane: Lane) -> Vec<Message> {
        let taken = self.queues.take(lane);
        if !taken.is_empty() {
            self.tell_queues();
        }
        taken
    }

    pub(super) fn tell_queues(&self) {
        let Queued { steering, follow_up } = self.queued();
        self.emit(AgentEvent::QueueChanged { steering, follow_up });
    }

    /// Switches from idle to busy; returns the summary of the last run.
    pub(super) fn begin_activity(
        &self,
        cancel: &CancelToken,
    ) -> Result<Option<Arc<RunSummary>>, PromptError> {
        let mut before = Err(PromptError::Busy);
        self.activity.send_if_modified(|activity| {
            let Activity::Idle { last } = activity else {
                return false;
            };
            before = Ok(last.take());
            *activity = Activity::Running { cancel: cancel.clone() };
            true
        });
        before
    }

    pub(super) fn is_idle(&self) -> bool {
        matches!(&*self.activity.borrow(), Activity::Idle { .. })
    }

    pub(super) fn abort(&self, reason: &str, force: bool) {
        let cancel = match &*self.activity.borrow() {
            Activity::Running { cancel } => cancel.clone(),
            Activity::Idle { .. } => return,
        };
        if force {
            cancel.force(reason);
        } else {
            cancel.cancel(reason);
        }
    }

    /// Usage of all runs, and of the current one.
    pub(super) fn totals(&self) -> MutexGuard<'_, (Totals, Totals)> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin_run(&self) {
        self.totals().1 = Totals::default();
    }

    pub(crate) fn count_answer(&self, message: &AssistantMessage) {
        let mut totals = self.totals();
        totals.0.add_answer(&message.usage);
        totals.1.add_answer(&message.usage);
    }

    /// Adds the usage of a model request outside the conversation.
    pub(crate) fn count_usage(&self, usage: &Usage) {
        let mut totals = self.totals();
        totals.0.add_usage(usage);
        totals.1.add_usage(usage);
    }

    pub(crate) fn count_calls(&self, outcomes: &[CallOutcome]) {
        let failed = outcomes.iter().filter(|outcome| outcome.is_error()).count();
        let mut totals = self.totals();
        totals.0.add_calls(outcomes.len(), failed);
        totals.1.add_calls(outcomes.len(), failed);
    }

    /// Emits the end of a run. A receiver can prompt at once, and no event of the next run can come before: the event
    /// is sent while the activity is locked. Sending never blocks.
    pub(crate) fn finish_run(&self, end: RunEnd, messages: Vec<Message>) {
        let totals = self.totals().1;
        let text = messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::Assistant(message) => Some(message.text()),
                _ => None,
            })
            .unwrap_or_default();
        let summary = RunSummary { end: end.clone(), text, totals };
        self.activity.send_modify(|activity| {
            *activity = Activity::Idle { last: Some(Arc::new(summary)) };
            self.emit(AgentEvent::AgentEnd { end, messages, usage: totals.usage });
        });
    }
}

/// Usage of one run or of all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Totals {
    /// Tokens and cost.
    pub usage: Usage,
    /// Model responses.
    pub turns: usize,
    /// Tool calls.
    pub tool_calls: usize,
    /// Failed tool calls.
    pub failed_calls: usize,
}

impl Totals {
    pub(super) fn add_answer(&mut self, usage: &Usage) {
        self.turns += 1;
        self.add_usage(usage);
    }

    pub(super) fn add_usage(&mut self, more: &Usage) {
        let all = &mut self.usage;
        all.input = all.input.saturating_add(more.input);
        all.output = all.output.saturating_add(more.output);
        all.cache_read = all.cache_read.saturating_add(more.cache_read);
        all.cache_write = all.cache_write.saturating_add(more.cache_write);
        all.total_tokens = all.total_tokens.saturating_add(more.total_tokens);
        all.cost.input += more.cost.input;
        all.cost.output += more.cost.output;
        all.cost.cache_read += more.cost.cache_read;
        all.cost.cache_write += more.cost.cache_write;
        all.cost.total += more.cost.total;
    }

    pub(super) fn add_calls(&mut self, calls: usize, failed: usize) {
        self.tool_calls += calls;
        self.failed_calls += failed;
    }
}
