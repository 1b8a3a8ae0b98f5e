//! Our specifications and results as the protocol's.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock as Remote, JsonObject, MetaObject, Tool as RemoteTool, ToolAnnotations,
};
use serde_json::{Value, json};
use toolsmith_tool::{ContentBlock, EffectHints, ResultSchema, Tier, ToolResult, ToolSpec};

/// Largest details passed on; they are for programs, and clients keep them in memory.
const MAX_DETAILS: usize = 64 << 10;

/// Revision family of a client, as far as results depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// Up to 2025-11-25: structured content is an object.
    Handshake,
    /// From 2026-07-28 on: structured content is any JSON value.
    Stateless,
}

impl Generation {
    /// Returns the output schema as this client may see it. An older client rejects the whole list over a schema that does not
    /// describe an object.
    fn output_schema(self, spec: &ToolSpec) -> Option<&JsonObject> {
        let schema = spec.output_schema.as_ref()?.as_object()?;
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        (self == Self::Stateless || is_object).then_some(schema)
    }
}

/// Converts a specification.
pub(super) fn tool(spec: &ToolSpec, generation: Generation) -> RemoteTool {
    let mut schema = spec.parameters.as_object().cloned().unwrap_or_default();
    // The protocol requires it, also where the schema says the same in another way.
    schema.insert("type".to_owned(), json!("object"));
    let mut meta = JsonObject::new();
    meta.insert("toolsmith/tier".to_owned(), json!(spec.approval.tier.as_str()));
    let mut tool = RemoteTool::new(spec.name.clone(), spec.description.clone(), Arc::new(schema))
        .with_title(spec.label.clone())
        .with_annotations(annotations(spec.approval.tier, spec.effects))
        .with_meta(MetaObject(meta));
    tool.output_schema = generation.output_schema(spec).map(|schema| Arc::new(schema.clone()));
    tool
}

/// The hints that correspond to a tier and to what the tool declares. Unless it says otherwise, it may reach the outside world.
fn annotations(tier: Tier, effects: EffectHints) -> ToolAnnotations {
    let mut hints = ToolAnnotations::new().open_world(effects.open_world.unwrap_or(true));
    hints.idempotent_hint = effects.idempotent;
    match tier {
        Tier::Read => hints.read_only(true),
        Tier::Write => hints.read_only(false).destructive(false),
        _ => hints.read_only(false).destructive(true),
    }
}

/// Converts the result of a tool. If it declares an output schema, its details are the structured content, which must match
/// the schema: clients reject a result that does not, so a mismatch is an error that says what is wrong.
pub(super) fn result_of(spec: &ToolSpec, result: ToolResult, generation: Generation) -> CallToolResult {
    let Some(schema) = generation.output_schema(spec).filter(|_| !result.is_error) else {
        return self::result(result);
    };
    let compiled = ResultSchema::compile(&Value::Object(schema.clone()));
    let structured = result.details.clone().unwrap_or_default();
    let problem = match compiled.map(|schema| schema.check(&structured)) {
        Ok(Ok(())) => None,
        Ok(Err(mismatch)) => Some(mismatch.to_string()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(problem) = problem {
        let mut failed = self::result(ToolResult { is_error: true, ..result });
        failed.content.push(Remote::text(format!(
            "The tool ran, but its details do not match its outputSchema: {problem}"
        )));
        return failed;
    }
    let mut converted = self::result(ToolResult { details: None, ..result });
    if converted.content.is_empty() {
        // Clients that do not read structured content get the same as text.
        converted.content.push(Remote::text(structured.to_string()));
    }
    converted.structured_content = Some(structured);
    converted
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
