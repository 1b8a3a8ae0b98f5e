//! What a server offers, as plain data: tools, prompts and resources. Cached definitions have the same form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest description passed on. A longer one is cut: it would fill the model's context.
const MAX_DESCRIPTION: usize = 8_000;

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The server's name for it.
    pub name: String,
    /// Title for people.
    pub title: Option<String>,
    /// Description for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the structured result.
    pub output_schema: Option<Value>,
    /// The server says that it only reads.
    pub read_only_hint: Option<bool>,
    /// The server says that it may destroy something.
    pub destructive_hint: Option<bool>,
}

impl From<rmcp::model::Tool> for ToolDefinition {
    fn from(tool: rmcp::model::Tool) -> Self {
        let annotations = tool.annotations.unwrap_or_default();
        Self {
            title: tool.title.or(annotations.title).filter(|title| !title.trim().is_empty()),
            description: cut(tool.description.as_deref().unwrap_or_default()),
            input_schema: Value::Object(tool.input_schema.as_ref().clone()),
            output_schema: tool.output_schema.map(|schema| Value::Object(schema.as_ref().clone())),
            read_only_hint: annotations.read_only_hint,
            destructive_hint: annotations.destructive_hint,
            name: tool.name.into_owned(),
        }
    }
}

/// A prompt of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptDefinition {
    /// Name.
    pub name: String,
    /// Title for people.
    pub title: Option<String>,
    /// Description.
    pub description: String,
    /// Arguments in order.
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// It must be given.
    pub required: bool,
}

impl From<rmcp::model::Prompt> for PromptDefinition {
    fn from(prompt: rmcp::model::Prompt) -> Self {
        let arguments = prompt.arguments.unwrap_or_default().into_iter().map(|argument| PromptArgument {
            name: argument.name,
            description: cut(argument.description.as_deref().unwrap_or_default()),
            required: argument.required.unwrap_or(false),
        });
        Self {
            name: prompt.name,
            title: prompt.title,
            description: cut(prompt.description.as_deref().unwrap_or_default()),
            arguments: arguments.collect(),
        }
    }
}

/// A resource of a server, or a template for several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResourceDefinition {
    /// URI, or URI template.
    pub uri: String,
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Media type.
    pub mime_type: Option<String>,
}

impl From<rmcp::model::Resource> for ResourceDefinition {
    fn from(resource: rmcp::model::Resource) -> Self {
        Self {
            uri: resource.uri,
            name: resource.title.unwrap_or(resource.name),
            description: cut(resource.description.as_deref().unwrap_or_default()),
            mime_type: resource.mime_type,
        }
    }
}

impl From<rmcp::model::ResourceTemplate> for ResourceDefinition {
    fn from(template: rmcp::model::ResourceTemplate) -> Self {
        Self {
            uri: template.uri_template,
            name: template.title.unwrap_or(template.name),
            description: cut(template.description.as_deref().unwrap_or_default()),
            mime_type: template.mime_type,
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
