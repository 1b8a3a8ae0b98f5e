//! A session as data for clients: its tools, and what it sends with every request besides the conversation.

use serde::Serialize;
use serde_json::Value;
use toolsmith_llm::text_tokens;
use toolsmith_tool::{RegisteredTool, Tier};

use super::session::Session;

/// A part of every request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextPart {
    /// Kind: `system prompt` or `tool`.
    pub kind: &'static str,
    /// Origin: a file, a tool, or what the part is for.
    pub origin: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Estimated size in tokens.
    pub tokens: u64,
    /// The text.
    pub text: String,
}

impl ContextPart {
    fn new(kind: &'static str, origin: String, text: String) -> Self {
        Self { kind, origin, bytes: text.len(), tokens: text_tokens(&text), text }
    }
}

impl Session {
    /// Returns the parts of the system prompt and the definitions of the active tools, in the order they are sent.
    pub fn context_parts(&self) -> Vec<ContextPart> {
        let (parts, tools) = self.agent().prompt_parts();
        let mut found: Vec<ContextPart> =
            parts.into_iter().map(|part| ContextPart::new("system prompt", part.origin, part.text)).collect();
        let infos = self.tools();
        for tool in tools {
            let origin = infos.iter().find(|info| info.name == tool.name).map(|info| info.origin.as_str());
            let text = serde_json::json!({
                "name": tool.name, "description": tool.description, "parameters": *tool.parameters,
            });
            let origin = format!("{} ({})", tool.name, origin.unwrap_or_default());
            found.push(ContextPart::new("tool", origin, text.to_string()));
        }
        found
    }
}

/// A tool as plain data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolInfo {
    /// Name.
    pub name: String,
    /// Label.
    pub label: String,
    /// Description for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Declared approval tier; a tool may require another one depending on its arguments.
    pub tier: Tier,
    /// Origin for display: `built-in`, or `custom tool, PATH`.
    pub origin: String,
    /// Must be named to be active.
    pub hidden: bool,
    /// Is active.
    pub is_active: bool,
    /// The error of its file, which no longer loads: the last working version is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
}

impl ToolInfo {
    pub(super) fn new(found: &RegisteredTool, is_active: bool, stale: Option<String>) -> Self {
        let spec = found.tool.spec();
        Self {
            name: spec.name.clone(),
            label: spec.label.clone(),
            description: spec.description.clone(),
            parameters: Value::clone(&spec.parameters),
            tier: spec.approval.tier,
            origin: found.origin.to_string(),
            hidden: spec.hidden,
            is_active,
            stale,
        }
    }
}
