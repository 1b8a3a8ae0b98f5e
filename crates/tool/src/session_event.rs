//! Session events for `onSession` (CONTRACT 7.1): eleven reasons with their payloads, and the JSON that authors
//! receive.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// Trigger of an automatic compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactionTrigger {
    /// The context exceeded the threshold.
    Threshold,
    /// The provider rejected the request as too long.
    Overflow,
    /// The session was idle.
    Idle,
}

/// Kind of compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompactionAction {
    /// Replaces old messages by a summary.
    ContextFull,
    /// Starts a new session with a handoff document.
    Handoff,
}

/// Outcome of a compaction.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionEnd {
    /// Kind of compaction.
    pub action: CompactionAction,
    /// The compaction, if there was one: summary, first kept entry, tokens before.
    pub result: Option<Value>,
    /// It was aborted.
    pub aborted: bool,
    /// The interrupted turn will be sent again.
    pub will_retry: bool,
    /// Error message.
    pub error_message: Option<String>,
}

/// A retry is about to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryStart {
    /// Number of the attempt, starting at one.
    pub attempt: u32,
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// Delay before the attempt.
    pub delay_ms: u64,
    /// Error that caused the retry.
    pub error_message: String,
}

/// A series of retries ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryEnd {
    /// Set if the last attempt succeeded.
    pub success: bool,
    /// Number of the last attempt.
    pub attempt: u32,
    /// The last error, or `Retry cancelled`.
    pub final_error: Option<String>,
}

/// The agent stopped with open todos.
#[derive(Clone, Debug, PartialEq)]
pub struct TodoReminder {
    /// The open items.
    pub todos: Vec<Value>,
    /// Number of the reminder, starting at one.
    pub attempt: u32,
    /// Maximum number of reminders.
    pub max_attempts: u32,
}

/// A session event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The session is ready; once per run.
    Start,
    /// The session was replaced by a new, forked or resumed one.
    Switch {
        /// File of the previous session.
        previous_session_file: Option<PathBuf>,
    },
    /// The conversation continues from an earlier message in a new file.
    Branch {
        /// File of the previous session.
        previous_session_file: Option<PathBuf>,
    },
    /// The leaf moved within the file.
    Tree,
    /// The session ends.
    Shutdown,
    /// A compaction starts.
    AutoCompactionStart {
        /// Its trigger.
        trigger: CompactionTrigger,
        /// Its kind.
        action: CompactionAction,
    },
    /// A compaction ended, successfully or not.
    AutoCompactionEnd(CompactionEnd),
    /// A retry is about to wait.
    AutoRetryStart(RetryStart),
    /// A series of retries ended.
    AutoRetryEnd(RetryEnd),
    /// Stream rules interrupted the model.
    TtsrTriggered {
        /// The rules as JSON.
        rules: Vec<Value>,
    },
    /// The agent was reminded of open todos.
    TodoReminder(TodoReminder),
}

impl SessionEvent {
    /// Returns the value of `event.reason`.
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

    /// Returns the object that authors receive. Missing values are omitted, so that they read as `undefined`.
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
    /// Returns the name used in the payload.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
            Self::Idle => "idle",
        }
    }
}

impl CompactionAction {
    /// Returns the name used in the payload.
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
