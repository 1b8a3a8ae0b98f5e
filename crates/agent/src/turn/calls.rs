//! The calls in an answer: run, or answered without running. Every call gets a result, whatever happened.

use std::sync::Arc;

use serde_json::Value;
use toolsmith_llm::{AssistantMessage, ContentBlock, ToolCall, ToolResultMessage};
use toolsmith_tool::CancelToken;

use crate::{
    agent::Core,
    dispatch::{CallEnd, CallEvent, CallOutcome, CallRequest},
    events::AgentEvent,
};

const CUT_OFF: &str = "This call was not run: the answer reached its length limit, so the arguments may be cut off. \
     Split the work into smaller calls.";

/// What the calls of an answer came to, in the order asked.
pub(super) struct Results {
    pub(super) messages: Vec<ToolResultMessage>,
    /// No call ran: unknown tools, useless arguments, not allowed.
    pub(super) all_refused: bool,
    /// A tool said that the run cannot go on.
    pub(super) fatal: Option<String>,
}

/// Runs all calls.
pub(super) async fn run(
    core: &Arc<Core>,
    answer: &AssistantMessage,
    offered: &Arc<[String]>,
    cancel: &CancelToken,
) -> Results {
    let requests = answer.tool_calls().map(|call| request(core, call, offered, cancel)).collect();
    let outcomes = core.dispatcher().run_batch(requests).await;
    core.count_calls(&outcomes);
    Results {
        all_refused: outcomes.iter().all(|outcome| {
            matches!(
                outcome.end,
                CallEnd::UnknownTool | CallEnd::InvalidArguments | CallEnd::Blocked | CallEnd::Denied
            )
        }),
        fatal: outcomes.iter().find(|outcome| outcome.is_fatal()).map(|outcome| outcome.result.joined_text()),
        messages: outcomes.into_iter().map(|outcome| message(core, outcome)).collect(),
    }
}

/// Answers the calls of an answer that was cut off by its length.
pub(super) fn cut_off(core: &Core, answer: &AssistantMessage) -> Results {
    not_run(core, answer, CUT_OFF)
}

/// Answers the calls of an answer that failed or was stopped.
pub(super) fn interrupted(core: &Core, answer: &AssistantMessage, aborted: bool, why: &str) -> Results {
    let text = if aborted {
        format!("Tool was not executed because the run was aborted: {why}")
    } else {
        format!(
            "Tool call was not executed because the answer ended with an error before the tool could run: {why}"
        )
    };
    not_run(core, answer, &text)
}

fn not_run(core: &Core, answer: &AssistantMessage, text: &str) -> Results {
    let messages = answer
        .tool_calls()
        .map(|call| {
            let mut message =
                ToolResultMessage::new(&call.id, &call.name, vec![ContentBlock::text(text)]).failed();
            message.timestamp = core.now();
            message
        })
        .collect();
    Results { messages, all_refused: false, fatal: None }
}

fn request(core: &Arc<Core>, call: &ToolCall, offered: &Arc<[String]>, cancel: &CancelToken) -> CallRequest {
    // The model's own text where writing the value out would lose something: broken JSON is mended from it.
    let request = match &call.raw_arguments {
        Some(raw) => CallRequest::new(&call.id, &call.name, raw.as_str()),
        None => CallRequest::new(&call.id, &call.name, call.arguments.clone()),
    };
    let told = Told {
        core: Arc::clone(core),
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    request
        .context(core.tool_context(cancel))
        .offered(Arc::clone(offered))
        .observe(move |event| told.tell(event))
}

/// Turns what is heard of one call into events.
struct Told {
    core: Arc<Core>,
    id: String,
    name: String,
    arguments: Value,
}

impl Told {
    fn tell(&self, event: CallEvent<'_>) {
        let (tool_call_id, tool_name) = (self.id.clone(), self.name.clone());
        self.core.emit(match event {
            CallEvent::Started => {
                AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args: self.arguments.clone() }
            }
            CallEvent::Update { partial } => {
                AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result: partial.clone() }
            }
            CallEvent::ApprovalRequested { request } => {
                AgentEvent::ApprovalRequested { request: request.clone() }
            }
            CallEvent::ApprovalDecided { decision, .. } => {
                AgentEvent::ApprovalDecided { tool_call_id, decision: decision.clone() }
            }
            CallEvent::Finished { outcome } => AgentEvent::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result: outcome.result.clone(),
                is_error: outcome.is_error(),
                duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
                full_output: outcome.full_output.clone(),
            },
            // What the model asked for was told already; what became of it is in the result.
            CallEvent::Prepared { .. } => return,
        });
    }
}

fn message(core: &Core, outcome: CallOutcome) -> ToolResultMessage {
    let mut message = ToolResultMessage::new(outcome.id, outcome.name, outcome.result.content);
    message.details = outcome.result.details;
    message.is_error = outcome.result.is_error;
    message.timestamp = core.now();
    message
}
