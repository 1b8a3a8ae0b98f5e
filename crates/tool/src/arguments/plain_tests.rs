//! What is taken without compiling does compile, and what does not compile is never taken.

use serde_json::json;

use super::*;
use crate::arguments::schema::build;

const WORDS: &[&str] = &[
    "title",
    "description",
    "format",
    "default",
    "const",
    "type",
    "enum",
    "required",
    "properties",
    "items",
    "propertyNames",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "minimum",
    "exclusiveMaximum",
    "minLength",
    "maxItems",
    "maxProperties",
    "uniqueItems",
    "multipleOf",
    "pattern",
    "$ref",
    "$schema",
    "$defs",
    "x-own",
];

/// Values that suit one of the words, or nearly.
fn values() -> Vec<Value> {
    vec![
        json!("string"),
        json!("uuid"),
        json!("("),
        json!(""),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(true),
        json!(null),
        json!([]),
        json!(["a"]),
        json!(["a", "a"]),
        json!(["string", "null"]),
        json!(["string", "string"]),
        json!([1, "a"]),
        json!([{}]),
        json!([{ "type": "nothing" }]),
        json!({}),
        json!({ "a": {} }),
        json!({ "a": 1 }),
        json!({ "type": "integer" }),
        json!({ "type": "nothing" }),
    ]
}

#[test]
fn whatever_is_plain_compiles() {
    let mut plain = 0;
    for word in WORDS {
        for value in values() {
            let part = Value::Object(Map::from_iter([((*word).to_owned(), value)]));
            for schema in [
                part.clone(),
                json!({ "properties": { "a": part } }),
                json!({ "items": part }),
                json!({ "anyOf": [{ "type": "string" }, part] }),
                json!({ "additionalProperties": { "allOf": [part] } }),
            ] {
                if is_plain(&schema) {
                    plain += 1;
                    assert!(build(&schema).is_ok(), "{schema}: {:?}", build(&schema).err());
                }
            }
        }
    }
    assert!(plain > 300, "only {plain}");
}

#[test]
fn what_tools_usually_say_is_plain() {
    let schema = json!({
        "type": "object",
        "description": "What to look for",
        "properties": {
            "glob": { "type": "string", "minLength": 1, "default": "**/*.ts", "format": "uri" },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 9007199254740991_i64 },
            "mode": { "anyOf": [{ "const": "fast" }, { "enum": ["slow", "slower"] }] },
            "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 3, "uniqueItems": true },
            "more": { "type": "object", "propertyNames": { "type": "string" }, "additionalProperties": {} },
        },
        "required": ["glob"],
        "additionalProperties": false,
    });
    assert!(is_plain(&schema));
    assert!(build(&schema).is_ok());
}

#[test]
fn what_has_to_be_looked_into_is_not_plain() {
    for part in [
        json!({ "pattern": "(" }),
        json!({ "$ref": "#/nowhere" }),
        json!({ "$schema": "https://example.com/none" }),
        json!({ "type": "text" }),
        json!({ "required": ["a", "a"] }),
        json!({ "minLength": -1 }),
        json!({ "items": [{}] }),
        json!({ "additionalProperties": "no" }),
        json!(true),
    ] {
        assert!(!is_plain(&json!({ "properties": { "a": part } })), "{part}");
    }
}
