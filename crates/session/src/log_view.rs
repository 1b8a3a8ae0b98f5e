//! The session as tools see it: `ctx.sessionManager` (CONTRACT 4.4). It cannot change the tree.
//!
//! Entries are the objects of the file. Large images stay references: a tool that looks for its own state should not
//! pay for every image.

use std::path::PathBuf;

use serde_json::{Value, json};
use toolsmith_tool::{Artifact, SessionView, ViewError};

use super::{error::StoreError, session_log::SessionLog};

impl SessionView for SessionLog {
    fn cwd(&self) -> PathBuf {
        Self::cwd(self)
    }
    fn session_id(&self) -> String {
        self.id()
    }
    fn session_file(&self) -> Option<PathBuf> {
        self.file().map(std::path::Path::to_path_buf)
    }
    fn session_name(&self) -> Option<String> {
        self.name()
    }
    fn header(&self) -> Option<Value> {
        Some(self.header_line())
    }
    fn entries(&self) -> Vec<Value> {
        let tree = self.tree();
        (0..tree.len()).map(|at| Value::Object(tree.value(at))).collect()
    }
    fn entry(&self, id: &str) -> Option<Value> {
        let tree = self.tree();
        tree.position(id).map(|at| Value::Object(tree.value(at)))
    }
    fn leaf_id(&self) -> Option<String> {
        Self::leaf_id(self)
    }
    fn branch(&self, from: Option<&str>) -> Vec<Value> {
        let tree = self.tree();
        let from = match from {
            Some(id) => tree.position(id),
            None => tree.leaf(),
        };
        tree.path_to(from).into_iter().map(|at| Value::Object(tree.value(at))).collect()
    }
    fn last_details(&self, tool: &str) -> Option<Value> {
        self.newest_naming(tool, |entry| toolsmith_tool::result_details(entry, tool).cloned())
    }
    fn all_details(&self, tool: &str) -> Vec<Value> {
        let mut found = Vec::new();
        self.newest_naming(tool, |entry| {
            found.extend(toolsmith_tool::result_details(entry, tool).cloned());
            None::<()>
        });
        found.reverse();
        found
    }
    fn tree(&self) -> Vec<Value> {
        Self::tree(self).rows()
    }
    fn label(&self, id: &str) -> Option<String> {
        Self::tree(self).label(id).map(str::to_owned)
    }
    fn usage(&self) -> Value {
        let usage = Self::usage(self);
        json!({
            "input": usage.input,
            "output": usage.output,
            "cacheRead": usage.cache_read,
            "cacheWrite": usage.cache_write,
            "totalTokens": usage.total_tokens,
            "cost": usage.cost.total,
        })
    }
    fn artifacts_dir(&self) -> Option<PathBuf> {
        self.artifacts().map(|artifacts| artifacts.folder)
    }
    fn allocate_artifact(&self, kind: &str) -> Result<Artifact, ViewError> {
        self.artifacts().ok_or(ViewError::NotStored)?.allocate(kind)
    }
    fn save_artifact(&self, text: &str, kind: &str) -> Result<Artifact, ViewError> {
        self.artifacts().ok_or(ViewError::NotStored)?.save(text, kind)
    }
    fn artifact_path(&self, id: &str) -> Option<PathBuf> {
        self.artifacts()?.find(id)
    }
    fn put_blob(&self, bytes: &[u8]) -> Result<String, ViewError> {
        self.blobs().ok_or(ViewError::NotStored)?.put(bytes).map_err(|error| match error {
            StoreError::Write { path, source } => ViewError::Write { path, source },
            other => ViewError::Write { path: PathBuf::new(), source: std::io::Error::other(other) },
        })
    }
}
