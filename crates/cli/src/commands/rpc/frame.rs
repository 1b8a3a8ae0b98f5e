//! Lines the program sends, other than session events. The comments are the reference in `docs/rpc.md`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolsmith_tool::Tier;

use super::{
    reply::{LoadProblem, ModelInfo, SessionInfo},
    request::RequestId,
};

/// Version of the protocol. It is raised when a correct client could break: a frame or field is removed or changes its
/// meaning. Additions do not raise it.
pub(super) const PROTOCOL_VERSION: u32 = 1;

/// A line from the program, other than an event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Frame {
    /// The first line: everything is loaded and requests are accepted.
    Ready {
        /// Version of the protocol.
        protocol_version: u32,
        /// Version of the program.
        version: String,
        /// The session.
        session: SessionInfo,
        /// The current model.
        model: ModelInfo,
        /// Limits of the program.
        limits: Limits,
        /// Custom tools that failed to load.
        load_problems: Vec<LoadProblem>,
    },
    /// The program exits without a session. The reason is also printed on standard error.
    Fatal {
        /// Error message.
        error: String,
        /// How to fix it.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// Reply to a request.
    Response {
        /// The request's `id`, if it had one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<RequestId>,
        /// The request's `type`; `parse` if the line could not be parsed.
        command: String,
        /// Set if the request succeeded.
        success: bool,
        /// Result of the request, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
        /// Error message, if it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A UI request from a tool. `select`, `confirm`, `input` and `editor` wait for a `ui_response`; the others need
    /// none.
    UiRequest {
        /// Id for the response.
        id: String,
        /// Timeout set by the tool; `ui_cancel` follows when it expires.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
        /// The request.
        #[serde(flatten)]
        wanted: Wanted,
    },
    /// A `ui_request` is cancelled: the call was stopped, or its timeout expired.
    UiCancel {
        /// The `id` of the `ui_request`.
        id: String,
    },
    /// Asks whether a call may run. Waits for an `approval_response`.
    ApprovalRequest {
        /// Id for the response.
        id: String,
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Label of the tool.
        label: String,
        /// Arguments of the call.
        arguments: Value,
        /// Approval tier.
        #[schemars(with = "Tier")]
        tier: String,
        /// Reason given by the tool.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Lines the tool wants shown, as they are. They may contain any character. Empty if there are none.
        details: Vec<String>,
        /// The whole question as lines that are safe to show: hidden characters are escaped, no line of a value can pass
        /// for another, and what is left out of a very long value is announced.
        display: Vec<String>,
    },
    /// An `approval_request` is cancelled.
    ApprovalCancel {
        /// The `id` of the `approval_request`.
        id: String,
    },
    /// Runs a host tool. Waits for a `host_tool_result`.
    HostToolCall {
        /// Id for the result.
        id: String,
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Arguments, valid for its `parameters`.
        arguments: Value,
    },
    /// Stops a host tool. It may still send its result for a short time.
    HostToolCancel {
        /// The `id` of the `host_tool_call`.
        target_id: String,
    },
    /// The client reads too slowly: this many lines of `message_update`, `tool_execution_update` and notices were
    /// omitted before this one. Complete messages and results are never omitted.
    EventsDropped {
        /// Number of omitted lines.
        count: u64,
    },
}

/// A UI request from a tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "method", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Wanted {
    /// Choose one of several options; answered with `value`.
    Select {
        /// Title.
        title: String,
        /// Options.
        options: Vec<String>,
    },
    /// Yes or no; answered with `confirmed`.
    Confirm {
        /// Title.
        title: String,
        /// The question.
        message: String,
    },
    /// One line of text; answered with `value`.
    Input {
        /// Title.
        title: String,
        /// Placeholder.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
    },
    /// A longer text; answered with `value`.
    Editor {
        /// Title.
        title: String,
        /// Initial text.
        #[serde(skip_serializing_if = "Option::is_none")]
        prefill: Option<String>,
    },
    /// Shows a notice.
    Notify {
        /// Text.
        message: String,
        /// `info`, `warning` or `error`.
        level: String,
    },
    /// Sets or clears an entry of the status line.
    SetStatus {
        /// Key of the entry.
        key: String,
        /// Text; absent clears it.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Sets or clears a block of lines.
    SetWidget {
        /// Key of the block.
        key: String,
        /// Lines; absent clears it.
        #[serde(skip_serializing_if = "Option::is_none")]
        lines: Option<Vec<String>>,
    },
    /// Sets the window title.
    SetTitle {
        /// Title.
        title: String,
    },
}

/// Limits of the program.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Limits {
    /// Maximum length of a client's line in bytes. Lines from the program can be longer.
    pub(super) max_frame_bytes: usize,
    /// Maximum number of queued requests.
    pub(super) max_waiting_requests: usize,
}

impl Frame {
    /// Creates a reply.
    pub(super) fn response(id: Option<RequestId>, command: &str, outcome: Result<Value, String>) -> Self {
        let (success, data, error) = match outcome {
            Ok(Value::Null) => (true, None, None),
            Ok(data) => (true, Some(data), None),
            Err(error) => (false, None, Some(error)),
        };
        Self::Response { id, command: command.to_owned(), success, data, error }
    }
}
