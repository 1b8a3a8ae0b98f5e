//! A session as the conversation the loop appends to.

use std::sync::Arc;

use tempfile::TempDir;
use toolsmith_llm::Message;
use toolsmith_session::{Compaction, Conversation, EntryKind, Sessions};

use crate::store::{assistant, text_of};

#[tokio::test]
async fn the_context_is_the_same_whether_it_grew_or_was_made_anew() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    let same = |what: &str| {
        let fresh = match session.file().unwrap().exists() {
            true => sessions.read(session.file().unwrap()).unwrap(),
            false => return,
        };
        // The place in the tree is not in the file.
        if fresh.leaf_id() != session.leaf_id() {
            let _ = fresh.go_to(session.leaf_id().as_deref(), None);
        }
        assert_eq!(session.messages(), fresh.messages(), "{what}");
    };
    same("nothing");
    Conversation::append(&session, Arc::new(Message::user("one"))).await.unwrap();
    same("one");
    let answer = session.append_message(assistant("two")).unwrap();
    session.append(EntryKind::ThinkingChange { level: "low".to_owned() }).unwrap();
    same("two");
    session.append_message(assistant("three")).unwrap();
    session.go_to(Some(&answer), None).unwrap();
    same("back");
    assert_eq!(Conversation::context(&session).len(), 2);
    session.append_message(assistant("other")).unwrap();
    same("another way");
    let compaction =
        Compaction { summary: "short".to_owned(), first_kept_entry_id: answer, ..Compaction::default() };
    session.append(EntryKind::Compaction(compaction)).unwrap();
    same("compacted");
    session.append_message(assistant("after \"compaction\"")).unwrap();
    same("after");
    let told: Vec<String> = Conversation::context(&session).iter().map(|message| text_of(message)).collect();
    assert!(told[0].contains("short"));
    assert_eq!(told[1..], ["two", "other", "after \"compaction\""]);
    session.go_to(None, None).unwrap();
    assert!(session.messages().is_empty());
}
