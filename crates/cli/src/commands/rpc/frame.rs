//! What the program sends beside the events of the session. The comments are the reference in `docs/rpc.md`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    reply::{LoadProblem, ModelInfo, SessionInfo},
    request::{RequestId, TierName},
};

/// The version of this protocol. It is raised when a client that was right could become wrong: a frame or field is taken
/// away, or means something else. Additions do not raise it.
pub(super) const PROTOCOL_VERSION: u32 = 1;

/// One line of the program's, other than an event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Frame {
    /// The first line: everything is loaded, requests are taken.
    Ready {
        /// The version of the protocol that is spoken.
        protocol_version: u32,
        /// The version of the program.
        version: String,
        /// The session.
        session: SessionInfo,
        /// The model that is asked.
        model: ModelInfo,
        /// What the program takes.
        limits: Limits,
        /// What of the custom tools is not there, and why.
        load_problems: Vec<LoadProblem>,
    },
    /// The program ends without a session, and why. Also on standard error.
    Fatal {
        /// What went wrong.
        error: String,
        /// What to do about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// The reply to a request.
    Response {
        /// The request's `id`, if it had one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<RequestId>,
        /// The request's `type`; `parse` where the line could not be read.
        command: String,
        /// Whether it was done.
        success: bool,
        /// What was asked for, where there is something.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
        /// Why it was not done.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A tool wants something of the person. `select`, `confirm`, `input` and `editor` wait for a `ui_response`; the others
    /// want none.
    UiRequest {
        /// What to answer with.
        id: String,
        /// How long the tool waits, where it says so; then comes `ui_cancel`.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
        /// What is wanted.
        #[serde(flatten)]
        wanted: Wanted,
    },
    /// A `ui_request` is taken back: the call was stopped, or the tool waited long enough.
    UiCancel {
        /// The `id` of the `ui_request`.
        id: String,
    },
    /// May a call run? Waits for an `approval_response`.
    ApprovalRequest {
        /// What to answer with.
        id: String,
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What people call the tool.
        label: String,
        /// What it would run with.
        arguments: Value,
        /// How much it can change.
        #[schemars(with = "TierName")]
        tier: String,
        /// Why the tool asks, in its own words.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Lines the tool wants shown, as they are. They may contain any character.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        details: Vec<String>,
        /// The whole question as lines that are safe to show: hidden characters are escaped, no line of a value can pass
        /// for another, and what is left out of a very long value is announced.
        display: Vec<String>,
    },
    /// An `approval_request` is taken back.
    ApprovalCancel {
        /// The `id` of the `approval_request`.
        id: String,
    },
    /// Run a host tool. Waits for a `host_tool_result`.
    HostToolCall {
        /// What to answer with.
        id: String,
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What it is called with, valid for its `parameters`.
        arguments: Value,
    },
    /// Stop a host tool. It may still send its result, for a short while.
    HostToolCancel {
        /// The `id` of the `host_tool_call`.
        target_id: String,
    },
    /// The client reads too slowly: so many lines of `message_update`, `tool_execution_update` and notices were left out
    /// before this one. Whole messages and results were not.
    EventsDropped {
        /// How many.
        count: u64,
    },
}

/// What a tool wants of the person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "method", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Wanted {
    /// One of several; answered with `value`.
    Select {
        /// What it is about.
        title: String,
        /// What can be chosen.
        options: Vec<String>,
    },
    /// Yes or no; answered with `confirmed`.
    Confirm {
        /// What it is about.
        title: String,
        /// The question.
        message: String,
    },
    /// A line; answered with `value`.
    Input {
        /// What it is about.
        title: String,
        /// What to show while nothing is there.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
    },
    /// A longer text; answered with `value`.
    Editor {
        /// What it is about.
        title: String,
        /// What to begin with.
        #[serde(skip_serializing_if = "Option::is_none")]
        prefill: Option<String>,
    },
    /// Shows a notice.
    Notify {
        /// What it says.
        message: String,
        /// `info`, `warning` or `error`.
        level: String,
    },
    /// Sets or clears an entry of the status line.
    SetStatus {
        /// Which entry.
        key: String,
        /// What it says; absent clears it.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Sets or clears a block of lines.
    SetWidget {
        /// Which block.
        key: String,
        /// What it says; absent clears it.
        #[serde(skip_serializing_if = "Option::is_none")]
        lines: Option<Vec<String>>,
    },
    /// Sets the window's title.
    SetTitle {
        /// The title.
        title: String,
    },
}

/// What the program takes.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Limits {
    /// The longest line a client may send, in bytes. What the program sends can be longer.
    pub(super) max_frame_bytes: usize,
    /// How many requests may wait for their turn.
    pub(super) max_waiting_requests: usize,
}

impl Frame {
    /// A reply.
    pub(super) fn response(id: Option<RequestId>, command: &str, outcome: Result<Value, String>) -> Self {
        let (success, data, error) = match outcome {
            Ok(Value::Null) => (true, None, None),
            Ok(data) => (true, Some(data), None),
            Err(error) => (false, None, Some(error)),
        };
        Self::Response { id, command: command.to_owned(), success, data, error }
    }
}
