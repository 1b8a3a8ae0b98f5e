//! The format, compared with a session file. A difference in a line that was there before is a change of the format, and
//! needs a new version.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolsmith_llm::{ContentBlock, Message};
use toolsmith_session::{BranchSummary, Compaction, CustomMessage, EntryKind, FORMAT_VERSION, Sessions};

/// The snapshot of a session with every kind of entry. It is a session file, so it can be read as one.
const EVERY_KIND: &str = "tests/it/snapshots/it__format__every_kind.snap.jsonl";

fn message(value: Value) -> EntryKind {
    EntryKind::Message(serde_json::from_value(value).unwrap())
}

/// One of each kind.
fn kinds() -> Vec<EntryKind> {
    let usage = json!({ "input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15,
        "cost": { "input": 0.1, "output": 0.2, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.3 } });
    let unknown = json!({ "type": "from_the_future", "id": "ignored", "x": [1, { "y": null }] });
    vec![
        EntryKind::ModelChange { model: "anthropic/claude".to_owned(), role: None },
        EntryKind::ThinkingChange { level: "high".to_owned() },
        message(
            json!({ "role": "user", "content": [{ "type": "text", "text": "Count to \"three\"\n" }], "timestamp": 1 }),
        ),
        message(json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "thinkingSignature": "sig" },
            { "type": "text", "text": "Counting." },
            { "type": "toolCall", "id": "call_1", "name": "counter", "arguments": { "to": 3 } },
        ], "api": "anthropic-messages", "provider": "anthropic", "model": "claude", "usage": usage,
            "stopReason": "toolUse", "timestamp": 2 })),
        message(json!({ "role": "toolResult", "toolCallId": "call_1", "toolName": "counter",
            "content": [{ "type": "text", "text": "3" }, { "type": "image", "data": "aGk=", "mimeType": "image/png" }],
            "details": { "count": 3 }, "isError": false, "timestamp": 3 })),
        EntryKind::Message(Message::developer("a reminder")),
        EntryKind::CustomMessage(CustomMessage {
            custom_type: "note".to_owned(),
            content: vec![ContentBlock::text("from an extension")],
            display: true,
            details: Some(json!({ "a": 1 })),
            attribution: Some("agent".to_owned()),
        }),
        EntryKind::Custom { custom_type: "todo".to_owned(), data: Some(json!({ "open": ["x"] })) },
        EntryKind::StreamRules { rules: vec!["no-any".to_owned()] },
        EntryKind::ModeChange { mode: "plan".to_owned(), data: Some(json!({ "file": "plan.md" })) },
        EntryKind::Compaction(Compaction {
            summary: "We counted.".to_owned(),
            short_summary: Some("counted".to_owned()),
            first_kept_entry_id: "00000003".to_owned(),
            tokens_before: 12_345,
            details: Some(json!({ "readFiles": [] })),
            preserve_data: None,
            from_extension: true,
        }),
        EntryKind::BranchSummary(BranchSummary {
            from_id: "root".to_owned(),
            summary: "Another way.".to_owned(),
            details: None,
            from_extension: false,
        }),
        EntryKind::Label { target_id: "00000003".to_owned(), label: Some("start".to_owned()) },
        EntryKind::Label { target_id: "00000003".to_owned(), label: None },
        EntryKind::Title { title: "Counting".to_owned() },
        EntryKind::Unknown(unknown.as_object().unwrap().clone()),
    ]
}

#[test]
fn c7_3_every_kind_of_entry_stands_in_the_file_as_documented() {
    let home = TempDir::new().unwrap();
    let session = Sessions::at(home.path()).create(home.path());
    for kind in kinds() {
        session.append(kind).unwrap();
    }
    session.set_name("Counting").unwrap();
    let mut text = fs::read_to_string(session.file().unwrap()).unwrap();
    let cwd = session.cwd();
    text = text
        .replace(cwd.to_str().unwrap(), "/project")
        .replace(&session.id(), "00000000-0000-4000-8000-000000000000");
    text = text.replace(&session.header().timestamp, "2026-01-02T03:04:05.678Z");
    for (number, entry) in session.entries().iter().enumerate() {
        text = text.replace(&format!("\"{}\"", entry.id), &format!("\"{:08x}\"", number + 1));
        text = text.replace(&entry.timestamp, "2026-01-02T03:04:05.678Z");
    }
    insta::assert_binary_snapshot!("every_kind.jsonl", text.into_bytes());
}

#[test]
fn every_kind_of_entry_is_read_as_it_was_written() {
    assert_eq!(FORMAT_VERSION, 1);
    let home = TempDir::new().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(EVERY_KIND);
    let session = Sessions::at(home.path()).read(&file).unwrap();
    assert_eq!(session.problems(), Vec::<String>::new());
    for (entry, written) in session.entries().iter().zip(kinds()) {
        match (&entry.kind, written) {
            (EntryKind::Unknown(there), EntryKind::Unknown(written)) => {
                assert_eq!((&there["type"], &there["x"]), (&written["type"], &written["x"]));
                assert_eq!(there["id"], json!(entry.id), "its place in the tree is ours to give");
            }
            (there, written) => assert_eq!(*there, written),
        }
    }
    assert_eq!(session.name().as_deref(), Some("Counting"));
}
