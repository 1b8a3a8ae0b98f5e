//! What providers see of a schema whose top is no plain object.

use serde_json::json;

use super::*;

fn sent(schema: Value) -> Value {
    let Value::Object(mut map) = schema else { panic!("not an object") };
    make_object(&mut map);
    Value::Object(map)
}

#[test]
fn an_object_stays_as_it_is() {
    let schema = json!({
        "type": "object",
        "properties": { "a": { "anyOf": [{ "type": "string" }, { "type": "null" }] } },
        "additionalProperties": false,
        "$defs": { "b": { "oneOf": [] } },
    });
    assert_eq!(sent(schema.clone()), schema);
}

#[test]
fn a_union_with_a_tag_becomes_one_object_and_words() {
    let schema = json!({
        "description": "What to do.",
        "oneOf": [
            {
                "type": "object",
                "properties": { "kind": { "type": "string", "const": "read" }, "path": { "type": "string" } },
                "required": ["kind", "path"],
                "additionalProperties": false,
            },
            {
                "type": "object",
                "properties": {
                    "kind": { "type": "string", "const": "fetch" },
                    "url": { "type": "string" },
                    "path": { "type": "null" },
                },
                "required": ["kind", "url"],
                "additionalProperties": false,
            },
        ],
    });
    assert_eq!(
        sent(schema),
        json!({
            "description": "What to do. Give one of: {kind: \"read\", path} or {kind: \"fetch\", url}.",
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["read", "fetch"] },
                "path": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
                "url": { "type": "string" },
            },
            "required": ["kind"],
        })
    );
}

#[test]
fn at_least_one_of_some_properties_keeps_the_properties() {
    let schema = json!({
        "type": "object",
        "properties": { "id": { "type": "string" }, "title": { "type": "string" }, "text": { "type": "string" } },
        "required": ["id"],
        "anyOf": [{ "required": ["title"] }, { "required": ["text"] }],
    });
    assert_eq!(
        sent(schema),
        json!({
            "type": "object",
            "properties": { "id": { "type": "string" }, "title": { "type": "string" }, "text": { "type": "string" } },
            "required": ["id"],
            "description": "Give one of: {title} or {text}.",
        })
    );
}

#[test]
fn an_intersection_requires_what_each_part_does() {
    let schema = json!({
        "allOf": [
            { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
            { "$ref": "#/$defs/b" },
        ],
        "$defs": { "b": { "type": "object", "properties": { "b": { "$ref": "#/$defs/c" } }, "required": ["b"] }, "c": {} },
    });
    assert_eq!(
        sent(schema),
        json!({
            "type": "object",
            "properties": { "a": { "type": "string" }, "b": { "$ref": "#/$defs/c" } },
            "required": ["a", "b"],
            "$defs": { "b": { "type": "object", "properties": { "b": { "$ref": "#/$defs/c" } }, "required": ["b"] }, "c": {} },
        })
    );
}

#[test]
fn a_schema_that_refers_to_itself_for_ever_comes_to_an_end() {
    let schema = json!({
        "$ref": "#/$defs/a",
        "$defs": { "a": { "properties": { "x": {} }, "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }] } },
    });
    assert_eq!(sent(schema)["properties"], json!({ "x": {} }));
}

#[test]
fn words_that_say_nothing_of_properties_are_left_out() {
    let schema =
        json!({ "type": "object", "not": { "required": ["a"] }, "if": {}, "then": {}, "enum": [{}] });
    assert_eq!(sent(schema), json!({ "type": "object", "properties": {} }));
}
