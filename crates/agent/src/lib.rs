//! The agent loop: sends a prompt to a model, runs the tools it calls and returns their results, until the model is done.
//!
//! [`Dispatcher`] is the path of every tool call. [`Agent`] is the loop; it reports everything in one stream of
//! [`AgentEvent`]s.
//!
//! This crate knows no engine, no MCP and no terminal: tools are `dyn Tool`, and clients read events. What takes part in turns and
//! calls implements [`TurnHook`], [`Gate`] or [`CallMonitor`]; most of it is in `toolsmith-middleware`.
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
mod dispatch;
mod events;
mod grants;
mod pending;
mod prompt;
mod queues;
mod turn;

pub use agent::{
    Agent, AgentBuilder, AgentLimits, BuildError, ContinueError, Occupied, Prompt, PromptError, RunSummary,
    Totals, WeakAgent, model_json,
};
pub use approval::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, Decision, UnknownMode, Verdict, judge,
};
pub use approval_text::ApprovalText;
pub use dispatch::{
    Arguments, CallDeadline, CallEnd, CallEvent, CallLimit, CallLimits, CallMonitor, CallOutcome,
    CallRequest, Deadlines, Dispatcher, DispatcherBuilder, Gate, GateApproval, GateVerdict, GatedCall,
    LOAD_RECORDING, OutputCut, Passage, RECORDING, RecordCalls, RecordedCall, RecordedEnd, RegistryRefresh,
    SharedRegistry, is_refused_unasked,
};
pub use events::{AgentEvent, RunEnd, Subscription};
pub use grants::Grant;
pub use pending::{
    ApplyTool, PendingChoice, PendingView, Proposal, RESOLVE, ResolveTool, ResolveToolChoice, Resolver,
    ReviewDecision, ReviewRequest, Reviewer, UndoTool,
};
pub use prompt::{
    CONTEXT_FILE_NAMES, ContextFile, PromptPart, SkippedFile, Surroundings, SystemPrompt, find_context_files,
    git_branch, git_root,
};
pub use queues::{QueueMode, QueueModes, Queued};
// The crates below are part of the interface: callers need no second dependency.
pub use toolsmith_builtins::*;
pub use toolsmith_session as session;
pub use toolsmith_session::{Conversation, ConversationError, InMemory};
pub use turn::{
    AfterError, CompactionDecision, CompactionPlan, CompactionReport, InputSource, Interrupt, Interruption,
    RequestPlan, RunStart, TurnContext, TurnHook,
};
