//! CONTRACT 4.2: what is repaired before a tool sees its arguments, rule by rule, and what is left alone.

use serde_json::{Value, json};
use toolsmith_tool::{ArgumentSchema, Prepared, Repair};

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn prepare(schema: &Value, arguments: Value) -> Prepared {
    let compiled = ArgumentSchema::compile(schema).unwrap();
    compiled
        .prepare("t", arguments.clone())
        .unwrap_or_else(|error| panic!("{arguments} was refused: {error}"))
}

#[track_caller]
fn repaired(schema: &Value, arguments: Value, expected: Value) {
    let prepared = prepare(schema, arguments);
    assert_eq!(prepared.arguments, expected);
    assert!(!prepared.repairs.is_empty(), "the repair is reported");
}

#[track_caller]
fn untouched(schema: &Value, arguments: Value) {
    let prepared = prepare(schema, arguments.clone());
    assert_eq!(prepared.arguments, arguments);
    assert!(prepared.repairs.is_empty(), "{:?}", prepared.repairs);
}

#[track_caller]
fn refused(schema: &Value, arguments: Value) {
    let compiled = ArgumentSchema::compile(schema).unwrap();
    let outcome = compiled.prepare("t", arguments);
    assert!(outcome.is_err(), "{outcome:?}");
}

/// One property `v` of this schema.
fn one(schema: Value) -> Value {
    object(json!({ "v": schema }), &["v"])
}

#[test]
fn c4_2_text_that_is_valid_as_it_stands_is_never_touched() {
    let text = one(json!({ "type": "string" }));
    for value in ["42", "true", "null", "[1]", "{\"a\":1}", " padded \n", "", "007", "src/main.rs\n"] {
        untouched(&text, json!({ "v": value }));
    }
    // Also where the property could have been left out, and where another type would do as well.
    let optional = object(json!({ "v": { "type": "string" } }), &[]);
    untouched(&optional, json!({ "v": "null" }));
    untouched(&optional, json!({ "v": "" }));
    untouched(&one(json!({ "type": ["string", "number"] })), json!({ "v": "5" }));
    untouched(
        &one(json!({ "anyOf": [{ "type": "string" }, { "type": "array" }] })),
        json!({ "v": "[\"a\"]" }),
    );
    untouched(&one(json!({})), json!({ "v": "5" }));
}

#[test]
fn null_for_an_optional_property_is_left_out() {
    let schema = object(json!({ "a": { "type": "string" }, "b": { "type": "number" } }), &["a"]);
    repaired(&schema, json!({ "a": "x", "b": null }), json!({ "a": "x" }));
    repaired(&schema, json!({ "a": "x", "b": "null" }), json!({ "a": "x" }));
    repaired(&schema, json!({ "a": "x", "b": "" }), json!({ "a": "x" }));
    refused(&schema, json!({ "a": null }));
}

#[test]
fn null_is_left_out_at_every_depth() {
    let item = object(json!({ "id": { "type": "integer" }, "note": { "type": "string" } }), &["id"]);
    let schema = object(
        json!({
            "list": { "type": "array", "items": item },
            "either": { "anyOf": [item, { "type": "integer" }] },
            "all": { "allOf": [item] },
            "ref": { "$ref": "#/$defs/item" },
        }),
        &[],
    );
    let mut schema = schema;
    schema["$defs"] = json!({ "item": item });
    for key in ["either", "all", "ref"] {
        repaired(&schema, json!({ key: { "id": 1, "note": null } }), json!({ key: { "id": 1 } }));
    }
    repaired(
        &schema,
        json!({ "list": [{ "id": 1, "note": null }, { "id": 2 }] }),
        json!({ "list": [{ "id": 1 }, { "id": 2 }] }),
    );
}

#[test]
fn null_stays_where_it_is_allowed() {
    untouched(&object(json!({ "v": { "type": ["string", "null"] } }), &[]), json!({ "v": null }));
    untouched(
        &object(json!({ "v": { "anyOf": [{ "type": "number" }, { "type": "null" }] } }), &[]),
        json!({ "v": null }),
    );
    repaired(&one(json!({ "type": ["number", "null"] })), json!({ "v": "null" }), json!({ "v": null }));
    repaired(
        &one(json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] })),
        json!({ "v": "null" }),
        json!({ "v": null }),
    );
}

#[test]
fn a_required_property_that_is_null_or_missing_gets_its_default() {
    let schema = one(json!({ "type": "integer", "default": 7 }));
    repaired(&schema, json!({ "v": null }), json!({ "v": 7 }));
    repaired(&schema, json!({ "v": "null" }), json!({ "v": 7 }));
    repaired(&schema, json!({}), json!({ "v": 7 }));
}

#[test]
fn numbers_in_text_become_numbers() {
    let number = one(json!({ "type": "number" }));
    for (text, value) in [
        ("42", json!(42)),
        ("-3.5", json!(-3.5)),
        (" 7 ", json!(7)),
        ("007", json!(7)),
        ("+1", json!(1)),
        ("1e3", json!(1000)),
        ("2.0", json!(2)),
    ] {
        repaired(&number, json!({ "v": text }), json!({ "v": value }));
    }
    for text in ["", "abc", "0x10", "1e999", "NaN", "Infinity", "1.2.3", "5 apples", "--1", "1_000"] {
        refused(&number, json!({ "v": text }));
    }
    let integer = one(json!({ "type": "integer" }));
    repaired(&integer, json!({ "v": "12" }), json!({ "v": 12 }));
    refused(&integer, json!({ "v": "1.5" }));
    // More digits than a double holds: an error is better than another number.
    refused(&integer, json!({ "v": "123456789012345678901234567890" }));
    repaired(
        &one(json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] })),
        json!({ "v": "5" }),
        json!({ "v": 5 }),
    );
    repaired(&one(json!({ "enum": [1, 2] })), json!({ "v": "2" }), json!({ "v": 2 }));
}

#[test]
fn json_in_text_becomes_what_it_says() {
    let list = one(json!({ "type": "array", "items": { "type": "integer" } }));
    repaired(&list, json!({ "v": "[1, 2]" }), json!({ "v": [1, 2] }));
    repaired(&list, json!({ "v": "[\"1\"]" }), json!({ "v": [1] }));
    let inner = one(object(json!({ "a": { "type": "boolean" } }), &["a"]));
    repaired(&inner, json!({ "v": "{\"a\": true}" }), json!({ "v": { "a": true } }));
    repaired(&inner, json!({ "v": "{\"a\": \"true\"}" }), json!({ "v": { "a": true } }));
    repaired(&one(json!({ "type": "boolean" })), json!({ "v": "true" }), json!({ "v": true }));
    // Text in text in text.
    let twice = serde_json::to_string(&serde_json::to_string(&json!({ "a": true })).unwrap()).unwrap();
    repaired(&inner, json!({ "v": twice }), json!({ "v": { "a": true } }));
    refused(&inner, json!({ "v": "[1]" }));
    refused(&list, json!({ "v": "{not json" }));
}

#[test]
fn the_whole_may_be_json_in_text() {
    let schema = one(json!({ "type": "integer" }));
    repaired(&schema, json!("{\"v\": \"3\"}"), json!({ "v": 3 }));
    let compiled = ArgumentSchema::compile(&schema).unwrap();
    assert_eq!(compiled.prepare_text("t", "\"{\\\"v\\\": 3}\"").unwrap().arguments, json!({ "v": 3 }));
    assert_eq!(compiled.prepare_text("t", "{\"v\": 3}").unwrap().arguments, json!({ "v": 3 }));
    let none = ArgumentSchema::compile(&json!({ "type": "object" })).unwrap();
    assert_eq!(none.prepare_text("t", "").unwrap().arguments, json!({}));
    assert_eq!(none.prepare_text("t", " \n ").unwrap().arguments, json!({}));
}

#[test]
fn broken_json_is_read_as_it_was_meant() {
    let list = one(json!({ "type": "array", "items": { "type": "object" } }));
    let expected = json!({ "v": [{ "a": "x" }] });
    for broken in [
        r#"[{"a": "x"}] trailing words"#,
        r#"[{"a": "x"}]]"#,
        r#"[{"a": "x"}}]"#,
        r#"[{"a": "x"]]"#,
        r#"[\n  {"a": "x"}\n]"#,
        r#"[\t{"a": "x"}]"#,
    ] {
        repaired(&list, json!({ "v": broken }), expected.clone());
    }
    repaired(
        &list,
        json!({ "v": "[{\"a\": \"line\nend\ttab\"}]" }),
        json!({ "v": [{ "a": "line\nend\ttab" }] }),
    );
    let compiled = ArgumentSchema::compile(&one(json!({ "type": "integer" }))).unwrap();
    let prepared = compiled.prepare_text("t", "{\"v\": 3}}").unwrap();
    assert_eq!(prepared.arguments, json!({ "v": 3 }));
    assert_eq!(prepared.repairs, [Repair { path: String::new(), rule: "broken_json" }]);
}

#[test]
fn arguments_that_end_too_early_are_never_completed() {
    let compiled = ArgumentSchema::compile(&json!({ "type": "object" })).unwrap();
    for cut in ["{\"command\": \"rm -rf build", "{\"a\": [1, 2", "{\"a\": 1,", "[", "{"] {
        let error = compiled.prepare_text("t", cut).unwrap_err().to_string();
        assert!(error.contains("not valid JSON"), "{error}");
    }
}

#[test]
fn boolean_words_and_numbers_become_booleans_and_back() {
    let flag = one(json!({ "type": "boolean" }));
    for yes in [json!("true"), json!("YES"), json!(" on "), json!("1"), json!(1)] {
        repaired(&flag, json!({ "v": yes }), json!({ "v": true }));
    }
    for no in [json!("false"), json!("No"), json!("off"), json!("0"), json!(0)] {
        repaired(&flag, json!({ "v": no }), json!({ "v": false }));
    }
    refused(&flag, json!({ "v": "maybe" }));
    refused(&flag, json!({ "v": 2 }));
    repaired(&one(json!({ "type": "integer" })), json!({ "v": true }), json!({ "v": 1 }));
    repaired(&one(json!({ "type": "number" })), json!({ "v": false }), json!({ "v": 0 }));
}

#[test]
fn values_become_text_where_only_text_is_wanted() {
    let text = one(json!({ "type": "string" }));
    repaired(&text, json!({ "v": 5 }), json!({ "v": "5" }));
    repaired(&text, json!({ "v": true }), json!({ "v": "true" }));
    repaired(&text, json!({ "v": { "a": [1] } }), json!({ "v": "{\"a\":[1]}" }));
    repaired(&text, json!({ "v": [1, 2] }), json!({ "v": "[1,2]" }));
    refused(&text, json!({ "v": null }));
    // An object with a mistake inside is mended, not turned into text.
    let either = one(
        json!({ "anyOf": [{ "type": "string" }, object(json!({ "n": { "type": "integer" } }), &["n"])] }),
    );
    repaired(&either, json!({ "v": { "n": "5" } }), json!({ "v": { "n": 5 } }));
}

#[test]
fn a_lone_item_becomes_a_list() {
    let list = one(json!({ "type": "array", "items": { "type": "string" } }));
    repaired(&list, json!({ "v": "a.rs" }), json!({ "v": ["a.rs"] }));
    repaired(&list, json!({ "v": 5 }), json!({ "v": ["5"] }));
    refused(&list, json!({ "v": null }));
    repaired(
        &one(json!({ "type": "array", "items": { "type": "object" } })),
        json!({ "v": { "a": 1 } }),
        json!({ "v": [{ "a": 1 }] }),
    );
    // Not where something else would do.
    refused(&one(json!({ "type": ["array", "number"], "items": { "type": "string" } })), json!({ "v": "x" }));
}

#[test]
fn keys_encoded_twice_are_unwrapped() {
    let schema = object(json!({ "op": { "type": "string" }, "n": { "type": "integer" } }), &["op"]);
    repaired(&schema, json!({ "\"op\"": "done", "n": 1 }), json!({ "op": "done", "n": 1 }));
    repaired(&schema, json!({ "\"\\\"op\\\"\"": "done" }), json!({ "op": "done" }));
    let list = object(json!({ "ops": { "type": "array", "items": schema } }), &[]);
    repaired(&list, json!({ "ops": [{ "\"op\"": "a" }] }), json!({ "ops": [{ "op": "a" }] }));
    // Never over a key that is there.
    untouched(&schema, json!({ "op": "a", "\"op\"": "b" }));
}

#[test]
fn flattened_keys_become_nested() {
    let question = object(json!({ "id": { "type": "string" }, "tags": { "type": "array" } }), &["id"]);
    let schema = object(json!({ "questions": { "type": "array", "items": question } }), &["questions"]);
    repaired(
        &schema,
        json!({ "questions[0].id": "a", "questions[1].id": "b", "questions[0].tags[0]": "t" }),
        json!({ "questions": [{ "id": "a", "tags": ["t"] }, { "id": "b" }] }),
    );
    // A gap, a clash of shapes, or an index nobody would write leave everything as it is.
    refused(&schema, json!({ "questions[1].id": "b" }));
    refused(&schema, json!({ "questions[0]": "x", "questions[0].id": "a" }));
    refused(&schema, json!({ "questions[99999999].id": "a" }));
    untouched(&object(json!({ "a": { "type": "string" } }), &[]), json!({ "a[0]": 1 }));
}

#[test]
fn the_only_argument_is_found_under_another_name() {
    let schema = object(json!({ "patch": { "type": "string" } }), &["patch"]);
    repaired(&schema, json!({ "input": "*** Begin" }), json!({ "patch": "*** Begin" }));
    refused(&schema, json!({ "input": 5 }));
    let two = object(json!({ "patch": { "type": "string" }, "dry": { "type": "boolean" } }), &["patch"]);
    refused(&two, json!({ "input": "x" }));
}

#[test]
fn keys_nobody_declared_are_dropped_where_they_are_forbidden() {
    let mut closed = object(json!({ "a": { "type": "integer" } }), &[]);
    closed["additionalProperties"] = json!(false);
    repaired(&closed, json!({ "a": 1, "b": 2 }), json!({ "a": 1 }));
    repaired(&closed, json!({ "a": 1, "split": null }), json!({ "a": 1 }));
    untouched(&object(json!({ "a": { "type": "integer" } }), &[]), json!({ "a": 1, "b": 2 }));
}

#[test]
fn space_around_a_word_or_path_goes_only_where_it_is_wrong() {
    repaired(
        &one(json!({ "enum": ["apply", "discard"] })),
        json!({ "v": "apply\n" }),
        json!({ "v": "apply" }),
    );
    repaired(
        &object(json!({ "path": { "type": "string", "pattern": "^[a-z/.]+$" } }), &["path"]),
        json!({ "path": "src/main.rs\n" }),
        json!({ "path": "src/main.rs" }),
    );
}

#[test]
fn arguments_spilled_into_one_string_are_taken_apart() {
    let schema = object(
        json!({ "op": { "enum": ["done", "start"] }, "task": { "type": "string" }, "n": { "type": "integer" } }),
        &["op", "task"],
    );
    let spilled = "done</arg_key>\n<arg_key>task</arg_key>\n<arg_value>write <b>tests</b></arg_value>\n<arg_key>n</arg_key><arg_value>3";
    repaired(
        &schema,
        json!({ "op": spilled }),
        json!({ "op": "done", "task": "write <b>tests</b>", "n": 3 }),
    );
    // Text that only mentions the tags is left alone.
    let free = object(json!({ "op": { "type": "string" } }), &["op"]);
    untouched(&free, json!({ "op": spilled }));
    refused(&schema, json!({ "op": "done <arg_key>task is a tag" }));
}

#[test]
fn alternatives_take_the_first_that_can_be_made_valid() {
    let shape = |kind: &str, property: &str| {
        json!({
            "type": "object",
            "properties": { "kind": { "const": kind }, property: { "type": "integer" } },
            "required": ["kind", property],
        })
    };
    let schema = one(json!({ "oneOf": [shape("circle", "radius"), shape("square", "side")] }));
    repaired(
        &schema,
        json!({ "v": { "kind": "square", "side": "4" } }),
        json!({ "v": { "kind": "square", "side": 4 } }),
    );
    refused(&schema, json!({ "v": { "kind": "hexagon", "side": "4" } }));
}

#[test]
fn a_schema_that_refers_to_itself_is_followed() {
    let schema = json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/node" } },
        "$defs": { "node": object(
            json!({ "n": { "type": "integer" }, "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } }),
            &["n"],
        ) },
    });
    repaired(
        &schema,
        json!({ "tree": { "n": "1", "children": [{ "n": "2", "children": "[{\"n\": \"3\"}]" }] } }),
        json!({ "tree": { "n": 1, "children": [{ "n": 2, "children": [{ "n": 3 }] }] } }),
    );
    for loops in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
    ] {
        let compiled = ArgumentSchema::compile(&loops).unwrap();
        let _ = compiled.prepare("t", json!({ "a": 1 }));
    }
}

#[test]
fn defaults_are_filled_at_every_depth_and_never_over_a_value() {
    let inner = object(json!({ "depth": { "type": "integer", "default": 2 } }), &[]);
    let schema = object(
        json!({
            "glob": { "type": "string", "default": "**/*.ts" },
            "flags": { "type": "array", "default": [] },
            "options": inner,
            "many": { "type": "array", "items": inner },
            "either": { "anyOf": [{ "type": "string" }, inner] },
            "made": { "type": "object", "default": {}, "properties": { "x": { "default": 1 } } },
        }),
        &[],
    );
    assert_eq!(
        prepare(&schema, json!({ "options": {}, "many": [{}, { "depth": 9 }], "either": {} })).arguments,
        json!({
            "options": { "depth": 2 }, "many": [{ "depth": 2 }, { "depth": 9 }], "either": { "depth": 2 },
            "glob": "**/*.ts", "flags": [], "made": { "x": 1 },
        })
    );
    assert_eq!(prepare(&schema, json!({ "glob": "" })).arguments["glob"], json!(""));
    assert_eq!(prepare(&schema, json!({ "glob": null })).arguments["glob"], json!("**/*.ts"));
}

#[test]
fn a_default_that_breaks_the_schema_is_not_filled_in() {
    let schema = object(json!({ "v": { "type": "string", "default": null } }), &[]);
    assert_eq!(prepare(&schema, json!({})).arguments, json!({}));
    let mut tight = object(json!({ "a": {}, "b": { "default": 1 } }), &[]);
    tight["maxProperties"] = json!(1);
    assert_eq!(prepare(&tight, json!({ "a": 1 })).arguments, json!({ "a": 1 }));
}

#[test]
fn what_cannot_be_made_valid_is_refused_whole() {
    let schema = object(json!({ "a": { "type": "integer" }, "b": { "type": "integer" } }), &["a", "b"]);
    let compiled = ArgumentSchema::compile(&schema).unwrap();
    let error = compiled.prepare("t", json!({ "a": "1", "b": "x" })).unwrap_err().to_string();
    assert!(
        error.contains("- b:") && !error.contains("- a:"),
        "only what could not be mended is named: {error}"
    );
    assert!(error.contains("\"a\": \"1\""), "and the model sees what it sent: {error}");
}
