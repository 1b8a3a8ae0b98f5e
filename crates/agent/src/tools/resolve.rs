//! `resolve`: the model applies or discards the newest staged action (CONTRACT 8.3).

use serde_json::{Value, json};
use toolsmith_tool::{
    Approval, Concurrency, RenderOptions, RenderedLines, Tier, Tool, ToolCall, ToolContext, ToolError,
    ToolResult, ToolSpec, async_trait,
};

use crate::pending::Resolver;

/// The tool's name.
pub const RESOLVE: &str = "resolve";
/// How many files a person who is asked is shown.
const MAX_FILES: usize = 20;
const MAX_REASON_CHARS: usize = 72;

/// The tool.
#[derive(Debug)]
pub struct ResolveTool {
    spec: ToolSpec,
    resolver: Resolver,
}

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
        Self { spec, resolver }
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
        self.resolver.decide_top(apply, text(&call.arguments, "reason"), context).await
    }

    /// Discarding changes nothing; applying changes as much as the tool that staged it may.
    async fn approval(&self, arguments: &Value) -> Approval {
        let top = self.resolver.stack().peek();
        let Some(action) = top.filter(|_| text(arguments, "action") == "apply") else {
            return Tier::Read.into();
        };
        let mut approval = Approval::from(action.tier.unwrap_or_default());
        approval.reason = Some(format!("{} (staged by {})", action.label, action.source_tool_name));
        // An answer that is remembered is about that tool, not about everything that is ever staged.
        approval.policy_key = Some(format!("{RESOLVE}:{}", action.source_tool_name));
        approval
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        let action = self.resolver.stack().peek()?;
        let mut lines =
            vec![format!("Action: {}", action.label), format!("Reason given: {}", text(arguments, "reason"))];
        lines
            .extend(action.files.iter().take(MAX_FILES).map(|file| format!("File: {}", file.path.display())));
        if let more @ 1.. = action.files.len().saturating_sub(MAX_FILES) {
            lines.push(format!("and {more} more files"));
        }
        Some(lines)
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
