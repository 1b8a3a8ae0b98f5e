//! The tools of a session, as front ends list them.

use serde::Serialize;
use serde_json::Value;
use toolsmith_tool::{RegisteredTool, Tier};

/// A tool, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolInfo {
    /// What the model calls.
    pub name: String,
    /// What people see.
    pub label: String,
    /// What the model reads.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// How much a call can change, as the tool declares it; a tool may ask for more or less by its arguments.
    pub tier: Tier,
    /// Where it came from, in words: `built-in`, or `custom tool, PATH`.
    pub origin: String,
    /// Whether it has to be named to be offered.
    pub hidden: bool,
    /// Whether the model is offered it now.
    pub is_active: bool,
}

impl ToolInfo {
    pub(super) fn new(found: &RegisteredTool, is_active: bool) -> Self {
        let spec = found.tool.spec();
        Self {
            name: spec.name.clone(),
            label: spec.label.clone(),
            description: spec.description.clone(),
            parameters: spec.parameters.clone(),
            tier: spec.approval.tier,
            origin: found.origin.to_string(),
            hidden: spec.hidden,
            is_active,
        }
    }
}
