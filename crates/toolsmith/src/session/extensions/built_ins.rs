//! The built-in tools as extensions call them: also those that were replaced, and in other directories.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};
use toolsmith_host::changes::ChangeStore;
use toolsmith_tool::{ActionError, ArgumentSchema, Places, Tool, ToolCall, ToolContext, ToolResult};

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

    /// Prepares a call of a built-in tool.
    pub(crate) fn prepare(
        &self,
        name: &str,
        arguments: Value,
        cwd: Option<&str>,
    ) -> Result<BuiltInCall, ActionError> {
        let tool = self
            .tool_in(name, cwd)
            .ok_or_else(|| ActionError::failed(format!("there is no built-in tool \"{name}\"")))?;
        BuiltInCall { tool, arguments: Value::Null }.with_arguments(arguments)
    }
}

/// A call of a built-in tool with valid arguments.
pub(crate) struct BuiltInCall {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) arguments: Value,
}

impl BuiltInCall {
    /// Replaces the arguments, which are repaired and validated.
    pub(crate) fn with_arguments(self, arguments: Value) -> Result<Self, ActionError> {
        let spec = self.tool.spec();
        let schema = ArgumentSchema::compile(&spec.parameters).map_err(ActionError::failed)?;
        let prepared = schema.prepare(&spec.name, arguments).map_err(ActionError::failed)?;
        Ok(Self { arguments: prepared.arguments, ..self })
    }

    /// Fixes the paths of the call to where they lead now.
    pub(crate) async fn pin(&self, places: &Places) {
        for place in self.tool.places(&self.arguments).await {
            places.pin(place);
        }
    }

    /// Runs the call. Its failures are results, as they are for the model.
    pub(crate) async fn run(
        self,
        call_id: &str,
        mut context: ToolContext,
    ) -> Result<ToolResult, ActionError> {
        // What was approved is the call of the extension, which is about something else.
        context.approved = None;
        Ok(match self.tool.execute(ToolCall::new(call_id, self.arguments), context).await {
            Ok(result) => result,
            Err(error) => error.into_result(),
        })
    }
}
