//! The contract of a Toolsmith tool as types: its specification, calls and results, and the repair and validation of
//! arguments.
//!
//! This crate does no input or output and knows no engine, model or terminal. All higher layers (engines, the agent, the
//! command line) build on it.
//!
//! A tool in Rust is one type:
//!
//! ```
//! use serde_json::json;
//! use toolsmith_tool::{Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait};
//!
//! struct Shout(ToolSpec);
//!
//! #[async_trait]
//! impl Tool for Shout {
//!     fn spec(&self) -> &ToolSpec {
//!         &self.0
//!     }
//!     async fn execute(&self, call: ToolCall, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
//!         let text = call.arguments["text"].as_str().unwrap_or_default();
//!         Ok(ToolResult::text(text.to_uppercase()))
//!     }
//! }
//!
//! let shout = Shout(ToolSpec::new("shout", "Says it louder").parameters(json!({
//!     "type": "object",
//!     "properties": { "text": { "type": "string" } },
//!     "required": ["text"],
//! })));
//! assert_eq!(shout.spec().label, "shout");
//! ```
#![warn(missing_docs)]

mod approval;
mod arguments;
mod cancel;
mod completion;
mod component;
mod context;
mod extension;
mod file_change;
mod meter;
mod names;
pub mod panics;
mod pending;
mod places;
mod recording;
mod registry;
mod render;
mod result;
mod session_action;
mod session_event;
mod session_view;
mod spec;
mod tool;
mod ui;
mod visible_text;
mod wrapped_call;

pub use approval::{Approval, ApprovalPolicy, Tier};
pub use arguments::{
    ArgumentError, ArgumentSchema, Prepared, Repair, ResultMismatch, ResultSchema, SchemaError,
};
pub use async_trait::async_trait;
pub use cancel::CancelToken;
pub use completion::{CompletionItem, CompletionSource, Completions, EditorState, InputTap, Tapped};
pub use component::{
    Anchor, Component, ComponentChange, ComponentId, CustomOptions, Length, Margin, OverlayOptions,
    ScreenInfo, WidgetContent, WidgetPlacement, WorkingIndicator,
};
pub use context::{ToolContext, UpdateSink};
pub use extension::{
    CommandSpec, Completion, Extension, FlagSpec, ProviderSpec, Registrations, RendererKind, ShortcutSpec,
};
pub use file_change::{
    BadContentHash, ContentHash, FileChange, FileSelection, FileTiers, FileWatch, HunkRange,
};
pub use meter::{CallMetrics, Figure, Meter, MeterLimits, MeteredReader};
pub use names::{NameError, check_tool_name, closest_names, is_provider_name};
pub use pending::{
    PendingAction, PendingCallbacks, PendingChange, PendingHandle, PendingId, PendingStack,
    PendingSubscription, PendingUnavailable, PushError, StagedBy, Writes,
};
pub use places::{Place, Places};
pub use recording::{
    Answer, CWD_MARK, CallTape, Exchange, LoadRecording, LoadTape, REDACTED, Recording, ReplayEnd, TapeSlot,
    is_secret_name, is_secret_variable_name, redact_value,
};
pub use registry::{Origin, OriginKind, RegisterError, RegisteredTool, Registry, UnknownTools};
pub use render::{RenderHooks, RenderOptions, RenderedLines};
pub use result::{ContentBlock, Failure, Stop, ToolError, ToolResult};
pub use session_action::{
    ActionError, BuiltInRequest, CustomMessageDraft, DeliverAs, SessionAction, SessionActions, SessionTask,
};
pub use session_event::{
    CompactionAction, CompactionEnd, CompactionTrigger, RetryEnd, RetryStart, SessionEvent, TodoReminder,
};
pub use session_view::{
    AgentView, Artifact, DetachedAgent, EmptySession, SessionView, ViewError, result_details,
};
pub use spec::{Concurrency, EffectHints, Keep, LoadMode, McpNames, ToolSpec};
pub use tool::{Tool, ToolCall};
pub use ui::{DialogOptions, HeadlessUi, NoticeLevel, Ui, UiHandle, UiSlot};
pub use visible_text::{
    BlockLimits, BlockRow, Name, VisibleBlock, has_right_to_left, is_hidden, visible, visible_line,
};
pub use wrapped_call::{WrappedCall, WrappedTool};
