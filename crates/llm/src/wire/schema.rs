//! Conversion of tool schemas for providers.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::object_root::make_object;
use crate::request::ToolDefinition;

/// Removes what providers reject from the schema.
pub(super) fn parameters(tool: &ToolDefinition) -> Value {
    let mut schema = Value::clone(&tool.parameters);
    if let Some(object) = schema.as_object_mut() {
        // The order is kept, because it is part of what providers cache.
        object.shift_remove("$schema");
        make_object(object);
        fill_items(object);
        // Some providers reject an object without properties, although the schema is valid.
        if object.get("type").is_some_and(|kind| kind == "object") && !object.contains_key("properties") {
            object.insert("properties".to_owned(), Value::Object(Map::new()));
        }
    }
    schema
}

/// Adds `items` to arrays that lack it, because providers would reject the whole request.
fn fill_items(schema: &mut Map<String, Value>) {
    if schema.get("type").is_some_and(|kind| kind == "array")
        && !schema.contains_key("items")
        && !schema.contains_key("prefixItems")
    {
        schema.insert("items".to_owned(), Value::Object(Map::new()));
    }
    for (word, value) in schema {
        match (word.as_str(), value) {
            // Literal values are not schemas, whatever they look like.
            ("default" | "const" | "enum" | "examples", _) => {}
            ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(named)) => {
                named.values_mut().filter_map(Value::as_object_mut).for_each(fill_items);
            }
            (_, Value::Object(part)) => fill_items(part),
            (_, Value::Array(parts)) => {
                parts.iter_mut().filter_map(Value::as_object_mut).for_each(fill_items)
            }
            _ => {}
        }
    }
}

/// Returns whether to request strict mode: the tool wants it and the schema meets its requirements.
pub(super) fn is_strict(tool: &ToolDefinition) -> bool {
    tool.strict && is_closed(&parameters(tool))
}

/// Returns whether every object in the schema is closed and requires all its properties.
fn is_closed(schema: &Value) -> bool {
    let mut queue = vec![schema];
    while let Some(schema) = queue.pop() {
        match schema {
            Value::Object(map) => {
                let properties = map.get("properties").and_then(Value::as_object);
                let is_object = properties.is_some() || map.get("type").is_some_and(|kind| kind == "object");
                if is_object && map.get("additionalProperties") != Some(&Value::Bool(false)) {
                    return false;
                }
                if let Some(properties) = properties {
                    let required = map.get("required").and_then(Value::as_array);
                    let required: HashSet<&str> =
                        required.into_iter().flatten().filter_map(Value::as_str).collect();
                    if !properties.keys().all(|name| required.contains(name.as_str())) {
                        return false;
                    }
                    queue.extend(properties.values());
                }
                // Keywords that contain schemas, or lists or maps of them.
                let nested = map.iter().filter(|(key, _)| {
                    matches!(
                        key.as_str(),
                        "items" | "anyOf" | "oneOf" | "allOf" | "$defs" | "definitions" | "prefixItems"
                    )
                });
                for (key, value) in nested {
                    match (key.as_str(), value) {
                        ("$defs" | "definitions", Value::Object(map)) => queue.extend(map.values()),
                        (_, value) => queue.push(value),
                    }
                }
            }
            Value::Array(items) => queue.extend(items),
            _ => {}
        }
    }
    true
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
