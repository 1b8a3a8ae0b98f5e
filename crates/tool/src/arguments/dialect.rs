//! Selection of the JSON Schema draft.
//!
//! A schema without `$schema` is read as 2020-12. If it uses only what 2020-12 and draft 7 interpret identically, it is
//! read as draft 7: compiling the first schema of a draft requires compiling its meta-schema, and that of 2020-12 has
//! nine documents with dynamic references, which costs more than loading a tool.

use jsonschema::Draft;
use serde_json::Value;

/// Keywords that one of the two drafts does not know or interprets differently.
const DIFFER: &[&str] = &[
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    // Draft 7 ignores the siblings of this keyword.
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

/// Returns the draft for `schema`; `None` leaves it to its `$schema`.
pub(super) fn draft_of(schema: &Value) -> Option<Draft> {
    if schema.get("$schema").is_some() {
        return None;
    }
    Some(if is_shared(schema) { Draft::Draft7 } else { Draft::Draft202012 })
}

/// Returns whether both drafts interpret this identically. Property names and values that look like keywords are
/// treated as keywords, which only costs time.
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
