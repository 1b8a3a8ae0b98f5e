//! A server's tool as a [`Tool`], with a name for models: `mcp__SERVER__TOOL`, at most 64 characters of the set every provider
//! accepts.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toolsmith_tool::{
    Approval, ApprovalPolicy, LoadMode, McpNames, ResultSchema, Stop, Tier, Tool, ToolCall, ToolContext,
    ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{definition::ToolDefinition, remote_server::RemoteServer, result};
use crate::config::{Exposure, Policy, ServerConfig};

/// Maximum length of a name that all providers accept.
const MAX_NAME_CHARS: usize = 64;
/// Hexadecimal digits of the hash that makes a shortened name unique.
const HASH_CHARS: usize = 8;

/// A remote tool. Its definition is fixed; a changed one is another value.
pub(crate) struct RemoteTool {
    spec: ToolSpec,
    server: Arc<RemoteServer>,
    definition: ToolDefinition,
    /// Compiled with the first result: most tools are never called.
    output_schema: OnceLock<Option<ResultSchema>>,
}

impl RemoteTool {
    pub(crate) fn new(server: Arc<RemoteServer>, definition: ToolDefinition) -> Self {
        let spec = spec(server.config(), &definition);
        Self { spec, server, definition, output_schema: OnceLock::new() }
    }

    /// Returns the stricter of two tiers: that of the definition that was offered to the model, and that of the server's present one.
    /// A server whose definitions are cached is started first, because only it knows the present one.
    async fn present_tier(&self) -> Tier {
        let offered = self.spec.approval.tier;
        if offered == Tier::Exec {
            return offered;
        }
        let current = self.server.current_definition(&self.definition.name).await;
        current.map_or(offered, |current| offered.max(approval(self.server.config(), &current).tier))
    }

    /// Returns whether the call was approved as what it is now. A call without an approval step always is.
    async fn is_approved(&self, context: &ToolContext) -> bool {
        match &context.approved {
            Some(approved) => self.present_tier().await <= approved.tier,
            None => true,
        }
    }

    /// Returns the schema of structured results. One that cannot be used is ignored: the results are readable without it.
    fn output_schema(&self) -> Option<&ResultSchema> {
        let compiled = self.output_schema.get_or_init(|| {
            let compiled = ResultSchema::compile(self.definition.output_schema.as_ref()?);
            if let Err(error) = &compiled {
                tracing::warn!(tool = self.spec.name, %error, "The output schema of an MCP tool is ignored");
            }
            compiled.ok()
        });
        compiled.as_ref()
    }
}

/// Returns the specification of a server's tool.
pub(crate) fn spec(config: &ServerConfig, definition: &ToolDefinition) -> ToolSpec {
    let own = config.tools.get(&definition.name);
    let exposure = own.and_then(|own| own.exposure).or(config.exposure);
    let mut spec = ToolSpec::new(tool_name(&config.name, &definition.name), &definition.description)
        .parameters(object_schema(&definition.input_schema))
        .approval(approval(config, definition))
        .mcp(McpNames { server: config.name.clone(), tool: definition.name.clone() })
        .hidden(exposure == Some(Exposure::Hidden))
        .deadline(config.timeout);
    spec = spec
        .label(definition.title.clone().unwrap_or_else(|| format!("{}: {}", config.name, definition.name)));
    match exposure {
        Some(Exposure::Direct) => spec.load_mode(LoadMode::Essential),
        Some(Exposure::Deferred) => spec.load_mode(LoadMode::Discoverable),
        _ => spec,
    }
}

/// Many servers leave out the type of a tool without parameters.
fn object_schema(schema: &Value) -> Value {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| json!("object"));
    Value::Object(schema)
}

/// The tier comes from the server's hints only if the user configured the server (CONTRACT 12.1). Settings
/// of a project or a plugin can only make it stricter.
fn approval(config: &ServerConfig, definition: &ToolDefinition) -> Approval {
    let may_loosen = config.origin.may_loosen_approval();
    let tier = match (definition.read_only_hint, definition.destructive_hint) {
        _ if !config.origin.is_user() => Tier::Exec,
        (Some(true), _) => Tier::Read,
        (_, Some(false)) => Tier::Write,
        _ => Tier::Exec,
    };
    let counts = |policy: &Policy| may_loosen || matches!(policy, Policy::Ask | Policy::Deny);
    let own = config.tools.get(&definition.name).and_then(|own| own.approval);
    let policy = own.filter(counts).or(config.approval.filter(counts));
    let fixed = |policy| Approval { policy: Some(policy), ..Approval::from(tier) };
    match policy {
        Some(Policy::Deny) => fixed(ApprovalPolicy::Deny),
        Some(Policy::Ask) => fixed(ApprovalPolicy::Prompt),
        Some(Policy::Allow) => fixed(ApprovalPolicy::Allow),
        Some(Policy::Tier(tier)) => Approval::from(tier),
        None => Approval::from(tier),
    }
}

#[async_trait]
impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn approval(&self, _arguments: &Value) -> Approval {
        Approval { tier: self.present_tier().await, ..self.spec.approval.clone() }
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        if !self.is_approved(&context).await {
            return Err(ToolError::reply(format!(
                "the MCP server {} changed what {} does after the call was decided about; nothing was called. Call it again.",
                self.server.config().name,
                self.spec.name,
            )));
        }
        let arguments = match call.arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        match self.server.call(&self.definition.name, arguments, &context).await {
            Ok(Some(answer)) => Ok(result::convert(&self.server.config().name, answer, self.output_schema())),
            Ok(None) => Err(ToolError::Stopped { stop: Stop::Stopped, note: context.cancel.reason() }),
            Err(error) => Err(ToolError::reply(error.to_string())),
        }
    }
}

/// Returns what the names of a server's tools begin with, unless they had to be shortened.
pub fn tool_name_prefix(server: &str) -> String {
    format!("mcp__{}__", clean_name(server))
}

/// Returns the name under which a server's tool is registered.
pub fn tool_name(server: &str, tool: &str) -> String {
    let name = tool_name_prefix(server) + &clean_name(tool);
    // A name that had to be changed, or whose server does not end at the first `__`, could be that of another tool, unless a
    // hash tells them apart.
    let is_exact = clean_name(tool) == tool && !server.contains("__") && !server.ends_with('_');
    if name.len() <= MAX_NAME_CHARS && is_exact {
        return name;
    }
    let hash = hash(&format!("{server}\0{tool}"));
    let kept: String = name.chars().take(MAX_NAME_CHARS - HASH_CHARS - 1).collect();
    format!("{kept}_{hash}")
}

fn clean_name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Returns the first hexadecimal digits of the SHA-256 of a text.
fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(HASH_CHARS / 2).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "remote_tool_tests.rs"]
mod tests;
