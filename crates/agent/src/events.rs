//! The event stream that all clients read. Each event is one JSON object with a `type`; readers should skip types and
//! fields they do not know.
//!
//! The order of one run:
//!
//! ```text
//! agent_start
//!   turn_start
//!     message_start, message_end                    the prompt, each queued message
//!     message_start, message_update*, message_end   the model's answer
//!     tool_execution_start, (approval_requested, approval_decided)?, tool_execution_update*, tool_execution_end
//!     message_start, message_end                    each result, in the order of the calls
//!   turn_end
//! agent_end
//! ```
//!
//! The calls of one turn run in parallel, so their events are interleaved; `toolCallId` identifies the call. Queues and
//! pending actions can also change between runs.

use std::{
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use futures_core::Stream;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use toolsmith_llm::{LlmError, Message, StreamEvent, Usage};
use toolsmith_tool::{CallMetrics, PendingChange, SessionEvent, ToolResult};

use crate::{
    approval::{ApprovalRequest, Decision},
    dispatch::CallEvent,
    pending::PendingView,
};

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Event"))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum AgentEvent {
    /// A run starts.
    AgentStart,
    /// A run ended. No event follows until the next run starts.
    AgentEnd {
        /// How it ended.
        end: RunEnd,
        /// Messages the run added.
        messages: Vec<Message>,
        /// Usage of the run.
        usage: Usage,
    },
    /// A turn starts: one response of the model and its calls.
    TurnStart {
        /// Number of the turn within the run, starting at one.
        turn: usize,
    },
    /// A turn ended.
    TurnEnd {
        /// The response.
        message: Message,
        /// Results of its calls, in the order of the calls.
        tool_results: Vec<Message>,
    },
    /// A message starts. A response of the model is still empty here.
    MessageStart {
        /// The message.
        message: Message,
    },
    /// A response of the model grew.
    MessageUpdate {
        /// The stream event.
        assistant_message_event: StreamEvent,
    },
    /// A message is complete and stored.
    MessageEnd {
        /// The message.
        message: Message,
    },
    /// A call starts.
    ToolExecutionStart {
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Arguments from the model.
        args: Value,
    },
    /// A call has a partial result.
    ToolExecutionUpdate {
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// The partial result.
        partial_result: ToolResult,
    },
    /// A call ended.
    ToolExecutionEnd {
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// The result.
        result: ToolResult,
        /// Set if it failed.
        is_error: bool,
        /// Duration without the time a person took to approve the call.
        duration_ms: u64,
        /// Use of the call; missing if the tool was not called.
        #[serde(skip_serializing_if = "Option::is_none")]
        metrics: Option<CallMetrics>,
        /// File with the whole output, if the result was cut.
        #[serde(skip_serializing_if = "Option::is_none")]
        full_output: Option<PathBuf>,
    },
    /// The approver is asked about a call.
    ApprovalRequested {
        /// The question.
        request: ApprovalRequest,
    },
    /// The approver answered.
    ApprovalDecided {
        /// Id of the call.
        tool_call_id: String,
        /// The answer.
        #[serde(flatten)]
        decision: Decision,
    },
    /// Messages were queued or taken from a queue.
    QueueChanged {
        /// Number of messages queued for the next request.
        steering: usize,
        /// Number of messages queued for the end of the run.
        follow_up: usize,
    },
    /// A tool staged an action (CONTRACT 8.1).
    PendingPushed {
        /// The action.
        action: PendingView,
        /// Number of pending actions.
        count: usize,
    },
    /// A pending action was taken to be applied or discarded.
    PendingPopped {
        /// The action.
        action: PendingView,
        /// Number of pending actions.
        count: usize,
    },
    /// A model request failed.
    Error {
        /// Error class, such as `rate_limited` or `auth`.
        class: &'static str,
        /// Error message.
        message: String,
        /// Delay requested by the provider.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// A notice for the user.
    Notice {
        /// The text.
        message: String,
    },
    /// A session event, which tools receive too. The `type` is the reason passed to `onSession`, prefixed with
    /// `session_` where it would be ambiguous: `session_switch`, `auto_retry_start`, `todo_reminder`.
    #[serde(untagged)]
    Session(SessionEvent),
}

impl AgentEvent {
    /// Converts a change of the pending stack to an event, if there is one.
    pub(crate) fn pending(change: &PendingChange) -> Option<Self> {
        match change {
            PendingChange::Pushed(action, count) => {
                Some(Self::PendingPushed { action: action.into(), count: *count })
            }
            PendingChange::Popped(action, count) => {
                Some(Self::PendingPopped { action: action.into(), count: *count })
            }
            _ => None,
        }
    }

    /// Converts a step of a call to an event, if there is one.
    pub fn of_call(id: &str, name: &str, arguments: &Value, step: &CallEvent<'_>) -> Option<Self> {
        let (tool_call_id, tool_name) = (id.to_owned(), name.to_owned());
        Some(match *step {
            CallEvent::Started => {
                Self::ToolExecutionStart { tool_call_id, tool_name, args: arguments.clone() }
            }
            CallEvent::Update { partial } => {
                Self::ToolExecutionUpdate { tool_call_id, tool_name, partial_result: partial.clone() }
            }
            CallEvent::ApprovalRequested { request } => Self::ApprovalRequested { request: request.clone() },
            CallEvent::ApprovalDecided { decision, .. } => {
                Self::ApprovalDecided { tool_call_id, decision: decision.clone() }
            }
            CallEvent::Finished { outcome } => Self::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result: outcome.result.clone(),
                is_error: outcome.is_error(),
                duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
                metrics: outcome.metrics,
                full_output: outcome.full_output.clone(),
            },
            // The call was announced already; its outcome is in the result.
            CallEvent::Prepared { .. } => return None,
        })
    }

    pub(crate) fn error(error: &LlmError) -> Self {
        let wait = error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        Self::Error { class: error.class.as_str(), message: error.to_string(), retry_after_ms: wait }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum RunEnd {
    /// The model finished.
    Completed,
    /// It was aborted.
    Aborted {
        /// The reason.
        message: String,
    },
    /// A model request failed.
    Failed {
        /// Error class, such as `rate_limited` or `auth`.
        class: &'static str,
        /// Error message.
        message: String,
    },
    /// The run reached a limit.
    Limit {
        /// Which limit, and how to raise it.
        message: String,
    },
    /// A tool or the session store reported a fatal error.
    Fatal {
        /// Error message.
        message: String,
    },
}

impl RunEnd {
    /// Returns whether the model finished.
    pub fn is_completed(&self) -> bool {
        *self == Self::Completed
    }

    /// Returns the error message, if there is one.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Completed => None,
            Self::Aborted { message }
            | Self::Failed { message, .. }
            | Self::Limit { message }
            | Self::Fatal { message } => Some(message),
        }
    }
}

/// A subscription to an agent's events, also as a [`Stream`]. Nothing is lost: events that were not read yet are kept in
/// memory.
#[derive(Debug)]
pub struct Subscription {
    receiver: mpsc::UnboundedReceiver<Arc<AgentEvent>>,
}

impl Subscription {
    /// Waits for the next event; `None` once the agent is gone.
    pub async fn next(&mut self) -> Option<Arc<AgentEvent>> {
        self.receiver.recv().await
    }

    /// Returns the next event, if there is one already.
    pub fn try_next(&mut self) -> Option<Arc<AgentEvent>> {
        self.receiver.try_recv().ok()
    }
}

impl Stream for Subscription {
    type Item = Arc<AgentEvent>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context)
    }
}

/// Delivers events to all subscribers in the same order.
#[derive(Debug, Default)]
pub(crate) struct Broadcaster {
    subscribers: Mutex<Vec<mpsc::UnboundedSender<Arc<AgentEvent>>>>,
}

impl Broadcaster {
    pub(crate) fn subscribe(&self) -> Subscription {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        Subscription { receiver }
    }

    pub(crate) fn emit(&self, event: AgentEvent) {
        let event = Arc::new(event);
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is held while sending, so that all subscribers see the same order; sending never blocks.
        subscribers.retain(|subscriber| subscriber.send(Arc::clone(&event)).is_ok());
    }
}
