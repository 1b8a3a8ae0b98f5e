//! Operations on a running session that cannot be done: whatever is in the way, the conversation, what is queued and what
//! is staged stay as they were, and nobody is told.

use serde_json::json;
use toolsmith_agent::{AgentEvent, Queued, session::Sessions};
use toolsmith_llm::Message;

use crate::{
    operations::{builder, file, heard, texts},
    place::Place,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_somebody_else_has_changes_nothing() {
    let place = Place::new(&[]);
    let sessions = Sessions::at(place.home().toolsmith());
    let other = sessions.create(&place.cwd());
    other.append_message(Message::user("theirs")).unwrap();
    let turns = json!([{ "reply": ["Half", { "waitForAbort": true }] }]);
    let session = builder(&place, &turns).build().await.unwrap();
    let mut events = session.subscribe();
    session.prompt("first").unwrap();
    while !matches!(&*events.next().await.unwrap(), AgentEvent::MessageUpdate { .. }) {}

    let error = session.switch(&other.id()).await.unwrap_err();
    assert!(error.to_string().contains("is open in this process"), "{error}");
    // Not even the run was stopped.
    assert!(!session.agent().is_idle());
    assert_eq!(heard(&mut events), []);
    drop(other);
    session.abort("enough");
    session.wait_for_idle().await;
    assert_eq!(texts(&session)[0], "first");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_saved_is_not_left() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One."])).build().await.unwrap();
    let folder = place.home().toolsmith().join("sessions");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    assert!(session.log().append_message(Message::user("only in memory")).is_err());
    let mut events = session.subscribe();
    let error = session.new_session().await.unwrap_err();
    assert!(error.to_string().contains("unsaved entries (1)"), "{error}");
    assert!(session.fork().await.is_err());
    assert_eq!((heard(&mut events), texts(&session)), (Vec::new(), vec!["only in memory".to_owned()]));
    std::fs::remove_file(&folder).unwrap();
    let old = file(&session);
    session.new_session().await.unwrap();
    assert_eq!(Sessions::at(place.home().toolsmith()).read(&old).unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_cannot_be_written_changes_nothing() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One.", "Two.", "Three."])).build().await.unwrap();
    session.run("first").await.unwrap();
    session.run("second").await.unwrap();
    session.steer("wait").unwrap();
    let old = file(&session);
    let asked = session.user_messages();
    let (folder, moved) = (old.parent().unwrap(), place.path("moved"));
    std::fs::rename(folder, &moved).unwrap();
    std::fs::write(folder, "in the way").unwrap();
    let mut events = session.subscribe();
    assert!(session.fork().await.is_err());
    assert!(session.branch(&asked[1].entry_id).await.is_err());
    assert_eq!(
        (heard(&mut events), file(&session), session.agent().queued()),
        (Vec::new(), old.clone(), Queued { steering: 1, follow_up: 0 })
    );
    // It goes on in the file it has.
    std::fs::remove_file(folder).unwrap();
    std::fs::rename(&moved, folder).unwrap();
    session.run("third").await.unwrap();
    assert_eq!(Sessions::at(place.home().toolsmith()).read(&old).unwrap().len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_session_changes_nothing() {
    let place = Place::new(&[
        ("empty.jsonl", ""),
        ("text.jsonl", "once upon a time\n"),
        ("torn.jsonl", "{\"type\":\"session\",\"format\":\"tools"),
        (
            "newer.jsonl",
            "{\"type\":\"session\",\"format\":\"toolsmith\",\"version\":9,\"id\":\"x\",\"timestamp\":\"\",\"cwd\":\"/\"}\n",
        ),
    ]);
    let session = builder(&place, &json!(["One.", "Two."])).build().await.unwrap();
    session.run("first").await.unwrap();
    let mut events = session.subscribe();
    for name in ["empty.jsonl", "text.jsonl", "torn.jsonl", "newer.jsonl", "missing.jsonl", "", "../.."] {
        let what =
            if name.ends_with(".jsonl") { place.path(name).display().to_string() } else { name.to_owned() };
        assert!(session.switch(&what).await.is_err(), "{name}");
    }
    assert_eq!((heard(&mut events), texts(&session).len()), (Vec::new(), 2));
    session.run("second").await.unwrap();
    assert_eq!(texts(&session), ["first", "One.", "second", "Two."]);
}
