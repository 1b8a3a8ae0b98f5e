//! Read-only views of the session and the agent for tools, over plain JSON (CONTRACT 4.4).
//!
//! The methods are synchronous because tools call them that way; implementations answer from memory.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use thiserror::Error;

/// Errors of a view.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The session is in memory only.
    #[error("This session is not stored on disk and cannot store artifacts")]
    NotStored,
    /// Writing failed.
    #[error("Could not write {path}: {source}")]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// A text stored with the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Short id that identifies it.
    pub id: String,
    /// Path of the file.
    pub path: PathBuf,
}

/// The session as tools see it: `ctx.sessionManager`. Entries are the session's own JSON objects. Nothing here can
/// change the tree; artifacts and blobs are separate files.
pub trait SessionView: Send + Sync + fmt::Debug {
    /// Returns the project directory.
    fn cwd(&self) -> PathBuf;
    /// Returns the session's id.
    fn session_id(&self) -> String;
    /// Returns the file, unless the session is in memory only.
    fn session_file(&self) -> Option<PathBuf> {
        None
    }
    /// Returns the directory of the file.
    fn session_dir(&self) -> Option<PathBuf> {
        self.session_file().and_then(|file| file.parent().map(Path::to_path_buf))
    }
    /// Returns the name given by the user.
    fn session_name(&self) -> Option<String> {
        None
    }
    /// Returns the header.
    fn header(&self) -> Option<Value> {
        None
    }
    /// Returns all entries, oldest first.
    fn entries(&self) -> Vec<Value> {
        Vec::new()
    }
    /// Returns one entry.
    fn entry(&self, _id: &str) -> Option<Value> {
        None
    }
    /// Returns the leaf, to which the next entry will be attached.
    fn leaf_id(&self) -> Option<String> {
        None
    }
    /// Returns the path from the root to `from`, or to the leaf.
    fn branch(&self, _from: Option<&str>) -> Vec<Value> {
        Vec::new()
    }
    /// Returns the `details` of the tool's newest successful result on the path to the leaf, from which a tool restores
    /// its state.
    fn last_details(&self, tool: &str) -> Option<Value> {
        let mut at = self.leaf_id();
        // Prevents an endless walk in a view with a cycle.
        for _ in 0..1_000_000 {
            let entry = self.entry(&at?)?;
            if let Some(details) = result_details(&entry, tool) {
                return Some(details.clone());
            }
            at = entry.get("parentId").and_then(Value::as_str).map(str::to_owned);
        }
        None
    }
    /// Returns the `details` of all successful results of the tool on the path to the leaf, oldest first.
    fn all_details(&self, tool: &str) -> Vec<Value> {
        let path = self.branch(None);
        path.iter().filter_map(|entry| result_details(entry, tool).cloned()).collect()
    }
    /// Returns the forest as rows in the order of [`SessionView::entries`]: `{entry, parent, label}`, where `parent` is
    /// the index of the parent's row or null. The form is flat because a conversation is as deep as it is long, and
    /// JSON of that depth cannot be read or written safely. Tools receive `{entry, children, label}` nodes built from
    /// it.
    fn tree(&self) -> Vec<Value> {
        Vec::new()
    }
    /// Returns the label of an entry.
    fn label(&self, _id: &str) -> Option<String> {
        None
    }
    /// Returns tokens and cost so far.
    fn usage(&self) -> Value {
        json!({ "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": 0 })
    }
    /// Returns the artifacts directory.
    fn artifacts_dir(&self) -> Option<PathBuf> {
        None
    }
    /// Reserves a new artifact file of a kind, which becomes part of its name.
    ///
    /// # Errors
    /// Fails if the session has no directory or it cannot be written.
    fn allocate_artifact(&self, _kind: &str) -> Result<Artifact, ViewError> {
        Err(ViewError::NotStored)
    }
    /// Stores a text as an artifact.
    ///
    /// # Errors
    /// Fails if the session has no directory or it cannot be written.
    fn save_artifact(&self, _text: &str, _kind: &str) -> Result<Artifact, ViewError> {
        Err(ViewError::NotStored)
    }
    /// Returns the path of an artifact.
    fn artifact_path(&self, _id: &str) -> Option<PathBuf> {
        None
    }
    /// Stores bytes by their hash and returns the reference.
    ///
    /// # Errors
    /// Fails if the session has no directory or it cannot be written.
    fn put_blob(&self, _bytes: &[u8]) -> Result<String, ViewError> {
        Err(ViewError::NotStored)
    }
}

/// Returns the tool state in an entry: the `details` of its result.
pub fn result_details<'a>(entry: &'a Value, tool: &str) -> Option<&'a Value> {
    let message = entry.get("message")?;
    let is = |name: &str, value: &str| message.get(name).and_then(Value::as_str) == Some(value);
    let failed = message.get("isError").and_then(Value::as_bool) == Some(true);
    if !is("role", "toolResult") || !is("toolName", tool) || failed {
        return None;
    }
    message.get("details").filter(|details| !details.is_null())
}

/// The agent as tools see it.
pub trait AgentView: Send + Sync + fmt::Debug {
    /// Returns the current model as `{provider, id, …}`.
    fn model(&self) -> Option<Value> {
        None
    }
    /// Returns all available models.
    fn models(&self) -> Vec<Value> {
        Vec::new()
    }
    /// Returns a known model, also one without a key.
    fn find_model(&self, provider: &str, id: &str) -> Option<Value> {
        self.models().into_iter().find(|model| model["provider"] == provider && model["id"] == id)
    }
    /// Returns whether no turn is running.
    fn is_idle(&self) -> bool {
        true
    }
    /// Returns whether messages are queued for the next turn.
    fn has_queued_messages(&self) -> bool {
        false
    }
    /// Requests that the current run stops.
    fn abort(&self) {}
    /// Returns the effective settings without secrets.
    fn settings(&self) -> Value {
        json!({})
    }
    /// Returns whether calls run without asking.
    fn auto_approve(&self) -> bool {
        false
    }
}

/// An empty session, for calls without an agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptySession;

impl SessionView for EmptySession {
    fn cwd(&self) -> PathBuf {
        PathBuf::new()
    }
    fn session_id(&self) -> String {
        String::new()
    }
}

/// No agent, for calls outside a session.
#[derive(Clone, Copy, Debug, Default)]
pub struct DetachedAgent;

impl AgentView for DetachedAgent {}
