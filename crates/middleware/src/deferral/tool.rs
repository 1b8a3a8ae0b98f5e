//! The `tool_search` tool.

use serde_json::{Value, json};
use toolsmith_tool::{
    Concurrency, Keep, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{
    hook::DeferredTools,
    search::{Document, rank},
};

/// Name of the tool.
pub const TOOL_SEARCH: &str = "tool_search";

const DEFAULT_LIMIT: usize = 5;
const MAX_LIMIT: usize = 8;
/// Characters of a description in the result; the whole one comes with the tool.
const MAX_SHOWN: usize = 200;

/// Finds deferred tools and loads them.
pub(super) struct ToolSearch {
    spec: ToolSpec,
    tools: DeferredTools,
}

impl ToolSearch {
    pub(super) fn new(tools: DeferredTools, sources: &[String]) -> Self {
        let from = if sources.is_empty() {
            String::new()
        } else {
            format!(" They come from: {}.", sources.join(", "))
        };
        let description = format!(
            "Finds more tools by what they do and loads the best matches, which can then be called. Search before saying that \
             something cannot be done.{from}"
        );
        let spec = ToolSpec::new(TOOL_SEARCH, description)
            .label("Tool Search")
            .approval(Tier::Read)
            .keep(Keep::Head)
            .concurrency(Concurrency::Exclusive)
            .parameters(json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What the tool should do, or its name" },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT },
                },
                "required": ["query"],
            }));
        Self { spec, tools }
    }
}

#[async_trait]
impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, call: ToolCall, _context: ToolContext) -> Result<ToolResult, ToolError> {
        let query = call.arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        let limit = call.arguments.get("limit").and_then(Value::as_u64).unwrap_or(DEFAULT_LIMIT as u64);
        let limit = usize::try_from(limit).unwrap_or(MAX_LIMIT).clamp(1, MAX_LIMIT);
        let candidates = self.tools.candidates();
        let documents: Vec<Document<'_>> =
            candidates.iter().map(|(name, text)| Document { name, text: text.clone() }).collect();
        let exact = candidates.iter().position(|(name, _)| name == query.trim());
        let found = match exact {
            Some(at) => vec![at],
            None => rank(&documents, query, limit),
        };
        let mut names = Vec::new();
        let mut lines = Vec::new();
        for (name, text) in found.iter().filter_map(|at| candidates.get(*at)) {
            let shown: String = text.lines().next().unwrap_or_default().chars().take(MAX_SHOWN).collect();
            lines.push(format!("- {name}: {shown}"));
            names.push(name.clone());
        }
        if names.is_empty() {
            return Ok(ToolResult::text(format!(
                "No tool matches. {} tools can be found; try other words.",
                candidates.len()
            )));
        }
        self.tools.load(&names);
        let text = format!("Loaded; call them by name:\n{}", lines.join("\n"));
        // The details record on this branch of the session what is loaded.
        Ok(ToolResult::text(text).with_details(json!({ "loaded": names })))
    }
}
