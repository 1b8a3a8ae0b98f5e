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
        /// What the run added to the conversation.
        messages: Vec<MessageShape>,
        /// What the run cost.
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
        /// What its calls came to, in the order asked.
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
        /// What was asked for.
        args: Value,
    },
    /// A call has a partial result. Left out first when the client reads too slowly.
    ToolExecutionUpdate {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What there is so far.
        partial_result: ResultShape,
    },
    /// A call is over.
    ToolExecutionEnd {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What it came to.
        result: ResultShape,
        /// Whether it failed.
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
        /// What the model is told beside a no.
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
        /// What can be done about it.
        class: String,
        /// What happened.
        message: String,
        /// How long the provider asks to wait.
        retry_after_ms: Option<u64>,
    },
    /// Something a person should know.
    Notice {
        /// What.
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
        /// What was tried.
        action: String,
        /// The summary, the first entry that is kept, and the tokens before.
        result: Option<Value>,
        /// Somebody stopped it.
        aborted: bool,
        /// The interrupted turn is sent again.
        will_retry: bool,
        /// What went wrong.
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
        /// What failed.
        error_message: String,
    },
    /// A series of retries ended.
    AutoRetryEnd {
        /// Whether the last one worked.
        success: bool,
        /// Which one that was.
        attempt: u64,
        /// What failed last.
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
    /// What went wrong.
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
        /// Who answered.
        provider: String,
        /// The model.
        model: String,
        /// What it cost.
        usage: UsageShape,
        /// `stop`, `length`, `toolUse`, `error` or `aborted`.
        stop_reason: String,
        /// What went wrong.
        error_message: Option<String>,
        /// Milliseconds since 1970.
        timestamp: u64,
    },
    /// What a call came to.
    ToolResult {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What the model sees.
        content: Vec<ContentShape>,
        /// What the model never sees.
        details: Option<Value>,
        /// Whether it failed.
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
    /// What happened.
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
    /// What they cost.
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
    /// What the model sees.
    content: Vec<ContentShape>,
    /// What the model never sees.
    details: Option<Value>,
    /// Whether it failed.
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
    /// What people call the tool.
    label: String,
    /// What it would run with.
    arguments: Value,
    /// How much it can change.
    tier: TierName,
    /// Why the tool asks.
    reason: Option<String>,
    /// Lines the tool wants shown.
    details: Option<Vec<String>>,
}

/// A staged action.
#[derive(JsonSchema)]
#[schemars(rename = "PendingAction")]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingShape {
    /// What `pending_apply` and the like take as `actionId`.
    id: u64,
    /// What it will do.
    label: String,
    /// Which tool staged it.
    source_tool_name: String,
    /// How much that tool may change.
    tier: String,
    /// What the tool wants shown.
    details: Option<Value>,
    /// The files it will change, where it says so.
    files: Option<Vec<String>>,
    /// Why it can no longer be applied.
    void: Option<String>,
}
