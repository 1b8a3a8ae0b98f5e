//! Extensions as a turn hook: the events of runs, turns, messages and requests.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use toolsmith_agent::{
    AgentEvent, CompactionDecision, CompactionPlan, CompactionReport, Interrupt, RequestPlan, RunEnd,
    RunStart, TurnContext, TurnHook,
};
use toolsmith_llm::{AssistantMessage, ContentBlock, InputMessage, Message, StreamEvent};
use toolsmith_tool::{CancelToken, SessionEvent, ToolContext};

use super::{
    compaction_event, context_event,
    exchange::ExtensionExchange,
    messages::{custom_message, message_from_extension, message_to_extension},
    runner::Extensions,
};

/// Maximum number of times an extension may continue a run that would stop.
const MAX_CONTINUATIONS: usize = 8;

/// Lets extensions take part in turns.
#[derive(Debug)]
pub struct ExtensionHook {
    extensions: Extensions,
    turn: AtomicUsize,
    continuations: AtomicUsize,
    /// Context for events of the current run that nobody waits for.
    running: Mutex<Option<ToolContext>>,
}

impl ExtensionHook {
    /// Creates the hook.
    pub fn new(extensions: Extensions) -> Self {
        let (turn, continuations) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { extensions, turn, continuations, running: Mutex::default() }
    }

    fn set_running(&self, context: Option<ToolContext>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = context;
    }

    /// Sends an event that nobody waits for.
    fn send(&self, event: &'static str, payload: impl FnOnce() -> Value) {
        let context = || {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.clone().unwrap_or_else(ToolContext::detached)
        };
        self.extensions.send(event, payload, context);
    }

    /// Notifies; the handlers are stopped with the run.
    async fn tell(&self, event: &'static str, context: &TurnContext, payload: impl FnOnce() -> Value + Send) {
        if self.extensions.listens_to(event) {
            let payload = payload();
            self.extensions.notify(event, payload, &context.tool_context()).await;
        }
    }

    /// Notifies also after the run was stopped.
    async fn tell_always(
        &self,
        event: &'static str,
        context: &TurnContext,
        payload: impl FnOnce() -> Value + Send,
    ) {
        if self.extensions.listens_to(event) {
            let payload = payload();
            self.extensions.notify(event, payload, &unstoppable(context)).await;
        }
    }

    /// The `input` event: the prompt may be changed, or handled without the model.
    async fn input(&self, start: &mut RunStart, context: &TurnContext) {
        let Some(Message::User(prompt)) = start.messages.first_mut() else { return };
        for module in self.extensions.listening("input") {
            let payload = json!({
                "type": "input",
                "text": text_of(&prompt.content),
                "images": images_of(&prompt.content),
                "source": start.source.as_str(),
            });
            let Ok(answer) = self.extensions.call(&module, "input", payload, context.tool_context()).await
            else {
                continue;
            };
            if answer["handled"] == true {
                start.handled = true;
                return;
            }
            if let Some(content) = changed_input(&answer) {
                prompt.content = content;
            }
        }
    }

    /// The `before_agent_start` event: messages are added, and the system prompt may be replaced for this run.
    async fn before_agent_start(&self, start: &mut RunStart, context: &TurnContext) {
        let mut added = Vec::new();
        for module in self.extensions.listening("before_agent_start") {
            let system = start.system.clone().unwrap_or_else(|| context.system_prompt());
            let mut payload = json!({
                "type": "before_agent_start",
                "systemPrompt": system,
                "systemPromptOptions": context.system_prompt_options(),
            });
            match start.messages.last() {
                Some(Message::User(prompt)) => {
                    payload["messageType"] = "user".into();
                    payload["prompt"] = text_of(&prompt.content).into();
                    payload["images"] = images_of(&prompt.content);
                }
                Some(message) => {
                    payload["messageType"] = "custom".into();
                    payload["prompt"] = message.joined_text().into();
                    payload["message"] = message_to_extension(message);
                }
                None => {
                    payload["messageType"] = "user".into();
                    payload["prompt"] = "".into();
                }
            }
            let context = context.tool_context();
            let Ok(answer) = self.extensions.call(&module, "before_agent_start", payload, context).await
            else {
                continue;
            };
            if let Some(text) = answer["systemPrompt"].as_str() {
                start.system = Some(text.to_owned());
            }
            if !answer["systemPromptOptions"].is_null() && answer["systemPrompt"].is_null() {
                let edited = edited_prompt(&system, &answer["systemPromptOptions"]);
                start.system = edited.or(start.system.take());
            }
            for draft in answer["messages"].as_array().into_iter().flatten() {
                match serde_json::from_value(draft.clone()) {
                    Ok(draft) => added.push(draft),
                    Err(error) => self.extensions.notice(format!("Extension {}: {error}", module.name())),
                }
            }
        }
        let now = context.now();
        start.messages.extend(self.extensions.take_for_next_turn());
        start.messages.extend(added.into_iter().map(|draft| custom_message(draft, now)));
    }
}

/// A context for handlers that run also after the run was stopped.
fn unstoppable(context: &TurnContext) -> ToolContext {
    context.tool_context().with_cancel(CancelToken::new())
}

fn text_of(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

fn images_of(content: &[ContentBlock]) -> Value {
    json!(content.iter().filter(|block| block.as_text().is_none()).collect::<Vec<_>>())
}

fn changed_input(answer: &Value) -> Option<Vec<ContentBlock>> {
    let text = answer["text"].as_str()?;
    let images = answer["images"].as_array().into_iter().flatten();
    let images = images.filter_map(|image| serde_json::from_value(image.clone()).ok());
    Some(std::iter::once(ContentBlock::text(text)).chain(images).collect())
}

/// The system prompt with the sections an extension changed: a replaced text, and additions at the end.
fn edited_prompt(current: &str, options: &Value) -> Option<String> {
    let custom = options["customPrompt"].as_str().filter(|text| !text.is_empty());
    let append = options["appendSystemPrompt"].as_str().filter(|text| !text.is_empty());
    let guidelines: Vec<&str> =
        options["promptGuidelines"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = custom.unwrap_or(current).to_owned();
    for line in guidelines.iter().filter(|line| !current.contains(**line)) {
        text.push_str(&format!("\n- {line}"));
    }
    for section in options["sections"].as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str())
    {
        text.push_str(&format!("\n\n{section}"));
    }
    if let Some(append) = append.filter(|append| !current.contains(*append)) {
        text.push_str(&format!("\n\n{append}"));
    }
    (text != current).then_some(text)
}

#[async_trait]
impl TurnHook for ExtensionHook {
    async fn run_starting(&self, start: &mut RunStart, context: &TurnContext) {
        self.set_running(Some(unstoppable(context)));
        self.input(start, context).await;
        if !start.handled {
            self.before_agent_start(start, context).await;
        }
    }

    async fn run_started(&self, context: &TurnContext) {
        self.turn.store(0, Ordering::Relaxed);
        self.continuations.store(0, Ordering::Relaxed);
        self.tell("agent_start", context, || json!({ "type": "agent_start" })).await;
    }

    async fn turn_started(&self, turn: usize, context: &TurnContext) {
        let index = turn.saturating_sub(1);
        self.turn.store(index, Ordering::Relaxed);
        let now = context.now();
        self.tell(
            "turn_start",
            context,
            || json!({ "type": "turn_start", "turnIndex": index, "timestamp": now }),
        )
        .await;
    }

    async fn message_started(&self, message: &Message, context: &TurnContext) {
        self.tell(
            "message_start",
            context,
            || json!({ "type": "message_start", "message": message_to_extension(message) }),
        )
        .await;
    }

    async fn message_ending(&self, message: &Message, context: &TurnContext) -> Option<Message> {
        let mut changed = None;
        for module in self.extensions.listening("message_end") {
            self.extensions.flush().await;
            let message = message_to_extension(changed.as_ref().unwrap_or(message));
            let payload = json!({ "type": "message_end", "message": message });
            let answer = self.extensions.call(&module, "message_end", payload, unstoppable(context)).await;
            match answer {
                Ok(Value::Null) | Err(_) => {}
                Ok(replaced) => match message_from_extension(replaced) {
                    Ok(replaced) => changed = Some(replaced),
                    Err(error) => self.extensions.notice(format!("Extension {}: {error}", module.name())),
                },
            }
        }
        changed
    }

    async fn next_request(&self, plan: &mut RequestPlan) {
        let context = plan.context.clone();
        context_event::edit(&self.extensions, "context", &mut plan.messages, &context).await;
        context_event::edit(&self.extensions, "context_with_system", &mut plan.messages, &context).await;
        if ExtensionExchange::is_wanted(&self.extensions) {
            plan.exchange =
                Some(Arc::new(ExtensionExchange { extensions: self.extensions.clone(), context }));
        }
    }

    fn on_stream(&self, event: &StreamEvent, partial: &AssistantMessage) -> Option<Interrupt> {
        let payload = || {
            json!({
                "type": "message_update",
                "message": Message::Assistant(partial.clone()),
                "assistantMessageEvent": event,
            })
        };
        self.send("message_update", payload);
        None
    }

    fn on_event(&self, event: &AgentEvent) {
        let name = match event {
            AgentEvent::ToolExecutionStart { .. } => "tool_execution_start",
            AgentEvent::ToolExecutionUpdate { .. } => "tool_execution_update",
            AgentEvent::ToolExecutionEnd { .. } => "tool_execution_end",
            AgentEvent::ApprovalRequested { .. } => "tool_approval_requested",
            AgentEvent::ApprovalDecided { .. } => "tool_approval_resolved",
            AgentEvent::Session(
                event @ (SessionEvent::AutoCompactionStart { .. }
                | SessionEvent::AutoCompactionEnd(_)
                | SessionEvent::AutoRetryStart(_)
                | SessionEvent::AutoRetryEnd(_)
                | SessionEvent::TtsrTriggered { .. }
                | SessionEvent::TodoReminder(_)),
            ) => event.reason(),
            _ => return,
        };
        self.send(name, || json!(event));
    }

    async fn after_turn(&self, message: &AssistantMessage, results: &[Message], context: &TurnContext) {
        let index = self.turn.load(Ordering::Relaxed);
        let payload = || {
            let results: Vec<Value> = results.iter().map(message_to_extension).collect();
            let message = message_to_extension(&Message::Assistant(message.clone()));
            json!({ "type": "turn_end", "turnIndex": index, "message": message, "toolResults": results })
        };
        self.tell_always("turn_end", context, payload).await;
    }

    async fn before_stop(&self, context: &TurnContext) -> Option<Message> {
        for event in ["session_stop", "agent_before_settle"] {
            if !self.extensions.listens_to(event) {
                continue;
            }
            let active = self.continuations.load(Ordering::Relaxed) > 0;
            let payload =
                json!({ "type": event, "stop_hook_active": active, "outcome": "completed", "entries": [] });
            for answer in self.extensions.ask(event, payload, &context.tool_context()).await {
                let wants = answer["continue"] == true || answer["decision"] == "block";
                if !wants || self.continuations.fetch_add(1, Ordering::Relaxed) >= MAX_CONTINUATIONS {
                    continue;
                }
                let entries = answer["entries"].as_array().into_iter().flatten();
                let text = [answer["reason"].as_str(), answer["additionalContext"].as_str()]
                    .into_iter()
                    .chain(entries.map(|entry| entry["content"].as_str()))
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("\n");
                let text = if text.is_empty() { "Continue." } else { &text };
                let mut input = InputMessage::text(text);
                input.timestamp = context.now();
                return Some(Message::Developer(input));
            }
        }
        None
    }

    async fn run_ended(&self, _end: &RunEnd, messages: &[Message], context: &TurnContext) {
        let payload = || {
            let messages: Vec<Value> = messages.iter().map(message_to_extension).collect();
            json!({ "type": "agent_end", "messages": messages })
        };
        self.tell_always("agent_end", context, payload).await;
    }

    async fn settled(&self, end: &RunEnd, context: &TurnContext) {
        let aborted = matches!(end, RunEnd::Aborted { .. });
        self.tell_always("agent_settled", context, || json!({ "type": "agent_settled", "aborted": aborted }))
            .await;
        self.extensions.flush().await;
    }

    fn run_over(&self) {
        self.set_running(None);
    }

    async fn before_compaction(
        &self,
        plan: &CompactionPlan<'_>,
        context: &TurnContext,
    ) -> CompactionDecision {
        if !self.extensions.listens_to(compaction_event::BEFORE) {
            return CompactionDecision::Proceed;
        }
        let payload = compaction_event::before(plan);
        let answers = self.extensions.ask(compaction_event::BEFORE, payload, &context.tool_context()).await;
        for answer in answers {
            if answer["cancel"] == true {
                return CompactionDecision::Cancel;
            }
            let replacement = &answer["compaction"];
            let Some(summary) = replacement["summary"].as_str().filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            let first_kept = replacement["firstKeptEntryId"].as_str();
            return CompactionDecision::Replace {
                summary: summary.to_owned(),
                first_kept_entry_id: first_kept.map(str::to_owned),
                details: Some(replacement["details"].clone()).filter(|details| !details.is_null()),
            };
        }
        CompactionDecision::Proceed
    }

    async fn after_compaction(&self, report: &CompactionReport, context: &TurnContext) {
        let (event, payload) = compaction_event::after(report);
        self.tell_always(event, context, || payload).await;
    }
}
