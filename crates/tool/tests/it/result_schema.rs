//! Schemas of structured results.

use serde_json::{Value, json};
use toolsmith_tool::{ResultSchema, SchemaError};

fn check(schema: Value, value: Value) -> Result<(), String> {
    ResultSchema::compile(&schema).unwrap().check(&value).map_err(|mismatch| mismatch.to_string())
}

#[test]
fn any_json_value_can_be_a_result() {
    assert_eq!(check(json!({ "type": "array", "items": { "type": "integer" } }), json!([1, 2])), Ok(()));
    assert_eq!(check(json!({ "type": "string" }), json!("text")), Ok(()));
    assert_eq!(check(json!({ "type": ["number", "null"] }), json!(null)), Ok(()));
    assert_eq!(check(json!(true), json!({ "any": 1 })), Ok(()));
}

#[test]
fn a_mismatch_names_the_path_and_nothing_is_repaired() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "number", "default": 1 } }, "required": ["n"] });
    let text = check(schema.clone(), json!({ "n": "5" })).unwrap_err();
    assert!(text.starts_with("n: "), "{text}");
    assert!(check(schema.clone(), json!({})).unwrap_err().contains('n'));
    assert!(check(schema, json!([])).is_err());
}

#[test]
fn many_mismatches_are_counted_and_the_text_is_short() {
    let schema = json!({ "type": "array", "items": { "type": "integer" } });
    let text = check(schema, Value::Array(vec![json!("x".repeat(1000)); 50])).unwrap_err();
    assert!(text.chars().count() <= 500, "{text}");
}

#[test]
fn hostile_schemas_and_values_are_refused_in_time() {
    let remote = ResultSchema::compile(&json!({ "$ref": "https://example.com/schema.json" }));
    assert!(matches!(remote, Err(SchemaError::Invalid { .. })), "{remote:?}");
    let mut deep = json!({});
    let mut value = json!(1);
    for _ in 0..120 {
        value = json!([value]);
    }
    for _ in 0..200 {
        deep = json!({ "items": deep });
    }
    assert!(matches!(ResultSchema::compile(&deep), Err(SchemaError::TooDeep)));
    assert_eq!(check(json!({}), value.clone()), Ok(()));
    for _ in 0..50 {
        value = json!([value]);
    }
    assert!(check(json!({}), value).unwrap_err().contains("nested deeper"));
}
