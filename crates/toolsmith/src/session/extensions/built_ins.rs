//! The built-in tools as extensions call them: also those that were replaced, and in other directories.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value, json};
use toolsmith_builtins::Todos;
use toolsmith_host::{
    changes::ChangeStore,
    location::{WriteRules, directory_line},
};
use toolsmith_tool::{
    ActionError, Approval, ArgumentSchema, BuiltInRequest, Place, Places, Tool, ToolCall, ToolContext,
    ToolError, ToolResult, ToolSpec, WrappedCall, async_trait,
};

use crate::{built_in::built_in_tools_with, home::Home};

/// The built-in tools of a session, for calls that do not come from the model.
#[derive(Clone)]
pub(crate) struct BuiltInCalls {
    tools: Arc<[Arc<dyn Tool>]>,
    cwd: PathBuf,
    home: Home,
    changes: Arc<ChangeStore>,
    /// Tools in other directories write by the rules of the session.
    rules: Arc<WriteRules>,
    preview: bool,
}

impl BuiltInCalls {
    pub(crate) fn new(
        tools: &[Arc<dyn Tool>],
        cwd: &Path,
        home: &Home,
        changes: &Arc<ChangeStore>,
        rules: &Arc<WriteRules>,
        preview: bool,
    ) -> Self {
        Self {
            tools: tools.iter().cloned().collect(),
            cwd: cwd.to_path_buf(),
            home: home.clone(),
            changes: Arc::clone(changes),
            rules: Arc::clone(rules),
            preview,
        }
    }

    /// Returns a built-in tool of the session.
    pub(crate) fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name).cloned()
    }

    /// Returns the directory that a tool made for `cwd` works in.
    pub(crate) fn directory(&self, cwd: Option<&str>) -> PathBuf {
        cwd.map_or_else(|| self.cwd.clone(), |cwd| self.cwd.join(cwd))
    }

    pub(crate) fn tool_in(&self, name: &str, cwd: Option<&str>) -> Option<Arc<dyn Tool>> {
        let directory = self.directory(cwd);
        if directory == self.cwd {
            return self.tool(name);
        }
        let todos = Todos::default();
        let tools = built_in_tools_with(
            &directory,
            &self.home,
            &self.changes,
            self.preview,
            todos,
            &self.rules,
            None,
        );
        let tool = tools.into_iter().find(|tool| tool.spec().name == name)?;
        Some(Arc::new(ToolElsewhere { tool, directory }))
    }

    /// Returns the approval that a call requires.
    pub(crate) async fn approval(&self, request: &BuiltInRequest) -> Result<Value, ActionError> {
        Ok(json!(self.requested(request)?.approval(&request.arguments).await))
    }

    fn requested(&self, request: &BuiltInRequest) -> Result<Arc<dyn Tool>, ActionError> {
        let tool = self.tool_in(&request.name, request.cwd.as_deref());
        tool.ok_or_else(|| ActionError::failed(format!("there is no built-in tool \"{}\"", request.name)))
    }

    /// Prepares a call of a built-in tool.
    pub(crate) fn prepare(&self, request: &BuiltInRequest) -> Result<BuiltInCall, ActionError> {
        let (tool, directory) = (self.requested(request)?, self.directory(request.cwd.as_deref()));
        BuiltInCall { tool, directory, arguments: Value::Null }.with_arguments(request.arguments.clone())
    }
}

/// A built-in tool that works in another directory than the session, which its question says: a command or a relative path means
/// something else there (CONTRACT 5.8).
struct ToolElsewhere {
    tool: Arc<dyn Tool>,
    directory: PathBuf,
}

#[async_trait]
impl Tool for ToolElsewhere {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        self.tool.execute(call, context).await
    }

    async fn approval(&self, arguments: &Value) -> Approval {
        self.tool.approval(arguments).await
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        self.tool.places(arguments).await
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let mut lines = self.tool.approval_details(arguments).await.unwrap_or_default();
        for place in self.tool.places(arguments).await {
            let Some(leads_to) = place.leads_to else { continue };
            let line = format!("Leads to: {}", leads_to.display());
            if !lines.contains(&line) {
                // Behind the line with the path as it was written.
                lines.insert(lines.len().min(1), line);
            }
        }
        lines.insert(0, directory_line(&self.directory));
        Some(lines)
    }

    async fn details_are_complete(&self, arguments: &Value) -> bool {
        self.tool.details_are_complete(arguments).await
    }
}

/// A call of a built-in tool with valid arguments.
pub(crate) struct BuiltInCall {
    pub(crate) tool: Arc<dyn Tool>,
    /// The working directory of the tool.
    pub(crate) directory: PathBuf,
    pub(crate) arguments: Value,
}

impl BuiltInCall {
    /// Replaces the arguments, which are repaired and validated.
    pub(crate) fn with_arguments(self, arguments: Value) -> Result<Self, ActionError> {
        let arguments = prepared(self.tool.spec(), arguments)?;
        Ok(Self { arguments, ..self })
    }

    /// Returns whether this is the call that a wrapper in the same directory was approved for. The tool ignores arguments that
    /// it does not know, and so does this.
    pub(crate) fn is_call_of(&self, wrapped: &WrappedCall) -> bool {
        let spec = self.tool.spec();
        let approved = wrapped.arguments().filter(|_| wrapped.tool().name == spec.name);
        let approved = approved.and_then(|arguments| prepared(spec, arguments.clone()).ok());
        approved.is_some_and(|approved| known(spec, approved) == known(spec, self.arguments.clone()))
    }

    /// Fixes the paths of the call to where they lead now, unless they are fixed already.
    pub(crate) async fn pin(&self, places: &Places) {
        for place in self.tool.places(&self.arguments).await {
            places.pin(place);
        }
    }

    /// Runs the call. Its failures are results, as they are for the model.
    pub(crate) async fn run(self, call_id: &str, context: ToolContext) -> ToolResult {
        match self.tool.execute(ToolCall::new(call_id, self.arguments), context).await {
            Ok(result) => result,
            Err(error) => error.into_result(),
        }
    }
}

/// Returns arguments as the tool receives them.
fn prepared(spec: &ToolSpec, arguments: Value) -> Result<Value, ActionError> {
    let schema = ArgumentSchema::compile(&spec.parameters).map_err(ActionError::failed)?;
    let prepared = schema.prepare(&spec.name, arguments).map_err(ActionError::failed)?;
    Ok(prepared.arguments)
}

/// Returns the arguments that the tool knows.
fn known(spec: &ToolSpec, arguments: Value) -> Map<String, Value> {
    let Value::Object(arguments) = arguments else { return Map::new() };
    let properties = &spec.parameters["properties"];
    arguments.into_iter().filter(|(key, _)| properties.get(key).is_some()).collect()
}
