//! Arguments as they are typed.

use serde_json::json;

use super::*;

fn spec() -> ToolSpec {
    ToolSpec::new("t", "").parameters(json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "Who" },
            "count": { "type": "integer", "default": 1 },
            "ratio": { "type": "number" },
            "loud": { "type": "boolean" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "sizes": { "type": "array", "items": { "type": "integer" } },
            "filter": {
                "type": "object",
                "properties": { "kind": { "type": "string" }, "deep": { "$ref": "#/$defs/deep" } },
            },
            "either": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
            "maybe": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
            "level": { "enum": [1, 2] },
            "any": {},
            "dotted.name": { "type": "string" },
        },
        "required": ["name"],
        "$defs": { "deep": { "type": "object", "properties": { "on": { "type": "boolean" } } } },
    }))
}

fn typed(pairs: &[&str]) -> Result<Value, String> {
    let pairs: Vec<String> =
        std::iter::once("name=x").chain(pairs.iter().copied()).map(str::to_owned).collect();
    read(&spec(), &pairs, None).map_err(|error| error.to_string()).map(|mut value| {
        value.as_object_mut().unwrap().remove("name");
        value
    })
}

#[test]
fn values_are_read_by_their_schema() {
    for (pair, expected) in [
        ("count=3", json!({ "count": 3 })),
        ("ratio=0.5", json!({ "ratio": 0.5 })),
        ("loud=yes", json!({ "loud": true })),
        ("loud=false", json!({ "loud": false })),
        ("either=12", json!({ "either": "12" })),
        ("maybe=null", json!({ "maybe": null })),
        ("maybe=2", json!({ "maybe": 2 })),
        ("level=2", json!({ "level": 2 })),
        ("any={\"a\":[1]}", json!({ "any": { "a": [1] } })),
        ("any=hello there", json!({ "any": "hello there" })),
        ("filter={\"kind\":\"k\"}", json!({ "filter": { "kind": "k" } })),
        ("dotted.name=v", json!({ "dotted.name": "v" })),
        ("count=many", json!({ "count": "many" })),
    ] {
        assert_eq!(typed(&[pair]).unwrap(), expected, "{pair}");
    }
}

#[test]
fn a_text_stays_a_text() {
    for text in ["12", "true", "null", "[1]", "{\"a\":1}", "", "a=b", " x "] {
        let value = read(&spec(), &[format!("name={text}")], None).unwrap();
        assert_eq!(value, json!({ "name": text }), "{text}");
    }
}

#[test]
fn lists_are_given_by_repetition_or_as_json() {
    assert_eq!(typed(&["tags=a", "tags=2"]).unwrap(), json!({ "tags": ["a", "2"] }));
    assert_eq!(typed(&["tags=[\"a\",\"b\"]", "tags=c"]).unwrap(), json!({ "tags": ["a", "b", "c"] }));
    assert_eq!(typed(&["sizes=1", "sizes=2"]).unwrap(), json!({ "sizes": [1, 2] }));
}

#[test]
fn members_are_named_by_dots() {
    assert_eq!(
        typed(&["filter.kind=open", "filter.deep.on=true"]).unwrap(),
        json!({ "filter": { "kind": "open", "deep": { "on": true } } })
    );
}

#[test]
fn mistakes_are_named() {
    for (pairs, part) in [
        (&["nmae=x"][..], "has no argument \"nmae\""),
        (&["filter.knid=x"], "has no argument \"filter.knid\""),
        (&["World"], "\"World\" is not KEY=VALUE"),
        (&["count=1", "count=2"], "\"count\" given twice"),
    ] {
        let error = typed(pairs).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn pairs_are_added_to_json() {
    let value = read(&spec(), &["name=x".to_owned()], Some("{\"count\": 2}")).unwrap();
    assert_eq!(value, json!({ "count": 2, "name": "x" }));
}

#[test]
fn what_is_missing_comes_with_the_usage() {
    let error = read(&spec(), &[], None).unwrap_err();
    let problem = error.downcast_ref::<Problem>().unwrap();
    assert_eq!((problem.what.as_str(), problem.code), ("\"t\" needs name", 2));
    let usage = problem.more.as_deref().unwrap();
    assert!(usage.starts_with("Usage: toolsmith call t name=TEXT [count=INTEGER] [ratio=NUMBER]"), "{usage}");
    assert!(usage.contains("tags=TEXT…"), "{usage}");
    assert!(usage.contains("text, required"), "{usage}");
}

#[test]
fn broken_json_is_shown_where_it_breaks() {
    let error = read(&spec(), &[], Some("{\"name\": World}")).unwrap_err();
    let problem = error.downcast_ref::<Problem>().unwrap();
    assert!(
        problem.what.starts_with("--args is not JSON: expected value at line 1 column 10"),
        "{}",
        problem.what
    );
    assert!(problem.more.as_deref().unwrap().contains('^'));
    assert_eq!(
        read(&spec(), &[], Some("[1]")).unwrap_err().to_string(),
        "--args is a JSON array, but arguments must be an object"
    );
}
