//! What a tool may know of the session and of the agent: read-only traits over plain JSON (CONTRACT 4.4).
//!
//! The methods are synchronous because tools call them that way; implementations answer from memory.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use thiserror::Error;

/// Why a view could not do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The session is in memory only.
    #[error("This session is not stored on disk, so it has no place for artifacts")]
    NotStored,
    /// Writing failed.
    #[error("Could not write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A text kept beside the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Short id that finds it again.
    pub id: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// The session as tools see it: `ctx.sessionManager`. Entries are the session's own JSON objects. Nothing here
/// can change the tree; artifacts and blobs are files beside it.
pub trait SessionView: Send + Sync + fmt::Debug {
    /// The folder the session belongs to.
    fn cwd(&self) -> PathBuf;
    /// The session's id.
    fn session_id(&self) -> String;
    /// The file, unless the session is in memory only.
    fn session_file(&self) -> Option<PathBuf> {
        None
    }
    /// The folder of the file.
    fn session_dir(&self) -> Option<PathBuf> {
        self.session_file().and_then(|file| file.parent().map(Path::to_path_buf))
    }
    /// The name a person gave.
    fn session_name(&self) -> Option<String> {
        None
    }
    /// The file's first line.
    fn header(&self) -> Option<Value> {
        None
    }
    /// Every entry, oldest first.
    fn entries(&self) -> Vec<Value> {
        Vec::new()
    }
    /// One entry.
    fn entry(&self, _id: &str) -> Option<Value> {
        None
    }
    /// Where the next entry will be attached.
    fn leaf_id(&self) -> Option<String> {
        None
    }
    /// The path from the root to `from`, or to the leaf.
    fn branch(&self, _from: Option<&str>) -> Vec<Value> {
        Vec::new()
    }
    /// What the newest result of a tool on the path to the leaf kept in `details`, if it did not fail: where a tool finds its
    /// state again.
    fn last_details(&self, tool: &str) -> Option<Value> {
        let mut at = self.leaf_id();
        // A view with a loop in it would be walked for ever.
        for _ in 0..1_000_000 {
            let entry = self.entry(&at?)?;
            if let Some(details) = result_details(&entry, tool) {
                return Some(details.clone());
            }
            at = entry.get("parentId").and_then(Value::as_str).map(str::to_owned);
        }
        None
    }
    /// The forest as rows in the order of [`SessionView::entries`]: `{entry, parent, label}`, where `parent` is the index
    /// of the parent's row or null. Flat, because a conversation is as deep as it is long, and neither writing nor
    /// reading JSON that deep ends well. Tools get `{entry, children, label}` nodes made of it.
    fn tree(&self) -> Vec<Value> {
        Vec::new()
    }
    /// The label of an entry.
    fn label(&self, _id: &str) -> Option<String> {
        None
    }
    /// Tokens and cost so far.
    fn usage(&self) -> Value {
        json!({ "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": 0 })
    }
    /// The folder of artifacts.
    fn artifacts_dir(&self) -> Option<PathBuf> {
        None
    }
    /// Reserves a new artifact file of a kind, which becomes part of its name.
    ///
    /// # Errors
    /// When the session has no folder or it cannot be written.
    fn allocate_artifact(&self, _kind: &str) -> Result<Artifact, ViewError> {
        Err(ViewError::NotStored)
    }
    /// Keeps a text as an artifact.
    ///
    /// # Errors
    /// When the session has no folder or it cannot be written.
    fn save_artifact(&self, _text: &str, _kind: &str) -> Result<Artifact, ViewError> {
        Err(ViewError::NotStored)
    }
    /// Finds an artifact again.
    fn artifact_path(&self, _id: &str) -> Option<PathBuf> {
        None
    }
    /// Keeps bytes by their hash and gives the reference.
    ///
    /// # Errors
    /// When the session has no folder or it cannot be written.
    fn put_blob(&self, _bytes: &[u8]) -> Result<String, ViewError> {
        Err(ViewError::NotStored)
    }
}

/// What an entry has to say about the state of a tool: the `details` of its result.
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
    /// The current model, as `{provider, id, …}`.
    fn model(&self) -> Option<Value> {
        None
    }
    /// Every model that could be used.
    fn models(&self) -> Vec<Value> {
        Vec::new()
    }
    /// Whether no turn is running.
    fn is_idle(&self) -> bool {
        true
    }
    /// Whether messages wait for the next turn.
    fn has_queued_messages(&self) -> bool {
        false
    }
    /// Asks the current run to stop.
    fn abort(&self) {}
    /// The effective settings, without secrets.
    fn settings(&self) -> Value {
        json!({})
    }
    /// Whether calls run without asking.
    fn auto_approve(&self) -> bool {
        false
    }
}

/// A session with nothing in it, for calls without an agent.
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

/// No agent around the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct DetachedAgent;

impl AgentView for DetachedAgent {}
