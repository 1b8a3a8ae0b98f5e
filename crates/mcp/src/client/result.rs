//! A server's result as ours: content blocks the model can read, structured content as details.

use rmcp::model::{CallToolResult, ContentBlock as Remote, ResourceContents};
use serde_json::{Value, json};
use toolsmith_tool::{ArgumentSchema, ContentBlock, ToolResult};

/// Longest note about a mismatch with the output schema.
const MAX_NOTE: usize = 500;

/// Converts a result. `output_schema` is checked; a mismatch is a note, because the result is there anyway.
pub(crate) fn convert(server: &str, result: CallToolResult, output_schema: Option<&Value>) -> ToolResult {
    let mut content: Vec<ContentBlock> =
        result.content.into_iter().map(|block| convert_block(server, block)).collect();
    let structured = result.structured_content;
    let has_text = content.iter().any(|block| block.as_text().is_some_and(|text| !text.trim().is_empty()));
    if let Some(structured) = &structured {
        if !has_text {
            content.push(ContentBlock::text(structured.to_string()));
        }
        if let Some(note) = output_schema.and_then(|schema| mismatch(schema, structured)) {
            content.push(ContentBlock::text(note));
        }
    }
    if content.is_empty() {
        content.push(ContentBlock::text("(no output)"));
    }
    let mut converted = ToolResult { content, details: None, is_error: result.is_error == Some(true) };
    if let Some(structured) = structured {
        converted.details = Some(json!({ "structured": structured }));
    }
    converted
}

fn mismatch(schema: &Value, structured: &Value) -> Option<String> {
    let compiled = ArgumentSchema::compile(schema).ok()?;
    let problem = match compiled.prepare("the result", structured.clone()) {
        Ok(prepared) if prepared.repairs.is_empty() => return None,
        Ok(prepared) => {
            prepared.repairs.iter().map(|repair| repair.path.clone()).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    };
    let problem: String = problem.chars().take(MAX_NOTE).collect();
    Some(format!("Note: the structured result does not match the schema the server declared: {problem}"))
}

/// Converts one block.
pub(crate) fn convert_block(server: &str, block: Remote) -> ContentBlock {
    match block {
        Remote::Text(text) => ContentBlock::text(text.text),
        Remote::Image(image) => ContentBlock::Image { data: image.data, mime_type: image.mime_type },
        Remote::Audio(audio) => {
            let bytes = audio.data.len() / 4 * 3;
            ContentBlock::text(format!("[audio, {}, about {bytes} bytes; not shown]", audio.mime_type))
        }
        Remote::Resource(resource) => convert_resource(resource.resource),
        Remote::ResourceLink(link) => {
            let about = link.description.map(|text| format!(": {text}")).unwrap_or_default();
            let name = link.title.unwrap_or(link.name);
            ContentBlock::text(format!(
                "[resource \"{name}\"{about}. Read it with read_mcp_resource, server \"{server}\", uri \"{}\"]",
                link.uri
            ))
        }
        _ => ContentBlock::text("[content of an unknown type; not shown]"),
    }
}

/// Converts the content of a resource.
pub(crate) fn convert_resource(resource: ResourceContents) -> ContentBlock {
    match resource {
        ResourceContents::TextResourceContents { text, .. } => ContentBlock::text(text),
        ResourceContents::BlobResourceContents { blob, mime_type, uri, .. } => {
            let mime_type = mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            if mime_type.starts_with("image/") {
                return ContentBlock::Image { data: blob, mime_type };
            }
            ContentBlock::text(format!("[{uri}: {mime_type}, about {} bytes; not shown]", blob.len() / 4 * 3))
        }
        _ => ContentBlock::text("[resource of an unknown type; not shown]"),
    }
}
