//! What is in a session's file, and what becomes of it when the file is not as it should be.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolsmith_llm::{ContentBlock, Message, ToolResultMessage};
use toolsmith_session::{Compaction, EntryKind, SessionError, SessionLog, Sessions};

pub(crate) fn text_of(message: &Message) -> String {
    match message {
        Message::User(said) | Message::Developer(said) => {
            said.content.iter().filter_map(ContentBlock::as_text).collect()
        }
        Message::Assistant(said) => said.text(),
        Message::ToolResult(result) => result.joined_text(),
        _ => String::new(),
    }
}

pub(crate) fn texts(session: &SessionLog) -> Vec<String> {
    session.messages().iter().map(text_of).collect()
}

pub(crate) fn assistant(text: &str) -> Message {
    serde_json::from_value(json!({
        "role": "assistant",
        "content": [{ "type": "text", "text": text }],
        "api": "script", "provider": "script", "model": "demo",
        "usage": { "input": 10, "output": 5, "cacheRead": 2, "cacheWrite": 1, "totalTokens": 18, "cost": { "total": 0.5 } },
        "stopReason": "stop", "timestamp": 5,
    }))
    .unwrap()
}

/// A session with `count` messages, closed again: its home and its file.
fn written(count: usize) -> (TempDir, Sessions, PathBuf) {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    for number in 0..count {
        session.append_message(Message::user(format!("message {number}"))).unwrap();
    }
    let path = session.file().unwrap().to_path_buf();
    (home, sessions, path)
}

#[test]
fn c7_3_a_file_cut_at_every_byte_of_its_last_line_opens_with_all_lines_before() {
    let (_home, sessions, path) = written(3);
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in last..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let torn = path.with_file_name(format!("{}.torn", path.file_name().unwrap().to_str().unwrap()));
        let _ = fs::remove_file(&torn);

        // Looking at it changes nothing.
        let complete = cut == whole.len() - 1;
        let expected = if complete { 3 } else { 2 };
        assert_eq!(sessions.read(&path).unwrap().len(), expected, "cut at {cut}");
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut]);

        let session = sessions.open(&path).unwrap();
        assert_eq!(session.len(), expected, "cut at {cut}");
        session.append_message(Message::user("after")).unwrap();
        drop(session);
        let again = sessions.open(&path).unwrap();
        assert_eq!(texts(&again).last().unwrap(), "after");
        assert_eq!(again.problems(), Vec::<String>::new(), "cut at {cut}");
        // What was torn off is put aside, not lost and not merged.
        if cut > last && !complete {
            assert_eq!(fs::read(&torn).unwrap(), [&whole[last..cut], b"\n"].concat());
        } else {
            assert!(!torn.exists());
        }
    }
}

#[test]
fn a_file_cut_within_its_header_is_no_session_and_is_left_alone() {
    let (home, sessions, path) = written(1);
    let whole = fs::read(&path).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in 0..header {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(matches!(sessions.open(&path), Err(SessionError::NotASession { .. })), "cut at {cut}");
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut]);
    }
    // It does not stand in the way of the others.
    assert!(sessions.open_latest(home.path()).unwrap().is_none());
    sessions.remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn an_entry_of_an_unknown_type_is_kept_as_it_is() {
    let (_home, sessions, path) = written(1);
    let parent = sessions.read(&path).unwrap().leaf_id().unwrap();
    let strange = format!(
        r#"{{"type":"hologram","id":"beef0001","parentId":"{parent}","timestamp":"x","z":1,"a":{{"deep":[1.50,1e3]}}}}"#
    );
    fs::write(&path, fs::read_to_string(&path).unwrap() + &strange + "\n").unwrap();
    let session = sessions.open(&path).unwrap();
    session.append_message(Message::user("next")).unwrap();
    assert_eq!(texts(&session), ["message 0", "next"]);
    match &session.entries()[1].kind {
        EntryKind::Unknown(fields) => assert_eq!(fields["z"], 1),
        other => panic!("{other:?}"),
    }
    let fork = sessions.fork(&session).unwrap();
    for file in [session.file().unwrap(), fork.file().unwrap()] {
        assert!(fs::read_to_string(file).unwrap().contains(&strange));
    }
}

#[test]
fn an_entry_whose_parent_is_not_there_is_a_beginning() {
    let (_home, sessions, path) = written(2);
    let lines = [
        r#"{"type":"message","id":"00000001","parentId":"nowhere1","timestamp":"","message":{"role":"user","content":"orphan"}}"#,
        r#"{"type":"message","id":"00000002","parentId":"00000001","timestamp":"","message":{"role":"user","content":"child"}}"#,
        // A circle, and one that is its own parent.
        r#"{"type":"custom","id":"00000003","parentId":"00000004","timestamp":"","customType":"x"}"#,
        r#"{"type":"custom","id":"00000004","parentId":"00000003","timestamp":"","customType":"x"}"#,
        r#"{"type":"custom","id":"00000005","parentId":"00000005","timestamp":"","customType":"x"}"#,
    ];
    fs::write(&path, fs::read_to_string(&path).unwrap() + &lines.join("\n") + "\n").unwrap();
    let session = sessions.open(&path).unwrap();
    assert_eq!(session.len(), 7);
    assert_eq!(session.problems().len(), 3, "{:?}", session.problems());
    assert!(session.problems()[0].contains("nowhere1"));
    assert_eq!(session.path(Some("00000002")).unwrap().len(), 2);
    assert_eq!(session.path(Some("00000004")).unwrap().len(), 2);
    assert_eq!(session.path(None).unwrap().len(), 1);
}

#[test]
fn damaged_lines_in_the_middle_cost_themselves_only() {
    let (_home, sessions, path) = written(2);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"\0\0\0\0\n\xff\xfe not text\n{\"type\":\"message\"\n\n[1,2]\n{\"type\":\"custom\",\"customType\":\"no id\"}\n");
    bytes.extend(
        br#"{"type":"message","id":"00000001","timestamp":"","message":{"role":"user","content":7}}"#,
    );
    bytes.extend(b"\n");
    bytes.extend(vec![b'['; 100_000]);
    bytes.extend(b"\n");
    fs::write(&path, &bytes).unwrap();
    let session = sessions.open(&path).unwrap();
    assert_eq!(session.len(), 3);
    assert_eq!(session.problems().len(), 6, "{:?}", session.problems());
    assert!(matches!(session.entries()[2].kind, EntryKind::Unknown(_)));
    session.append_message(Message::user("on")).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(&bytes), "what was there is still there");
}

#[test]
fn details_that_nest_deeper_than_json_readers_go_stay_readable() {
    let (_home, sessions, path) = written(0);
    let session = sessions.create(path.parent().unwrap());
    let deep = (0..126).fold(json!("bottom"), |inner, _| json!([inner]));
    let mut result = ToolResultMessage::new("1", "deep", vec![ContentBlock::text("ok")]);
    result.details = Some(deep);
    session.append_message(Message::ToolResult(result)).unwrap();
    let again = sessions.read(session.file().unwrap()).unwrap();
    assert_eq!(again.problems(), Vec::<String>::new());
    assert!(again.messages().iter().any(|message| text_of(message) == "ok"));
    assert!(fs::read_to_string(session.file().unwrap()).unwrap().contains("bottom"));
}

#[test]
fn large_images_are_kept_once_beside_all_sessions_and_come_back() {
    use base64::Engine as _;
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let data = base64::engine::general_purpose::STANDARD.encode(vec![7_u8; 50_000]);
    let image = |data: &str| -> ContentBlock {
        serde_json::from_value(json!({ "type": "image", "data": data, "mimeType": "image/png" })).unwrap()
    };
    let broken = "not base64!".repeat(1000);
    let mut files = Vec::new();
    for _ in 0..2 {
        let session = sessions.create(home.path());
        let mut result =
            ToolResultMessage::new("1", "look", vec![image(&data), image("aGk="), image(&broken)]);
        result.details =
            Some(json!({ "shots": [{ "type": "image", "data": data, "mimeType": "image/png" }] }));
        session.append_message(Message::ToolResult(result.clone())).unwrap();
        assert_eq!(session.messages(), [Message::ToolResult(result)]);
        files.push(session.file().unwrap().to_path_buf());
    }
    let blobs: Vec<_> =
        fs::read_dir(home.path().join("blobs")).unwrap().map(|blob| blob.unwrap().path()).collect();
    assert_eq!(blobs.len(), 1, "{blobs:?}");
    let text = fs::read_to_string(&files[0]).unwrap();
    assert!(!text.contains(&data) && text.matches("blob:sha256:").count() == 2);

    // A blob that was harmed is as good as gone, and says so to the model.
    fs::write(&blobs[0], b"something else").unwrap();
    let session = sessions.open(&files[0]).unwrap();
    let Message::ToolResult(result) = &session.messages()[0] else { panic!() };
    assert!(result.content[0].as_text().unwrap().contains("no longer stored"));
}

#[test]
fn a_hundred_thousand_entries_open_and_are_walked() {
    let (_home, sessions, path) = written(1);
    let mut text = fs::read_to_string(&path).unwrap();
    let mut parent = sessions.read(&path).unwrap().leaf_id().unwrap();
    let filler = "All work and no play makes a long session. ".repeat(8);
    for number in 0..100_000_u32 {
        let id = format!("{number:08x}");
        text.push_str(&format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":[{{"type":"text","text":"{filler}"}}],"timestamp":1}}}}"#
        ));
        text.push('\n');
        parent = id;
    }
    fs::write(&path, &text).unwrap();
    let begin = std::time::Instant::now();
    let session = sessions.open(&path).unwrap();
    println!("opened {} entries, {} MB, in {:?}", session.len(), text.len() >> 20, begin.elapsed());
    assert_eq!(session.len(), 100_001);
    assert_eq!(session.leaf_id().unwrap(), "0001869f");
    // Only what the model is told is read.
    let kept = session.leaf_id().unwrap();
    session
        .append(EntryKind::Compaction(Compaction { first_kept_entry_id: kept, ..Compaction::default() }))
        .unwrap();
    session.append_message(Message::user("one more")).unwrap();
    assert_eq!(session.messages().len(), 3);
    let begin = std::time::Instant::now();
    let list = sessions.list_all().unwrap();
    println!("listed in {:?}", begin.elapsed());
    assert_eq!(list[0].first_message.as_deref(), Some("message 0"));
    assert_eq!(list[0].last_message.as_deref(), Some("one more"));
}

#[test]
fn a_session_in_which_nothing_was_said_leaves_no_file() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    session.append(EntryKind::ModelChange { model: "a/b".to_owned(), role: None }).unwrap();
    session.append(EntryKind::ThinkingChange { level: "high".to_owned() }).unwrap();
    session.sync().unwrap();
    assert!(!session.file().unwrap().exists());
    assert_eq!(session.unsaved(), 0);
    session.append_message(Message::user("hi")).unwrap();
    session.sync().unwrap();
    let again = sessions.read(session.file().unwrap()).unwrap();
    assert_eq!(again.len(), 3);
    let state = again.state();
    assert_eq!((state.model.as_deref(), state.thinking.as_deref()), (Some("a/b"), Some("high")));
}

#[test]
fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let (home, _sessions, path) = written(1);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&home.path().join("sessions")), 0o700);
}

#[test]
fn a_store_of_ones_own_gets_every_line_in_order() {
    use std::sync::{Arc, Mutex};
    use toolsmith_session::{SessionStore, StoreError, Weight};
    #[derive(Clone, Debug, Default)]
    struct Kept(Arc<Mutex<Vec<String>>>);
    impl SessionStore for Kept {
        fn append(&mut self, line: &str, _weight: Weight) -> Result<(), StoreError> {
            self.0.lock().unwrap().push(line.to_owned());
            Ok(())
        }
    }
    let kept = Kept::default();
    let session = SessionLog::with_store("/somewhere", Box::new(kept.clone()));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let session = session.clone();
            scope.spawn(move || {
                for number in 0..50 {
                    session.append_message(Message::user(format!("{thread}/{number}"))).unwrap();
                }
            });
        }
    });
    let lines = kept.0.lock().unwrap();
    let parsed: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(parsed.len(), 200);
    assert!(parsed.windows(2).all(|pair| pair[1]["parentId"] == pair[0]["id"]));
    assert_eq!(texts(&session).len(), 200);
}

#[test]
fn a_closed_session_is_free_for_the_next_writer_and_takes_nothing_more() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let first = sessions.create(home.path());
    first.append_message(Message::user("one")).unwrap();
    let path = first.file().unwrap().to_path_buf();
    assert!(sessions.open(&path).is_err(), "one writer at a time");

    first.close().unwrap();
    let second = sessions.open(&path).unwrap();
    second.append_message(Message::user("two")).unwrap();
    assert!(matches!(first.append_message(Message::user("lost")), Err(SessionError::NotSaved { .. })));
    first.close().unwrap();
    assert_eq!(texts(&second), ["one", "two"]);
    second.close().unwrap();
    assert_eq!(texts(&sessions.open(&path).unwrap()), ["one", "two"]);
}

#[test]
fn c5_7_files_beside_a_session_are_never_written_through_links() {
    use std::os::unix::fs::symlink;
    let (home, sessions, path) = written(2);
    let victim = |name: &str| {
        let file = home.path().join(name);
        fs::write(&file, "mine\n").unwrap();
        file
    };
    let (shell, precious, folder) = (victim(".bashrc"), victim("precious"), home.path().join("folder"));
    fs::create_dir(&folder).unwrap();
    let name = path.display();
    symlink(&shell, format!("{name}.torn")).unwrap();
    symlink(&precious, format!("{name}.lock")).unwrap();
    symlink(&folder, path.with_extension("")).unwrap();
    // The note of a lock replaces the link; an output is not written.
    let session = sessions.open(&path).unwrap();
    assert!(toolsmith_tool::SessionView::save_artifact(&session, "output", "bash").is_err());
    assert_eq!(toolsmith_tool::SessionView::artifacts_dir(&session), None);
    drop(session);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    // A torn line would be put aside.
    let mut whole = fs::read(&path).unwrap();
    whole.extend_from_slice(b"touch $HOME/PWNED #");
    fs::write(&path, whole).unwrap();
    assert!(sessions.open(&path).is_err());
    for file in [shell, precious] {
        assert_eq!(fs::read_to_string(file).unwrap(), "mine\n");
    }
}

#[test]
fn c5_7_a_session_that_is_a_link_is_not_continued() {
    let (home, sessions, path) = written(2);
    let link = home.path().join("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let before = fs::read(&path).unwrap();
    let error = sessions.open(&link).unwrap_err().to_string();
    assert!(error.contains("link.jsonl"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}
