//! Actions of extensions on the session: the requests as data, and the trait of whoever carries them out.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{context::ToolContext, registry::Origin, result::ContentBlock, tool::Tool};

/// An action was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ActionError {
    /// There is no session yet, or it is gone.
    #[error("Extension runtime not initialized. Action methods cannot be called during extension loading.")]
    NoSession,
    /// The action failed.
    #[error("{0}")]
    Failed(String),
}

impl ActionError {
    /// Creates an error from a message.
    pub fn failed(message: impl std::fmt::Display) -> Self {
        Self::Failed(message.to_string())
    }
}

/// When a message reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum DeliverAs {
    /// Before the next request.
    #[serde(alias = "aside")]
    Steer,
    /// When the model would stop.
    FollowUp,
    /// With the next prompt.
    NextTurn,
}

/// A message with a type of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CustomMessageDraft {
    /// Its type.
    pub custom_type: String,
    /// Content for the model.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// Shown to the user too.
    #[serde(default)]
    pub display: bool,
    /// Details that are never sent to the model.
    #[serde(default)]
    pub details: Option<Value>,
}

/// An action that ends at once.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum SessionAction {
    /// Adds a custom message.
    SendMessage {
        /// The message.
        message: CustomMessageDraft,
        /// When the model receives it during a run.
        #[serde(default)]
        deliver_as: Option<DeliverAs>,
        /// Starts a run if none is in progress.
        #[serde(default)]
        trigger_turn: bool,
    },
    /// Sends a message as the user.
    SendUserMessage {
        /// Its content.
        content: Vec<ContentBlock>,
        /// When the model receives it during a run.
        #[serde(default)]
        deliver_as: Option<DeliverAs>,
        /// Runs the command it names, `/name arguments`, instead.
        #[serde(default)]
        expand: bool,
    },
    /// Appends an entry that the model never sees.
    AppendEntry {
        /// Its type.
        custom_type: String,
        /// Its data.
        #[serde(default)]
        data: Option<Value>,
    },
    /// Returns the names of the active tools.
    GetActiveTools,
    /// Returns all tools.
    GetAllTools,
    /// Replaces the active tools. Unknown names are ignored.
    SetActiveTools {
        /// Their names.
        names: Vec<String>,
    },
    /// Returns the commands of all extensions.
    GetCommands,
    /// Returns the name of the session.
    GetSessionName,
    /// Names the session.
    SetSessionName {
        /// The name; empty removes it.
        name: String,
    },
    /// Sets or removes a label.
    SetLabel {
        /// The entry.
        entry_id: String,
        /// The label; `None` removes it.
        #[serde(default)]
        label: Option<String>,
    },
    /// Returns the thinking level.
    GetThinkingLevel,
    /// Changes the thinking level.
    SetThinkingLevel {
        /// Its name.
        level: String,
    },
    /// Returns the value of a flag given on the command line.
    GetFlag {
        /// Name without the dashes.
        name: String,
    },
    /// Ends the session once it is idle.
    Shutdown,
    /// Starts a compaction in the background.
    Compact {
        /// Instructions for the summary.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// Returns the size of the context.
    GetContextUsage,
    /// Returns the system prompt.
    GetSystemPrompt,
    /// Returns the facts the system prompt is built from.
    GetSystemPromptOptions,
    /// Returns `tui`, `rpc`, `json` or `print`.
    GetMode,
    /// Returns whether the working directory is trusted.
    IsProjectTrusted,
    /// Returns the messages the model would receive now.
    GetContextMessages,
    /// Adds or changes a model provider.
    RegisterProvider {
        /// Its name.
        name: String,
        /// Its configuration without functions.
        config: Value,
        /// The module answers requests itself.
        #[serde(default)]
        streams: bool,
    },
    /// Removes a model provider.
    UnregisterProvider {
        /// Its name.
        name: String,
    },
}

/// A call of a built-in tool by an extension.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BuiltInRequest {
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Value,
    /// Working directory; that of the session if `None`.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Id of the call.
    #[serde(default)]
    pub call_id: String,
}

/// An action that takes time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum SessionTask {
    /// Changes the model; gives whether there is such a model with a key.
    SetModel {
        /// Provider of the model.
        provider: String,
        /// Id of the model.
        id: String,
    },
    /// Waits until no run is in progress.
    WaitForIdle,
    /// Starts a new session.
    NewSession,
    /// Switches to another session.
    SwitchSession {
        /// Id, id prefix or file.
        session: String,
    },
    /// Starts a new session from an entry.
    Fork {
        /// The entry.
        entry_id: String,
        /// After the entry; otherwise before it.
        #[serde(default)]
        at: bool,
    },
    /// Moves within the session.
    NavigateTree {
        /// The entry.
        target_id: String,
        /// Summarises the abandoned branch.
        #[serde(default)]
        summarize: bool,
        /// Label for the new position.
        #[serde(default)]
        label: Option<String>,
    },
    /// Compacts and waits.
    Compact {
        /// Instructions for the summary.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// Loads extensions again.
    Reload,
    /// Calls a tool through dispatch, as the model does.
    CallTool {
        /// Id of the call that makes it.
        #[serde(default)]
        parent_id: String,
        /// Name of the tool.
        name: String,
        /// Its arguments.
        #[serde(default)]
        arguments: Value,
    },
    /// Runs a built-in tool, also one that was replaced.
    CallBuiltIn(BuiltInRequest),
    /// Decides about a call of a built-in tool that an extension then makes in its own way. Returns the arguments.
    ApproveBuiltIn(BuiltInRequest),
    /// Returns the approval that a call of a built-in tool requires.
    ApprovalOf(BuiltInRequest),
    /// Asks a model outside the conversation.
    Complete {
        /// `provider/id`; the current model if `None`.
        #[serde(default)]
        model: Option<String>,
        /// System prompt.
        #[serde(default)]
        system: String,
        /// The messages.
        messages: Vec<Value>,
        /// Tools the model may call.
        #[serde(default)]
        tools: Vec<Value>,
        /// Thinking level.
        #[serde(default)]
        thinking: Option<String>,
        /// Maximum number of output tokens.
        #[serde(default)]
        max_tokens: Option<u64>,
    },
}

/// Carries out actions. Implementations must not block in [`SessionActions::act`]: it runs on the module's thread.
#[async_trait]
pub trait SessionActions: Send + Sync {
    /// Carries out an action.
    ///
    /// # Errors
    /// Fails if the session is gone or the action is refused.
    fn act(&self, action: SessionAction, context: &ToolContext) -> Result<Value, ActionError>;

    /// Carries out an action that takes time.
    ///
    /// # Errors
    /// Fails if the session is gone or the action is refused.
    async fn perform(&self, task: SessionTask, context: ToolContext) -> Result<Value, ActionError>;

    /// Returns a built-in tool for a working directory, also one that was replaced. Without a directory it is that of the
    /// session.
    fn built_in(&self, _name: &str, _cwd: Option<&str>) -> Option<Arc<dyn Tool>> {
        None
    }

    /// Adds a tool that a module registered after it was loaded. The same module may replace its own tool.
    ///
    /// # Errors
    /// Fails if the name is taken.
    fn register_tool(&self, tool: Arc<dyn Tool>, origin: Origin) -> Result<(), ActionError>;
}
