//! The agent loop: sends a prompt to a model, runs the tools it calls and returns their results, until the model is done.
//!
//! [`Dispatcher`] is the path of every tool call. [`Agent`] is the loop; it reports everything in one stream of
//! [`AgentEvent`]s.
//!
//! This crate knows no engine, no MCP and no terminal: tools are `dyn Tool`, and clients read events.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use toolsmith_agent::Agent;
//! use toolsmith_llm::{Script, ScriptedProvider};
//!
//! let provider = ScriptedProvider::new(Script::parse(r#"["Hello."]"#)?);
//! let model = provider.model().clone();
//! let agent = Agent::builder().model(Arc::new(provider), model).build()?;
//! let summary = agent.run("Hi").await?;
//! assert_eq!(summary.text, "Hello.");
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod agent;
mod approval;
mod approval_text;
mod compaction;
mod conversation;
mod deferral;
mod dispatch;
mod events;
mod extensions;
mod files;
pub mod front_matter;
mod grants;
mod panics;
mod pending;
mod prompt;
mod queues;
mod retry;
pub mod rules;
pub mod session;
mod tools;
mod turn;

pub use agent::{
    Agent, AgentBuilder, AgentLimits, BuildError, ContinueError, Occupied, Prompt, PromptError, RunSummary,
    Totals, WeakAgent, model_json,
};
pub use approval::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, Decision, UnknownMode, Verdict, judge,
};
pub use approval_text::ApprovalText;
pub use compaction::{
    CompactError, Compacted, CompactionDecision, CompactionPlan, CompactionPolicy, CompactionReport,
    Compactor, SummaryError, summarize_branch, text_tokens,
};
pub use conversation::{Conversation, ConversationError, InMemory};
pub use deferral::{DeferredTools, TOOL_SEARCH};
pub use dispatch::{
    Arguments, CallEnd, CallEvent, CallOutcome, CallRequest, Deadlines, Dispatcher, DispatcherBuilder, Gate,
    GateVerdict, GatedCall, OutputCut, SharedRegistry, is_refused_unasked,
};
pub use events::{AgentEvent, RunEnd, Subscription};
pub use extensions::{
    ExtensionGate, ExtensionHook, ExtensionLimits, Extensions, WeakExtensions, custom_message,
    message_from_extension, message_to_extension,
};
pub use files::Saving;
pub use grants::Grant;
pub use pending::{
    PendingChoice, PendingView, Proposal, ResolveToolChoice, Resolver, ReviewDecision, ReviewRequest,
    Reviewer,
};
pub use prompt::{
    ContextFile, NestedContext, PromptPart, SkippedFile, Surroundings, SystemPrompt, find_context_files,
    git_branch, git_root,
};
pub use queues::{QueueMode, QueueModes, Queued};
pub use retry::{Retry, RetryPolicy};
pub use tools::{
    AstEditTool, AstGrepTool, OpenedName, RESOLVE, ReadNames, ResolveTool, TODO_WRITE, TodoPhase,
    TodoReminders, TodoStatus, TodoTask, TodoTool, Todos, built_in_tools, built_in_tools_saving,
    built_in_tools_with_rules, register_built_in_tools,
};
pub use turn::{
    AfterError, InputSource, Interrupt, Interruption, RequestPlan, RunStart, TurnContext, TurnHook,
};
