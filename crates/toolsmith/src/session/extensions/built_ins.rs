//! The built-in tools as extensions call them: also those that were replaced, and in other directories.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use toolsmith_host::changes::ChangeStore;
use toolsmith_tool::{ActionError, ArgumentSchema, Tool, ToolCall, ToolContext, ToolResult};

use crate::{built_in::built_in_tools, home::Home};

/// Calls built-in tools directly. The calling extension was approved; nothing is asked again.
#[derive(Clone)]
pub(crate) struct BuiltInCalls {
    tools: Arc<[Arc<dyn Tool>]>,
    cwd: PathBuf,
    home: Home,
    changes: Arc<ChangeStore>,
}

impl BuiltInCalls {
    pub(crate) fn new(tools: &[Arc<dyn Tool>], cwd: &Path, home: &Home, changes: &Arc<ChangeStore>) -> Self {
        Self {
            tools: tools.iter().cloned().collect(),
            cwd: cwd.to_path_buf(),
            home: home.clone(),
            changes: Arc::clone(changes),
        }
    }

    /// Returns a built-in tool of the session.
    pub(crate) fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name).cloned()
    }

    pub(crate) fn tool_in(&self, name: &str, cwd: Option<&str>) -> Option<Arc<dyn Tool>> {
        let folder = cwd.map(|cwd| self.cwd.join(cwd)).filter(|folder| *folder != self.cwd);
        match folder {
            None => self.tool(name),
            Some(folder) => built_in_tools(&folder, &self.home, &self.changes, false)
                .into_iter()
                .find(|tool| tool.spec().name == name),
        }
    }

    /// Returns the approval that a call requires.
    pub(crate) async fn approval(
        &self,
        name: &str,
        arguments: &Value,
        cwd: Option<&str>,
    ) -> Result<Value, ActionError> {
        let tool =
            self.tool_in(name, cwd).ok_or_else(|| ActionError::failed("there is no such built-in tool"))?;
        Ok(json!(tool.approval(arguments).await))
    }

    /// Runs a built-in tool. Its failures are results, as they are for the model.
    pub(crate) async fn call(
        &self,
        name: &str,
        call_id: &str,
        arguments: Value,
        cwd: Option<&str>,
        mut context: ToolContext,
    ) -> Result<ToolResult, ActionError> {
        let tool = self
            .tool_in(name, cwd)
            .ok_or_else(|| ActionError::failed(format!("there is no built-in tool \"{name}\"")))?;
        let schema = ArgumentSchema::compile(&tool.spec().parameters).map_err(ActionError::failed)?;
        let prepared = schema.prepare(name, arguments).map_err(ActionError::failed)?;
        // What was approved is the call of the extension, which is about something else.
        context.approved = None;
        Ok(match tool.execute(ToolCall::new(call_id, prepared.arguments), context).await {
            Ok(result) => result,
            Err(error) => error.into_result(),
        })
    }
}
