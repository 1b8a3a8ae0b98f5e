//! Tool schemas on their way to a provider.

use serde_json::Value;

use crate::request::ToolDefinition;

/// The schema without what providers stumble over.
pub(super) fn parameters(tool: &ToolDefinition) -> Value {
    let mut schema = tool.parameters.clone();
    if let Some(object) = schema.as_object_mut() {
        // Order is kept: it is part of what providers cache.
        object.shift_remove("$schema");
        // Some providers refuse an object without properties, though the schema is right.
        if object.get("type").is_some_and(|kind| kind == "object") && !object.contains_key("properties") {
            object.insert("properties".to_owned(), Value::Object(serde_json::Map::new()));
        }
    }
    schema
}

/// Whether to ask for strict mode: it was wanted, and the schema meets its demands.
pub(super) fn is_strict(tool: &ToolDefinition) -> bool {
    tool.strict && is_closed(&tool.parameters)
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
                    let is_required = |name: &str| {
                        required.is_some_and(|required| required.iter().any(|item| item == name))
                    };
                    if !properties.keys().all(|name| is_required(name)) {
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
