//! The `data` of replies. The comments are the reference in `docs/rpc.md`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolsmith::{CommandInfo, Session, ToolInfo, ToolLoadError};
use toolsmith_agent::PendingView;
use toolsmith_llm::{Message, Model, Usage};
use toolsmith_tool::{CallMetrics, Completion, ContentBlock, Tier};

use super::request::{Delivery, Thinking};

/// A session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionInfo {
    /// Id.
    pub(super) session_id: String,
    /// File, unless the session is in memory. It is created with the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_file: Option<String>,
    /// Name given by the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_name: Option<String>,
    /// Working directory.
    pub(super) cwd: String,
}

impl SessionInfo {
    pub(super) fn of(session: &Session) -> Self {
        let kept = session.log();
        Self {
            session_id: kept.id(),
            session_file: kept.file().map(|path| path.display().to_string()),
            session_name: kept.name(),
            cwd: session.cwd().display().to_string(),
        }
    }
}

/// A model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelInfo {
    /// Name that selects exactly this model in `set_model`.
    pub(super) reference: String,
    /// Provider.
    pub(super) provider: String,
    /// Id used by the provider.
    pub(super) id: String,
    /// Display name.
    pub(super) name: String,
    /// Context window in tokens.
    pub(super) context_window: u64,
    /// Maximum number of output tokens.
    pub(super) max_output: u64,
    /// Supports thinking.
    pub(super) reasoning: bool,
    /// Accepts images.
    pub(super) images: bool,
}

impl From<&Model> for ModelInfo {
    fn from(model: &Model) -> Self {
        Self {
            reference: model.reference(),
            provider: model.provider.clone(),
            id: model.id.clone(),
            name: model.name.clone(),
            context_window: model.context_window,
            max_output: model.max_output,
            reasoning: model.thinking.is_supported(),
            images: model.images,
        }
    }
}

/// A module or tool that failed to load.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadProblem {
    /// Path of the module.
    pub(super) path: String,
    /// Error message.
    pub(super) message: String,
    /// Location: `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

impl From<&ToolLoadError> for LoadProblem {
    fn from(error: &ToolLoadError) -> Self {
        Self {
            path: error.path.display().to_string(),
            message: error.message.clone(),
            place: error.location.as_ref().map(ToString::to_string),
            hint: error.hint.clone(),
        }
    }
}

impl LoadProblem {
    /// Returns all custom tools that failed to load.
    pub(super) fn all(session: &Session) -> Vec<Self> {
        let loaded = session.loaded();
        let waiting = loaded.waiting.iter().map(|module| Self {
            path: module.path.display().to_string(),
            message: "waiting for trust in the directory".to_owned(),
            place: None,
            hint: Some("Run `toolsmith trust`, or use --trust for one run.".to_owned()),
        });
        loaded.errors.iter().map(Self::from).chain(waiting).collect()
    }
}

/// Reply to `initialize`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Initialized {
    /// Version of the protocol.
    pub(super) protocol_version: u32,
    /// Set if tools can reach a person now.
    #[serde(rename = "hasUI")]
    pub(super) has_ui: bool,
}

/// Reply to `prompt`: whether a run started, or the message was queued.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Prompted {
    /// `false` if the message was queued.
    pub(super) started: bool,
}

/// Reply to `get_state`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    /// The session.
    #[serde(flatten)]
    pub(super) session: SessionInfo,
    /// The current model.
    pub(super) model: ModelInfo,
    /// Thinking level.
    #[schemars(with = "Thinking")]
    pub(super) thinking_level: String,
    /// Set if no run is in progress.
    pub(super) is_idle: bool,
    /// Number of messages sent to the model.
    pub(super) message_count: usize,
    /// Number of messages queued for the next request to the model.
    pub(super) queued_steering: usize,
    /// Number of messages queued for the end of the run.
    pub(super) queued_follow_ups: usize,
    /// Delivery of steering messages.
    #[schemars(with = "Delivery")]
    pub(super) steering_mode: Value,
    /// Delivery of follow-ups.
    #[schemars(with = "Delivery")]
    pub(super) follow_up_mode: Value,
    /// Number of pending actions.
    pub(super) pending_actions: usize,
    /// Set if a failed request is waiting for a retry.
    pub(super) is_retrying: bool,
    /// Set if automatic compaction is enabled.
    pub(super) auto_compaction: bool,
    /// Set if automatic retries are enabled.
    pub(super) auto_retry: bool,
    /// Approval mode: `always-ask`, `write` or `yolo`.
    pub(super) approval_mode: String,
    /// Set if tools can reach a person.
    #[serde(rename = "hasUI")]
    pub(super) has_ui: bool,
}

/// Reply to `get_messages`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Messages {
    /// The conversation up to the leaf.
    #[schemars(with = "Vec<Message>")]
    pub(super) messages: Vec<Value>,
}

/// Reply to `get_last_assistant_text`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastText {
    /// The text; absent if there is no response yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

/// Reply to `get_session_stats`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stats {
    /// The session.
    #[serde(flatten)]
    pub(super) session: SessionInfo,
    /// User messages up to the leaf.
    pub(super) user_messages: usize,
    /// Responses up to the leaf.
    pub(super) assistant_messages: usize,
    /// Tool calls up to the leaf.
    pub(super) tool_calls: usize,
    /// Tool results up to the leaf.
    pub(super) tool_results: usize,
    /// All messages up to the leaf.
    pub(super) total_messages: usize,
    /// Entries of the session, on every branch.
    pub(super) entries: usize,
    /// Token usage and cost, on every branch.
    #[schemars(with = "Usage")]
    pub(super) usage: Value,
}

/// Reply to `get_branch_messages`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BranchMessages {
    /// Messages, oldest first.
    pub(super) messages: Vec<BranchMessage>,
}

/// A user message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BranchMessage {
    /// Id of the entry.
    pub(super) entry_id: String,
    /// Text.
    pub(super) text: String,
}

/// Reply to `get_tree`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TreeRows {
    /// Id of the leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) leaf_id: Option<String>,
    /// All entries, in the order they were appended.
    pub(super) rows: Vec<TreeRow>,
}

/// An entry of the session in short.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TreeRow {
    /// Id of the entry.
    pub(super) id: String,
    /// Row of the parent, always an earlier one; absent for a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<usize>,
    /// Role of a message, else the type of the entry.
    pub(super) kind: String,
    /// Beginning of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// Label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    /// Time of appending.
    pub(super) timestamp: String,
    /// Set if it lies on the path to the leaf.
    pub(super) on_path: bool,
}

/// Reply to `new_session`, `switch_session`, `fork`, `branch` and `go_to`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Went {
    /// The current session.
    #[serde(flatten)]
    pub(super) session: SessionInfo,
    /// Text of the user message at that position, for editing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// Messages removed from the queues.
    #[schemars(with = "Vec<Message>")]
    pub(super) queued: Vec<Value>,
}

/// Reply to `list_sessions`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionList {
    /// Sessions, most recent first.
    pub(super) sessions: Vec<ListedSession>,
}

/// A session in a listing.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedSession {
    /// Id.
    pub(super) id: String,
    /// File.
    pub(super) path: String,
    /// Working directory.
    pub(super) cwd: String,
    /// Creation time.
    pub(super) created: String,
    /// Time of the last write, in milliseconds since the Unix epoch.
    pub(super) modified_ms: u64,
    /// Name given by the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// File it was forked, branched or imported from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent_session: Option<String>,
    /// Beginning of the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_message: Option<String>,
    /// Beginning of the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_message: Option<String>,
}

/// Reply to `export`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Exported {
    /// The written file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// The text, if no file was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

/// Reply to `get_available_models`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Models {
    /// The models.
    pub(super) models: Vec<ModelInfo>,
}

/// Reply to `set_model`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelSet {
    /// The new model.
    pub(super) model: ModelInfo,
    /// Thinking level.
    #[schemars(with = "Thinking")]
    pub(super) thinking_level: String,
}

/// Reply to `get_commands`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Commands {
    /// All commands.
    pub(super) commands: Vec<CommandRow>,
}

/// A command.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommandRow {
    /// Name without the slash.
    name: String,
    /// Description for people.
    description: String,
    /// `extension`, `prompt` for a Markdown command, `skill`, `mcp`, or the source that added it.
    source: String,
    /// Origin for people, such as the plugin it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// Arguments for help.
    #[serde(skip_serializing_if = "Option::is_none")]
    argument_hint: Option<String>,
    /// File of the extension, command or skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Set if `complete_command` can complete its arguments.
    has_completions: bool,
}

impl From<CommandInfo> for CommandRow {
    fn from(command: CommandInfo) -> Self {
        Self {
            name: command.name,
            description: command.description,
            source: command.source,
            origin: command.origin,
            argument_hint: command.argument_hint,
            path: command.path.map(|path| path.display().to_string()),
            has_completions: command.has_completions,
        }
    }
}

/// Reply to `run_command`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommandRun {
    /// The command returned a prompt, and a run was started with it.
    pub(super) started: bool,
}

/// Reply to `complete_command`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Completions {
    /// The completions, best first.
    pub(super) completions: Vec<CompletionRow>,
}

/// A completion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompletionRow {
    /// Text that replaces the arguments.
    value: String,
    /// Text shown in the list.
    label: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl From<Completion> for CompletionRow {
    fn from(completion: Completion) -> Self {
        Self { value: completion.value, label: completion.label, description: completion.description }
    }
}

/// Reply to `get_tools`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tools {
    /// All tools, in registration order.
    pub(super) tools: Vec<ToolRow>,
    /// Custom tools that failed to load.
    pub(super) load_problems: Vec<LoadProblem>,
}

/// A tool.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolRow {
    /// Name.
    pub(super) name: String,
    /// Label.
    pub(super) label: String,
    /// Description for the model.
    pub(super) description: String,
    /// JSON Schema of the arguments.
    pub(super) parameters: Value,
    /// Declared approval tier.
    #[schemars(with = "Tier")]
    pub(super) tier: String,
    /// Origin, for display.
    pub(super) origin: String,
    /// Set if it must be named to be active.
    pub(super) hidden: bool,
    /// Set if it is active.
    pub(super) is_active: bool,
    /// The error of its file, which no longer loads: the last working version is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stale: Option<String>,
}

impl From<ToolInfo> for ToolRow {
    fn from(tool: ToolInfo) -> Self {
        let tier = tool.tier.as_str().to_owned();
        let ToolInfo { name, label, description, parameters, origin, hidden, is_active, stale, .. } = tool;
        Self { name, label, description, parameters, tier, origin, hidden, is_active, stale }
    }
}

/// Reply to `set_active_tools` and `set_host_tools`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActiveTools {
    /// Names of the active tools.
    pub(super) active: Vec<String>,
}

/// Reply to `call_tool`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Called {
    /// Id of the call.
    pub(super) tool_call_id: String,
    /// The result.
    pub(super) result: Outcome,
    /// Set if it failed.
    pub(super) is_error: bool,
    /// Duration in milliseconds, without the time a person took to approve the call.
    pub(super) duration_ms: u64,
    /// Use of the call; missing if the tool was not called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) metrics: Option<CallMetrics>,
    /// File with the whole output, if the result was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full_output: Option<String>,
}

/// A tool result.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    /// Text and images.
    #[schemars(with = "Vec<ContentBlock>")]
    pub(super) content: Vec<Value>,
    /// Details that are never sent to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Value>,
}

/// Reply to `compact`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompactedTo {
    /// The summary that replaces earlier messages.
    pub(super) summary: String,
    /// The first entry that is kept; empty if none is.
    pub(super) first_kept_entry_id: String,
    /// Size of the context before, in tokens.
    pub(super) tokens_before: u64,
    /// Estimated size after, in tokens.
    pub(super) tokens_after: u64,
}

/// Reply to `abort_retry`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetryAborted {
    /// Set if there was a retry to stop.
    pub(super) aborted: bool,
}

/// Reply to `pending_list`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingActions {
    /// Pending actions, newest first.
    #[schemars(with = "Vec<PendingView>")]
    pub(super) actions: Vec<Value>,
}

/// Reply to `pending_view`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingFiles {
    /// Files the action will change; empty if it does not declare them.
    pub(super) files: Vec<PreviewedFile>,
}

/// A file of a pending action.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewedFile {
    /// Path.
    pub(super) path: String,
    /// The file will be created.
    pub(super) is_new: bool,
    /// The file will be deleted.
    pub(super) is_deleted: bool,
    /// The file is binary, so there is no line diff.
    pub(super) is_binary: bool,
    /// Added lines.
    pub(super) added: usize,
    /// Removed lines.
    pub(super) removed: usize,
    /// Unified diff.
    pub(super) diff: String,
}

/// Reply to `pending_apply` and `pending_discard`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decided {
    /// Result of the callback.
    pub(super) result: Outcome,
    /// Set if it failed.
    pub(super) is_error: bool,
    /// Number of remaining pending actions.
    pub(super) pending_actions: usize,
}

/// Reply to `undo_list`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changes {
    /// Changes, newest first.
    pub(super) changes: Vec<Change>,
}

/// A file change that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    /// Id for `undo`.
    pub(super) id: String,
    /// Time.
    pub(super) time: String,
    /// Name of the tool.
    pub(super) tool: String,
    /// Description.
    pub(super) label: String,
    /// Changed files.
    pub(super) files: Vec<String>,
    /// Set if it was undone.
    pub(super) undone: bool,
}

/// Reply to `undo`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Undone {
    /// The change that was undone.
    pub(super) change: Change,
}
