//! The calls of a response: executed, or answered without executing. Every call gets a result.

use std::sync::Arc;

use toolsmith_llm::{AssistantMessage, ContentBlock, ToolCall, ToolResultMessage};
use toolsmith_tool::CancelToken;

use crate::{
    agent::Core,
    dispatch::{CallEnd, CallOutcome, CallRequest},
    events::AgentEvent,
};

const CUT_OFF: &str = "This call was not run: the response reached its length limit, so its arguments may be incomplete. \
     Split the work into smaller calls.";

/// Results of the calls, in order.
pub(super) struct Results {
    pub(super) messages: Vec<ToolResultMessage>,
    /// No call ran: unknown tools, invalid arguments, refused calls.
    pub(super) all_refused: bool,
    /// A tool reported a fatal error.
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

/// Answers the calls of a response that was cut off by its length.
pub(super) fn cut_off(core: &Core, answer: &AssistantMessage) -> Results {
    not_run(core, answer, CUT_OFF)
}

/// Answers the calls of a response that failed or was aborted.
pub(super) fn interrupted(core: &Core, answer: &AssistantMessage, aborted: bool, why: &str) -> Results {
    let text = if aborted {
        format!("Tool was not executed because the run was aborted: {why}")
    } else {
        format!("Tool call was not executed because the response failed before the tool could run: {why}")
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
    // The model's original text if serialising the value would lose something: malformed JSON is repaired from it.
    let request = match &call.raw_arguments {
        Some(raw) => CallRequest::new(&call.id, &call.name, raw.as_str()),
        None => CallRequest::new(&call.id, &call.name, call.arguments.clone()),
    };
    let (told, call) = (Arc::clone(core), call.clone());
    request.context(core.tool_context(cancel)).offered(Arc::clone(offered)).observe(move |step| {
        if let Some(event) = AgentEvent::of_call(&call.id, &call.name, &call.arguments, &step) {
            told.emit(event);
        }
    })
}

fn message(core: &Core, outcome: CallOutcome) -> ToolResultMessage {
    let mut message = ToolResultMessage::new(outcome.id, outcome.name, outcome.result.content);
    message.details = outcome.result.details;
    message.is_error = outcome.result.is_error;
    message.metrics = outcome.metrics;
    message.timestamp = core.now();
    message
}
