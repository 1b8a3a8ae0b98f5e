//! `ast_grep` and `ast_edit` on real files.

mod editing;
mod searching;

use std::{ops::Deref, sync::Arc};

use serde_json::Value;
use toolsmith_agent::{ResolveTool, Resolver};
use toolsmith_builtins::{AstEditTool, AstGrepTool};
use toolsmith_host::changes::ChangeStore;
use toolsmith_testkit::Project;
use toolsmith_tool::{PendingHandle, PendingStack, Tool, ToolCall, ToolContext, ToolError, ToolResult};

/// A project, and the tools over it.
pub(crate) struct Place {
    project: Project,
    pub(crate) stack: Arc<PendingStack>,
    pub(crate) store: Arc<ChangeStore>,
    pub(crate) resolver: Resolver,
}

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Project::new(files);
        let store = Arc::new(ChangeStore::open(project.beside("state")).unwrap());
        let stack = PendingStack::new();
        let resolver = Resolver::new(Arc::clone(&stack), Arc::clone(&store), &project.root);
        Self { project, stack, store, resolver }
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
