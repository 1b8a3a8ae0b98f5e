//! Going over to another conversation while a session runs (CONTRACT 7.1, 8.6).

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::json;
use toolsmith::{AbandonedBranch, BuiltIns, Session, SessionBuilder, SessionSource};
use toolsmith_agent::{
    AgentEvent, ApprovalRequest, Approver, Decision, Queued, Subscription,
    session::{EntryKind, Sessions},
};
use toolsmith_llm::{Message, Model, Script, ScriptedProvider, ThinkingLevel};
use toolsmith_tool::{
    CancelToken, PendingAction, PendingCallbacks, SessionEvent, Tool, ToolCall, ToolContext, ToolError,
    ToolResult, ToolSpec, async_trait,
};

use crate::place::Place;

pub(crate) fn builder(place: &Place, turns: &serde_json::Value) -> SessionBuilder {
    let provider = ScriptedProvider::new(Script::parse(&turns.to_string()).unwrap());
    let model = provider.model().clone();
    Session::builder(place.cwd())
        .home(place.home())
        .provider(Arc::new(provider), model)
        .built_ins(BuiltIns::None)
        .session(SessionSource::New)
}

/// What front ends heard of the session.
pub(crate) fn heard(events: &mut Subscription) -> Vec<SessionEvent> {
    let mut heard = Vec::new();
    while let Some(event) = events.try_next() {
        if let AgentEvent::Session(event) = &*event {
            heard.push(event.clone());
        }
    }
    heard
}

fn notices(events: &mut Subscription) -> Vec<String> {
    let mut heard = Vec::new();
    while let Some(event) = events.try_next() {
        if let AgentEvent::Notice { message } = &*event {
            heard.push(message.clone());
        }
    }
    heard
}

pub(crate) fn file(session: &Session) -> PathBuf {
    session.log().file().unwrap().to_path_buf()
}

pub(crate) fn texts(session: &Session) -> Vec<String> {
    let said = |message: Message| match message {
        Message::User(said) => Some(said.content[0].as_text()?.to_owned()),
        Message::Assistant(said) => Some(said.text()),
        _ => None,
    };
    session.log().messages().into_iter().filter_map(said).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_takes_the_place_and_the_old_one_can_be_had_again() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One.", "Two.", "Three."])).build().await.unwrap();
    session.run("first").await.unwrap();
    let old = file(&session);
    let mut events = session.subscribe();

    session.new_session().await.unwrap();
    let new = file(&session);
    assert_ne!(old, new);
    assert_eq!(heard(&mut events), [SessionEvent::Switch { previous_session_file: Some(old.clone()) }]);
    assert_eq!(texts(&session), Vec::<String>::new());
    // Nothing was said, so there is no file yet.
    assert!(!new.exists());
    session.run("second").await.unwrap();
    assert_eq!(texts(&session), ["second", "Two."]);
    assert_eq!(session.sessions().unwrap().len(), 2);

    // By the beginning of its id. Its lock went with it.
    let id = Sessions::at(place.home().toolsmith()).read(&old).unwrap().id();
    session.switch(&id[..id.len() - 3]).await.unwrap();
    assert_eq!(file(&session), old);
    assert_eq!(heard(&mut events), [SessionEvent::Switch { previous_session_file: Some(new.clone()) }]);
    session.run("third").await.unwrap();
    assert_eq!(texts(&session), ["first", "One.", "third", "Three."]);
    // It is open already: nothing happens.
    let _ = heard(&mut events);
    session.switch(old.to_str().unwrap()).await.unwrap();
    assert_eq!(heard(&mut events), []);
    assert_eq!(Sessions::at(place.home().toolsmith()).read(&new).unwrap().len(), 2 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_memory_stay_in_memory() {
    let place = Place::new(&[]);
    let session =
        builder(&place, &json!(["One.", "Two."])).session(SessionSource::Memory).build().await.unwrap();
    session.run("first").await.unwrap();
    let asked = session.user_messages().remove(0);
    let mut events = session.subscribe();
    session.fork().await.unwrap();
    assert_eq!(texts(&session), ["first", "One."]);
    assert_eq!(session.branch(&asked.entry_id).await.unwrap().text.as_deref(), Some("first"));
    assert!(session.log().is_empty());
    session.new_session().await.unwrap();
    let switched = SessionEvent::Switch { previous_session_file: None };
    let branched = SessionEvent::Branch { previous_session_file: None };
    assert_eq!(heard(&mut events), [switched.clone(), branched, switched]);
    assert!(!place.home().toolsmith().join("sessions").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_goes_on_beside_the_original() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One.", "Two."])).build().await.unwrap();
    session.run("first").await.unwrap();
    let old = file(&session);
    let mut events = session.subscribe();
    session.fork().await.unwrap();
    assert_eq!(heard(&mut events), [SessionEvent::Switch { previous_session_file: Some(old.clone()) }]);
    session.run("second").await.unwrap();
    assert_eq!(texts(&session), ["first", "One.", "second", "Two."]);
    let header = session.log().header();
    assert_eq!(header.parent_session.as_deref(), old.to_str());
    assert_eq!(Sessions::at(place.home().toolsmith()).open(&old).unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_gives_the_words_back_and_leaves_the_old_file_alone() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One.", "Two.", "Three."])).build().await.unwrap();
    session.run("first").await.unwrap();
    session.run("second").await.unwrap();
    let old = file(&session);
    let asked = session.user_messages();
    assert_eq!(asked.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    let mut events = session.subscribe();

    // Only from what a person said, and nothing happens where it is not.
    let answer = session.tree().into_iter().find(|row| row.kind == "assistant").unwrap();
    let error = session.branch(&answer.id).await.unwrap_err();
    assert!(error.to_string().contains("is not a user message"), "{error}");
    assert!(session.branch("nowhere").await.unwrap_err().to_string().contains("no entry \"nowhere\""));
    assert_eq!((heard(&mut events), file(&session)), (Vec::new(), old.clone()));

    let went = session.branch(&asked[1].entry_id).await.unwrap();
    assert_eq!(went.text.as_deref(), Some("second"));
    assert_eq!(heard(&mut events), [SessionEvent::Branch { previous_session_file: Some(old.clone()) }]);
    session.run("otherwise").await.unwrap();
    assert_eq!(texts(&session), ["first", "One.", "otherwise", "Three."]);
    assert_eq!(Sessions::at(place.home().toolsmith()).read(&old).unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn moving_in_the_tree_keeps_the_file() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One.", "Two.", "Three."])).build().await.unwrap();
    session.run("first").await.unwrap();
    session.run("second").await.unwrap();
    session.set_name("a name").unwrap();
    let old = file(&session);
    let asked = session.user_messages();
    session.set_label(&asked[1].entry_id, Some("here")).unwrap();
    assert!(session.set_label("nowhere", Some("x")).is_err());
    let mut events = session.subscribe();
    let went = session.go_to(Some(&asked[1].entry_id), AbandonedBranch::Drop).await.unwrap();
    assert_eq!(went.text.as_deref(), Some("second"));
    assert_eq!(heard(&mut events), [SessionEvent::Tree]);
    assert_eq!(file(&session), old);
    session.run("otherwise").await.unwrap();
    assert_eq!(texts(&session), ["first", "One.", "otherwise", "Three."]);

    let tree = session.tree();
    let shown: Vec<_> = tree.iter().map(|row| (row.parent, row.kind.as_str(), row.on_path)).collect();
    assert_eq!(
        shown,
        [
            (None, "user", true),
            (Some(0), "assistant", true),
            (Some(1), "user", false),
            (Some(2), "assistant", false),
            (Some(3), "title_change", false),
            (Some(4), "label", false),
            (Some(1), "user", true),
            (Some(6), "assistant", true),
        ]
    );
    assert_eq!((tree[2].label.as_deref(), tree[2].text.as_deref()), (Some("here"), Some("second")));
    assert!(session.go_to(Some("nowhere"), AbandonedBranch::Drop).await.is_err());
    session.go_to(None, AbandonedBranch::Drop).await.unwrap();
    assert_eq!(texts(&session), Vec::<String>::new());
    assert_eq!(session.log().name().as_deref(), Some("a name"));
}

/// Stages something each time it is called.
#[derive(Debug)]
struct Stages {
    spec: ToolSpec,
    rejected: Arc<std::sync::Mutex<Vec<String>>>,
}

struct Staged(Arc<std::sync::Mutex<Vec<String>>>);

#[async_trait]
impl PendingCallbacks for Staged {
    async fn apply(&self, _: &str, _: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::default())
    }
    async fn reject(&self, reason: &str, context: ToolContext) -> Result<Option<ToolResult>, ToolError> {
        // It is still the session in which it was staged.
        let said = context.session.entries().len();
        self.0.lock().unwrap().push(format!("{reason}, after {said} entries"));
        Ok(None)
    }
}

#[async_trait]
impl Tool for Stages {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    async fn execute(&self, _: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        let action = PendingAction::new("it", Arc::new(Staged(Arc::clone(&self.rejected))));
        context.pending.push(action).unwrap();
        context.agent.abort();
        Ok(ToolResult::text("staged"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c8_6_what_is_staged_is_rejected_and_what_is_queued_comes_back() {
    let place = Place::new(&[]);
    let rejected = Arc::default();
    let stages = Stages { spec: ToolSpec::new("stage", "Stages."), rejected: Arc::clone(&rejected) };
    let turns = json!([{ "reply": [{ "call": "stage" }] }, { "reply": [{ "waitForAbort": true }] }, "Two."]);
    let session = builder(&place, &turns)
        .tool(Arc::new(stages))
        .approval_mode(toolsmith_agent::ApprovalMode::Yolo)
        .build()
        .await
        .unwrap();
    session.run("first").await.unwrap();
    assert_eq!(session.pending().list().len(), 1);

    // Where it fails, everything stays.
    session.steer("wait").unwrap();
    session.follow_up("and then").unwrap();
    assert!(session.switch("nothing").await.is_err());
    assert_eq!(
        (session.pending().list().len(), session.agent().queued()),
        (1, Queued { steering: 1, follow_up: 1 })
    );
    assert!(rejected.lock().unwrap().is_empty());

    let went = session.new_session().await.unwrap();
    assert_eq!(went.queued.len(), 2);
    assert_eq!(
        (session.pending().list().len(), session.agent().queued()),
        (0, Queued { steering: 0, follow_up: 0 })
    );
    let rejected = rejected.lock().unwrap().clone();
    assert_eq!(rejected.len(), 1);
    assert!(rejected[0].starts_with("the session was switched, after "), "{rejected:?}");
    assert!(!rejected[0].ends_with("after 0 entries"), "{rejected:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_stopped_and_what_it_said_stays_in_the_old_file() {
    let place = Place::new(&[]);
    let turns = json!([{ "reply": ["Half", { "waitForAbort": true }] }, "Two."]);
    let session = builder(&place, &turns).build().await.unwrap();
    let mut events = session.subscribe();
    session.prompt("first").unwrap();
    while !matches!(&*events.next().await.unwrap(), AgentEvent::MessageUpdate { .. }) {}
    let old = file(&session);
    session.new_session().await.unwrap();
    let left = Sessions::at(place.home().toolsmith()).open(&old).unwrap();
    assert_eq!(left.messages().len(), 2);
    session.run("second").await.unwrap();
    assert_eq!(texts(&session), ["second", "Two."]);
    assert_eq!(left.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_and_thinking_are_noted_and_come_back() {
    let place = Place::new(&[("a.json", "[\"A.\"]")]);
    let session = builder(&place, &json!(["One.", "Two."])).build().await.unwrap();
    let first = session.agent().model().reference();
    session.run("first").await.unwrap();
    let old = file(&session);
    session.set_thinking(ThinkingLevel::High).unwrap();
    session.new_session().await.unwrap();
    let name = format!("script:{}", place.path("a.json").display());
    assert_eq!(session.set_model(&name).await.unwrap().reference(), "script/a");
    session.set_thinking(ThinkingLevel::Low).unwrap();
    assert!(session.set_model("no such model").await.is_err());
    session.run("second").await.unwrap();
    let new = file(&session);
    let state = session.log().state();
    assert_eq!((state.model.as_deref(), state.thinking.as_deref()), (Some("script/a"), Some("low")));

    // What the old one was held with comes back; it is one that only the program has.
    session.switch(old.to_str().unwrap()).await.unwrap();
    assert_eq!(session.agent().model().reference(), first);
    let mut events = session.subscribe();
    session.run("third").await.unwrap();
    let _ = notices(&mut events);
    // What the new one was held with is gone: a script has no name that finds it. It is not continued with another model.
    let error = session.switch(new.to_str().unwrap()).await.unwrap_err().to_string();
    assert!(error.contains("held with script/a, which cannot be used now"), "{error}");
    assert_eq!(file(&session), old, "the session that was open stays open");
    assert_eq!(session.agent().model().reference(), first);
    // The end lets go of the file, whoever still looks at it.
    let looking = session.log();
    session.dispose().await;
    assert!(looking.append_message(Message::user("late")).is_err());

    let resumed = |source: SessionSource, thinking: Option<ThinkingLevel>| {
        let provider = Arc::new(ScriptedProvider::new(Script::parse("[\"Three.\"]").unwrap()));
        let asked = Arc::clone(&provider);
        let model: Model = provider.model().clone();
        let mut builder = Session::builder(place.cwd()).home(place.home()).provider(provider, model);
        if let Some(level) = thinking {
            builder = builder.thinking(level);
        }
        async move {
            let session = builder.session(source).build().await.unwrap();
            session.run("more").await.unwrap();
            session.dispose().await;
            asked.requests()[0].thinking
        }
    };
    let of = |path: &PathBuf| SessionSource::Named(path.display().to_string());
    assert_eq!(resumed(of(&new), None).await, ThinkingLevel::Low);
    assert_eq!(resumed(of(&old), None).await, ThinkingLevel::High);
    // What is said counts, and is noted for the next time.
    assert_eq!(resumed(of(&new), Some(ThinkingLevel::Medium)).await, ThinkingLevel::Medium);
    assert_eq!(resumed(of(&new), None).await, ThinkingLevel::Medium);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_a_name_finds_is_asked_again_after_a_switch() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One."])).build().await.unwrap();
    session.run("first").await.unwrap();
    let old = file(&session);
    let first = session.agent().model().reference();
    session.new_session().await.unwrap();
    let model = session.set_model("anthropic/claude-sonnet-4-5:high").await.unwrap();
    session.log().append_message(Message::user("second")).unwrap();
    let new = file(&session);
    session.switch(old.to_str().unwrap()).await.unwrap();
    assert_eq!(session.agent().model().reference(), first);
    session.switch(new.to_str().unwrap()).await.unwrap();
    assert_eq!(session.agent().model().reference(), model.reference());
    let kinds: Vec<_> = session.log().entries().into_iter().map(|entry| entry.kind).collect();
    assert!(kinds.contains(&EntryKind::ThinkingChange { level: "high".to_owned() }), "{kinds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_of_another_folder_is_said_to_be_one() {
    let place = Place::new(&[("elsewhere/file", "")]);
    let sessions = Sessions::at(place.home().toolsmith());
    let other = sessions.create(&place.path("elsewhere"));
    other.append_message(Message::user("theirs")).unwrap();
    let path = other.file().unwrap().to_path_buf();
    drop(other);
    let session = builder(&place, &json!(["One."])).build().await.unwrap();
    let mut events = session.subscribe();
    session.switch(path.to_str().unwrap()).await.unwrap();
    let said = notices(&mut events);
    assert!(said[0].contains("elsewhere; tools work in "), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_operations_at_once_come_one_after_the_other() {
    let place = Place::new(&[]);
    let session = builder(&place, &json!(["One."])).build().await.unwrap();
    session.run("first").await.unwrap();
    let mut events = session.subscribe();
    let (one, two) = tokio::join!(session.fork(), session.new_session());
    one.unwrap();
    two.unwrap();
    let heard = heard(&mut events);
    assert_eq!(heard.len(), 2);
    assert_ne!(heard[0], heard[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_left_is_summed_up_at_the_new_place() {
    let place = Place::new(&[]);
    let turns = json!([
        "One.",
        "Two.",
        { "reply": [{ "waitForAbort": true }] },
        { "reply": [{ "error": "no", "class": "bad_request" }] },
        { "expect": { "lastUserContains": "second" }, "reply": "They said two." },
        "Three."
    ]);
    let provider = ScriptedProvider::new(Script::parse(&turns.to_string()).unwrap());
    let model = provider.model().clone();
    let asking = builder(&place, &turns).provider(Arc::new(provider.clone()), model);
    let session = asking.build().await.unwrap();
    session.run("first").await.unwrap();
    session.run("second").await.unwrap();
    let asked = session.user_messages();
    let first_answer = session.tree()[1].id.clone();
    let said = texts(&session);
    session.follow_up("queued").unwrap();
    let mut events = session.subscribe();

    // Stopped meanwhile.
    let going = session.clone();
    let going =
        tokio::spawn(async move { going.go_to(Some(&first_answer), AbandonedBranch::Summarise).await });
    while provider.requests().len() < 3 {
        tokio::task::yield_now().await;
    }
    session.abort("never mind");
    let error = going.await.unwrap().unwrap_err();
    assert!(matches!(error, toolsmith::OperationError::Cancelled), "{error}");
    // The model fails.
    let error = session.go_to(Some(&asked[1].entry_id), AbandonedBranch::Summarise).await.unwrap_err();
    assert!(error.to_string().contains("the summary failed"), "{error}");
    assert_eq!((heard(&mut events), texts(&session)), (Vec::new(), said));
    assert_eq!(session.agent().queued(), Queued { steering: 0, follow_up: 1 });

    let answer = session.tree()[1].id.clone();
    let went = session.go_to(Some(&answer), AbandonedBranch::Summarise).await.unwrap();
    assert_eq!((went.text, went.queued.len()), (None, 1));
    assert_eq!(heard(&mut events), [SessionEvent::Tree]);
    let told = texts(&session);
    assert_eq!(told[..2], ["first", "One."]);
    assert!(told[2].contains("They said two."), "{told:?}");
    // Nothing is left behind by staying, so nobody is asked.
    let leaf = session.log().leaf_id().unwrap();
    session.go_to(Some(&leaf), AbandonedBranch::Summarise).await.unwrap();
    assert_eq!(session.run("third").await.unwrap().text, "Three.");
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_4_the_working_directory_is_not_what_a_session_file_says() {
    let place = Place::new(&[]);
    let header = json!({
        "type": "session", "version": 3, "id": "0190a0b0-0000-7000-8000-000000000000",
        "timestamp": "2026-01-31T00:00:00.000Z", "cwd": "/elsewhere",
    });
    let file = place.cwd().join("planted.jsonl");
    std::fs::write(&file, format!("{header}\n")).unwrap();
    let session = builder(&place, &json!(["Hello."]))
        .session(SessionSource::Named(file.display().to_string()))
        .build()
        .await
        .unwrap();
    assert_eq!(session.log().cwd(), PathBuf::from("/elsewhere"));
    assert_eq!(session.cwd(), place.cwd());
    assert_eq!(session.agent().tool_context().session.cwd(), place.cwd());
    session.dispose().await;
}

/// Allows every call for the session, and counts the questions.
#[derive(Default)]
struct Counted(AtomicUsize);

#[async_trait]
impl Approver for Counted {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.0.fetch_add(1, Ordering::SeqCst);
        Decision::AllowForSession
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_8_what_is_allowed_in_a_session_is_asked_about_in_the_next_one() {
    let tool = "export default () => ({ name: 'act', description: 'd', parameters: { type: 'object' }, \
        execute: async () => ({ content: [] }) });";
    let place = Place::new(&[("act.mjs", tool)]);
    let turn = json!({ "reply": [{ "call": "act" }] });
    let approver = Arc::new(Counted::default());
    let turns = json!([turn, "Done.", turn, "Done.", turn, "Done."]);
    let session = builder(&place, &turns)
        .tool_path(place.path("act.mjs").display().to_string())
        .approver(Arc::clone(&approver) as _)
        .build()
        .await
        .unwrap();
    for questions in [1, 1] {
        session.run("go").await.unwrap();
        assert_eq!(approver.0.load(Ordering::SeqCst), questions);
    }
    session.new_session().await.unwrap();
    session.run("go").await.unwrap();
    assert_eq!(approver.0.load(Ordering::SeqCst), 2);
}
