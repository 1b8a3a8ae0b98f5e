//! The session as tools see it (CONTRACT 4.4): the relatives' shapes, and nothing that writes.

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolsmith_llm::{ContentBlock, Message, ToolResultMessage};
use toolsmith_session::{EntryKind, SessionLog, Sessions};
use toolsmith_tool::SessionView;

use crate::store::assistant;

fn counted(session: &SessionLog, count: u64) -> String {
    let mut result = ToolResultMessage::new("call", "counter", vec![ContentBlock::text("counted")]);
    result.details = Some(json!({ "count": count }));
    session.append_message(Message::ToolResult(result)).unwrap()
}

/// What a tool of the relatives does to find its state again.
fn rebuilt(view: &dyn SessionView) -> Option<Value> {
    let of_mine = |entry: &Value| {
        entry["type"] == "message"
            && entry["message"]["role"] == "toolResult"
            && entry["message"]["toolName"] == "counter"
    };
    view.branch(None)
        .into_iter()
        .rev()
        .find(of_mine)
        .map(|entry| entry["message"]["details"]["count"].clone())
}

#[test]
fn c4_4_a_tool_rebuilds_its_state_from_the_branch_wherever_the_leaf_is() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    let view: Arc<dyn SessionView> = Arc::new(session.clone());
    assert_eq!(rebuilt(&*view), None);
    session.append_message(Message::user("count")).unwrap();
    let first = counted(&session, 1);
    let asked = session.append_message(Message::user("count again")).unwrap();
    counted(&session, 2);
    assert_eq!(rebuilt(&*view), Some(json!(2)));
    // Tree navigation, branch, switch.
    session.go_to(Some(&first), None).unwrap();
    assert_eq!(rebuilt(&*view), Some(json!(1)));
    let branched = sessions.branch(&session, &asked).unwrap().session;
    assert_eq!(rebuilt(&branched), Some(json!(1)));
    assert_eq!(rebuilt(&sessions.create(home.path())), None);
    // After a compaction the details are still there.
    session
        .append(EntryKind::Compaction(toolsmith_session::Compaction {
            summary: "all of it".to_owned(),
            ..Default::default()
        }))
        .unwrap();
    assert_eq!(session.messages().len(), 1);
    assert_eq!(rebuilt(&*view), Some(json!(1)));
}

#[test]
fn c4_4_the_members_of_the_view_answer() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    let view: &dyn SessionView = &session;
    let cwd = std::fs::canonicalize(home.path()).unwrap();
    assert_eq!((view.cwd(), view.leaf_id(), view.session_name()), (cwd.clone(), None, None));
    let asked = session.append_message(Message::user("hi")).unwrap();
    let answer = session.append_message(assistant("hello")).unwrap();
    session.append_message(assistant("more")).unwrap();
    session.set_name("greeting").unwrap();
    session.set_label(&asked, Some("start")).unwrap();

    let header = view.header().unwrap();
    assert_eq!(
        (&header["type"], &header["id"], &header["cwd"]),
        (&json!("session"), &json!(session.id()), &json!(cwd))
    );
    assert_eq!(view.session_id(), session.id());
    assert_eq!(view.session_file().as_deref(), session.file());
    assert_eq!(view.session_dir().as_deref(), session.file().unwrap().parent());
    assert_eq!(view.session_name().as_deref(), Some("greeting"));
    let types: Vec<_> =
        view.entries().iter().map(|entry| entry["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(types, ["message", "message", "message", "title_change", "label"]);
    assert_eq!(view.entry(&answer).unwrap()["parentId"], json!(asked));
    assert_eq!(view.entry("nothing"), None);
    assert_eq!(view.branch(Some(&answer)).len(), 2);
    assert_eq!(view.branch(Some("nothing")), Vec::<Value>::new());
    assert_eq!(view.label(&asked).as_deref(), Some("start"));
    assert_eq!(
        view.usage(),
        json!({ "input": 20, "output": 10, "cacheRead": 4, "cacheWrite": 2, "totalTokens": 36, "cost": 1.0 })
    );
    let rows = view.tree();
    assert_eq!(rows[0]["label"], "start");
    assert_eq!((&rows[0]["parent"], &rows[1]["parent"]), (&Value::Null, &json!(0)));
}

#[test]
fn artifacts_and_blobs_are_files_beside_the_session() {
    let home = TempDir::new().unwrap();
    let session = Sessions::at(home.path()).create(home.path());
    let view: &dyn SessionView = &session;
    let one = view.save_artifact("the whole output", "bash").unwrap();
    let two = view.allocate_artifact("../../etc/passwd").unwrap();
    assert_eq!((one.id.as_str(), two.id.as_str()), ("0", "1"));
    for artifact in [&one, &two] {
        assert_eq!(artifact.path.parent(), view.artifacts_dir().as_deref());
        assert_eq!(view.artifact_path(&artifact.id).as_ref(), Some(&artifact.path));
    }
    assert_eq!(std::fs::read_to_string(&one.path).unwrap(), "the whole output");
    assert_eq!(view.artifact_path("../0"), None);
    assert_eq!(view.artifact_path("7"), None);
    let blob = view.put_blob(b"bytes").unwrap();
    assert_eq!(
        blob,
        format!("blob:sha256:{}", "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9")
    );
    assert!(home.path().join("blobs").join(&blob["blob:sha256:".len()..]).is_file());

    let memory = SessionLog::in_memory(home.path());
    assert!(SessionView::save_artifact(&memory, "x", "y").is_err());
    assert!(SessionView::put_blob(&memory, b"x").is_err());
    assert_eq!(SessionView::session_file(&memory), None);
}
