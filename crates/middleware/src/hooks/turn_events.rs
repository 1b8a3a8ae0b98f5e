//! Hooks in the loop: prompts, the end of the model's work, compaction, notifications.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolsmith_agent::{
    AgentEvent, CompactionDecision, CompactionPlan, CompactionReport, RunStart, TurnContext, TurnHook,
};
use toolsmith_llm::{ContentBlock, InputMessage, Message};
use toolsmith_tool::ToolContext;

use super::{definition::HookEvent, names::claude_name, runner::Hooks, session_events::SessionStartSource};

/// Maximum number of times hooks may continue a run that would stop.
const MAX_CONTINUATIONS: usize = 8;

/// Lets hooks take part in turns.
#[derive(Debug)]
pub struct HookEvents {
    hooks: Hooks,
    continuations: AtomicUsize,
    /// The prompt that hooks have seen already.
    seen: Mutex<Option<String>>,
    /// Context for events that nobody waits for.
    running: Mutex<Option<ToolContext>>,
}

impl HookEvents {
    /// Creates the turn hook.
    pub fn new(hooks: Hooks) -> Self {
        let continuations = AtomicUsize::new(0);
        Self { hooks, continuations, seen: Mutex::default(), running: Mutex::default() }
    }

    fn set_running(&self, context: Option<ToolContext>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = context;
    }

    /// Runs the hooks of a prompt: its texts for the model, or why it is not sent.
    async fn submit(&self, prompt: &str, context: &TurnContext) -> Result<Vec<String>, String> {
        let fields = json!({ "prompt": prompt });
        let tools = context.tool_context();
        let answer = self.hooks.fire(HookEvent::UserPromptSubmit, "", fields, &tools, context.cancel()).await;
        match answer.stop.or(answer.block) {
            Some(reason) => Err(reason),
            None => Ok(answer.context),
        }
    }
}

fn developer(text: String, context: &TurnContext) -> Message {
    let mut input = InputMessage::text(text);
    input.timestamp = context.now();
    Message::Developer(input)
}

#[async_trait]
impl TurnHook for HookEvents {
    async fn run_starting(&self, start: &mut RunStart, context: &TurnContext) {
        self.continuations.store(0, Ordering::Relaxed);
        self.set_running(Some(context.tool_context()));
        self.hooks.started(context.cancel()).await;
        let mut texts = self.hooks.take_context();
        if self.hooks.has(HookEvent::UserPromptSubmit)
            && let Some(Message::User(prompt)) = start.messages.first()
        {
            let prompt = text_of(&prompt.content);
            match self.submit(&prompt, context).await {
                Ok(more) => texts.extend(more),
                Err(reason) => {
                    self.hooks.keep_context(texts);
                    start.refused = Some(format!("The prompt was blocked by a hook: {reason}"));
                    return;
                }
            }
            *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(prompt);
        }
        start.messages.extend(texts.into_iter().map(|text| developer(text, context)));
    }

    /// Messages that are queued while the model works are prompts too.
    async fn message_ending(&self, message: &Message, context: &TurnContext) -> Option<Message> {
        let Message::User(prompt) = message else { return None };
        if !self.hooks.has(HookEvent::UserPromptSubmit) {
            return None;
        }
        let text = text_of(&prompt.content);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        if seen.as_ref() == Some(&text) {
            return None;
        }
        let mut prompt = prompt.clone();
        match self.submit(&text, context).await {
            Ok(texts) => prompt.content.extend(texts.into_iter().map(ContentBlock::text)),
            Err(reason) => {
                context.notice(format!("The message was blocked by a hook: {reason}"));
                prompt.content = vec![ContentBlock::text("[A hook blocked this message.]")];
            }
        }
        Some(Message::User(prompt))
    }

    fn on_event(&self, event: &AgentEvent) {
        let AgentEvent::ApprovalRequested { request } = event else { return };
        if !self.hooks.has(HookEvent::Notification) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (hooks, context) = (self.hooks.clone(), running.unwrap_or_else(ToolContext::detached));
        let tool = claude_name(&request.tool_name).unwrap_or(&request.tool_name).to_owned();
        runtime.spawn(async move {
            let kind = "permission_prompt";
            let message = format!("Toolsmith needs your permission to use {tool}");
            let fields = json!({ "message": message, "title": "Toolsmith", "notification_type": kind });
            hooks.fire(HookEvent::Notification, kind, fields, &context, &context.cancel).await;
        });
    }

    async fn before_stop(&self, context: &TurnContext) -> Option<Message> {
        if !self.hooks.has(HookEvent::Stop) {
            return None;
        }
        let done = self.continuations.load(Ordering::Relaxed);
        let last = context.messages().iter().rev().find_map(|message| match message.as_ref() {
            Message::Assistant(said) => Some(said.text()),
            _ => None,
        });
        let fields = json!({ "stop_hook_active": done > 0, "last_assistant_message": last });
        let tools = context.tool_context();
        let answer = self.hooks.fire(HookEvent::Stop, "", fields, &tools, context.cancel()).await;
        if let Some(reason) = answer.stop {
            context.notice(format!("Stopped by a hook: {reason}"));
            return None;
        }
        let texts: Vec<String> = answer.block.into_iter().chain(answer.context).collect();
        if texts.is_empty() {
            return None;
        }
        if done >= MAX_CONTINUATIONS {
            context.notice(format!("A hook continued the run {done} times; it stops now"));
            return None;
        }
        self.continuations.store(done + 1, Ordering::Relaxed);
        Some(developer(texts.join("\n"), context))
    }

    async fn before_compaction(
        &self,
        plan: &CompactionPlan<'_>,
        context: &TurnContext,
    ) -> CompactionDecision {
        if !self.hooks.has(HookEvent::PreCompact) {
            return CompactionDecision::Proceed;
        }
        let trigger = if plan.trigger.is_some() { "auto" } else { "manual" };
        let fields =
            json!({ "trigger": trigger, "custom_instructions": plan.instructions.unwrap_or_default() });
        let tools = context.tool_context();
        let answer = self.hooks.fire(HookEvent::PreCompact, trigger, fields, &tools, context.cancel()).await;
        match answer.stop.or(answer.block) {
            Some(reason) => {
                context.notice(format!("A hook prevented the compaction: {reason}"));
                CompactionDecision::Cancel
            }
            None => CompactionDecision::Proceed,
        }
    }

    async fn after_compaction(&self, report: &CompactionReport, context: &TurnContext) {
        let CompactionReport::Done { entry, trigger, .. } = report else { return };
        let tools = context.tool_context();
        if self.hooks.has(HookEvent::PostCompact) {
            let trigger = if trigger.is_some() { "auto" } else { "manual" };
            let summary = entry.get("summary").cloned().unwrap_or(Value::Null);
            let fields = json!({ "trigger": trigger, "compact_summary": summary });
            self.hooks.fire(HookEvent::PostCompact, trigger, fields, &tools, context.cancel()).await;
        }
        if self.hooks.has(HookEvent::SessionStart) {
            let texts = self.hooks.session_start(SessionStartSource::Compact, &tools, context.cancel()).await;
            self.hooks.keep_context(texts);
        }
    }

    /// Texts of hooks that ran during the run, such as after a compaction.
    async fn notes(&self, context: &TurnContext) -> Vec<Message> {
        self.hooks.take_context().into_iter().map(|text| developer(text, context)).collect()
    }

    fn run_over(&self) {
        self.set_running(None);
    }
}

fn text_of(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}
