//! Tools that list and read the resources of servers, for the model.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_tool::{
    ContentBlock, Stop, Tier, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec, async_trait,
};

use super::{definition::ResourceDefinition, servers::Servers};

/// Most resources listed in one result.
const MAX_LISTED: usize = 500;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    Templates,
    Read,
}

struct ResourceTool {
    spec: ToolSpec,
    kind: Kind,
    servers: Servers,
}

/// Creates the tools.
pub(super) fn all(servers: &Servers) -> Vec<Arc<dyn Tool>> {
    let server = json!({ "type": "string", "description": "Name of the MCP server" });
    let one = |kind, name: &str, description: &str, parameters| {
        let spec = ToolSpec::new(name, description).parameters(parameters).approval(Tier::Read);
        Arc::new(ResourceTool { spec, kind, servers: servers.clone() }) as Arc<dyn Tool>
    };
    let optional = json!({ "type": "object", "properties": { "server": server } });
    let read = json!({
        "type": "object",
        "properties": { "server": server, "uri": { "type": "string", "description": "URI of the resource" } },
        "required": ["server", "uri"],
    });
    vec![
        one(
            Kind::List,
            "list_mcp_resources",
            "Lists resources of MCP servers, or of one server",
            optional.clone(),
        ),
        one(
            Kind::Templates,
            "list_mcp_resource_templates",
            "Lists URI templates of resources of MCP servers",
            optional,
        ),
        one(Kind::Read, "read_mcp_resource", "Reads a resource of an MCP server", read),
    ]
}

impl ResourceTool {
    async fn run(&self, arguments: &Value) -> Result<ToolResult, ToolError> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        if self.kind == Kind::Read {
            let (server, uri) = (text("server").unwrap_or_default(), text("uri").unwrap_or_default());
            let read = self.servers.read_resource(server, uri).await;
            let mut content = read.map_err(|error| ToolError::reply(error.to_string()))?;
            if content.is_empty() {
                content.push(ContentBlock::text("(empty)"));
            }
            return Ok(ToolResult { content, ..ToolResult::default() });
        }
        let names = match text("server") {
            Some(server) => vec![server.to_owned()],
            None => self.servers.with_resources(),
        };
        let mut lines = Vec::new();
        for name in &names {
            match self.servers.resources(name).await {
                Ok((resources, templates)) => {
                    let listed = if self.kind == Kind::List { resources } else { templates };
                    lines.extend(listed.iter().map(|resource| describe(name, resource)));
                }
                // One server's failure does not hide the others' resources.
                Err(error) if names.len() > 1 => lines.push(format!("{name}: {error}")),
                Err(error) => return Err(ToolError::reply(error.to_string())),
            }
        }
        let left_out = lines.len().saturating_sub(MAX_LISTED);
        lines.truncate(MAX_LISTED);
        if left_out > 0 {
            lines.push(format!("({left_out} more)"));
        }
        Ok(ToolResult::text(if lines.is_empty() { "There are none.".to_owned() } else { lines.join("\n") }))
    }
}

fn describe(server: &str, resource: &ResourceDefinition) -> String {
    let kind = resource.mime_type.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
    let about = match resource.description.lines().next() {
        Some(line) if !line.is_empty() => format!(": {line}"),
        _ => String::new(),
    };
    format!("{server}  {}  {}{kind}{about}", resource.uri, resource.name)
}

#[async_trait]
impl Tool for ResourceTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        tokio::select! {
            () = context.cancel.cancelled() => Err(ToolError::stopped(Stop::Stopped)),
            outcome = self.run(&call.arguments) => outcome,
        }
    }
}
