//! `write` and `edit` whose changes can be undone, or wait for a decision.

use std::{fs, sync::Arc};

use serde_json::{Value, json};
use toolsmith_agent::PendingChoice;
use toolsmith_builtins::{Saving, built_in_tools_saving};
use toolsmith_tool::{CancelToken, Tier, ToolCall, ToolResult};

use crate::ast::Place;

async fn call(place: &Place, saving: &Saving, name: &str, arguments: Value) -> ToolResult {
    let tools = built_in_tools_saving(&place.root, None, saving.clone());
    let tool = tools.iter().find(|tool| tool.spec().name == name).unwrap();
    tool.execute(ToolCall::new("1", arguments), place.context()).await.unwrap()
}

fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "a.txt", "edits": [{ "oldText": old, "newText": new }] })
}

#[tokio::test]
async fn what_write_and_edit_did_can_be_undone() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let saving = Saving::Undoable(Arc::clone(&place.store));
    call(&place, &saving, "edit", edit("one", "two")).await;
    call(&place, &saving, "write", json!({ "path": "new/b.txt", "content": "b\n" })).await;
    let labels: Vec<_> =
        place.store.list(Some(&place.root)).unwrap().into_iter().map(|past| past.entry.label).collect();
    assert_eq!(labels, ["write: new/b.txt", "edit: a.txt"]);
    place.store.undo_last(&place.root, &CancelToken::new()).unwrap();
    assert!(!place.root.join("new").exists());
    place.store.undo_last(&place.root, &CancelToken::new()).unwrap();
    assert_eq!(place.read("a.txt"), "one\n");
}

#[tokio::test]
async fn in_preview_mode_write_and_edit_wait_for_a_decision() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let result = call(&place, &Saving::Preview, "edit", edit("one", "two")).await;
    assert_eq!(
        result.joined_text(),
        "Preview, nothing is written yet: Edited a.txt: 1 replacement (line 1). Call resolve to apply or discard it."
    );
    assert_eq!(place.read("a.txt"), "one\n");
    let shown = place.resolver.view(PendingChoice::Top).await.unwrap();
    assert!(shown[0].diff_text().ends_with("-one\n+two\n"));
    assert_eq!(place.stack.peek().unwrap().tier, Some(Tier::Write));
    assert_eq!(place.resolve("apply").await.unwrap().joined_text(), "Applied: edit: a.txt.");
    assert_eq!(place.read("a.txt"), "two\n");
    call(&place, &Saving::Preview, "write", json!({ "path": "b.txt", "content": "b\n" })).await;
    place.resolve("discard").await.unwrap();
    assert!(!place.root.join("b.txt").exists());
    call(&place, &Saving::Preview, "write", json!({ "path": "b.txt", "content": "b\n" })).await;
    fs::write(place.root.join("b.txt"), "theirs").unwrap();
    assert!(
        place.resolve("apply").await.unwrap_err().to_string().contains("b.txt was created by somebody else")
    );
}
