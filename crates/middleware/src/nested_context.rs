//! Context files below the working directory. They are not part of the system prompt, which is about the whole project; the
//! model learns of one when it first reads a file beside it.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use toolsmith_agent::{CONTEXT_FILE_NAMES, Gate, GatedCall};
use toolsmith_tool::{ContentBlock, ToolResult};

/// Tools whose argument `path` is a file that the model works with.
const TOOLS: [&str; 3] = ["read", "edit", "write"];

/// The gate that adds a note to the result of a call.
#[derive(Debug)]
pub struct NestedContext {
    cwd: PathBuf,
    /// Directories whose context file is known to the model.
    known: Mutex<HashSet<PathBuf>>,
}

impl NestedContext {
    /// Creates the gate for `cwd`, whose own context file is part of the system prompt.
    pub fn new(cwd: &Path) -> Self {
        let cwd = toolsmith_host::real_path(cwd).unwrap_or_else(|_| cwd.to_path_buf());
        Self { cwd, known: Mutex::default() }
    }

    /// Returns the context files that apply to a file and were not announced before, outermost first.
    fn unannounced(&self, file: &Path) -> Vec<PathBuf> {
        let Ok(real) = toolsmith_host::real_path(self.cwd.join(file)) else { return Vec::new() };
        let Some(folder) = real.parent().filter(|folder| folder.starts_with(&self.cwd)) else {
            return Vec::new();
        };
        let below: Vec<&Path> = folder.ancestors().take_while(|folder| *folder != self.cwd).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        for folder in below.into_iter().rev() {
            if !known.insert(folder.to_path_buf()) {
                continue;
            }
            let files = CONTEXT_FILE_NAMES.iter().map(|name| folder.join(name));
            let context =
                files.into_iter().find(|file| fs::symlink_metadata(file).is_ok_and(|about| about.is_file()));
            found.extend(context.filter(|context| *context != real));
        }
        found
    }
}

#[async_trait]
impl Gate for NestedContext {
    fn name(&self) -> &str {
        "context files"
    }

    async fn after(&self, call: GatedCall<'_>, mut result: ToolResult) -> ToolResult {
        let path = call.arguments.get("path").and_then(serde_json::Value::as_str);
        let Some(path) = path.filter(|_| TOOLS.contains(&call.tool_name) && !result.is_error) else {
            return result;
        };
        for file in self.unannounced(Path::new(path)) {
            let shown = file.strip_prefix(&self.cwd).unwrap_or(&file).display().to_string();
            let note = format!(
                "[Instructions for this directory are in {shown}; read them before changing files here.]"
            );
            result.content.push(ContentBlock::text(note));
        }
        result
    }
}
