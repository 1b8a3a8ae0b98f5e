//! A server's result as ours: content blocks the model can read, structured content as details.

use rmcp::model::{CallToolResult, ContentBlock as Remote, ResourceContents};
use serde_json::{Value, json};
use toolsmith_tool::{ContentBlock, ResultSchema, ToolResult};

/// Converts a result. `output_schema` is checked; a mismatch is a note, because the result is there anyway.
pub(crate) fn convert(
    server: &str,
    result: CallToolResult,
    output_schema: Option<&ResultSchema>,
) -> ToolResult {
    let mut content: Vec<ContentBlock> =
        result.content.into_iter().map(|block| convert_block(server, block)).collect();
    let structured = result.structured_content;
    let has_text = content.iter().any(|block| block.as_text().is_some_and(|text| !text.trim().is_empty()));
    if let Some(structured) = structured.as_ref().filter(|_| !has_text) {
        content.push(ContentBlock::text(structured.to_string()));
    }
    // A failed call has no structured result.
    if let Some(schema) = output_schema.filter(|_| result.is_error != Some(true))
        && let Some(note) = mismatch(schema, structured.as_ref())
    {
        content.push(ContentBlock::text(note));
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

fn mismatch(schema: &ResultSchema, structured: Option<&Value>) -> Option<String> {
    let Some(structured) = structured else {
        return Some(
            "Note: the server declared an output schema but returned no structured result.".to_owned(),
        );
    };
    let mismatch = schema.check(structured).err()?;
    Some(format!("Note: the structured result does not match the schema the server declared: {mismatch}"))
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
