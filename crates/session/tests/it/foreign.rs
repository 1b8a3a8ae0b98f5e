//! Files of the relatives: read, imported, and never written.

use std::{fs, path::PathBuf};

use serde_json::json;
use tempfile::TempDir;
use toolsmith_llm::Message;
use toolsmith_session::{EntryKind, Sessions};
use toolsmith_tool::SessionView;

use crate::store::texts;

struct Relative {
    home: TempDir,
    sessions: Sessions,
    path: PathBuf,
    text: String,
}

/// A relative's file in a folder like theirs.
fn relative(lines: &[serde_json::Value], tail: &str) -> Relative {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("theirs/agent/sessions/--project--");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("2026-01-01T00-00-00-000Z_abc.jsonl");
    let text = lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n") + tail;
    fs::write(&path, &text).unwrap();
    Relative { sessions: Sessions::at(home.path().join("ours")), home, path, text }
}

fn header(version: u64, cwd: &str) -> serde_json::Value {
    json!({ "type": "session", "version": version, "id": "abc", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd })
}

fn user(id: &str, parent: Option<&str>, text: &str) -> serde_json::Value {
    json!({ "type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z",
        "message": { "role": "user", "content": text, "timestamp": 1, "attribution": "user" } })
}

#[test]
fn a_file_of_version_3_is_resumed_as_a_session_of_our_own() {
    use base64::Engine as _;
    let image = vec![9_u8; 5000];
    let hash = "blob:sha256:";
    let relative = relative(
        &[
            json!({ "type": "title", "title": "Their title", "pad": "   " }),
            header(3, "/project/of/theirs"),
            user("aaaaaaaa", None, "hello"),
            json!({ "type": "model_change", "id": "bbbbbbbb", "parentId": "aaaaaaaa", "timestamp": "", "provider": "p", "modelId": "m" }),
            json!({ "type": "message", "id": "cccccccc", "parentId": "bbbbbbbb", "timestamp": "", "message": {
                "role": "assistant", "content": [{ "type": "text", "text": "hi" }, { "type": "novelty", "x": 1 },
                    { "type": "toolCall", "id": "t1", "name": "look", "arguments": {}, "intent": "looking" }],
                "provider": "p", "model": "m2", "stopReason": "toolUse", "usage": { "input": 1.5 } } }),
            json!({ "type": "message", "id": "dddddddd", "parentId": "cccccccc", "timestamp": "", "message": {
                "role": "toolResult", "toolCallId": "t1", "toolName": "look", "isError": false, "details": { "n": 1 }, "useless": true,
                "content": [{ "type": "image", "mimeType": "image/png", "data": format!("{hash}HASH") }] } }),
            json!({ "type": "message", "id": "eeeeeeee", "parentId": "dddddddd", "timestamp": "", "message": {
                "role": "bashExecution", "command": "false", "output": "oops", "exitCode": 1 } }),
            json!({ "type": "message", "id": "ffffffff", "parentId": "eeeeeeee", "timestamp": "", "message": {
                "role": "bashExecution", "command": "secret", "output": "x", "excludeFromContext": true } }),
            json!({ "type": "message", "id": "11111111", "parentId": "ffffffff", "timestamp": "", "message": {
                "role": "custom", "customType": "ext", "content": "injected", "display": false, "details": { "d": 1 } } }),
            json!({ "type": "credential_pin", "id": "22222222", "parentId": "11111111", "timestamp": "", "pin": 7 }),
            json!({ "type": "session_info", "id": "33333333", "parentId": "22222222", "timestamp": "", "name": "Renamed" }),
        ],
        "{\"type\":\"message\",\"id\":\"torn",
    );
    // The blob lies where theirs lie.
    let session = Sessions::at(relative.home.path().join("other")).create(relative.home.path());
    let reference = session.put_blob(&image).unwrap();
    let text = relative.text.replace("blob:sha256:HASH", &reference);
    fs::write(&relative.path, &text).unwrap();
    let theirs = relative.home.path().join("theirs/agent/blobs");
    fs::create_dir_all(&theirs).unwrap();
    fs::write(theirs.join(&reference["blob:sha256:".len()..]), &image).unwrap();

    let read = relative.sessions.read(&relative.path).unwrap();
    assert_eq!((read.id().as_str(), read.len()), ("abc", 9));

    let session = relative.sessions.resume(relative.path.to_str().unwrap(), relative.home.path()).unwrap();
    assert_ne!(session.file(), Some(relative.path.as_path()));
    assert_eq!(session.header().parent_session.as_deref(), relative.path.to_str());
    assert_eq!(session.cwd(), PathBuf::from("/project/of/theirs"));
    assert_eq!(session.name().as_deref(), Some("Renamed"));
    assert_eq!(session.state().model.as_deref(), Some("p/m2"));
    let told = texts(&session);
    assert_eq!(told[..2], ["hello", "hi"]);
    assert!(
        told[3].contains("`false`") && told[3].contains("oops") && told[3].contains("code: 1"),
        "{told:?}"
    );
    assert_eq!(told[4..], ["injected"]);
    let messages = session.messages();
    let Message::ToolResult(result) = &messages[2] else { panic!("{messages:?}") };
    assert_eq!(result.details, Some(json!({ "n": 1 })));
    let expected = base64::engine::general_purpose::STANDARD.encode(&image);
    assert_eq!(
        serde_json::to_value(&result.content[0]).unwrap()["data"],
        json!(expected),
        "the image came along"
    );
    // What we have no use for is still there.
    assert_eq!(SessionView::entry(&session, "22222222").unwrap()["pin"], 7);
    assert_eq!(SessionView::entry(&session, "dddddddd").unwrap()["message"]["useless"], true);

    session.append_message(Message::user("and on")).unwrap();
    assert_eq!(fs::read_to_string(&relative.path).unwrap(), text, "their file is as it was");
    let beside: Vec<_> = fs::read_dir(relative.path.parent().unwrap()).unwrap().collect();
    assert_eq!(beside.len(), 1, "and nothing is beside it");
    let listed = relative.sessions.list_all().unwrap();
    assert_eq!((listed.len(), listed[0].name.as_deref()), (1, Some("Renamed")));
}

#[test]
fn a_file_of_version_1_gets_ids_and_parents() {
    let message = |text: &str| json!({ "type": "message", "timestamp": "", "message": { "role": "user", "content": text } });
    let head =
        json!({ "type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/old" });
    let lines = [
        head,
        message("one"),
        message("two"),
        json!({ "type": "compaction", "timestamp": "", "summary": "of one", "firstKeptEntryIndex": 2, "tokensBefore": 5 }),
        message("three"),
    ];
    let relative = relative(&lines, "");
    let session = relative.sessions.open(&relative.path).unwrap();
    let told = texts(&session);
    assert!(told[0].contains("of one"));
    assert_eq!(told[1..], ["two", "three"]);
    assert_eq!(session.path(None).unwrap().len(), 4);
    assert_eq!(fs::read_to_string(&relative.path).unwrap(), relative.text);
}

#[test]
fn a_file_of_version_2_has_its_hook_messages_told() {
    let hook = json!({ "type": "message", "id": "bbbbbbbb", "parentId": "aaaaaaaa", "timestamp": "", "message": {
        "role": "hookMessage", "customType": "h", "content": [{ "type": "text", "text": "from a hook" }], "display": true } });
    let relative = relative(&[header(2, "/p"), user("aaaaaaaa", None, "hi"), hook], "");
    let session = relative.sessions.open(&relative.path).unwrap();
    assert_eq!(texts(&session), ["hi", "from a hook"]);
    assert!(matches!(session.entries()[1].kind, EntryKind::CustomMessage(_)));
}

#[test]
fn a_file_that_is_no_session_is_refused_and_left_alone() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path().join("ours"));
    let path = home.path().join("x.jsonl");
    for text in [
        "",
        "\n\n",
        "hello",
        "{\"type\":\"message\"}\n",
        "[]\n{}",
        "{\"type\":\"session\"}\n",
        "\u{0}\u{0}\n",
    ] {
        fs::write(&path, text).unwrap();
        for error in [sessions.open(&path).unwrap_err(), sessions.read(&path).unwrap_err()] {
            assert!(error.to_string().contains("is not a session"), "{text:?}: {error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert!(sessions.open(home.path()).is_err());
    assert!(sessions.open(&home.path().join("missing.jsonl")).is_err());
}
