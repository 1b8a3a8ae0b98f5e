//! Tool schemas on their way to a provider.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::object_root::make_object;
use crate::request::ToolDefinition;

/// The schema without what providers stumble over.
pub(super) fn parameters(tool: &ToolDefinition) -> Value {
    let mut schema = tool.parameters.clone();
    if let Some(object) = schema.as_object_mut() {
        // Order is kept: it is part of what providers cache.
        object.shift_remove("$schema");
        make_object(object);
        fill_items(object);
        // Some providers refuse an object without properties, though the schema is right.
        if object.get("type").is_some_and(|kind| kind == "object") && !object.contains_key("properties") {
            object.insert("properties".to_owned(), Value::Object(Map::new()));
        }
    }
    schema
}

/// Lets lists that do not say of what be of anything: a provider would refuse the whole request on their account.
fn fill_items(schema: &mut Map<String, Value>) {
    if schema.get("type").is_some_and(|kind| kind == "array")
        && !schema.contains_key("items")
        && !schema.contains_key("prefixItems")
    {
        schema.insert("items".to_owned(), Value::Object(Map::new()));
    }
    for (word, value) in schema {
        match (word.as_str(), value) {
            // What is given as a value is no schema, whatever it looks like.
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

/// Whether to ask for strict mode: it was wanted, and the schema meets its demands.
pub(super) fn is_strict(tool: &ToolDefinition) -> bool {
    tool.strict && is_closed(&parameters(tool))
}

/// Whether every object in the schema is closed and demands all its properties.
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
                // Keywords that hold schemas, or lists or maps of them.
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
