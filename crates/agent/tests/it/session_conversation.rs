//! The loop over a session: what it says is kept, and a session that was closed goes on where it was.

use std::sync::Arc;

use tempfile::TempDir;
use toolsmith_agent::{
    Agent, Conversation,
    session::{Compaction, EntryKind, SessionLog, SessionStore, Sessions, StoreError, Weight},
};
use toolsmith_llm::{Message, Script, ScriptedProvider};

use crate::session_store::{assistant, text_of, texts};

async fn say(session: &SessionLog, text: &str, answer: &str) {
    let provider = ScriptedProvider::new(Script::parse(&format!("[{answer:?}]")).unwrap());
    let model = provider.model().clone();
    let agent = Agent::builder()
        .model(Arc::new(provider), model)
        .conversation(Arc::new(session.clone()))
        .build()
        .unwrap();
    assert_eq!(agent.run(text).await.unwrap().text, answer);
}

#[tokio::test]
async fn c7_3_what_the_loop_says_is_in_the_file_and_goes_on_from_there() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    say(&session, "Hi", "Hello.").await;
    session.sync().unwrap();
    drop(session);
    let session = sessions.open_latest(home.path()).unwrap().unwrap();
    say(&session, "Still there?", "Yes.").await;
    let again = sessions.read(session.file().unwrap()).unwrap();
    assert_eq!(texts(&again), ["Hi", "Hello.", "Still there?", "Yes."]);
}

#[tokio::test]
async fn c7_3_a_session_is_synced_at_the_end_of_each_turn() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    #[derive(Clone, Debug, Default)]
    struct Counting(Arc<AtomicUsize>);
    impl SessionStore for Counting {
        fn append(&mut self, _line: &str, _weight: Weight) -> Result<(), StoreError> {
            Ok(())
        }
        fn sync(&mut self) -> Result<(), StoreError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }
    let store = Counting::default();
    let session = SessionLog::with_store("/somewhere", Box::new(store.clone()));
    for turn in 1..4 {
        say(&session, "Hi", "Hello.").await;
        assert_eq!(store.0.load(Ordering::Relaxed), turn);
    }
}

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
