//! Applying one named action as a tool, for agents that address actions by their number. Unlike `resolve` it takes any action
//! and any part of it; approval and the question about it are the same. The resolver's own gate looks at what is applied.

use serde_json::{Value, json};
use toolsmith_host::blocking::blocking;
use toolsmith_tool::{
    Approval, CancelToken, Concurrency, FileSelection, PendingAction, Tier, Tool, ToolCall, ToolContext,
    ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{
    question::approval_lines,
    resolver::{PendingChoice, Resolver},
};

/// The tool, bound to one action.
#[derive(Clone, Debug)]
pub struct ApplyTool {
    spec: ToolSpec,
    resolver: Resolver,
    choice: PendingChoice,
    files: Option<Vec<FileSelection>>,
}

impl ApplyTool {
    /// Creates the tool under a name of the caller's choice, for an action or some of its files and hunks.
    pub fn new(
        name: &str,
        resolver: Resolver,
        choice: PendingChoice,
        files: Option<Vec<FileSelection>>,
    ) -> Self {
        let spec = ToolSpec::new(name, "Applies a pending action.")
            .label("Apply a staged change")
            .concurrency(Concurrency::Exclusive)
            .parameters(json!({
                "type": "object",
                "properties": { "reason": { "type": "string" } },
                "required": ["reason"],
            }));
        Self { spec, resolver, choice, files }
    }

    fn action(&self) -> Option<PendingAction> {
        self.resolver.find(self.choice)
    }
}

fn reason(arguments: &Value) -> &str {
    arguments.get("reason").and_then(Value::as_str).unwrap_or_default()
}

#[async_trait]
impl Tool for ApplyTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn approval(&self, _arguments: &Value) -> Approval {
        match self.action() {
            Some(action) => self.resolver.approval_to_apply(&action).await,
            None => Tier::Read.into(),
        }
    }

    async fn details_are_complete(&self, _arguments: &Value) -> bool {
        true
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let (action, reason) = (self.action()?, reason(arguments).to_owned());
        let root = self.resolver.root().to_path_buf();
        let lines = blocking(&CancelToken::new(), move |_| Ok(approval_lines(&action, &reason, &root))).await;
        Some(lines.unwrap_or_else(|error| vec![format!("The action cannot be shown: {error}")]))
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        if let (Some(action), Some(approved)) = (self.action(), &context.approved)
            && self.resolver.tier_to_apply(&action).await > approved.tier
        {
            return Err(ToolError::reply(
                "Nothing was applied: the action now needs a higher approval than it had. Call again.",
            ));
        }
        self.resolver.apply(self.choice, self.files.clone(), reason(&call.arguments), context).await
    }
}
