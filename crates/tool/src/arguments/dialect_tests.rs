//! Which draft a schema is read as, and that it does not matter where drafts agree.

use serde_json::json;

use super::*;

#[test]
fn a_schema_that_says_its_draft_is_believed() {
    let schema = json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object" });
    assert_eq!(draft_of(&schema), None);
}

#[test]
fn what_all_drafts_read_alike_takes_the_draft_that_is_quick_to_start() {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer", "exclusiveMinimum": 0 }, "to": { "format": "email" } },
        "required": ["n"],
        "additionalProperties": false,
        "anyOf": [{ "properties": { "list": { "items": { "enum": ["a", 1] } } } }],
    });
    assert_eq!(draft_of(&schema), Some(Draft::Draft7));
}

#[test]
fn what_they_read_differently_is_read_as_the_newest_wherever_it_stands() {
    for part in [
        json!({ "$ref": "#/$defs/a" }),
        json!({ "prefixItems": [{}] }),
        json!({ "items": [{}] }),
        json!({ "format": "uuid" }),
        json!({ "unevaluatedProperties": false }),
        json!({ "contentEncoding": "base64" }),
        json!({ "$schema": "https://json-schema.org/draft/2019-09/schema" }),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": { "allOf": [part] } } });
        assert_eq!(draft_of(&schema), Some(Draft::Draft202012), "{schema}");
    }
}

/// What is not in [`DIFFER`] has to mean the same in both drafts.
#[test]
fn both_drafts_judge_shared_schemas_alike() {
    let schemas = [
        json!({ "type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2 }),
        json!({ "type": ["string", "null"], "minLength": 1, "maxLength": 3, "pattern": "^a" }),
        json!({ "type": "array", "items": { "type": "number" }, "minItems": 1, "uniqueItems": true }),
        json!({ "contains": { "const": 2 } }),
        json!({ "properties": { "a": { "const": 1 } }, "required": ["a"], "additionalProperties": false }),
        json!({ "patternProperties": { "^a": { "type": "number" } }, "propertyNames": { "maxLength": 1 } }),
        json!({ "minProperties": 1, "maxProperties": 1 }),
        json!({ "oneOf": [{ "type": "number" }, { "multipleOf": 2 }], "not": { "const": 3 } }),
        json!({ "if": { "type": "number" }, "then": { "exclusiveMaximum": 5 }, "else": { "type": "string" } }),
        json!({ "format": "email" }),
        json!({ "format": "date-time" }),
        json!({ "format": "uri" }),
        json!({ "format": "ipv4" }),
        json!({ "format": "regex" }),
        json!({ "enum": [null, 2, "a"] }),
    ];
    let values = [
        json!(null),
        json!(1),
        json!(2),
        json!(2.0),
        json!(3),
        json!(4.5),
        json!(10),
        json!("a"),
        json!("b"),
        json!("abcd"),
        json!(""),
        json!("a@b.c"),
        json!("2024-01-01T00:00:00Z"),
        json!("http://a/b"),
        json!("10.0.0.1"),
        json!("("),
        json!([]),
        json!([1]),
        json!([2, 2]),
        json!(["x"]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": 2 }),
        json!({ "b": "x" }),
        json!({ "a": 1, "bb": 2 }),
    ];
    for schema in schemas {
        assert!(is_shared(&schema), "{schema}");
        let read = |draft| {
            jsonschema::options().with_draft(draft).should_validate_formats(true).build(&schema).unwrap()
        };
        let (old, new) = (read(Draft::Draft7), read(Draft::Draft202012));
        for value in &values {
            assert_eq!(old.is_valid(value), new.is_valid(value), "{schema} {value}");
        }
    }
}
