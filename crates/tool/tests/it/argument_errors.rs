//! CONTRACT 4.2: the text a model gets names the path, the expectation and what came, and stays short.

use serde_json::{Value, json};
use toolsmith_tool::{ArgumentSchema, SchemaError};

fn refusal(schema: &Value, arguments: Value) -> String {
    ArgumentSchema::compile(schema).unwrap().prepare("my_tool", arguments).unwrap_err().to_string()
}

#[test]
fn c4_2_the_text_names_path_expectation_and_value() {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "minimum": 1 },
            "mode": { "enum": ["fast", "slow"] },
            "edits": { "type": "array", "items": {
                "type": "object",
                "properties": { "line": { "type": "integer" } },
                "required": ["line", "text"],
            } },
        },
        "required": ["count"],
    });
    let text = refusal(&schema, json!({ "count": "many", "mode": "medium", "edits": [{ "line": {} }] }));
    assert_eq!(
        text,
        r#"Validation failed for tool "my_tool":
  - count: expected integer, received "many" (string)
  - mode: expected one of "fast", "slow", received "medium" (string)
  - edits/0/text: required, but missing
  - edits/0/line: expected integer, received an object with 0 properties

Received arguments:
{
  "count": "many",
  "mode": "medium",
  "edits": [
    {
      "line": {}
    }
  ]
}"#
    );
    assert!(refusal(&schema, json!({})).contains("\n  - count: required, but missing\n"));
    assert!(
        refusal(&schema, json!({ "count": 0 })).contains("- count: expected at least 1, received 0 (number)")
    );
    assert!(refusal(&schema, json!([1])).contains("- root: expected object, received an array of 1"));
    assert!(refusal(&schema, json!(null)).contains("- root: expected object, received null"));
}

#[test]
fn alternatives_are_told_by_the_one_that_came_closest() {
    let schema = json!({ "type": "object", "properties": { "v": { "anyOf": [
        { "type": "boolean" },
        { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] },
    ] } } });
    assert!(
        refusal(&schema, json!({ "v": { "n": "x" } }))
            .contains("- v/n: expected integer, received \"x\" (string)")
    );
    assert!(
        refusal(&schema, json!({ "v": "x" }))
            .contains("- v: expected boolean or object, received \"x\" (string)")
    );
}

#[test]
fn the_text_stays_short_whatever_was_sent() {
    let schema = json!({
        "type": "object",
        "properties": { "list": { "type": "array", "items": { "type": "object" } } },
        "additionalProperties": { "type": "integer" },
    });
    let long = "x".repeat(1_000_000);
    let text = refusal(&schema, json!({ "list": [long], "other": long }));
    assert!(text.len() < 2_000, "{} bytes", text.len());
    let many: Vec<Value> = (0..10_000).map(|_| json!("no")).collect();
    let text = refusal(&schema, json!({ "list": many }));
    assert!(text.contains("more") && text.len() < 8_000, "{} bytes", text.len());
}

#[test]
fn text_that_is_not_json_says_where() {
    let schema = ArgumentSchema::compile(&json!({ "type": "object" })).unwrap();
    let error = schema.prepare_text("my_tool", "path: a.txt").unwrap_err().to_string();
    assert!(
        error.starts_with(
            "Validation failed for tool \"my_tool\": Tool call arguments are not valid JSON.\nParse Error: expected value at line 1"
        ),
        "{error}"
    );
    assert!(error.ends_with("Received arguments:\npath: a.txt"), "{error}");
}

#[test]
fn refusals_by_the_authors_own_code_have_the_same_shape() {
    let error = ArgumentSchema::refuse(
        "my_tool",
        vec![("range/end".to_owned(), "must be after start".to_owned())],
        &json!({ "range": { "start": 5, "end": 1 } }),
    );
    let text = error.to_string();
    assert!(text.starts_with("Validation failed for tool \"my_tool\":\n  - range/end: must be after start\n\nReceived arguments:\n{"), "{text}");
}

#[test]
fn a_schema_that_cannot_be_used_is_refused_with_the_place() {
    let refused = |schema: Value| ArgumentSchema::compile(&schema).unwrap_err();
    assert!(matches!(refused(json!({ "type": "string" })), SchemaError::NotAnObject { .. }));
    assert!(matches!(refused(json!("object")), SchemaError::NotAnObject { .. }));
    assert!(matches!(refused(json!(null)), SchemaError::NotAnObject { .. }));
    assert_eq!(
        refused(json!({ "type": "object", "properties": { "a": { "type": "strin" } } })).to_string(),
        "not a valid JSON Schema at /properties/a/type: \"strin\" is not valid under any of the schemas listed in the 'anyOf' keyword"
    );
    for bad in [
        json!({ "properties": { "a": { "pattern": "(" } } }),
        json!({ "properties": { "a": { "$ref": "#/$defs/missing" } } }),
        json!({ "properties": 5 }),
    ] {
        assert!(matches!(refused(bad), SchemaError::Invalid { .. }));
    }
}

#[test]
fn references_out_of_the_document_are_refused() {
    for target in ["http://127.0.0.1:9/schema.json", "file:///etc/passwd", "other.json"] {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": target } } });
        let error = ArgumentSchema::compile(&schema).unwrap_err().to_string();
        assert!(error.contains(target.rsplit('/').next().unwrap()), "{error}");
    }
}
