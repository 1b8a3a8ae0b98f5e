//! Properties that hold for every schema and value: valid input is a fixed point, repair is idempotent, validity is
//! never lost, nothing panics.

use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value, json};
use toolsmith_tool::ArgumentSchema;

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000_i64..1000).prop_map(Value::from),
        any::<f64>().prop_map(|f| serde_json::Number::from_f64(f).map_or(Value::Null, Value::Number)),
        ".{0,12}".prop_map(Value::from),
        // Text that looks like something else is where repair could go wrong.
        prop::sample::select(vec![
            "null",
            "",
            "5",
            "-1.5",
            "007",
            "true",
            "yes",
            "off",
            "[1]",
            "{\"a\": 1}",
            "[1, 2]]",
            "{\"a\":",
            "\"x\"",
            " a ",
            "a\n",
            "1e999",
            "x</arg_key><arg_key>a</arg_key><arg_value>1",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((key(), inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "\"a\"", "a[0]", "b[0].c", "z", "ü/~"]).prop_map(str::to_owned)
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["string", "number", "integer", "boolean", "null", "array", "object"])
            .prop_map(|name| json!({ "type": name })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "type": ["number", "boolean"] })),
        Just(json!({ "enum": ["apply", "discard", 3] })),
        Just(json!({ "const": "a" })),
        Just(json!({ "type": "string", "minLength": 2 })),
        Just(json!({ "type": "integer", "minimum": 0, "default": 4 })),
        Just(json!({ "type": "string", "default": null })),
        Just(json!({ "$ref": "#" })),
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items })),
            vec(inner.clone(), 1..3).prop_map(|branches| json!({ "anyOf": branches })),
            vec(inner.clone(), 1..3).prop_map(|branches| json!({ "oneOf": branches })),
            vec(inner.clone(), 1..3).prop_map(|branches| json!({ "allOf": branches })),
            object_schema(inner),
        ]
    })
}

fn object_schema(property: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    (vec((key(), property, any::<bool>()), 0..4), prop::option::of(any::<bool>())).prop_map(
        |(properties, open)| {
            let mut required: Vec<String> = properties.iter().filter(|p| p.2).map(|p| p.0.clone()).collect();
            required.sort();
            required.dedup();
            let properties: Map<String, Value> =
                properties.into_iter().map(|(key, schema, _)| (key, schema)).collect();
            let mut schema = json!({ "type": "object", "properties": properties, "required": required });
            if let Some(open) = open {
                schema["additionalProperties"] = json!(open);
            }
            schema
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn prepared_arguments_are_valid_and_a_fixed_point(schema in object_schema(any_schema()), value in any_value()) {
        let compiled = ArgumentSchema::compile(&schema).unwrap();
        let judge = jsonschema_is_valid(&schema);
        match compiled.prepare("t", value.clone()) {
            Ok(prepared) => {
                prop_assert!(judge(&prepared.arguments), "{} from {value}", prepared.arguments);
                if judge(&value) {
                    prop_assert!(prepared.repairs.is_empty(), "valid input was repaired");
                    prop_assert!(contains(&prepared.arguments, &value), "{} lost something of {value}", prepared.arguments);
                }
                let again = compiled.prepare("t", prepared.arguments.clone()).unwrap();
                prop_assert_eq!(&again.arguments, &prepared.arguments);
                prop_assert!(again.repairs.is_empty());
            }
            Err(_) => prop_assert!(!judge(&value), "{value} is valid and was refused"),
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,200}") {
        let compiled = ArgumentSchema::compile(&json!({ "type": "object", "properties": { "a": { "type": "integer" } } })).unwrap();
        let _ = compiled.prepare_text("t", &text);
    }

    #[test]
    fn no_almost_json_panics(text in "[\\[\\]{}\",:0-9a \\\\nté<>/_-]{0,80}") {
        let compiled = ArgumentSchema::compile(&json!({ "type": "object", "properties": { "a": { "type": "array" } } })).unwrap();
        let _ = compiled.prepare_text("t", &text);
        let _ = compiled.prepare("t", json!({ "a": text }));
    }
}

/// An independent judge of validity.
fn jsonschema_is_valid(schema: &Value) -> impl Fn(&Value) -> bool + use<> {
    let validator = jsonschema::options().offline().should_validate_formats(true).build(schema).unwrap();
    move |value| validator.is_valid(value)
}

/// Whether all of `part` is in `whole`, which may have more properties (defaults).
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| contains(found, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        (whole, part) => whole == part,
    }
}
