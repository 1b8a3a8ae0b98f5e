//! The loop over a session: what it says is kept, and a session that was closed goes on where it was.

use std::sync::Arc;

use tempfile::TempDir;
use toolsmith_agent::{
    Agent,
    session::{SessionLog, SessionStore, Sessions, StoreError, Weight},
};
use toolsmith_llm::{ContentBlock, Message, Script, ScriptedProvider};

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
    let texts: Vec<String> = again
        .messages()
        .iter()
        .map(|message| match message {
            Message::User(said) => said.content.iter().filter_map(ContentBlock::as_text).collect(),
            Message::Assistant(said) => said.text(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, ["Hi", "Hello.", "Still there?", "Yes."]);
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
