//! Which draft of JSON Schema a schema is read as.
//!
//! A schema that does not say is read as 2020-12. Where it uses only what 2020-12 and draft 7 understand alike, it is read as
//! draft 7: before the first schema of a draft is compiled, the draft's own description has to be, and that of 2020-12 is
//! nine documents with dynamic references. Compiling them costs more than loading a tool.

use jsonschema::Draft;
use serde_json::Value;

/// Words that one of the two drafts does not know, or takes differently.
const DIFFER: &[&str] = &[
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    // Draft 7 ignores what stands beside it.
    "$ref",
    "$vocabulary",
    "additionalItems",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The draft to read `schema` as; `None` leaves it to its `$schema`.
pub(super) fn draft_of(schema: &Value) -> Option<Draft> {
    if schema.get("$schema").is_some() {
        return None;
    }
    Some(if is_shared(schema) { Draft::Draft7 } else { Draft::Draft202012 })
}

/// Whether both drafts read this alike. Property names and values that look like words of a schema are taken for such:
/// that costs time only.
fn is_shared(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.iter().all(|(word, value)| {
            let differs = match word.as_str() {
                "$schema" => true,
                "items" => value.is_array(),
                "format" => matches!(value.as_str(), Some("uuid" | "duration")),
                word => DIFFER.contains(&word),
            };
            !differs && is_shared(value)
        }),
        Value::Array(items) => items.iter().all(is_shared),
        _ => true,
    }
}

#[cfg(test)]
#[path = "dialect_tests.rs"]
mod tests;
