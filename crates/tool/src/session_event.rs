//! What `onSession` is told (CONTRACT 7.1): eleven reasons with their payloads, and the JSON authors receive.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// Why the context was compacted without being asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactionTrigger {
    /// The context grew past the threshold.
    Threshold,
    /// The provider refused the request as too long.
    Overflow,
    /// Nothing happened for a while.
    Idle,
}

/// What compaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactionAction {
    /// Replaces old messages by a summary in place.
    ContextFull,
    /// Starts over with a written handoff.
    Handoff,
}

/// How a compaction ended.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionEnd {
    /// What was tried.
    pub action: CompactionAction,
    /// The compaction, when there was one: summary, first kept entry, tokens before.
    pub result: Option<Value>,
    /// Somebody stopped it.
    pub aborted: bool,
    /// The interrupted turn will be sent again.
    pub will_retry: bool,
    /// What went wrong.
    pub error_message: Option<String>,
}

/// A retry is about to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryStart {
    /// Counts from one.
    pub attempt: u32,
    /// The last one that will be tried.
    pub max_attempts: u32,
    /// How long the wait is.
    pub delay_ms: u64,
    /// What failed.
    pub error_message: String,
}

/// A series of retries ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryEnd {
    /// Whether the last attempt worked.
    pub success: bool,
    /// Which attempt that was.
    pub attempt: u32,
    /// What failed last, or `Retry cancelled`.
    pub final_error: Option<String>,
}

/// The agent stopped with open todos.
#[derive(Clone, Debug, PartialEq)]
pub struct TodoReminder {
    /// The open items.
    pub todos: Vec<Value>,
    /// Counts from one.
    pub attempt: u32,
    /// The last one that will be sent.
    pub max_attempts: u32,
}

/// One thing that happened to the session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The session is ready; once per run.
    Start,
    /// Another session took its place: a new one, a fork, or one that was resumed.
    Switch {
        /// The file left behind.
        previous_session_file: Option<PathBuf>,
    },
    /// The conversation went on from an earlier message, in a new file.
    Branch {
        /// The file left behind.
        previous_session_file: Option<PathBuf>,
    },
    /// The leaf moved within the file.
    Tree,
    /// The session ends.
    Shutdown,
    /// Compaction begins.
    AutoCompactionStart {
        /// What set it off.
        trigger: CompactionTrigger,
        /// What it will do.
        action: CompactionAction,
    },
    /// Compaction ended, one way or another.
    AutoCompactionEnd(CompactionEnd),
    /// A retry waits.
    AutoRetryStart(RetryStart),
    /// Retrying ended.
    AutoRetryEnd(RetryEnd),
    /// Stream rules interrupted the model.
    TtsrTriggered {
        /// The rules, each as JSON.
        rules: Vec<Value>,
    },
    /// The agent was reminded of open todos.
    TodoReminder(TodoReminder),
}

impl SessionEvent {
    /// The word authors compare with `event.reason`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Switch { .. } => "switch",
            Self::Branch { .. } => "branch",
            Self::Tree => "tree",
            Self::Shutdown => "shutdown",
            Self::AutoCompactionStart { .. } => "auto_compaction_start",
            Self::AutoCompactionEnd(_) => "auto_compaction_end",
            Self::AutoRetryStart(_) => "auto_retry_start",
            Self::AutoRetryEnd(_) => "auto_retry_end",
            Self::TtsrTriggered { .. } => "ttsr_triggered",
            Self::TodoReminder(_) => "todo_reminder",
        }
    }

    /// The object authors receive. A value that is not there is left out, so it reads as `undefined`.
    pub fn to_json(&self) -> Value {
        let payload = match self {
            Self::Start | Self::Tree | Self::Shutdown => json!({}),
            Self::Switch { previous_session_file } | Self::Branch { previous_session_file } => {
                json!({ "previousSessionFile": previous_session_file })
            }
            Self::AutoCompactionStart { trigger, action } => {
                json!({ "trigger": trigger.as_str(), "action": action.as_str() })
            }
            Self::AutoCompactionEnd(end) => json!({
                "action": end.action.as_str(),
                "result": end.result,
                "aborted": end.aborted,
                "willRetry": end.will_retry,
                "errorMessage": end.error_message,
            }),
            Self::AutoRetryStart(start) => json!({
                "attempt": start.attempt,
                "maxAttempts": start.max_attempts,
                "delayMs": start.delay_ms,
                "errorMessage": start.error_message,
            }),
            Self::AutoRetryEnd(end) => json!({
                "success": end.success,
                "attempt": end.attempt,
                "finalError": end.final_error,
            }),
            Self::TtsrTriggered { rules } => json!({ "rules": rules }),
            Self::TodoReminder(reminder) => json!({
                "todos": reminder.todos,
                "attempt": reminder.attempt,
                "maxAttempts": reminder.max_attempts,
            }),
        };
        let mut event = Map::new();
        event.insert("reason".to_owned(), self.reason().into());
        if let Value::Object(fields) = payload {
            event.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
        }
        Value::Object(event)
    }
}

impl CompactionTrigger {
    /// The word in the payload.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
            Self::Idle => "idle",
        }
    }
}

impl CompactionAction {
    /// The word in the payload.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ContextFull => "context-full",
            Self::Handoff => "handoff",
        }
    }
}

#[cfg(test)]
#[path = "session_event_tests.rs"]
mod tests;
