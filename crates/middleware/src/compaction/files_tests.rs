//! Files over compactions.

use serde_json::json;
use toolsmith_llm::{AssistantBlock, AssistantMessage, Message, ToolCall};

use super::Files;

fn calls(calls: &[(&str, &str)]) -> Message {
    let mut said = AssistantMessage::default();
    for (tool, path) in calls {
        said.content.push(AssistantBlock::ToolCall(ToolCall::new("", *tool, json!({ "path": path }))));
    }
    Message::Assistant(said)
}

#[test]
fn files_are_collected_over_compactions() {
    let details = json!({ "readFiles": ["a", "b"], "modifiedFiles": ["c"] });
    let mut files = Files::of_details(Some(&details));
    files.add(&calls(&[("read", "d"), ("edit", "b"), ("bash", "e"), ("write", "f")]));
    files.add(&Message::user("read g"));
    assert_eq!(files.details(), json!({ "readFiles": ["a", "d"], "modifiedFiles": ["b", "c", "f"] }));
    let mut summary = "## Goal\nx".to_owned();
    files.add_to(&mut summary);
    assert_eq!(
        summary,
        "## Goal\nx\n\n<read-files>\na\nd\n</read-files>\n\n<modified-files>\nb\nc\nf\n</modified-files>"
    );
    assert_eq!(Files::strip(&summary), "## Goal\nx");
    assert_eq!(Files::strip("plain"), "plain");
}

#[test]
fn details_of_others_are_no_trouble() {
    assert_eq!(
        Files::of_details(Some(&json!({ "readFiles": [1, "a"], "modifiedFiles": 3 }))).details(),
        json!({ "readFiles": ["a"], "modifiedFiles": [] })
    );
    assert_eq!(Files::of_details(Some(&json!("x"))), Files::default());
    let mut said = AssistantMessage::default();
    said.content = vec![AssistantBlock::ToolCall(ToolCall::new("", "read", json!([])))];
    let mut files = Files::default();
    files.add(&Message::Assistant(said));
    assert_eq!(files, Files::default());
}
