//! Undo as a tool, for agents that call it. A call is judged like any other: by the tier of the files it would write, by the
//! hooks for its name, and by the hooks for `write` for each of its files. It reaches only changes made in the project.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_host::{
    blocking::blocking,
    changes::{UndoPlan, as_tool_error as reply},
};
use toolsmith_tool::{
    Approval, CancelToken, Concurrency, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec,
    async_trait,
};

use super::{question::change_lines, resolver::Resolver};

/// The name by which settings deny undoing, whatever the tool is called.
const POLICY_KEY: &str = "undo";

/// The tool.
#[derive(Clone, Debug)]
pub struct UndoTool {
    spec: ToolSpec,
    resolver: Resolver,
}

impl UndoTool {
    /// Creates the tool under a name of the caller's choice.
    pub fn new(name: &str, resolver: Resolver) -> Self {
        let spec = ToolSpec::new(name, "Undoes a file change that was applied.")
            .label("Undo a change")
            .concurrency(Concurrency::Exclusive)
            .parameters(json!({
                "type": "object",
                "properties": {
                    "change": { "type": "string", "description": "Id of the change; the last one if left out" },
                },
            }));
        Self { spec, resolver }
    }

    async fn plan(&self, change: Option<&str>) -> Result<UndoPlan, ToolError> {
        let (store, root) = (Arc::clone(self.resolver.store()), self.resolver.root().to_path_buf());
        let change = change.map(str::to_owned);
        blocking(&CancelToken::new(), move |_| store.plan_undo(&root, change.as_deref()).map_err(reply)).await
    }

    async fn tier(&self, plan: &UndoPlan) -> Tier {
        let (stack, files) = (Arc::clone(self.resolver.stack()), plan.files.clone());
        let tier = blocking(&CancelToken::new(), move |_| Ok(stack.tier_of(&files))).await;
        tier.unwrap_or(Tier::Exec)
    }
}

fn change(arguments: &Value) -> Option<&str> {
    arguments.get("change").and_then(Value::as_str)
}

#[async_trait]
impl Tool for UndoTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Undoing writes files. If there is nothing to undo, the call only says so.
    async fn approval(&self, arguments: &Value) -> Approval {
        let plan = self.plan(change(arguments)).await;
        let mut approval = match &plan {
            Ok(plan) => Approval::from(self.tier(plan).await),
            Err(_) => Approval::from(Tier::Read),
        };
        approval.policy_key = Some(POLICY_KEY.to_owned());
        if let Ok(plan) = plan {
            approval.reason = Some(format!("Undo: {}", plan.past.entry.label));
            approval.subject = Some(plan.past.entry.id);
        }
        approval
    }

    async fn details_are_complete(&self, _arguments: &Value) -> bool {
        true
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let plan = self.plan(change(arguments)).await.ok()?;
        let root = self.resolver.root().to_path_buf();
        let mut lines = vec![format!("Undo: {}", plan.past.entry.label)];
        let files = blocking(&CancelToken::new(), move |_| Ok(change_lines(&plan.files, &root))).await;
        lines.extend(files.unwrap_or_else(|error| vec![format!("The change cannot be shown: {error}")]));
        Some(lines)
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let plan = self.plan(change(&call.arguments)).await?;
        let approved = context.approved.as_ref();
        let is_same = approved.is_none_or(|approved| approved.subject.as_ref() == Some(&plan.past.entry.id));
        let is_covered = match approved {
            Some(approved) => self.tier(&plan).await <= approved.tier,
            None => true,
        };
        if !is_same || !is_covered {
            return Err(ToolError::reply(
                "Nothing was undone: the change to undo, or its files, are not what was approved. Call again.",
            ));
        }
        let label = &plan.past.entry.label;
        let written = self.resolver.allow_undo(&plan, &call.id, &context).await?;
        self.resolver.undo(Some(&plan.past.entry.id)).await?;
        let root = self.resolver.root();
        let files: Vec<String> = plan
            .files
            .iter()
            .map(|file| file.path.strip_prefix(root).unwrap_or(&file.path).display().to_string())
            .collect();
        let result = ToolResult::text(format!("Undone: {label} ({})", files.join(", ")));
        Ok(self.resolver.report_writes(&call.id, written, result, &context).await)
    }
}
