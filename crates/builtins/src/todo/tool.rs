//! The `todo_write` tool.

use serde::Deserialize;
use serde_json::json;
use toolsmith_tool::{
    Concurrency, Keep, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{operation::Operation, state::Todos};
use crate::arguments;

/// Name of the tool. It is not `todo`, because custom tools often have that name.
pub const TODO_WRITE: &str = "todo_write";

const DESCRIPTION: &str = "Plan multi-step work: init with items, then start and done as you go. \
    Refer to tasks by id or text.";

/// The `todo_write` tool.
#[derive(Debug)]
pub struct TodoTool {
    spec: ToolSpec,
    todos: Todos,
}

#[derive(Deserialize)]
struct Arguments {
    ops: Vec<Operation>,
}

impl TodoTool {
    /// Creates the tool for this list.
    pub fn new(todos: Todos) -> Self {
        let spec = ToolSpec::new(TODO_WRITE, DESCRIPTION)
            .label("Todo")
            .approval(Tier::Read)
            .keep(Keep::Head)
            // Calls of one turn build on each other.
            .concurrency(Concurrency::Exclusive)
            .parameters(json!({
                "type": "object",
                "properties": { "ops": { "type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "op": { "type": "string", "enum": ["init", "append", "start", "done", "drop", "reopen", "remove", "view"] },
                        "phase": { "type": "string" },
                        "task": { "type": "string" },
                        "items": { "type": "array", "items": { "type": "string" } },
                    },
                    "required": ["op"],
                } } },
                "required": ["ops"],
            }));
        Self { spec, todos }
    }
}

#[async_trait]
impl Tool for TodoTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, call: ToolCall, ctx: ToolContext) -> Result<ToolResult, ToolError> {
        let Arguments { ops } = arguments(call.arguments)?;
        let changed = self.todos.change(ctx.session.as_ref(), |list| list.apply(&ops));
        let list = changed.map_err(ToolError::reply)?;
        Ok(ToolResult::text(list.show()).with_details(json!({ "phases": list.phases })))
    }
}
