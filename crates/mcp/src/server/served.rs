//! What a server serves, as traits: the SDK implements them over its registry and dispatcher, so every call takes the same
//! path as a model's.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_tool::{Tier, ToolContext, ToolResult, ToolSpec};

/// The served tools.
#[async_trait]
pub trait ServedTools: Send + Sync {
    /// Returns the tools, sorted by name.
    fn tools(&self) -> Vec<ToolSpec>;

    /// Returns whether a tool may stage changes, so that they can be resolved.
    fn can_stage(&self) -> bool;

    /// Opens a session: the state that belongs to one connection.
    async fn open(&self) -> Arc<dyn ServedSession>;
}

/// A call from a client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServedCall {
    /// An id that is unique in the session.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Arguments as the client sent them.
    pub arguments: Value,
    /// Cancellation, updates and dialogs of the call.
    pub context: ToolContext,
}

/// Outcome of a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServedOutcome {
    /// The result.
    pub result: ToolResult,
    /// Numbers of the actions the call staged, oldest first.
    pub staged: Vec<u64>,
}

impl ServedOutcome {
    /// Creates an outcome.
    pub fn new(result: ToolResult, staged: Vec<u64>) -> Self {
        Self { result, staged }
    }
}

/// A pending action.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedPending {
    /// Number in this process.
    pub number: u64,
    /// Label.
    pub label: String,
    /// The tool that staged it.
    pub tool: String,
    /// Files it changes; empty if it does not declare them.
    pub files: Vec<String>,
    /// Tier of applying it.
    pub tier: Tier,
}

impl ServedPending {
    /// Creates a description.
    pub fn new(number: u64, label: String, tool: String, files: Vec<String>, tier: Tier) -> Self {
        Self { number, label, tool, files, tier }
    }
}

/// A file of an action that is applied in part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChoice {
    /// The file, as the action names it or relative to the working directory.
    pub path: String,
    /// Numbers of the hunks in the file's diff, from one; the whole file if `None`.
    pub hunks: Option<Vec<usize>>,
}

impl FileChoice {
    /// Selects the whole change of a file, or some hunks of it.
    pub fn new(path: impl Into<String>, hunks: Option<Vec<usize>>) -> Self {
        Self { path: path.into(), hunks }
    }
}

/// A decision about an action.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Apply it: all of it, or only these files and hunks.
    Apply(Option<Vec<FileChoice>>),
    /// Discard it.
    Discard,
}

/// The state of one connection.
#[async_trait]
pub trait ServedSession: Send + Sync {
    /// Calls a tool.
    async fn call(&self, call: ServedCall) -> ServedOutcome;

    /// Returns the pending actions, newest first.
    fn pending(&self) -> Vec<ServedPending>;

    /// Returns the diff of an action; `None` if there is no such action.
    async fn diff(&self, number: u64) -> Option<String>;

    /// Carries out a decision about an action, as a call with this id.
    async fn resolve(
        &self,
        call: &str,
        number: u64,
        decision: Decision,
        reason: &str,
        context: ToolContext,
    ) -> ToolResult;

    /// Undoes a change by its id, or the last one, as a call with this id.
    async fn undo(&self, call: &str, change: Option<&str>, context: ToolContext) -> ToolResult;

    /// Calls `listener` whenever the pending actions change, for the life of the session.
    fn on_pending(&self, listener: Box<dyn Fn() + Send + Sync>);

    /// Ends the session: pending actions are rejected, and tools are notified.
    async fn end(&self);
}
