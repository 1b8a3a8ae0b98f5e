//! The one stream of events every front end reads. Each event is one JSON object with a `type`; a program that reads them
//! skips types and fields it does not know.
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
//! Calls of one turn run side by side, so their events mix; `toolCallId` tells them apart. Queues and staged actions can also
//! change between runs.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio::sync::mpsc;
use toolsmith_llm::{LlmError, Message, StreamEvent, Usage};
use toolsmith_tool::{PendingChange, SessionEvent, ToolResult};

use crate::{
    approval::{ApprovalRequest, Decision},
    dispatch::CallEvent,
    pending::PendingView,
};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum AgentEvent {
    /// A run begins.
    AgentStart,
    /// A run is over. Nothing comes after it until the next one begins.
    AgentEnd {
        /// How it ended.
        end: RunEnd,
        /// What the run added to the conversation.
        messages: Vec<Message>,
        /// What the run cost.
        usage: Usage,
    },
    /// A turn begins: one answer of the model, and the calls in it.
    TurnStart {
        /// Counted from one, within the run.
        turn: usize,
    },
    /// A turn is over.
    TurnEnd {
        /// The answer.
        message: Message,
        /// What its calls came to, in the order asked.
        tool_results: Vec<Message>,
    },
    /// A message begins. The model's own is still empty here.
    MessageStart {
        /// The message.
        message: Message,
    },
    /// The model's message grew.
    MessageUpdate {
        /// By what.
        assistant_message_event: StreamEvent,
    },
    /// A message is whole, and kept.
    MessageEnd {
        /// The message.
        message: Message,
    },
    /// A call's turn has come.
    ToolExecutionStart {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What the model asked for.
        args: Value,
    },
    /// A call has a partial result.
    ToolExecutionUpdate {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What there is so far.
        partial_result: ToolResult,
    },
    /// A call is over.
    ToolExecutionEnd {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What it came to.
        result: ToolResult,
        /// Whether it failed.
        is_error: bool,
        /// How long it took, questions included.
        duration_ms: u64,
        /// The whole output, where the result has only parts of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        full_output: Option<PathBuf>,
    },
    /// A person is asked whether a call may run.
    ApprovalRequested {
        /// The question.
        request: ApprovalRequest,
    },
    /// A person answered.
    ApprovalDecided {
        /// The call.
        tool_call_id: String,
        /// The answer.
        #[serde(flatten)]
        decision: Decision,
    },
    /// Messages were queued or taken from a queue.
    QueueChanged {
        /// How many wait for the next request.
        steering: usize,
        /// How many wait for the end of the run.
        follow_up: usize,
    },
    /// A tool staged an action (CONTRACT 8.1).
    PendingPushed {
        /// The action.
        action: PendingView,
        /// How many wait now.
        count: usize,
    },
    /// A staged action was taken, to be applied or discarded.
    PendingPopped {
        /// The action.
        action: PendingView,
        /// How many wait now.
        count: usize,
    },
    /// The model gave no whole answer.
    Error {
        /// What can be done about it, as [`toolsmith_llm::ErrorClass::as_str`] spells it.
        class: &'static str,
        /// What happened.
        message: String,
        /// How long the provider asks to wait.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// Something a person should know.
    Notice {
        /// What.
        message: String,
    },
    /// Something happened to the session; tools hear the same. The `type` is the reason `onSession` gets, with `session_`
    /// before it where it would say too little: `session_switch`, `auto_retry_start`, `todo_reminder`.
    #[serde(untagged)]
    Session(#[serde(serialize_with = "session_event")] SessionEvent),
}

fn session_event<S: Serializer>(event: &SessionEvent, serializer: S) -> Result<S::Ok, S::Error> {
    use SessionEvent::{Branch, Shutdown, Start, Switch, Tree};
    let mut fields = event.to_json();
    let name = match event {
        Start | Switch { .. } | Branch { .. } | Tree | Shutdown => format!("session_{}", event.reason()),
        _ => event.reason().to_owned(),
    };
    let mut whole = serde_json::Map::from_iter([("type".to_owned(), Value::String(name))]);
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("reason");
        whole.append(fields);
    }
    whole.serialize(serializer)
}

impl AgentEvent {
    /// What there is to tell of the stack of staged actions, if anything.
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

    /// What is told of one step in the life of a call, if anything.
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
                full_output: outcome.full_output.clone(),
            },
            // What the model asked for was told already; what became of it is in the result.
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
#[serde(tag = "reason", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum RunEnd {
    /// The model had said everything.
    Completed,
    /// Somebody stopped it.
    Aborted {
        /// Why.
        message: String,
    },
    /// The model gave no whole answer.
    Failed {
        /// What can be done about it, as [`toolsmith_llm::ErrorClass::as_str`] spells it.
        class: &'static str,
        /// What happened.
        message: String,
    },
    /// The run came to a limit.
    Limit {
        /// Which, and what to do.
        message: String,
    },
    /// A tool or the session store said that it cannot go on.
    Fatal {
        /// Why.
        message: String,
    },
}

impl RunEnd {
    /// Whether the model had said everything.
    pub fn is_completed(&self) -> bool {
        *self == Self::Completed
    }

    /// What went wrong, where something did.
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

/// What is heard of an agent, from the moment of subscribing. Nothing is lost: a reader that falls behind keeps what it
/// has not read in memory.
#[derive(Debug)]
pub struct Subscription {
    receiver: mpsc::UnboundedReceiver<Arc<AgentEvent>>,
}

impl Subscription {
    /// The next event; `None` once the agent is gone.
    pub async fn next(&mut self) -> Option<Arc<AgentEvent>> {
        self.receiver.recv().await
    }

    /// The next event, if there is one already.
    pub fn try_next(&mut self) -> Option<Arc<AgentEvent>> {
        self.receiver.try_recv().ok()
    }
}

/// Hands events to everybody who subscribed, in one order.
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
        // The lock is held while sending, so that all hear the same order; sending never waits.
        subscribers.retain(|subscriber| subscriber.send(Arc::clone(&event)).is_ok());
    }
}
