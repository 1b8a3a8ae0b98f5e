//! What stands in `data` of replies. The comments are the reference in `docs/rpc.md`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolsmith::{Session, ToolInfo, ToolLoadError};
use toolsmith_llm::Model;

use super::{
    events::{ContentShape, MessageShape, PendingShape, UsageShape},
    request::{Delivery, Thinking, TierName},
};

/// A session.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionInfo {
    /// Its id.
    pub(super) session_id: String,
    /// Its file, unless it is kept nowhere. It is made when something is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_file: Option<String>,
    /// The name a person gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_name: Option<String>,
    /// The folder it belongs to.
    pub(super) cwd: String,
}

impl SessionInfo {
    pub(super) fn of(session: &Session) -> Self {
        let kept = session.conversation();
        Self {
            session_id: kept.id(),
            session_file: kept.file().map(|path| path.display().to_string()),
            session_name: kept.name(),
            cwd: kept.cwd().display().to_string(),
        }
    }
}

/// A model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelInfo {
    /// What `set_model` finds exactly this one by.
    pub(super) reference: String,
    /// Who answers.
    pub(super) provider: String,
    /// What the provider calls it.
    pub(super) id: String,
    /// What people call it.
    pub(super) name: String,
    /// Tokens it reads at once.
    pub(super) context_window: u64,
    /// Tokens it writes at once.
    pub(super) max_output: u64,
    /// Whether it thinks.
    pub(super) reasoning: bool,
    /// Whether it sees images.
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

/// Why a module or one of its tools is not there.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadProblem {
    /// The module.
    pub(super) path: String,
    /// What is wrong.
    pub(super) message: String,
    /// Where: `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// What to do about it.
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
    /// Everything of the custom tools that is not there.
    pub(super) fn all(session: &Session) -> Vec<Self> {
        let loaded = session.loaded();
        let waiting = loaded.waiting.iter().map(|module| Self {
            path: module.path.display().to_string(),
            message: "waits until the folder is trusted".to_owned(),
            place: None,
            hint: Some("`toolsmith trust` lets it run; --trust does for one run.".to_owned()),
        });
        loaded.errors.iter().map(Self::from).chain(waiting).collect()
    }
}

/// Reply to `initialize`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Initialized {
    /// The version of the protocol that is spoken.
    pub(super) protocol_version: u32,
    /// Whether tools can reach a person now.
    #[serde(rename = "hasUI")]
    pub(super) has_ui: bool,
}

/// Reply to `prompt`: whether a run began, or the message waits.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Prompted {
    /// `false` when the message was queued.
    pub(super) started: bool,
}

/// Reply to `get_state`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    /// The session.
    #[serde(flatten)]
    pub(super) session: SessionInfo,
    /// The model that is asked.
    pub(super) model: ModelInfo,
    /// How hard it is asked to think.
    #[schemars(with = "Thinking")]
    pub(super) thinking_level: String,
    /// Whether no run is on its way.
    pub(super) is_idle: bool,
    /// How many messages the model is told.
    pub(super) message_count: usize,
    /// How many messages wait for the next request to the model.
    pub(super) queued_steering: usize,
    /// How many messages wait for the end of the run.
    pub(super) queued_follow_ups: usize,
    /// How waiting steering messages are delivered.
    #[schemars(with = "Delivery")]
    pub(super) steering_mode: Value,
    /// How waiting follow-ups are delivered.
    #[schemars(with = "Delivery")]
    pub(super) follow_up_mode: Value,
    /// How many staged actions wait for a decision.
    pub(super) pending_actions: usize,
    /// Whether a request to the model failed and waits to be made again.
    pub(super) is_retrying: bool,
    /// Whether the conversation is summed up without being asked to.
    pub(super) auto_compaction: bool,
    /// Whether the model is asked again after errors that pass.
    pub(super) auto_retry: bool,
    /// What runs without asking: `always-ask`, `write` or `yolo`.
    pub(super) approval_mode: String,
    /// Whether tools can reach a person.
    #[serde(rename = "hasUI")]
    pub(super) has_ui: bool,
}

/// Reply to `get_messages`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Messages {
    /// The conversation up to the leaf.
    #[schemars(with = "Vec<MessageShape>")]
    pub(super) messages: Vec<Value>,
}

/// Reply to `get_last_assistant_text`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LastText {
    /// The text; absent when the model has said nothing.
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
    /// Messages of the person, up to the leaf.
    pub(super) user_messages: usize,
    /// Answers of the model, up to the leaf.
    pub(super) assistant_messages: usize,
    /// Calls in them.
    pub(super) tool_calls: usize,
    /// Results of calls, up to the leaf.
    pub(super) tool_results: usize,
    /// All messages, up to the leaf.
    pub(super) total_messages: usize,
    /// Entries of the session, on every path.
    pub(super) entries: usize,
    /// What the model cost, on every path.
    #[schemars(with = "UsageShape")]
    pub(super) usage: Value,
}

/// Reply to `get_branch_messages`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BranchMessages {
    /// From the first to the last.
    pub(super) messages: Vec<BranchMessage>,
}

/// What a person said.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct BranchMessage {
    /// The entry.
    pub(super) entry_id: String,
    /// What was said.
    pub(super) text: String,
}

/// Reply to `get_tree`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TreeRows {
    /// Where the conversation is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) leaf_id: Option<String>,
    /// Every entry, in the order they were added.
    pub(super) rows: Vec<TreeRow>,
}

/// An entry of the session in short.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TreeRow {
    /// The entry.
    pub(super) id: String,
    /// The row of the entry it follows, which is always an earlier one; absent for a beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<usize>,
    /// The role of a message, else the type of the entry.
    pub(super) kind: String,
    /// The beginning of what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    /// When it was added.
    pub(super) timestamp: String,
    /// Whether it lies on the path to the leaf.
    pub(super) on_path: bool,
}

/// Reply to `new_session`, `switch_session`, `fork`, `branch` and `go_to`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Went {
    /// The session that is open now.
    #[serde(flatten)]
    pub(super) session: SessionInfo,
    /// What the person said at that place, to be said differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// What waited in the queues. Nobody says it now.
    #[schemars(with = "Vec<MessageShape>")]
    pub(super) queued: Vec<Value>,
}

/// Reply to `list_sessions`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionList {
    /// Newest first.
    pub(super) sessions: Vec<ListedSession>,
}

/// A session in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedSession {
    /// Its id.
    pub(super) id: String,
    /// Its file.
    pub(super) path: String,
    /// The folder it belongs to.
    pub(super) cwd: String,
    /// When it began.
    pub(super) created: String,
    /// When it was last written, in milliseconds since 1970.
    pub(super) modified_ms: u64,
    /// The name a person gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// The file it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent_session: Option<String>,
    /// The beginning of what was said first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_message: Option<String>,
    /// The beginning of what was said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_message: Option<String>,
}

/// Reply to `export`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Exported {
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// The text, where no file was asked for.
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
    /// The model that is asked from now on.
    pub(super) model: ModelInfo,
    /// How hard it is asked to think.
    #[schemars(with = "Thinking")]
    pub(super) thinking_level: String,
}

/// Reply to `get_tools`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tools {
    /// Every tool, in the order they were registered.
    pub(super) tools: Vec<ToolRow>,
    /// What of the custom tools is not there, and why.
    pub(super) load_problems: Vec<LoadProblem>,
}

/// A tool.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolRow {
    /// What the model calls.
    pub(super) name: String,
    /// What people see.
    pub(super) label: String,
    /// What the model reads.
    pub(super) description: String,
    /// JSON Schema of the arguments.
    pub(super) parameters: Value,
    /// How much a call can change, as declared.
    #[schemars(with = "TierName")]
    pub(super) tier: String,
    /// Where it came from, in words.
    pub(super) origin: String,
    /// Whether it has to be named to be offered.
    pub(super) hidden: bool,
    /// Whether the model is offered it now.
    pub(super) is_active: bool,
}

impl From<ToolInfo> for ToolRow {
    fn from(tool: ToolInfo) -> Self {
        let tier = tool.tier.as_str().to_owned();
        let ToolInfo { name, label, description, parameters, origin, hidden, is_active, .. } = tool;
        Self { name, label, description, parameters, tier, origin, hidden, is_active }
    }
}

/// Reply to `set_active_tools` and `set_host_tools`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActiveTools {
    /// What the model is offered from now on.
    pub(super) active: Vec<String>,
}

/// Reply to `call_tool`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Called {
    /// The call.
    pub(super) tool_call_id: String,
    /// What it came to.
    pub(super) result: Outcome,
    /// Whether it failed.
    pub(super) is_error: bool,
    /// How long it took, questions included.
    pub(super) duration_ms: u64,
    /// The whole output, where the result has only parts of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full_output: Option<String>,
}

/// What a tool answered.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    /// Texts and images.
    #[schemars(with = "Vec<ContentShape>")]
    pub(super) content: Vec<Value>,
    /// What the model never sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) details: Option<Value>,
}

/// Reply to `compact`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompactedTo {
    /// What the model reads in place of what came before.
    pub(super) summary: String,
    /// The first entry that stays as it is; empty when none does.
    pub(super) first_kept_entry_id: String,
    /// The size of the context before, in tokens.
    pub(super) tokens_before: u64,
    /// The size after, estimated.
    pub(super) tokens_after: u64,
}

/// Reply to `abort_retry`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetryAborted {
    /// Whether there was something to stop.
    pub(super) aborted: bool,
}

/// Reply to `pending_list`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingActions {
    /// Newest first.
    #[schemars(with = "Vec<PendingShape>")]
    pub(super) actions: Vec<Value>,
}

/// Reply to `pending_view`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingFiles {
    /// The files the action will change; none when it does not say.
    pub(super) files: Vec<PreviewedFile>,
}

/// What will become of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewedFile {
    /// The file.
    pub(super) path: String,
    /// It does not exist yet.
    pub(super) is_new: bool,
    /// It will be gone.
    pub(super) is_deleted: bool,
    /// It is not shown line by line.
    pub(super) is_binary: bool,
    /// Lines that come.
    pub(super) added: usize,
    /// Lines that go.
    pub(super) removed: usize,
    /// The unified difference.
    pub(super) diff: String,
}

/// Reply to `pending_apply` and `pending_discard`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decided {
    /// What the tool said to it.
    pub(super) result: Outcome,
    /// Whether it failed.
    pub(super) is_error: bool,
    /// How many actions wait now.
    pub(super) pending_actions: usize,
}

/// Reply to `undo_list`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Changes {
    /// Newest first.
    pub(super) changes: Vec<Change>,
}

/// A change of files that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Change {
    /// What `undo` takes.
    pub(super) id: String,
    /// When.
    pub(super) time: String,
    /// Which tool.
    pub(super) tool: String,
    /// What it did.
    pub(super) label: String,
    /// Its files.
    pub(super) files: Vec<String>,
    /// Whether it was undone since.
    pub(super) undone: bool,
}

/// Reply to `undo`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Undone {
    /// What was undone.
    pub(super) change: Change,
}
