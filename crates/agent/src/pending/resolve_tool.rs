//! `resolve`: the model applies or discards the newest staged action (CONTRACT 8.3). A call is bound to the action that is
//! the newest when dispatch begins with it: the question, the approval and the execution are about that one (CONTRACT 5.8).

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_host::blocking::blocking;
use toolsmith_tool::{
    Approval, CancelToken, Concurrency, PendingAction, RenderHooks, RenderOptions, RenderedLines, Tier, Tool,
    ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{question::approval_lines, resolver::Resolver};

/// The tool's name.
pub const RESOLVE: &str = "resolve";
const MAX_REASON_CHARS: usize = 72;

/// The tool.
#[derive(Clone, Debug)]
pub struct ResolveTool {
    spec: ToolSpec,
    resolver: Resolver,
    /// The action a call is about; `None` for the tool itself.
    bound: Option<Bound>,
}

/// The newest action when a call began; there may have been none.
#[derive(Clone, Debug)]
struct Bound(Option<PendingAction>);

impl ResolveTool {
    /// Over the actions `resolver` decides about.
    pub fn new(resolver: Resolver) -> Self {
        let spec = ToolSpec::new(
            RESOLVE,
            "Applies or discards the pending preview, with a reason. The newest preview comes first. Fails when nothing is \
             pending.",
        )
        .label("Resolve")
        .hidden(true)
        .strict(true)
        // Two of them in one turn take the newest, then the next; one beside the tool that stages waits for it.
        .concurrency(Concurrency::Exclusive)
        .parameters(json!({
            "type": "object",
            "properties": {
                "action": {
                    "type": "string",
                    "enum": ["apply", "discard"],
                    "description": "apply makes the change; discard drops it",
                },
                "reason": { "type": "string", "description": "Why, in one sentence" },
            },
            "required": ["action", "reason"],
            "additionalProperties": false,
        }));
        Self { spec, resolver, bound: None }
    }

    /// The action the call is about.
    fn action(&self) -> Option<PendingAction> {
        match &self.bound {
            Some(Bound(action)) => action.clone(),
            None => self.resolver.stack().peek(),
        }
    }
}

fn text<'a>(arguments: &'a Value, key: &str) -> &'a str {
    arguments.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[async_trait]
impl Tool for ResolveTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let apply = match text(&call.arguments, "action") {
            "apply" => true,
            "discard" => false,
            other => {
                return Err(ToolError::reply(format!(
                    "action must be \"apply\" or \"discard\", not {other:?}"
                )));
            }
        };
        let reason = text(&call.arguments, "reason");
        if let (true, Some(action), Some(approved)) = (apply, self.action(), &context.approved)
            && !self.resolver.user_decides()
            && self.resolver.tier_to_apply(&action).await > approved.tier
        {
            return Err(ToolError::reply(
                "Nothing was applied: the action now needs a higher approval than it had. Call resolve again.",
            ));
        }
        self.resolver.decide_bound(self.action().as_ref(), &call.id, apply, reason, context).await
    }

    fn bind(&self, _context: &ToolContext) -> Option<Arc<dyn Tool>> {
        let bound = Some(Bound(self.resolver.stack().peek()));
        Some(Arc::new(Self { bound, ..self.clone() }))
    }

    /// Discarding changes nothing; applying changes as much as the tool that staged it may.
    async fn approval(&self, arguments: &Value) -> Approval {
        let Some(action) = self.action().filter(|_| text(arguments, "action") == "apply") else {
            return Tier::Read.into();
        };
        if self.resolver.user_decides() {
            // The call only proposes; the review that follows shows everything and asks.
            return Tier::Read.into();
        }
        self.resolver.approval_to_apply(&action).await
    }

    async fn details_are_complete(&self, _arguments: &Value) -> bool {
        true
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let action = self.action()?;
        let reason = text(arguments, "reason").to_owned();
        let root = self.resolver.root().to_path_buf();
        let lines = blocking(&CancelToken::new(), move |_| Ok(approval_lines(&action, &reason, &root))).await;
        Some(lines.unwrap_or_else(|error| vec![format!("The action cannot be shown: {error}")]))
    }

    fn render_hooks(&self) -> RenderHooks {
        let mut hooks = RenderHooks::new(true, true);
        hooks.own_frame = true;
        hooks.merges = true;
        hooks
    }

    async fn render_call(&self, arguments: &Value, options: &RenderOptions) -> Option<RenderedLines> {
        let end = if text(arguments, "action") == "discard" { "rejected" } else { "resolved" };
        let reason: String = text(arguments, "reason").chars().take(MAX_REASON_CHARS).collect();
        Some(vec![cut(&format!("Resolve [proposed -> {end}] {}", one_line(&reason)), options.width)].into())
    }

    async fn render_result(
        &self,
        result: &ToolResult,
        options: &RenderOptions,
        arguments: &Value,
    ) -> Option<RenderedLines> {
        let details =
            result.details.as_ref().filter(|details| details.get("label").is_some() && !result.is_error)?;
        let verb = if text(arguments, "action") == "discard" { "Discard" } else { "Accept" };
        let label = text(details, "label");
        // The part before a colon names the kind of change.
        let summary = match label.split_once(": ") {
            Some((kind, rest)) => format!("{verb}: {rest} [{kind}]"),
            None => format!("{verb}: {label}"),
        };
        let reason = match text(arguments, "reason") {
            "" => "No reason provided",
            reason => reason,
        };
        let row = |content: &str, style: &str| {
            let content = cut(&format!("  {}", one_line(content)), options.width);
            // One reset at the end only, so that the bar is not broken.
            format!("\u{1b}[7{style}m{content:<width$}\u{1b}[0m", width = options.width)
        };
        Some(vec![row("", ""), row(&summary, ""), row("", ""), row(reason, ";3"), row("", "")].into())
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}
