//! Detection of schemas that are known to compile.
//!
//! Most loaded tools are never called, and compiling a schema costs more than reading it. A schema that uses only the
//! keywords checked here is compiled at its first call; all others are compiled immediately, so that errors are
//! reported at load time.

use std::collections::HashSet;

use serde_json::{Map, Value};

const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// Returns whether the schema, whose depth is within the stack limit, has only keywords with valid values.
pub(super) fn is_plain(schema: &Value) -> bool {
    schema.as_object().is_some_and(|map| map.iter().all(|(word, value)| is_right(word, value)))
}

fn is_right(word: &str, value: &Value) -> bool {
    match word {
        "title" | "description" | "format" => value.is_string(),
        "default" | "const" => true,
        "type" => match value {
            Value::Array(names) => {
                !names.is_empty() && are_different_texts(names) && names.iter().all(is_type)
            }
            name => is_type(name),
        },
        "enum" => value.as_array().is_some_and(|options| !options.is_empty() && are_different_texts(options)),
        "required" => value.as_array().is_some_and(|names| are_different_texts(names)),
        "properties" => value.as_object().is_some_and(|map: &Map<_, _>| map.values().all(is_plain)),
        "items" | "propertyNames" => is_plain(value),
        "additionalProperties" => value.is_boolean() || is_plain(value),
        "anyOf" | "oneOf" | "allOf" => {
            value.as_array().is_some_and(|parts| !parts.is_empty() && parts.iter().all(is_plain))
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "uniqueItems" => value.is_boolean(),
        _ => false,
    }
}

fn is_type(name: &Value) -> bool {
    name.as_str().is_some_and(|name| TYPES.contains(&name))
}

fn are_different_texts(values: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(values.len());
    values.iter().all(|value| value.as_str().is_some_and(|text| seen.insert(text)))
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
