//! `ast_grep` and `ast_edit` on real files.

mod editing;
mod searching;

use std::{fs, path::PathBuf, sync::Arc};

use serde_json::Value;
use tempfile::TempDir;
use toolsmith_agent::{ResolveTool, Resolver};
use toolsmith_builtins::{AstEditTool, AstGrepTool};
use toolsmith_host::changes::ChangeStore;
use toolsmith_tool::{PendingHandle, PendingStack, Tool, ToolCall, ToolContext, ToolError, ToolResult};

/// A project, and the tools over it.
pub(crate) struct Place {
    _folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) stack: Arc<PendingStack>,
    pub(crate) store: Arc<ChangeStore>,
    pub(crate) resolver: Resolver,
}

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let root = base.join("project");
        fs::create_dir(&root).unwrap();
        let store = Arc::new(ChangeStore::open(base.join("state")).unwrap());
        let stack = PendingStack::new();
        let resolver = Resolver::new(Arc::clone(&stack), Arc::clone(&store), &root);
        let place = Self { _folder: folder, root, stack, store, resolver };
        files.iter().for_each(|(name, text)| place.write(name, text));
        place
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).unwrap()
    }

    pub(crate) fn context(&self) -> ToolContext {
        ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&self.stack)))
    }

    async fn call(&self, tool: impl Tool, arguments: Value) -> Result<ToolResult, ToolError> {
        tool.execute(ToolCall::new("1", arguments), self.context()).await
    }

    pub(crate) async fn grep(&self, arguments: Value) -> Result<ToolResult, ToolError> {
        self.call(AstGrepTool::new(&self.root), arguments).await
    }

    pub(crate) async fn edit(&self, arguments: Value) -> Result<ToolResult, ToolError> {
        self.call(AstEditTool::new(&self.root, Arc::clone(&self.store)), arguments).await
    }

    pub(crate) async fn resolve(&self, action: &str) -> Result<ToolResult, ToolError> {
        let arguments = serde_json::json!({ "action": action, "reason": "test" });
        self.call(ResolveTool::new(self.resolver.clone()), arguments).await
    }
}
