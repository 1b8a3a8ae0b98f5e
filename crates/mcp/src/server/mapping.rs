//! Our specifications and results as the protocol's.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock as Remote, JsonObject, MetaObject, Tool as RemoteTool, ToolAnnotations,
};
use serde_json::{Value, json};
use toolsmith_tool::{ContentBlock, Tier, ToolResult, ToolSpec};

/// Largest details passed on; they are for programs, and clients keep them in memory.
const MAX_DETAILS: usize = 64 << 10;

/// Converts a specification.
pub(super) fn tool(spec: &ToolSpec) -> RemoteTool {
    let mut schema = spec.parameters.as_object().cloned().unwrap_or_default();
    // The protocol requires it, also where the schema says the same in another way.
    schema.insert("type".to_owned(), json!("object"));
    let mut meta = JsonObject::new();
    meta.insert("toolsmith/tier".to_owned(), json!(spec.approval.tier.as_str()));
    RemoteTool::new(spec.name.clone(), spec.description.clone(), Arc::new(schema))
        .with_title(spec.label.clone())
        .with_annotations(annotations(spec.approval.tier))
        .with_meta(MetaObject(meta))
}

/// The hints that correspond to a tier. Nothing is known about the outside world, so the default stands.
pub(super) fn annotations(tier: Tier) -> ToolAnnotations {
    let hints = ToolAnnotations::new().open_world(true);
    match tier {
        Tier::Read => hints.read_only(true),
        Tier::Write => hints.read_only(false).destructive(false),
        _ => hints.read_only(false).destructive(true),
    }
}

/// Converts a result.
pub(super) fn result(result: ToolResult) -> CallToolResult {
    let content = result.content.into_iter().map(|block| match block {
        ContentBlock::Image { data, mime_type } => Remote::image(data, mime_type),
        ContentBlock::Text { text } => Remote::text(text),
        _ => Remote::text("[content of an unknown type]"),
    });
    let content: Vec<Remote> = content.collect();
    let mut converted =
        if result.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    if let Some(details) = result.details.filter(fits) {
        let mut meta = JsonObject::new();
        meta.insert("toolsmith/details".to_owned(), details);
        converted.meta = Some(MetaObject(meta));
    }
    converted
}

fn fits(details: &Value) -> bool {
    !details.is_null() && serde_json::to_vec(details).is_ok_and(|text| text.len() <= MAX_DETAILS)
}
