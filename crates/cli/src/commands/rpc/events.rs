//! The events of the session, as their JSON looks. The types they are written from belong to other crates; these say the
//! same for the schema. A test holds the list against those crates, and another every line of real runs against the
//! schema.
#![expect(dead_code, reason = "only their schema is used")]

use schemars::JsonSchema;
use serde_json::Value;

use super::request::TierName;

/// Something that happened.
#[derive(JsonSchema)]
#[schemars(rename = "Event")]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum EventShape {
    /// A run begins.
    AgentStart,
    /// A run is over. Nothing of it comes after.
    AgentEnd {
        /// How it ended.
        end: RunEndShape,
        /// Messages the run added.
        messages: Vec<MessageShape>,
        /// Usage of the run.
        usage: UsageShape,
    },
    /// A turn begins: one answer of the model, and the calls in it.
    TurnStart {
        /// Counted from one, within the run.
        turn: u64,
    },
    /// A turn is over.
    TurnEnd {
        /// The answer.
        message: MessageShape,
        /// Results of its calls, in order.
        tool_results: Vec<MessageShape>,
    },
    /// A message begins. The model's own is still empty here.
    MessageStart {
        /// The message.
        message: MessageShape,
    },
    /// The model's message grew. Left out first when the client reads too slowly.
    MessageUpdate {
        /// By what: `start`; `text_`, `thinking_` and `toolcall_` with `start`, `delta` and `end`; `done`; `error`.
        assistant_message_event: StreamShape,
    },
    /// A message is whole, and kept.
    MessageEnd {
        /// The message.
        message: MessageShape,
    },
    /// A call's turn has come.
    ToolExecutionStart {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Arguments from the model.
        args: Value,
    },
    /// A call has a partial result. Left out first when the client reads too slowly.
    ToolExecutionUpdate {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The partial result.
        partial_result: ResultShape,
    },
    /// A call is over.
    ToolExecutionEnd {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The result.
        result: ResultShape,
        /// Set if it failed.
        is_error: bool,
        /// How long it took, questions included.
        duration_ms: u64,
        /// The file with the whole output, where the result has only parts of it.
        full_output: Option<String>,
    },
    /// Somebody is asked whether a call may run. The question itself is `approval_request`.
    ApprovalRequested {
        /// The question.
        request: QuestionShape,
    },
    /// Somebody answered.
    ApprovalDecided {
        /// The call.
        tool_call_id: String,
        /// `allow`, `allow_for_session` or `deny`.
        decision: String,
        /// Message for the model with a refusal.
        note: Option<String>,
    },
    /// Messages were queued or taken from a queue.
    QueueChanged {
        /// How many wait for the next request to the model.
        steering: u64,
        /// How many wait for the end of the run.
        follow_up: u64,
    },
    /// A tool staged an action.
    PendingPushed {
        /// The action.
        action: PendingShape,
        /// How many wait now.
        count: u64,
    },
    /// A staged action was taken, to be applied or discarded.
    PendingPopped {
        /// The action.
        action: PendingShape,
        /// How many wait now.
        count: u64,
    },
    /// The model gave no whole answer.
    Error {
        /// Error class.
        class: String,
        /// Error message.
        message: String,
        /// How long the provider asks to wait.
        retry_after_ms: Option<u64>,
    },
    /// Something a person should know.
    Notice {
        /// Text.
        message: String,
    },
    /// The session is ready.
    SessionStart,
    /// Another session took the place of the open one.
    SessionSwitch {
        /// The file left behind.
        previous_session_file: Option<String>,
    },
    /// The conversation goes on from an earlier message, in a session of its own.
    SessionBranch {
        /// The file left behind.
        previous_session_file: Option<String>,
    },
    /// The leaf moved within the session.
    SessionTree,
    /// The session ends.
    SessionShutdown,
    /// The conversation is being summed up.
    AutoCompactionStart {
        /// `threshold`, `overflow` or `idle`.
        trigger: String,
        /// `context-full` or `handoff`.
        action: String,
    },
    /// Summing up ended.
    AutoCompactionEnd {
        /// Kind of compaction.
        action: String,
        /// The summary, the first entry that is kept, and the tokens before.
        result: Option<Value>,
        /// Somebody stopped it.
        aborted: bool,
        /// The interrupted turn is sent again.
        will_retry: bool,
        /// Error message.
        error_message: Option<String>,
    },
    /// The model is asked again after a wait.
    AutoRetryStart {
        /// Counted from one.
        attempt: u64,
        /// The last one that will be tried.
        max_attempts: u64,
        /// How long the wait is.
        delay_ms: u64,
        /// Error that caused the retry.
        error_message: String,
    },
    /// A series of retries ended.
    AutoRetryEnd {
        /// Set if the last attempt succeeded.
        success: bool,
        /// Which one that was.
        attempt: u64,
        /// The last error.
        final_error: Option<String>,
    },
    /// Stream rules interrupted the model.
    TtsrTriggered {
        /// The rules.
        rules: Vec<Value>,
    },
    /// The agent was reminded of open todos.
    TodoReminder {
        /// The open items.
        todos: Vec<Value>,
        /// Counted from one.
        attempt: u64,
        /// The last one that will be sent.
        max_attempts: u64,
    },
}

/// How a run ended.
#[derive(JsonSchema)]
#[schemars(rename = "RunEnd")]
pub(super) struct RunEndShape {
    /// `completed`, `aborted`, `failed`, `limit` or `fatal`.
    reason: String,
    /// Error message.
    message: Option<String>,
    /// With `failed`: what can be done about it.
    class: Option<String>,
}

/// A message; the fields follow from its `role`.
#[derive(JsonSchema)]
#[schemars(rename = "Message")]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum MessageShape {
    /// From the person.
    User {
        /// Texts and images.
        content: Vec<ContentShape>,
        /// Milliseconds since 1970.
        timestamp: u64,
    },
    /// From the program around the model.
    Developer {
        /// Texts and images.
        content: Vec<ContentShape>,
        /// Milliseconds since 1970.
        timestamp: u64,
    },
    /// From the model.
    Assistant {
        /// In the order the model began each.
        content: Vec<AssistantBlockShape>,
        /// The wire it came over.
        api: String,
        /// Provider.
        provider: String,
        /// The model.
        model: String,
        /// Token usage.
        usage: UsageShape,
        /// `stop`, `length`, `toolUse`, `error` or `aborted`.
        stop_reason: String,
        /// Error message.
        error_message: Option<String>,
        /// Milliseconds since 1970.
        timestamp: u64,
    },
    /// The result of a call.
    ToolResult {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Content sent to the model.
        content: Vec<ContentShape>,
        /// Details that are never sent to the model.
        details: Option<Value>,
        /// Set if it failed.
        is_error: bool,
        /// Milliseconds since 1970.
        timestamp: u64,
    },
}

/// A text or an image.
#[derive(JsonSchema)]
#[schemars(rename = "Content")]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(super) enum ContentShape {
    /// A text.
    Text {
        /// The text itself.
        text: String,
    },
    /// An image.
    Image {
        /// The bytes in base64.
        data: String,
        /// For example `image/png`.
        mime_type: String,
    },
}

/// A piece of what the model said.
#[derive(JsonSchema)]
#[schemars(rename = "AssistantBlock")]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum AssistantBlockShape {
    /// Words for the reader.
    Text {
        /// The words.
        text: String,
    },
    /// Words on the way there.
    Thinking {
        /// The words.
        thinking: String,
    },
    /// A tool to run.
    ToolCall {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// The arguments.
        arguments: Value,
    },
}

/// A piece of an answer while it comes in; the other fields follow from `type`.
#[derive(JsonSchema)]
#[schemars(rename = "AssistantMessageEvent")]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamShape {
    /// Kind of event.
    #[serde(rename = "type")]
    kind: String,
    /// Which block of the message.
    content_index: Option<u64>,
    /// By what it grew.
    delta: Option<String>,
}

/// Tokens, and what they cost in US dollars.
#[derive(JsonSchema)]
#[schemars(rename = "Usage")]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageShape {
    /// Read afresh.
    input: u64,
    /// Written.
    output: u64,
    /// Read from the provider's cache.
    cache_read: u64,
    /// Put into the provider's cache.
    cache_write: u64,
    /// All of them.
    total_tokens: u64,
    /// Cost.
    cost: CostShape,
}

/// US dollars.
#[derive(JsonSchema)]
#[schemars(rename = "Cost")]
#[serde(rename_all = "camelCase")]
pub(super) struct CostShape {
    /// For what was read afresh.
    input: f64,
    /// For what was written.
    output: f64,
    /// For what was read from the cache.
    cache_read: f64,
    /// For what was put into the cache.
    cache_write: f64,
    /// All of it.
    total: f64,
}

/// A result of a tool.
#[derive(JsonSchema)]
#[schemars(rename = "ToolResult")]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultShape {
    /// Content sent to the model.
    content: Vec<ContentShape>,
    /// Details that are never sent to the model.
    details: Option<Value>,
    /// Set if it failed.
    is_error: Option<bool>,
}

/// A question whether a call may run.
#[derive(JsonSchema)]
#[schemars(rename = "ApprovalQuestion")]
#[serde(rename_all = "camelCase")]
pub(super) struct QuestionShape {
    /// The call.
    tool_call_id: String,
    /// The tool.
    tool_name: String,
    /// Label of the tool.
    label: String,
    /// Arguments of the call.
    arguments: Value,
    /// How much it can change.
    tier: TierName,
    /// Reason given by the tool.
    reason: Option<String>,
    /// Lines the tool wants shown.
    details: Option<Vec<String>>,
}

/// A staged action.
#[derive(JsonSchema)]
#[schemars(rename = "PendingAction")]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingShape {
    /// Id, as `actionId` in `pending_apply` and related requests.
    id: u64,
    /// Description.
    label: String,
    /// Which tool staged it.
    source_tool_name: String,
    /// How much that tool may change.
    tier: String,
    /// Details from the tool.
    details: Option<Value>,
    /// The files it will change, where it says so.
    files: Option<Vec<String>>,
    /// Reason why it can no longer be applied.
    void: Option<String>,
}
