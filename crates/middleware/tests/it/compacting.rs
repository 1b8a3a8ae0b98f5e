//! Compaction: when it happens, what it keeps, what is told of it.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_agent::{
    Agent, AgentEvent, RunEnd, Subscription,
    session::{CurrentSession, EntryKind, SessionLog, SessionStore, Sessions, StoreError, Weight},
};
use toolsmith_llm::{
    AssistantBlock, AssistantMessage, ContentBlock, ErrorClass, Message, ModelOverride, Script,
    ScriptedProvider, TextBlock, ToolCall, ToolResultMessage, Turn, Usage,
};
use toolsmith_middleware::{CompactError, CompactionPolicy, Compactor, SummaryError, summarize_branch};
use toolsmith_testkit::{
    Project,
    agent::{Probe, assert_paired, dispatching, heard, spec, yolo},
};
use toolsmith_tool::{SessionView as _, ToolResult};

/// An agent with a compactor over a session.
struct Stage {
    agent: Agent,
    session: SessionLog,
    compactor: Arc<Compactor>,
    provider: ScriptedProvider,
    events: Subscription,
}

const WINDOW: u64 = 10_000;

/// Keeps 200 tokens, compacts past 1000 of them.
fn policy() -> CompactionPolicy {
    CompactionPolicy::default().tokens(1000, 200).threshold_tokens(Some(1000))
}

fn stage(session: SessionLog, policy: CompactionPolicy, turns: impl IntoIterator<Item = Turn>) -> Stage {
    let mut model = ModelOverride::new("scripted");
    model.context_window = Some(WINDOW);
    let provider = ScriptedProvider::new(Script::new(turns).model(model));
    let current = CurrentSession::new(session.clone());
    let compactor = Arc::new(Compactor::new(current.clone(), policy));
    let long = Probe::new(spec("long"), |_, _| async { Ok(ToolResult::text("o".repeat(8000))) });
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(dispatching([Probe::echo("echo"), long]).approval(yolo()).build())
        .conversation(Arc::new(current.clone()))
        .session(Arc::new(current))
        .hook(Arc::clone(&compactor) as _)
        .build()
        .unwrap();
    let events = agent.subscribe();
    Stage { agent, session, compactor, provider, events }
}

impl Stage {
    /// What was told of compactions, and what people were told.
    fn told(&mut self) -> Vec<Value> {
        let told = heard(&mut self.events).into_iter().filter_map(|event| match &*event {
            AgentEvent::Session(event) => Some(event.to_json()),
            AgentEvent::Notice { message } => Some(json!(message)),
            _ => None,
        });
        told.collect()
    }

    /// The text of a request's only or last message, and of its first.
    fn asked(&self, request: usize) -> (String, String) {
        let requests = self.provider.requests();
        let messages = &requests[request].messages;
        (text(messages.last().unwrap()), text(&messages[0]))
    }
}

fn text(message: &Message) -> String {
    match message {
        Message::User(input) | Message::Developer(input) => input.content[0].as_text().unwrap().to_owned(),
        Message::Assistant(said) => said.text(),
        Message::ToolResult(result) => result.joined_text(),
        _ => String::new(),
    }
}

fn said(words: &str) -> Message {
    let mut block = TextBlock::default();
    words.clone_into(&mut block.text);
    let mut message = AssistantMessage::default();
    message.content = vec![AssistantBlock::Text(block)];
    Message::Assistant(message)
}

fn call(id: &str, tool: &str, arguments: Value) -> Message {
    let mut message = AssistantMessage::default();
    message.content = vec![AssistantBlock::ToolCall(ToolCall::new(id, tool, arguments))];
    Message::Assistant(message)
}

fn result(id: &str, tool: &str, text: &str) -> Message {
    let mut message = ToolResultMessage::new(id, tool, vec![ContentBlock::text(text)]);
    message.details = Some(json!({ "of": id }));
    Message::ToolResult(message)
}

/// A conversation of so many turns, each about a hundred tokens.
fn long_talk(turns: usize) -> SessionLog {
    let session = SessionLog::in_memory("/project");
    for turn in 0..turns {
        session.append_message(Message::user(format!("Question {turn} {}", "q".repeat(188)))).unwrap();
        session.append_message(said(&format!("Answer {turn} {}", "a".repeat(190)))).unwrap();
    }
    session
}

fn compactions(session: &SessionLog) -> usize {
    session.entries().iter().filter(|entry| matches!(entry.kind, EntryKind::Compaction(_))).count()
}

#[tokio::test]
async fn past_the_threshold_the_conversation_is_compacted_and_the_run_goes_on() {
    let turns = [Turn::new().text("## Goal\nTo be short.\n"), Turn::new().text("Answer 20")];
    let mut stage = stage(long_talk(20), policy(), turns);
    let summary = stage.agent.run("Question 20").await.unwrap();
    assert_eq!((&summary.end, summary.text.as_str()), (&RunEnd::Completed, "Answer 20"));

    let told = stage.told();
    assert_eq!(
        told[0],
        json!({ "reason": "auto_compaction_start", "trigger": "threshold", "action": "context-full" })
    );
    let end = &told[1];
    assert_eq!((&end["reason"], &end["aborted"]), (&json!("auto_compaction_end"), &json!(false)));
    assert_eq!((&end["willRetry"], &end["errorMessage"]), (&json!(false), &Value::Null));
    assert_eq!(end["result"]["summary"], "## Goal\nTo be short.");
    assert_eq!(end["result"]["shortSummary"], "To be short.");
    assert!(end["result"]["tokensBefore"].as_u64() > Some(2000));
    assert!(end["result"]["tokensAfter"].as_u64() < Some(300), "{end}");
    assert_eq!(told.len(), 2);

    let requests = stage.provider.requests();
    assert!(requests[0].tools.is_empty());
    let (asked, _) = stage.asked(0);
    assert!(asked.contains("<conversation>") && asked.contains("[User]: Question 0 q"));
    assert!(asked.contains("Question 17") && !asked.contains("Question 18"));
    let messages = &requests[1].messages;
    assert!(text(&messages[0]).contains("<summary>\n## Goal\nTo be short.\n</summary>"));
    assert!(text(&messages[1]).starts_with("Question 18"));
    assert_eq!(text(messages.last().unwrap()), "Question 20");
    assert_eq!(stage.session.len(), 20 * 2 + 3, "nothing was taken away");
}

#[tokio::test]
async fn what_the_provider_counted_decides_and_a_turn_that_went_past_it_is_the_last() {
    let turns = [
        Turn::new().text("Small.").usage(Usage::new(900, 10, 0, 0)),
        Turn::new().text("Big.").usage(Usage::new(950, 51, 0, 0)),
        Turn::new().text("The summary"),
    ];
    let mut stage = stage(long_talk(3), policy(), turns);
    stage.agent.run("One").await.unwrap();
    assert!(stage.told().is_empty());
    let summary = stage.agent.run("Two").await.unwrap();
    assert_eq!(summary.text, "Big.", "compacted after the answer");
    let told = stage.told();
    assert_eq!((told.len(), told[1]["result"]["tokensBefore"].as_u64()), (2, Some(1001)));
    assert_eq!(stage.provider.turns_left(), 0);
    // The counts from before the compaction are of no use after it.
    assert!(told[1]["result"]["tokensAfter"].as_u64() < Some(400));
}

#[tokio::test]
async fn a_conversation_too_long_for_the_model_is_compacted_and_the_request_made_again() {
    let turns = [
        Turn::new().error(ErrorClass::Overflow, "prompt is too long"),
        Turn::new().text("The summary"),
        Turn::new().text("At last."),
    ];
    let policy = CompactionPolicy::default();
    let mut stage = stage(long_talk(4), policy, turns);
    let summary = stage.agent.run("Go").await.unwrap();
    assert_eq!((&summary.end, summary.text.as_str()), (&RunEnd::Completed, "At last."));
    let told = stage.told();
    assert_eq!(told[0]["trigger"], "overflow");
    assert_eq!((&told[1]["willRetry"], &told[1]["aborted"]), (&json!(true), &json!(false)));
    assert_eq!(told.len(), 2);
    assert!(stage.asked(2).1.contains("The summary"));
}

#[tokio::test]
async fn the_model_is_asked_again_once_for_each_overflow() {
    let overflow = || Turn::new().error(ErrorClass::Overflow, "prompt is too long");
    let turns = [overflow(), Turn::new().text("The summary"), overflow(), Turn::new().text("never")];
    let mut stage = stage(long_talk(4), CompactionPolicy::default(), turns);
    let end = stage.agent.run("Go").await.unwrap().end.clone();
    assert!(matches!(end, RunEnd::Failed { class: "overflow", .. }));
    let told = stage.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[2].as_str().unwrap().starts_with("Context overflow recovery failed: "));
    assert_eq!(stage.provider.turns_left(), 1);
}

#[tokio::test]
async fn a_whole_answer_makes_the_next_overflow_a_new_one() {
    let overflow = || Turn::new().error(ErrorClass::Overflow, "prompt is too long");
    let turns = [
        overflow(),
        Turn::new().text("First summary"),
        Turn::new().call("echo", &json!({ "text": "x".repeat(2000) })),
        overflow(),
        Turn::new().text("Second summary"),
        Turn::new().text("Its turn"),
        Turn::new().text("Done."),
    ];
    let mut stage = stage(long_talk(4), CompactionPolicy::default(), turns);
    assert_eq!(stage.agent.run("Go").await.unwrap().text, "Done.");
    assert_eq!(compactions(&stage.session), 2);
    assert_eq!(stage.told().len(), 4);
    assert_paired(&stage.agent);
}

#[tokio::test]
async fn without_a_summary_the_end_is_told_and_the_run_goes_on_as_far_as_it_can() {
    // At the threshold: the run goes on, and does not try again each turn.
    let turns = [
        Turn::new().error(ErrorClass::Auth, "no"),
        Turn::new().call("echo", &json!({})),
        Turn::new().text("Done."),
    ];
    let mut one = stage(long_talk(20), policy(), turns);
    assert_eq!(one.agent.run("Go").await.unwrap().text, "Done.");
    let told = one.told();
    let message = "Auto-compaction failed: no summary: no";
    assert_eq!((told.len(), &told[1]), (3, &json!(message)));
    assert_eq!(told[2]["errorMessage"], message);
    assert_eq!((&told[2]["aborted"], &told[2]["willRetry"]), (&json!(false), &json!(false)));
    assert_eq!(compactions(&one.session), 0);

    // After an overflow there is nothing to go on with.
    let turns = [Turn::new().error(ErrorClass::Overflow, "long"), Turn::new().text(" \n")];
    let mut two = stage(long_talk(4), CompactionPolicy::default(), turns);
    assert!(matches!(two.agent.run("Go").await.unwrap().end, RunEnd::Failed { class: "overflow", .. }));
    let told = two.told();
    let message = "Context overflow recovery failed: no summary: the model's summary is empty";
    assert_eq!((told.len(), &told[2]["errorMessage"]), (3, &json!(message)));
    assert_eq!(told[2]["willRetry"], false);

    // Nothing to compact.
    let mut three =
        stage(SessionLog::in_memory("/"), policy(), [Turn::new().error(ErrorClass::Overflow, "long")]);
    three.agent.run("Go").await.unwrap();
    let told = three.told();
    assert!(told[2]["errorMessage"].as_str().unwrap().contains("there is nothing to compact"), "{told:?}");
    assert_eq!(told.len(), 3);
}

#[tokio::test]
async fn a_summary_that_cannot_be_written_down_is_told_as_an_error() {
    #[derive(Debug)]
    struct Refusing;
    impl SessionStore for Refusing {
        fn append(&mut self, line: &str, _weight: Weight) -> Result<(), StoreError> {
            let path = "/full".into();
            if line.contains("\"type\":\"compaction\"") { Err(StoreError::ReadOnly { path }) } else { Ok(()) }
        }
    }
    let session = SessionLog::with_store("/project", Box::new(Refusing));
    for message in long_talk(20).messages() {
        session.append_message(message).unwrap();
    }
    let turns = [Turn::new().text("The summary"), Turn::new().text("Done.")];
    let mut stage = stage(session, policy(), turns);
    assert_eq!(stage.agent.run("Go").await.unwrap().text, "Done.");
    let told = stage.told();
    assert_eq!(told.len(), 3, "{told:?}");
    let message = told[2]["errorMessage"].as_str().unwrap();
    assert!(message.starts_with("Auto-compaction failed: ") && message.contains("/full"), "{message}");
}

#[tokio::test]
async fn cancel_ends_a_compaction_while_the_summary_comes_in() {
    let summary = || Turn::new().text("half").wait_for_abort();
    let threshold = vec![summary(), Turn::new().text("never")];
    let overflow =
        vec![Turn::new().error(ErrorClass::Overflow, "long"), summary(), Turn::new().text("never")];
    for (turns, policy) in [(threshold, policy()), (overflow, CompactionPolicy::default())] {
        let count = turns.len();
        let mut stage = stage(long_talk(20), policy, turns);
        stage.agent.prompt("Go").unwrap();
        let mut told = Vec::new();
        while let Some(event) = stage.events.next().await {
            match &*event {
                AgentEvent::Session(event) => {
                    if event.reason() == "auto_compaction_start" {
                        let (agent, provider) = (stage.agent.clone(), stage.provider.clone());
                        tokio::spawn(async move {
                            while provider.requests().len() < count - 1 {
                                tokio::task::yield_now().await;
                            }
                            agent.abort("enough");
                        });
                    }
                    told.push(event.to_json());
                }
                AgentEvent::AgentEnd { end, .. } => {
                    assert!(matches!(end, RunEnd::Aborted { .. }), "{end:?}");
                    break;
                }
                _ => {}
            }
        }
        assert_eq!(told.len(), 2);
        assert_eq!((&told[1]["aborted"], &told[1]["willRetry"]), (&json!(true), &json!(false)));
        assert_eq!((&told[1]["errorMessage"], &told[1]["result"]), (&Value::Null, &Value::Null));
        assert_eq!(compactions(&stage.session), 0);
    }
}

#[tokio::test]
async fn it_can_be_asked_for_with_instructions_and_says_what_it_did() {
    let turns =
        [Turn::new().text("The summary").usage(Usage::new(500, 50, 0, 0)), Turn::new().text("Hello.")];
    let mut stage = stage(long_talk(3), CompactionPolicy::default().enabled(false), turns);
    let held = stage.agent.occupy().unwrap();
    let done = stage.compactor.compact(Some(" Keep the answers. "), held.context()).await.unwrap();
    assert!(stage.agent.prompt("Go").is_err());
    drop(held);
    assert_eq!(done.summary, "The summary");
    assert!(done.tokens_after < done.tokens_before);
    assert!(stage.asked(0).0.ends_with("Additional instructions of the user: Keep the answers."));
    assert_eq!(stage.agent.totals().usage.total_tokens, 550);
    assert!(stage.told().is_empty(), "it was not by itself");
    stage.agent.run("Go").await.unwrap();
    assert!(stage.asked(1).1.contains("The summary"));
    assert!(stage.session.entry(&done.first_kept_entry_id).is_some());
}

#[tokio::test]
async fn asked_for_it_fails_in_words() {
    let held_and = |stage: &Stage| stage.agent.occupy().unwrap();
    let one = stage(SessionLog::in_memory("/"), policy(), [Turn::new()]);
    let error = one.compactor.compact(None, held_and(&one).context()).await.unwrap_err();
    assert!(matches!(error, CompactError::Nothing));
    assert_eq!(error.to_string(), "there is nothing to compact: the session is too short");

    let two = stage(long_talk(3), policy(), [Turn::new().text("half").wait_for_abort()]);
    let held = held_and(&two);
    let compacting = two.compactor.compact(None, held.context());
    let stopping = async {
        while two.provider.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        two.agent.abort("enough");
    };
    let (outcome, ()) = tokio::join!(compacting, stopping);
    assert_eq!(outcome.unwrap_err().to_string(), "Compaction cancelled");
    assert_eq!(compactions(&two.session), 0);
}

#[tokio::test]
async fn a_second_summary_knows_the_first_and_the_files_of_both() {
    let session = long_talk(2);
    session.append_message(call("1", "read", json!({ "path": "src/a.rs" }))).unwrap();
    session.append_message(result("1", "read", "text")).unwrap();
    session.append_message(call("2", "edit", json!({ "path": "src/b.rs" }))).unwrap();
    session.append_message(result("2", "edit", "done")).unwrap();
    for message in long_talk(3).messages() {
        session.append_message(message).unwrap();
    }
    let turns = [Turn::new().text("FIRST"), Turn::new().text("SECOND")];
    let stage = stage(session, policy(), turns);
    let held = stage.agent.occupy().unwrap();
    let first = stage.compactor.compact(None, held.context()).await.unwrap();
    assert_eq!(first.details, json!({ "readFiles": ["src/a.rs"], "modifiedFiles": ["src/b.rs"] }));
    assert_eq!(
        first.summary,
        "FIRST\n\n<read-files>\nsrc/a.rs\n</read-files>\n\n<modified-files>\nsrc/b.rs\n</modified-files>"
    );
    stage.session.append_message(call("3", "write", json!({ "path": "src/a.rs" }))).unwrap();
    stage.session.append_message(result("3", "write", "done")).unwrap();
    for message in long_talk(3).messages() {
        stage.session.append_message(message).unwrap();
    }
    let second = stage.compactor.compact(None, held.context()).await.unwrap();
    assert_eq!(second.details, json!({ "readFiles": [], "modifiedFiles": ["src/a.rs", "src/b.rs"] }));
    let (asked, _) = stage.asked(1);
    assert!(asked.contains("<previous-summary>\nFIRST\n</previous-summary>"), "{asked}");
    assert!(asked.contains("[Assistant calls write]"));
    assert!(!asked.contains("[Assistant calls read]"), "that is in the first summary");
}

#[tokio::test]
async fn a_turn_cut_in_two_has_its_beginning_summed_up_by_itself() {
    let session = long_talk(2);
    session.append_message(Message::user("Do it all")).unwrap();
    for at in 0..20 {
        let id = format!("c{at}");
        session.append_message(call(&id, "echo", json!({ "text": format!("step {at}") }))).unwrap();
        session.append_message(result(&id, "echo", &"r".repeat(200))).unwrap();
    }
    let turns = [Turn::new().text("HISTORY"), Turn::new().text("BEGINNING"), Turn::new().text("Done.")];
    let mut stage = stage(session, policy(), turns);
    assert!(stage.agent.continue_run().is_ok());
    assert_eq!(stage.agent.wait_for_idle().await.unwrap().text, "Done.");
    let told = stage.told();
    assert_eq!(told[1]["result"]["summary"], "HISTORY\n\n---\n\n**Turn Context (split turn):**\n\nBEGINNING");
    let (history, _) = stage.asked(0);
    assert!(history.contains("Question 1") && !history.contains("Do it all"));
    let (beginning, _) = stage.asked(1);
    assert!(beginning.contains("Do it all") && beginning.contains("step 3"));
    assert!(beginning.contains("## Original Request"));
    let last = stage.provider.requests()[2].messages.clone();
    assert!(matches!(&last[1], Message::Assistant(_)), "a result never comes first");
    assert_paired(&stage.agent);
}

#[tokio::test]
async fn old_output_is_left_out_before_anything_is_summed_up() {
    let project = Project::new(&[]);
    let sessions = Sessions::at(project.path("home"));
    let session = sessions.create(&project.path("project"));
    session.append_message(Message::user("Look")).unwrap();
    for at in 0..4 {
        let (id, tool) = (format!("c{at}"), if at == 1 { "read" } else { "bash" });
        session.append_message(call(&id, tool, json!({}))).unwrap();
        session.append_message(result(&id, tool, &format!("{at}{}", "o".repeat(100_000)))).unwrap();
    }
    let policy = CompactionPolicy::default().threshold_tokens(Some(90_000));
    let mut model = ModelOverride::new("scripted");
    model.context_window = Some(100_000);
    let script = Script::new([Turn::new().text("Done.")]).model(model);
    let provider = ScriptedProvider::new(script);
    let current = CurrentSession::new(session.clone());
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .conversation(Arc::new(current.clone()))
        .hook(Arc::new(Compactor::new(current, policy)))
        .build()
        .unwrap();
    let mut events = agent.subscribe();
    assert_eq!(agent.run("Go").await.unwrap().text, "Done.");
    assert!(heard(&mut events).iter().all(|event| !matches!(&**event, AgentEvent::Session(_))));

    let shown = |messages: &[Message]| -> Vec<String> {
        let results = messages.iter().filter(|message| matches!(message, Message::ToolResult(_)));
        results.map(|result| text(result).chars().take(40).collect()).collect()
    };
    let told = shown(&provider.requests()[0].messages);
    assert_eq!(told[0], "[Output truncated - 25001 tokens]");
    assert!(told[1].starts_with('1'), "what was read stays");
    assert!(told[2].starts_with('2') && told[3].starts_with('3'), "what is new stays");

    // Tools and people see all of it, and another process tells the model the same.
    let path = session.branch(None);
    assert_eq!(path[2]["message"]["content"][0]["text"].as_str().unwrap().len(), 100_001);
    assert_eq!(path[2]["message"]["details"], json!({ "of": "c0" }));
    let before = session.messages();
    let file = session.file().unwrap().to_path_buf();
    drop((agent, session));
    let again = sessions.open(&file).unwrap();
    assert_eq!(again.messages(), before);
    assert_eq!(shown(&again.messages()), told);
}

#[tokio::test]
async fn an_answer_to_more_than_the_model_can_read_is_asked_for_again_once() {
    let overlong = Usage::new(WINDOW + 1, 5, 0, 0);
    let turns = [
        Turn::new().text("Half blind.").usage(overlong),
        Turn::new().text("The summary"),
        Turn::new().text("Clear.").usage(overlong),
        Turn::new().text("Another summary"),
        Turn::new().text("Another beginning"),
    ];
    let mut stage = stage(long_talk(6), CompactionPolicy::default(), turns);
    assert_eq!(stage.agent.run("Go").await.unwrap().text, "Clear.");
    let told = stage.told();
    assert_eq!((&told[0]["trigger"], &told[1]["willRetry"]), (&json!("overflow"), &json!(true)));
    assert!(stage.asked(2).0.contains("answer again"));
    assert_eq!((told.len(), &told[2]["trigger"]), (4, &json!("threshold")), "{told:?}");
}

#[tokio::test]
async fn results_too_long_to_keep_are_summed_up_with_their_call() {
    let turns =
        [Turn::new().call("long", &json!({})), Turn::new().text("OF THE TURN"), Turn::new().text("Done.")];
    let mut stage = stage(SessionLog::in_memory("/"), policy(), turns);
    assert_eq!(stage.agent.run("Go").await.unwrap().text, "Done.");
    let told = stage.told();
    assert_eq!(told[1]["result"]["firstKeptEntryId"], "", "{told:?}");
    let last = stage.provider.requests()[2].messages.clone();
    assert_eq!(last.len(), 1);
    assert!(text(&last[0]).contains("OF THE TURN"));
    assert!(stage.asked(1).0.contains("[User]: Go"));
}

#[tokio::test]
async fn switched_off_it_does_nothing_by_itself() {
    let turns = [Turn::new().text("Long."), Turn::new().error(ErrorClass::Overflow, "long")];
    let mut stage = stage(long_talk(20), policy().enabled(false), turns);
    assert_eq!(stage.agent.run("Go").await.unwrap().text, "Long.");
    assert!(matches!(stage.agent.run("Go").await.unwrap().end, RunEnd::Failed { class: "overflow", .. }));
    let told = stage.told();
    assert_eq!(told.len(), 1);
    assert!(told[0].as_str().unwrap().contains("compaction.enabled"));
    stage.compactor.set_enabled(true);
    assert!(stage.compactor.is_enabled());
}

#[tokio::test]
async fn a_conversation_too_long_to_be_summed_up_is_read_from_its_newest_part() {
    let overflow = || Turn::new().error(ErrorClass::Overflow, "long");
    let turns = [overflow(), overflow(), Turn::new().text("The summary")];
    let stage = stage(long_talk(200), policy(), turns);
    let held = stage.agent.occupy().unwrap();
    stage.compactor.compact(None, held.context()).await.unwrap();
    let sizes = [0, 1, 2].map(|request| stage.asked(request).0.len());
    assert!(sizes[0] < 3 * 10_000, "fits the window");
    assert!(sizes[1] < sizes[0] * 2 / 3 && sizes[2] < sizes[1], "{sizes:?}");
    let (asked, _) = stage.asked(2);
    assert!(asked.contains("older messages omitted") && asked.contains("Question 197"));
}

#[tokio::test]
async fn a_path_that_is_left_is_summed_up() {
    let turns = [Turn::new().text("It was a dead end."), Turn::new().text("x").wait_for_abort()];
    let stage = stage(long_talk(3), policy(), turns);
    let target = stage.session.entries()[1].id.clone();
    let left = stage.session.left_behind(Some(&target)).unwrap();
    assert_eq!(left.len(), 4);
    let held = stage.agent.occupy().unwrap();
    assert_eq!(summarize_branch(&left, held.context()).await.unwrap(), "It was a dead end.");
    let (asked, _) = stage.asked(0);
    assert!(!asked.contains("Question 0") && asked.contains("Question 1") && asked.contains("abandoned"));
    assert_eq!(summarize_branch(&[], held.context()).await, Err(SummaryError::Nothing));
    stage.agent.abort("enough");
    assert_eq!(summarize_branch(&left, held.context()).await, Err(SummaryError::Aborted));
}
