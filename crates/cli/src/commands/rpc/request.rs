//! What a client sends: requests, which get one reply each, and answers to what it was asked. The comments are the
//! reference in `docs/rpc.md`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolsmith_agent::{Prompt, QueueMode};
use toolsmith_llm::{ContentBlock, ThinkingLevel};
use toolsmith_tool::Tier;

/// What a client calls a request by; it comes back in the reply.
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
    /// Says what the client can do. Without it nobody is asked anything, and `hasUI` is false for tools. A later one
    /// replaces an earlier one.
    Initialize {
        /// The version of the protocol the client was written for.
        #[serde(default)]
        protocol_version: Option<u32>,
        /// What the client is called.
        #[serde(default)]
        client: Option<String>,
        /// What it can show of `pi.ui`. With any of them `hasUI` is true; the others give their headless answer.
        #[serde(default)]
        ui: Vec<UiMethod>,
        /// Whether it can be asked if a call may run.
        #[serde(default)]
        approval: bool,
    },
    /// Starts a run. The reply comes at once; `agent_end` is the end of the run.
    Prompt {
        /// What is said, and how.
        #[serde(flatten)]
        said: Said,
        /// What to do while a run is on its way; without it the prompt is refused then.
        #[serde(default)]
        streaming_behavior: Option<StreamingBehavior>,
    },
    /// Says something before the next request to the model; in the next run if none is on its way.
    Steer {
        /// What is said.
        #[serde(flatten)]
        said: Said,
    },
    /// Says something when the agent would stop.
    FollowUp {
        /// What is said.
        #[serde(flatten)]
        said: Said,
    },
    /// Stops the run or the long request that is on its way. Queued messages stay. It does not wait for other requests.
    Abort {
        /// What the model is told about it.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Stops the run, waits for its end, and starts another one.
    AbortAndPrompt {
        /// What is said.
        #[serde(flatten)]
        said: Said,
    },
    /// Begins a new conversation, kept as this one is. Like every request that goes over to another place, it stops the
    /// run, and gives up what is queued and what is staged.
    NewSession,
    /// Goes over to another conversation. Where it is open already, nothing happens.
    SwitchSession {
        /// Its id, the beginning of its id, or its file.
        session: String,
    },
    /// Goes on in a copy of this conversation, at the same place.
    Fork,
    /// Goes back to before a message of the person, in a conversation of its own.
    Branch {
        /// The message's entry, from `get_branch_messages`.
        entry_id: String,
    },
    /// Goes to another place of this conversation: before a message of the person, after any other entry.
    GoTo {
        /// The entry; `root` for before everything.
        entry_id: String,
        /// Whether the model first sums up the path that is left, for the new place.
        #[serde(default)]
        summarize: bool,
    },
    /// What holds now: model, session, queues, what waits for a decision.
    GetState,
    /// The conversation as the model is told it.
    GetMessages,
    /// What the model said last.
    GetLastAssistantText,
    /// How many messages and calls there were, and what they cost.
    GetSessionStats,
    /// The messages of the person, on every path: where `branch` can start.
    GetBranchMessages,
    /// Every entry of the session in short: where `go_to` can go.
    GetTree,
    /// Names an entry, or takes its name away.
    SetLabel {
        /// The entry.
        entry_id: String,
        /// The name.
        #[serde(default)]
        label: Option<String>,
    },
    /// The sessions that are kept, newest first.
    ListSessions {
        /// Those of all folders, not only of this one.
        #[serde(default)]
        all: bool,
    },
    /// Names the session; an empty name takes the name away.
    SetSessionName {
        /// The name.
        name: String,
    },
    /// The conversation to read, as text or into a file.
    Export {
        /// As what.
        #[serde(default)]
        format: ExportFormat,
        /// Into this file, seen from the working folder; without it the reply has the text.
        #[serde(default)]
        path: Option<String>,
        /// Whether a file that is there may be replaced.
        #[serde(default)]
        overwrite: bool,
    },
    /// The models that can be asked: those of providers whose key can be had, and of servers on this machine.
    GetAvailableModels,
    /// Asks another model from the next request on.
    SetModel {
        /// `provider/id`, enough of a name to be sure, or `script:FILE`; `:high` and the like behind it sets how hard to
        /// think.
        model: String,
    },
    /// Thinks this hard from the next request on.
    SetThinkingLevel {
        /// How hard.
        #[schemars(with = "Thinking")]
        level: ThinkingLevel,
    },
    /// Every tool, what became of modules that could not be loaded, and what waits for trust.
    GetTools,
    /// Offers the model exactly these tools from the next request on.
    SetActiveTools {
        /// Their names.
        names: Vec<String>,
    },
    /// Registers tools that the client runs, in place of those it registered before. All or none.
    SetHostTools {
        /// The tools; none takes all of them away.
        tools: Vec<HostToolDefinition>,
    },
    /// Calls a tool without a model, by the same way: checked, asked about, with a deadline. Events tell of it as of every
    /// call. The reply comes when it is over; later requests do not wait for it.
    CallTool {
        /// The tool.
        name: String,
        /// What it is called with.
        #[serde(default)]
        arguments: Option<Value>,
        /// What to call the call by; one is made up if there is none.
        #[serde(default)]
        tool_call_id: Option<String>,
    },
    /// Stops a call that was made with `call_tool`.
    AbortTool {
        /// The call.
        tool_call_id: String,
    },
    /// Has the model sum up the older part of the conversation, and goes on from the summary. Not while a run is on its
    /// way; `abort` stops it.
    Compact {
        /// What matters in the summary.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// Says whether the conversation is summed up without being asked to, when it grows too long.
    SetAutoCompaction {
        /// Whether.
        enabled: bool,
    },
    /// Says whether the model is asked again after errors that pass.
    SetAutoRetry {
        /// Whether.
        enabled: bool,
    },
    /// Stops a run that waits to ask the model again. It does not wait for other requests.
    AbortRetry,
    /// How waiting steering messages are delivered.
    SetSteeringMode {
        /// How.
        #[schemars(with = "Delivery")]
        mode: QueueMode,
    },
    /// How waiting follow-ups are delivered.
    SetFollowUpMode {
        /// How.
        #[schemars(with = "Delivery")]
        mode: QueueMode,
    },
    /// The staged actions that wait for a decision, the newest first.
    PendingList,
    /// The exact differences a staged action will make.
    PendingView {
        /// The action; the newest if there is none.
        #[serde(default)]
        action_id: Option<u64>,
    },
    /// Applies a staged action. It is used up, whatever comes of it.
    PendingApply {
        /// The action; the newest if there is none.
        #[serde(default)]
        action_id: Option<u64>,
        /// Only these files of it, seen from the working folder; the rest is dropped.
        #[serde(default)]
        files: Option<Vec<String>>,
        /// Why, for the tool.
        #[serde(default)]
        reason: Option<String>,
    },
    /// Discards a staged action.
    PendingDiscard {
        /// The action; the newest if there is none.
        #[serde(default)]
        action_id: Option<u64>,
        /// Why, for the tool.
        #[serde(default)]
        reason: Option<String>,
    },
    /// What tools changed of files here, newest first.
    UndoList,
    /// Undoes a change of files. Refused where somebody went on working with them.
    Undo {
        /// The change; the last one in this folder if there is none.
        #[serde(default)]
        change_id: Option<String>,
    },
    /// Ends the session and the program, as the end of standard input does. It does not wait for other requests.
    Shutdown,
}

/// An answer to something the client was asked. It gets a reply only when it is wrong.
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
        /// The person closed it without an answer.
        #[serde(default)]
        cancelled: bool,
    },
    /// Answers an `approval_request`.
    ApprovalResponse {
        /// The `id` of the `approval_request`.
        id: String,
        /// Whether it may run.
        approved: bool,
        /// Also for later calls of this kind, until the session ends.
        #[serde(default)]
        remember: bool,
        /// What the model is told beside a no.
        #[serde(default)]
        note: Option<String>,
    },
    /// A partial result of a host tool. It also starts the call's deadline anew.
    HostToolUpdate {
        /// The `id` of the `host_tool_call`.
        id: String,
        /// What there is so far: as `result` of `host_tool_result`.
        partial_result: Value,
    },
    /// The result of a host tool.
    HostToolResult {
        /// The `id` of the `host_tool_call`.
        id: String,
        /// `{content, details?, isError?}`, or only a text.
        result: Value,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
    },
}

impl Answer {
    /// What it answers.
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
    /// What is said.
    message: String,
    /// Images that go with it.
    #[serde(default)]
    images: Vec<Image>,
}

/// An image.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Image {
    /// The bytes in base64.
    data: String,
    /// For example `image/png`.
    mime_type: String,
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

/// What a prompt does while a run is on its way.
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
    /// Asks yes or no.
    Confirm,
    /// Asks for a line.
    Input,
    /// Asks for a longer text.
    Editor,
    /// Shows a notice.
    Notify,
    /// Sets an entry of the status line.
    SetStatus,
    /// Sets a block of lines near the editor.
    SetWidget,
    /// Sets the window's title.
    SetTitle,
}

/// What an export is.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ExportFormat {
    /// One page that needs nothing else.
    #[default]
    Html,
    /// Markdown.
    Markdown,
}

/// A tool that the client runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HostToolDefinition {
    /// What the model calls. Unique among all tools.
    pub(super) name: String,
    /// What people see; the name if there is none.
    #[serde(default)]
    pub(super) label: Option<String>,
    /// What the model reads to decide whether to call.
    pub(super) description: String,
    /// JSON Schema of the arguments; none if absent.
    #[serde(default)]
    pub(super) parameters: Option<Value>,
    /// Not offered to the model until `set_active_tools` names it.
    #[serde(default)]
    pub(super) hidden: bool,
    /// Asks providers for their strict schema mode.
    #[serde(default)]
    pub(super) strict: Option<bool>,
    /// How much a call can change: `read`, `write`, or `exec` if absent. It decides whether somebody is asked.
    #[serde(default)]
    #[schemars(with = "Option<TierName>")]
    pub(super) approval: Option<Tier>,
    /// Whether a call waits for all before it and holds all after it.
    #[serde(default)]
    pub(super) exclusive: bool,
    /// How long a call may take without progress, in milliseconds, in place of the setting.
    #[serde(default)]
    pub(super) deadline_ms: Option<u64>,
}

/// How much a call can change.
#[derive(JsonSchema)]
#[schemars(rename = "Tier")]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "the schema of a type of another crate")]
pub(super) enum TierName {
    /// Looks only.
    Read,
    /// Changes files the user can restore.
    Write,
    /// Anything.
    Exec,
}

/// How hard to think.
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "the schema of a type of another crate")]
pub(super) enum Thinking {
    /// Not at all.
    Off,
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Hard.
    High,
    /// As hard as the model can.
    Xhigh,
}

/// How many waiting messages are delivered at once.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "the schema of a type of another crate")]
pub(super) enum Delivery {
    /// The oldest; the next one waits for the next occasion.
    OneAtATime,
    /// All of them.
    All,
}
