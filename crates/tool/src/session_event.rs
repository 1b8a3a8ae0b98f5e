//! Session events for `onSession` (CONTRACT 7.1): eleven reasons with their payloads, and the JSON that authors
//! receive.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

/// Trigger of an automatic compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CompactionAction {
    /// Replaces old messages by a summary.
    ContextFull,
    /// Starts a new session with a handoff document.
    Handoff,
}

/// Outcome of a compaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CompactionEnd {
    /// Kind of compaction.
    pub action: CompactionAction,
    /// The compaction, if there was one: summary, first kept entry, tokens before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// It was aborted.
    pub aborted: bool,
    /// The interrupted turn will be sent again.
    pub will_retry: bool,
    /// Error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// A retry is about to wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetryEnd {
    /// Set if the last attempt succeeded.
    pub success: bool,
    /// Number of the last attempt.
    pub attempt: u32,
    /// The last error, or `Retry cancelled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_error: Option<String>,
}

/// The agent stopped with open todos.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TodoReminder {
    /// The open items.
    pub todos: Vec<Value>,
    /// Number of the reminder, starting at one.
    pub attempt: u32,
    /// Maximum number of reminders.
    pub max_attempts: u32,
}

/// A session event. As JSON its `type` is the reason, with `session_` before those that would be ambiguous in the stream of
/// all events.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum SessionEvent {
    /// The session is ready; once per run.
    #[serde(rename = "session_start")]
    Start,
    /// The session was replaced by a new, forked or resumed one.
    #[serde(rename = "session_switch")]
    Switch {
        /// File of the previous session.
        #[serde(skip_serializing_if = "Option::is_none")]
        previous_session_file: Option<PathBuf>,
    },
    /// The conversation continues from an earlier message in a new file.
    #[serde(rename = "session_branch")]
    Branch {
        /// File of the previous session.
        #[serde(skip_serializing_if = "Option::is_none")]
        previous_session_file: Option<PathBuf>,
    },
    /// The leaf moved within the file.
    #[serde(rename = "session_tree")]
    Tree,
    /// The session ends.
    #[serde(rename = "session_shutdown")]
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

    /// Returns the object that authors receive: the JSON form with `reason` in place of `type`. Missing values are omitted,
    /// so that they read as `undefined`.
    pub fn to_json(&self) -> Value {
        let mut event = Map::from_iter([("reason".to_owned(), Value::from(self.reason()))]);
        if let Ok(Value::Object(mut fields)) = serde_json::to_value(self) {
            fields.shift_remove("type");
            event.append(&mut fields);
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
