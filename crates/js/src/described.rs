//! The kernel's description of a module, and the conversion of a tool's definition to its specification.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toolsmith_tool::{
    Approval, ApprovalPolicy, Concurrency, EffectHints, LoadMode, McpNames, Registrations, Tier, ToolSpec,
};

use crate::{
    load::{HookArity, SchemaKind},
    wrapped_tool::DescribedWrap,
};

/// The kernel's description of a loaded module.
#[derive(Debug, Deserialize)]
pub(crate) struct Described {
    pub(crate) tools: Vec<DescribedTool>,
    pub(crate) problems: Vec<Problem>,
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    #[serde(default)]
    pub(crate) extension: Option<DescribedExtension>,
    /// False if the module declares `cache: false`.
    #[serde(default)]
    pub(crate) cache: Option<bool>,
    /// Number of its `getState`.
    #[serde(default)]
    pub(crate) state: Option<u32>,
}

/// Registrations of a module other than tools.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct DescribedExtension {
    pub(crate) number: u32,
    #[serde(flatten)]
    pub(crate) registrations: Registrations,
}

/// A tool's own definition.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DescribedTool {
    pub(crate) number: u32,
    pub(crate) name: String,
    label: String,
    description: String,
    #[serde(default)]
    prompt_snippet: Option<String>,
    #[serde(default)]
    prompt_guidelines: Vec<String>,
    #[serde(deserialize_with = "shared")]
    parameters: Arc<Value>,
    #[serde(default)]
    output_schema: Option<Value>,
    #[serde(default)]
    effects: DescribedEffects,
    pub(crate) schema: SchemaKind,
    strict: Option<bool>,
    hidden: Option<bool>,
    deferrable: Option<bool>,
    approval: Option<DescribedApproval>,
    load_mode: Option<String>,
    concurrency: Option<String>,
    mcp_server_name: Option<String>,
    mcp_tool_name: Option<String>,
    timeout: Option<f64>,
    #[serde(default)]
    pub(crate) has_approval_details: bool,
    #[serde(default)]
    pub(crate) has_render_call: bool,
    #[serde(default)]
    pub(crate) has_render_result: bool,
    /// It draws its own frame.
    #[serde(default)]
    pub(crate) own_frame: bool,
    /// Its call is not drawn once there is a result.
    #[serde(default)]
    pub(crate) merges_result: bool,
    #[serde(default)]
    pub(crate) animates: bool,
    #[serde(default)]
    pub(crate) has_on_session: bool,
    #[serde(default)]
    pub(crate) has_prepare: bool,
    /// The built-in tool it is made from.
    #[serde(default)]
    pub(crate) wraps: Option<DescribedWrap>,
    #[serde(default)]
    pub(crate) arity: HookArity,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DescribedEffects {
    idempotent: Option<bool>,
    open_world: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct DescribedApproval {
    #[serde(default)]
    dynamic: bool,
    #[serde(default)]
    fixed: Value,
}

/// An invalid entry of the factory's array.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    pub(crate) index: usize,
    #[serde(default)]
    pub(crate) is_shape: bool,
    #[serde(flatten)]
    pub(crate) thrown: Value,
}

fn shared<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Value>, D::Error> {
    Value::deserialize(from).map(Arc::new)
}

impl DescribedTool {
    pub(crate) fn decides_approval(&self) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.dynamic)
    }

    pub(crate) fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::new(&self.name, &self.description)
            .label(&self.label)
            .parameters(Arc::clone(&self.parameters))
            .hidden(self.hidden.unwrap_or(false))
            .deferrable(self.deferrable.unwrap_or(false));
        spec.strict = self.strict;
        spec.output_schema.clone_from(&self.output_schema);
        spec.effects =
            EffectHints { idempotent: self.effects.idempotent, open_world: self.effects.open_world };
        spec.prompt_snippet.clone_from(&self.prompt_snippet);
        spec.prompt_guidelines.clone_from(&self.prompt_guidelines);
        if let Some(approval) = &self.approval
            && !approval.dynamic
        {
            // The kernel refused everything else; what cannot be read is taken as the most careful.
            spec.approval = read_approval(&approval.fixed).unwrap_or_default();
        }
        spec.load_mode = match self.load_mode.as_deref() {
            Some("essential") => Some(LoadMode::Essential),
            Some("discoverable") => Some(LoadMode::Discoverable),
            _ => None,
        };
        if self.concurrency.as_deref() == Some("exclusive") {
            spec.concurrency = Concurrency::Exclusive;
        }
        if let (Some(server), Some(tool)) = (&self.mcp_server_name, &self.mcp_tool_name) {
            spec.mcp = Some(McpNames { server: server.clone(), tool: tool.clone() });
        }
        spec.deadline =
            self.timeout.and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
        spec
    }
}

/// Reads a documented form of approval: a tier or a policy by its name, or an object with at least one of its members. `None`
/// is any other value, also one that could be taken for a form, such as a list.
pub(crate) fn read_approval(value: &Value) -> Option<Approval> {
    let read = |value: &Value| serde_json::from_value::<Tier>(value.clone()).ok();
    match value {
        Value::String(_) => read(value).map(Approval::from).or_else(|| {
            let policy = serde_json::from_value::<ApprovalPolicy>(value.clone()).ok()?;
            Some(Approval { policy: Some(policy), ..Approval::default() })
        }),
        Value::Object(fields) => {
            let members = ["tier", "reason", "override", "policy", "policyKey"];
            fields.keys().find(|key| members.contains(&key.as_str()))?;
            serde_json::from_value(value.clone()).ok()
        }
        _ => None,
    }
}
