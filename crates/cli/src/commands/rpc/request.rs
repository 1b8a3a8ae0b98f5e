//! Lines a client sends: requests, which get one reply each, and answers to questions. The comments are the reference
//! in `docs/rpc.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolsmith_agent::{Prompt, QueueMode};
use toolsmith_llm::{ContentBlock, ThinkingLevel};
use toolsmith_tool::Tier;

/// Id of a request, returned in its reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum RequestId {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// A request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Request {
    /// Declares the client's capabilities. Without it nothing is asked, and `hasUI` is false for tools. A later one
    /// replaces an earlier one.
    Initialize {
        /// Version of the protocol the client was written for.
        #[serde(default)]
        protocol_version: Option<u32>,
        /// Name of the client.
        #[serde(default)]
        client: Option<String>,
        /// Supported functions of `pi.ui`. If there are any, `hasUI` is true; unsupported ones return their headless
        /// result.
        #[serde(default)]
        ui: Vec<UiMethod>,
        /// Set if the client can answer approval requests.
        #[serde(default)]
        approval: bool,
    },
    /// Starts a run. The reply is sent immediately; `agent_end` ends the run.
    Prompt {
        /// The prompt.
        #[serde(flatten)]
        said: Said,
        /// Behaviour during a run; without it the prompt is rejected then.
        #[serde(default)]
        streaming_behavior: Option<StreamingBehavior>,
    },
    /// Lists all commands: of extensions, Markdown files, skills and MCP servers.
    GetCommands,
    /// Runs a command. The reply is sent when it is done; runs it started may go on.
    RunCommand {
        /// Name without the slash.
        name: String,
        /// Its arguments.
        #[serde(default)]
        arguments: String,
    },
    /// Returns completions for the arguments of a command.
    CompleteCommand {
        /// Name without the slash.
        name: String,
        /// The arguments so far.
        #[serde(default)]
        prefix: String,
    },
    /// Queues a message for the next request to the model, or for the next run if none is in progress.
    Steer {
        /// The message.
        #[serde(flatten)]
        said: Said,
    },
    /// Queues a message for the time when the agent would stop.
    FollowUp {
        /// The message.
        #[serde(flatten)]
        said: Said,
    },
    /// Stops the run or long request in progress. Queued messages stay. Does not wait for other requests.
    Abort {
        /// Reason sent to the model.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Stops the run, waits for its end, and starts another one.
    AbortAndPrompt {
        /// The prompt.
        #[serde(flatten)]
        said: Said,
    },
    /// Starts a new session, stored like this one. Like every request that switches sessions, it stops the run and
    /// drops queued messages and pending actions.
    NewSession,
    /// Switches to another session. Does nothing if it is already open.
    SwitchSession {
        /// Id, id prefix or file.
        session: String,
    },
    /// Continues in a copy of this session at the same position.
    Fork,
    /// Starts a new session from before a user message.
    Branch {
        /// Entry of the message, from `get_branch_messages`.
        entry_id: String,
    },
    /// Moves within this session: before a user message, after any other entry.
    GoTo {
        /// Id of the entry; `root` for before everything.
        entry_id: String,
        /// Let the model summarise the abandoned branch first.
        #[serde(default)]
        summarize: bool,
    },
    /// Returns the state: model, session, queues, pending actions.
    GetState,
    /// Returns the conversation as sent to the model.
    GetMessages,
    /// Returns the text of the model's last response.
    GetLastAssistantText,
    /// Returns message and call counts, tokens and cost.
    GetSessionStats,
    /// Returns the user messages on every branch, from which `branch` can start.
    GetBranchMessages,
    /// Returns all entries of the session in short, for `go_to`.
    GetTree,
    /// Sets or removes the label of an entry.
    SetLabel {
        /// Id of the entry.
        entry_id: String,
        /// The label.
        #[serde(default)]
        label: Option<String>,
    },
    /// Lists stored sessions, most recent first.
    ListSessions {
        /// Include all directories, not only this one.
        #[serde(default)]
        all: bool,
    },
    /// Names the session; an empty name removes it.
    SetSessionName {
        /// The name.
        name: String,
    },
    /// Exports the conversation, as text or to a file.
    Export {
        /// Format.
        #[serde(default)]
        format: ExportFormat,
        /// File, relative to the working directory; without it the reply contains the text.
        #[serde(default)]
        path: Option<String>,
        /// Allow replacing an existing file.
        #[serde(default)]
        overwrite: bool,
    },
    /// Returns the available models: those of providers with a key, and of local servers.
    GetAvailableModels,
    /// Changes the model from the next request on.
    SetModel {
        /// `provider/id`, an unambiguous part of a name, or `script:FILE`; a suffix such as `:high` sets the thinking
        /// level.
        model: String,
    },
    /// Changes the thinking level from the next request on.
    SetThinkingLevel {
        /// Thinking level.
        #[schemars(with = "Thinking")]
        level: ThinkingLevel,
    },
    /// Returns all tools, modules that failed to load, and modules waiting for trust.
    GetTools,
    /// Sets the tools offered to the model from the next request on.
    SetActiveTools {
        /// Names of the tools.
        names: Vec<String>,
    },
    /// Registers tools that the client runs, replacing those it registered before. All or none.
    SetHostTools {
        /// The tools; an empty list removes all.
        tools: Vec<HostToolDefinition>,
    },
    /// Calls a tool without a model, through the same pipeline: validation, approval, deadline and events. The reply is
    /// sent when the call ends; later requests do not wait for it.
    CallTool {
        /// Name of the tool.
        name: String,
        /// Arguments.
        #[serde(default)]
        arguments: Option<Value>,
        /// Id of the call; generated if absent.
        #[serde(default)]
        tool_call_id: Option<String>,
    },
    /// Stops a call made with `call_tool`.
    AbortTool {
        /// Id of the call.
        tool_call_id: String,
    },
    /// Compacts the session: the model summarises the older part. Not allowed during a run; `abort` stops it.
    Compact {
        /// Instructions for the summary.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// Enables or disables automatic compaction.
    SetAutoCompaction {
        /// New value.
        enabled: bool,
    },
    /// Enables or disables automatic retries.
    SetAutoRetry {
        /// New value.
        enabled: bool,
    },
    /// Stops a run that waits for a retry. Does not wait for other requests.
    AbortRetry,
    /// Sets how queued steering messages are delivered.
    SetSteeringMode {
        /// Delivery mode.
        #[schemars(with = "Delivery")]
        mode: QueueMode,
    },
    /// Sets how queued follow-ups are delivered.
    SetFollowUpMode {
        /// Delivery mode.
        #[schemars(with = "Delivery")]
        mode: QueueMode,
    },
    /// Lists the pending actions, newest first.
    PendingList,
    /// Returns the exact diff of a pending action.
    PendingView {
        /// Id of the action (default: the newest).
        #[serde(default)]
        action_id: Option<u64>,
    },
    /// Applies a pending action. It is consumed even if it fails.
    PendingApply {
        /// Id of the action (default: the newest).
        #[serde(default)]
        action_id: Option<u64>,
        /// Apply only these files, relative to the working directory; the rest is dropped.
        #[serde(default)]
        files: Option<Vec<String>>,
        /// Reason passed to the tool.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Discards a pending action.
    PendingDiscard {
        /// Id of the action (default: the newest).
        #[serde(default)]
        action_id: Option<u64>,
        /// Reason passed to the tool.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Lists file changes made by tools in this directory, newest first.
    UndoList,
    /// Undoes a file change. Fails if the files were changed since.
    Undo {
        /// Id of the change (default: the last one in this directory).
        #[serde(default)]
        change_id: Option<String>,
    },
    /// Ends the session and the program, like the end of standard input. Does not wait for other requests.
    Shutdown,
}

/// An answer to a question. It gets a reply only if it is invalid.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Answer {
    /// Answers a `ui_request`.
    UiResponse {
        /// The `id` of the `ui_request`.
        id: String,
        /// For `select`, one of the options; for `input` and `editor`, the text.
        #[serde(default)]
        value: Option<String>,
        /// For `confirm`.
        #[serde(default)]
        confirmed: Option<bool>,
        /// The user closed the dialog without an answer.
        #[serde(default)]
        cancelled: bool,
    },
    /// Answers an `approval_request`.
    ApprovalResponse {
        /// The `id` of the `approval_request`.
        id: String,
        /// Allow the call.
        approved: bool,
        /// Apply the answer to later calls of this kind, until the session ends.
        #[serde(default)]
        remember: bool,
        /// Message for the model with a refusal.
        #[serde(default)]
        note: Option<String>,
    },
    /// A partial result of a host tool. It also extends the call's deadline.
    HostToolUpdate {
        /// The `id` of the `host_tool_call`.
        id: String,
        /// The partial result, in the form of `result` in `host_tool_result`.
        partial_result: Value,
    },
    /// The result of a host tool.
    HostToolResult {
        /// The `id` of the `host_tool_call`.
        id: String,
        /// `{content, details?, isError?}`, or only a text.
        result: Value,
        /// Set if the call failed.
        #[serde(default)]
        is_error: bool,
    },
}

impl Answer {
    /// Returns the id it answers.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::UiResponse { id, .. }
            | Self::ApprovalResponse { id, .. }
            | Self::HostToolUpdate { id, .. }
            | Self::HostToolResult { id, .. } => id,
        }
    }
}

/// A text with images.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Said {
    /// Text.
    message: String,
    /// Images.
    #[serde(default)]
    images: Vec<Image>,
}

/// An image.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Image {
    /// The bytes in base64.
    data: String,
    /// Media type, such as `image/png`.
    mime_type: String,
}

impl Said {
    /// Returns the text of a message without images.
    pub(super) fn only_text(&self) -> Option<&str> {
        self.images.is_empty().then_some(self.message.as_str())
    }
}

impl From<Said> for Prompt {
    fn from(said: Said) -> Self {
        let mut content = Vec::new();
        if !said.message.is_empty() {
            content.push(ContentBlock::text(said.message));
        }
        let images = said.images.into_iter();
        content
            .extend(images.map(|image| ContentBlock::Image { data: image.data, mime_type: image.mime_type }));
        Self::new(content)
    }
}

/// Behaviour of a prompt during a run.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum StreamingBehavior {
    /// As `steer`.
    Steer,
    /// As `follow_up`.
    FollowUp,
}

/// A function of `pi.ui`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum UiMethod {
    /// Offers a list.
    Select,
    /// Asks a yes-or-no question.
    Confirm,
    /// Asks for one line of text.
    Input,
    /// Asks for a longer text.
    Editor,
    /// Shows a notice.
    Notify,
    /// Sets an entry of the status line.
    SetStatus,
    /// Sets a block of lines near the editor.
    SetWidget,
    /// Sets the window title.
    SetTitle,
}

/// Export format.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ExportFormat {
    /// A self-contained HTML page.
    #[default]
    Html,
    /// Markdown.
    Markdown,
}

/// A tool that the client runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HostToolDefinition {
    /// Name, unique among all tools.
    pub(super) name: String,
    /// Label (default: the name).
    #[serde(default)]
    pub(super) label: Option<String>,
    /// Description for the model.
    pub(super) description: String,
    /// JSON Schema of the arguments (default: no arguments).
    #[serde(default)]
    pub(super) parameters: Option<Value>,
    /// Inactive until `set_active_tools` names it.
    #[serde(default)]
    pub(super) hidden: bool,
    /// Requests the provider's strict schema mode.
    #[serde(default)]
    pub(super) strict: Option<bool>,
    /// Approval tier: `read`, `write` or `exec` (default).
    #[serde(default)]
    pub(super) approval: Option<Tier>,
    /// A call waits for all earlier calls and delays all later ones.
    #[serde(default)]
    pub(super) exclusive: bool,
    /// Deadline of a call without progress in milliseconds, overriding the setting.
    #[serde(default)]
    pub(super) deadline_ms: Option<u64>,
}

/// Thinking level.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "the schema of a type of another crate")]
pub(super) enum Thinking {
    /// Off.
    Off,
    /// Minimal.
    Minimal,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// The model's maximum.
    Xhigh,
}

/// How many queued messages are delivered at once.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "the schema of a type of another crate")]
pub(super) enum Delivery {
    /// The oldest one.
    OneAtATime,
    /// All of them.
    All,
}
