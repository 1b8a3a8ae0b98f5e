//! What providers see of a tool's schema, and that strict mode is asked for only where they would accept it.

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
fn a_choice_at_the_top_may_not() {
    let closed = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert!(strict(closed.clone()));
    assert!(!strict(json!({ "anyOf": [closed] })));
}

#[test]
fn a_list_that_does_not_say_of_what_is_of_anything() {
    let schema = json!({
        "type": "object",
        "properties": {
            "type": { "type": "array" },
            "default": { "type": "array" },
            "b": { "anyOf": [{ "type": "array", "default": { "type": "array" } }, { "type": "array", "items": { "type": "array" } }] },
        },
    });
    assert_eq!(
        parameters(&ToolDefinition::new("t", "", schema))["properties"],
        json!({
            "type": { "type": "array", "items": {} },
            "default": { "type": "array", "items": {} },
            "b": { "anyOf": [
                { "type": "array", "default": { "type": "array" }, "items": {} },
                { "type": "array", "items": { "type": "array", "items": {} } },
            ] },
        })
    );
}

#[test]
fn nobody_gets_strict_mode_unasked() {
    let closed = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert!(!is_strict(&ToolDefinition::new("t", "", closed)));
}
