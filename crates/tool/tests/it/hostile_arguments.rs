//! Arguments and schemas nobody should send: huge, deep, recursive, explosive.

use serde_json::{Value, json};
use toolsmith_tool::{ArgumentSchema, SchemaError};

/// `{"v": [[[…1…]]]}`, without the macro: it would recurse as deep.
fn nested(depth: usize) -> Value {
    let deep = (0..depth).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    Value::Object([("v".to_owned(), deep)].into_iter().collect())
}

fn list_of_integers() -> ArgumentSchema {
    ArgumentSchema::compile(&json!({
        "type": "object",
        "properties": { "v": { "type": "array", "items": { "type": "integer" } } },
    }))
    .unwrap()
}

#[test]
fn ten_megabytes_pass_and_are_repaired() {
    let schema =
        ArgumentSchema::compile(&json!({ "type": "object", "properties": { "v": { "type": "string" } } }))
            .unwrap();
    let big = json!({ "v": "x".repeat(10_000_000) });
    assert_eq!(schema.prepare("t", big.clone()).unwrap().arguments, big);

    let number = format!("\"{}7\"", " ".repeat(47));
    let text = format!("{{\"v\": [{}]}}", vec![number; 200_000].join(","));
    let prepared = list_of_integers().prepare_text("t", &text).unwrap();
    assert_eq!(prepared.arguments["v"].as_array().map(Vec::len), Some(200_000));
    assert_eq!(prepared.arguments["v"][199_999], json!(7));
}

#[test]
fn ten_megabytes_of_nonsense_are_refused_in_few_words() {
    let word = format!("\"{}\"", "no".repeat(24));
    let text = format!("{{\"v\": [{}]}}", vec![word; 200_000].join(","));
    let error = list_of_integers().prepare_text("t", &text).unwrap_err().to_string();
    assert!(error.len() < 10_000, "{} bytes", error.len());
    let error = list_of_integers().prepare_text("t", &"{\"v\": ".repeat(1_500_000)).unwrap_err().to_string();
    assert!(error.len() < 10_000, "{} bytes", error.len());
}

#[test]
fn ten_thousand_levels_are_refused_as_value_and_as_text() {
    let open = ArgumentSchema::compile(&json!({ "type": "object" })).unwrap();
    let error = open.prepare("t", nested(10_000)).unwrap_err().to_string();
    assert!(error.contains("nested deeper than 128 levels"), "{error}");
    let text = format!("{{\"v\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(open.prepare_text("t", &text).is_err());
    let in_text = json!({ "v": text });
    assert!(list_of_integers().prepare("t", in_text).is_err());
    // Also against a schema that would follow all the way down.
    let recursive = ArgumentSchema::compile(&json!({
        "type": "object", "properties": { "v": { "$ref": "#/$defs/l" } },
        "$defs": { "l": { "anyOf": [{ "type": "integer" }, { "type": "array", "items": { "$ref": "#/$defs/l" } }] } },
    }))
    .unwrap();
    assert!(recursive.prepare("t", nested(10_000)).is_err());
    assert!(recursive.prepare("t", nested(100)).is_ok());
}

#[test]
fn a_schema_ten_thousand_levels_deep_is_refused() {
    let deep = (0..10_000)
        .fold(json!({}), |inner, _| Value::Object([("not".to_owned(), inner)].into_iter().collect()));
    assert_eq!(ArgumentSchema::compile(&deep).unwrap_err(), SchemaError::TooDeep);
    // Dropping it would recurse as deep; that is this test's doing, not the library's.
    std::mem::forget(deep);
}

#[test]
fn alternatives_within_alternatives_do_not_explode() {
    let branches: Vec<Value> = (0..12)
        .map(|n| {
            json!({
                "type": "object",
                "properties": { "next": { "$ref": "#/$defs/n" }, "kind": { "const": n } },
                "required": ["next", "kind"],
            })
        })
        .collect();
    let schema = ArgumentSchema::compile(&json!({
        "type": "object", "properties": { "v": { "$ref": "#/$defs/n" } },
        "$defs": { "n": { "anyOf": branches } },
    }))
    .unwrap();
    let value = (0..60).fold(json!("end"), |inner, n| json!({ "next": inner, "kind": n }));
    assert!(schema.prepare("t", json!({ "v": value })).is_err());
}

#[test]
fn a_pattern_that_backtracks_is_bounded() {
    let schema = ArgumentSchema::compile(&json!({
        "type": "object", "properties": { "v": { "type": "string", "pattern": "^(a+)+(?=b)$" } },
    }))
    .unwrap();
    assert!(schema.prepare("t", json!({ "v": "a".repeat(200) })).is_err());
}

fn enum_of(values: usize) -> Value {
    let values: Vec<String> = (0..values).map(|n| format!("value-{n}")).collect();
    json!({ "type": "object", "properties": { "v": { "enum": values } } })
}

#[test]
fn c4_7_a_schema_beyond_the_limit_is_refused_and_the_error_names_it() {
    let error = ArgumentSchema::compile(&enum_of(200_000)).unwrap_err();
    assert!(matches!(error, SchemaError::TooLarge { nodes: 200_005, .. }), "{error}");
    assert!(error.to_string().contains("at most 20000 values and 1048576 bytes"), "{error}");
    let long = json!({ "type": "object", "description": "x".repeat(2 << 20) });
    assert!(matches!(ArgumentSchema::compile(&long).unwrap_err(), SchemaError::TooLarge { .. }));
    let keys: serde_json::Map<String, Value> = (0..30_000).map(|n| (format!("k{n}"), json!({}))).collect();
    let wide = json!({ "type": "object", "properties": keys });
    assert!(matches!(ArgumentSchema::compile(&wide).unwrap_err(), SchemaError::TooLarge { .. }));
}

#[test]
fn a_long_enum_within_the_limit_is_checked_repaired_and_reported() {
    let schema = ArgumentSchema::compile(&enum_of(15_000)).unwrap();
    assert!(schema.prepare("t", json!({ "v": "value-14999" })).is_ok());
    assert_eq!(schema.prepare("t", json!({ "v": " value-7\n" })).unwrap().arguments["v"], "value-7");
    assert!(schema.prepare("t", json!({ "v": "valve-1" })).is_err());
}

#[test]
fn c4_7_references_that_multiply_are_refused() {
    let mut parts = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/x{}", level + 1) });
        parts.insert(format!("x{level}"), json!({ "allOf": [next, next] }));
    }
    parts.insert("x60".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/x0" } }, "$defs": parts });
    let error = ArgumentSchema::compile(&schema).unwrap_err();
    assert!(error.to_string().contains("once its references are followed"), "{error}");
    // A schema that refers to itself is fine.
    let tree = json!({
        "type": "object",
        "properties": { "node": { "$ref": "#/$defs/node" } },
        "$defs": { "node": { "type": "object", "properties": {
            "left": { "$ref": "#/$defs/node" }, "right": { "$ref": "#/$defs/node" },
        } } },
    });
    assert!(ArgumentSchema::compile(&tree).is_ok());
}
