//! The tools of a session as data for clients.

use serde::Serialize;
use serde_json::Value;
use toolsmith_tool::{RegisteredTool, Tier};

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
