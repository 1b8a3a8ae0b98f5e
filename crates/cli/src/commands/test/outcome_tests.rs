//! What counts as expected, and what an update writes.

use serde::Deserialize as _;

use super::*;

fn outcome(result: &ToolResult) -> Outcome {
    Outcome::new(Path::new("/the/case"), result, &[], BTreeMap::new(), &[])
}

fn expect(value: &Value) -> Expect {
    Expect::deserialize(value).unwrap_or_default()
}

#[test]
fn the_cases_folder_is_marked_everywhere() {
    let came = outcome(&ToolResult::text("in /the/case/a").with_details(json!({ "p": ["/the/case"] })));
    let whole =
        json!({ "content": [{ "type": "text", "text": "in <cwd>/a" }], "details": { "p": ["<cwd>"] } });
    assert_eq!(came.compare(&expect(&json!({ "text": "in <cwd>/a", "result": whole }))), []);
}

#[test]
fn a_failure_has_to_be_expected() {
    let failed = outcome(&ToolResult::error("no"));
    assert_eq!(failed.compare(&expect(&json!({ "error": "no" }))), []);
    assert_eq!(failed.compare(&expect(&json!({}))), [Mismatch::new("error", "", "no")]);
    let fine = outcome(&ToolResult::text("yes"));
    assert_eq!(fine.compare(&expect(&json!({ "error": "no" }))), [Mismatch::new("error", "no", "")]);
}

#[test]
fn an_update_keeps_the_shape_and_is_then_met() {
    let came = outcome(&ToolResult::text("x"));
    assert_eq!(came.as_expectation(None), json!({ "text": "x" }));
    let whole = came.as_expectation(Some(&expect(&json!({ "result": {} }))));
    assert_eq!(whole, json!({ "result": { "content": [{ "type": "text", "text": "x" }] } }));
    for written in [came.as_expectation(None), whole] {
        assert_eq!(came.compare(&expect(&written)), []);
    }
    let detailed = outcome(&ToolResult::text("x").with_details(json!(1)));
    assert!(detailed.as_expectation(None).get("result").is_some());
}

#[test]
fn every_changed_file_counts() {
    let files = BTreeMap::from([("a".to_owned(), Some("1".to_owned())), ("b".to_owned(), None)]);
    let came = Outcome::new(Path::new("/the/case"), &ToolResult::text(""), &[], files, &[]);
    assert_eq!(came.compare(&expect(&json!({ "files": { "a": "1", "b": null } }))), []);
    let found = came.compare(&expect(&json!({ "files": { "a": "2", "c": "3" } })));
    let what: Vec<&str> = found.iter().map(|mismatch| mismatch.what.as_str()).collect();
    assert_eq!(what, ["file a", "file b", "file c"]);
}
