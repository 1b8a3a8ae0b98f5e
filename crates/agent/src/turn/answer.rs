//! One request and its response.

use std::{collections::HashSet, sync::Arc};

use toolsmith_llm::{AssistantMessage, LlmError, Message, Request, StopReason, StreamEvent, ToolDefinition};
use toolsmith_tool::CancelToken;

use super::{
    context::TurnContext,
    hook::{RequestPlan, TurnHook},
};
use crate::{agent::Core, events::AgentEvent};

/// Outcome of a request.
pub(super) struct Answer {
    /// The response as far as it has arrived.
    pub(super) message: AssistantMessage,
    pub(super) error: Option<LlmError>,
    /// Tools the model may call: those offered, and those that are always active.
    pub(super) offered: Arc<[String]>,
    /// The hook that interrupted.
    pub(super) interrupted_by: Option<Arc<dyn TurnHook>>,
}

/// Plans and sends the request, and emits all events of the response but the last, because the message is not stored
/// yet.
pub(super) async fn ask(core: &Core, cancel: &CancelToken, context: &TurnContext) -> Answer {
    let selected = core.selected();
    let registry = core.dispatcher().registry();
    let active: Vec<String> =
        registry.read(|registry| registry.active().map(|found| found.tool.spec().name.clone()).collect());
    let mut plan = RequestPlan {
        messages: core.conversation().context(),
        tools: active.clone(),
        tool_choice: toolsmith_llm::ToolChoice::Auto,
        thinking: selected.thinking,
        capabilities: selected.provider.capabilities(&selected.model),
        exchange: None,
        context: core.tool_context(cancel),
    };
    for hook in core.hooks() {
        hook.next_request(&mut plan).await;
    }
    // Providers reject two tools with the same name.
    let mut seen = HashSet::new();
    plan.tools.retain(|name| seen.insert(name.clone()));
    let tools: Vec<ToolDefinition> = registry.read(|registry| {
        plan.tools
            .iter()
            .filter_map(|name| registry.get(name))
            .map(|found| definition(found.tool.spec()))
            .collect()
    });
    let mut offered = active;
    offered.extend(plan.tools.iter().filter(|name| !offered.contains(name)).cloned().collect::<Vec<_>>());
    let system = core.system_prompt(&tools);
    let session_id = core.session().session_id();
    let mut request = Request::new(&selected.model)
        .system(&system)
        .conversation(&plan.messages, core.encoded_history())
        .tools(&tools)
        .tool_choice(plan.tool_choice)
        .thinking(plan.thinking);
    if !session_id.is_empty() {
        request = request.cache_key(&session_id);
    }
    request.exchange = plan.exchange;
    let mut stream = selected.provider.stream(&request, cancel.clone());
    let started = Message::Assistant(stream.partial().clone());
    core.emit(AgentEvent::MessageStart { message: started.clone() });
    for hook in core.hooks() {
        hook.message_started(&started, context).await;
    }
    let mut last = None;
    while let Some(event) = stream.next().await {
        let is_last = matches!(event, StreamEvent::Done { .. } | StreamEvent::Error { .. });
        let hooks = if is_last { &[] } else { core.hooks() };
        let enough = hooks.iter().find(|hook| hook.on_stream(&event, stream.partial()).is_some());
        if let Some(hook) = enough {
            let mut message = stream.partial().clone();
            message.stop_reason = StopReason::Aborted;
            return Answer {
                message,
                error: None,
                offered: offered.into(),
                interrupted_by: Some(Arc::clone(hook)),
            };
        }
        match event {
            // Start and end of the message are separate events.
            StreamEvent::Start => {}
            StreamEvent::Done { message, .. } => last = Some((message, None)),
            StreamEvent::Error { error, message, .. } => last = Some((message, Some(error))),
            event => core.emit(AgentEvent::MessageUpdate { assistant_message_event: event }),
        }
    }
    let (mut message, error) = last.unwrap_or_else(|| {
        let error = LlmError::new(
            toolsmith_llm::ErrorClass::InvalidResponse,
            "the provider's stream ended without a response",
        );
        (stream.partial().clone(), Some(error))
    });
    if let Some(error) = &error {
        if !matches!(message.stop_reason, StopReason::Error | StopReason::Aborted) {
            message.stop_reason = StopReason::Error;
        }
        message.error_message.get_or_insert_with(|| error.to_string());
    }
    Answer { message, error, offered: offered.into(), interrupted_by: None }
}

fn definition(spec: &toolsmith_tool::ToolSpec) -> ToolDefinition {
    ToolDefinition::new(&spec.name, &spec.description, Arc::clone(&spec.parameters))
        .strict(spec.strict == Some(true))
}
