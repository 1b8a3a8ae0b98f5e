//! Strict mode is asked for only where the provider would accept it.

use serde_json::json;

use super::*;

fn strict(schema: Value) -> bool {
    is_strict(&ToolDefinition::new("t", "", schema).strict(true))
}

#[test]
fn a_closed_schema_that_demands_everything_may_be_strict() {
    assert!(strict(json!({
        "type": "object",
        "properties": { "a": { "type": "string" }, "properties": { "type": "object", "properties": {}, "additionalProperties": false } },
        "required": ["a", "properties"],
        "additionalProperties": false,
    })));
}

#[test]
fn an_open_object_anywhere_or_an_optional_property_may_not() {
    assert!(!strict(json!({ "type": "object" })));
    assert!(!strict(json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] })));
    assert!(!strict(json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false })));
    assert!(!strict(json!({
        "type": "object",
        "properties": { "a": { "type": "array", "items": { "anyOf": [{ "type": "object", "properties": {} }] } } },
        "required": ["a"],
        "additionalProperties": false,
    })));
}

#[test]
fn nobody_gets_strict_mode_unasked() {
    let closed = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert!(!is_strict(&ToolDefinition::new("t", "", closed)));
}
