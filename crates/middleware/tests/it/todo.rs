//! The todo list: where its state is, and when the model is reminded of it.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_agent::{
    Agent, AgentEvent, Dispatcher, RunEnd,
    session::{Compaction, CurrentSession, EntryKind, SessionLog, Sessions},
};
use toolsmith_builtins::{TODO_WRITE, TodoTool, Todos};
use toolsmith_llm::{ErrorClass, Message, Script, ScriptedProvider, Turn};
use toolsmith_middleware::TodoReminders;
use toolsmith_testkit::agent::{Probe, assert_paired, heard};
use toolsmith_tool::{Origin, Registry, SessionEvent, TodoReminder};

struct Bench {
    agent: Agent,
    todos: Todos,
    session: CurrentSession,
}

fn bench(session: SessionLog, turns: impl IntoIterator<Item = Turn>) -> Bench {
    let provider = ScriptedProvider::new(Script::new(turns));
    let todos = Todos::default();
    let mut registry = Registry::new();
    registry.register(Arc::new(TodoTool::new(todos.clone())), Origin::built_in()).unwrap();
    registry.register(Arc::new(Probe::echo("work")), Origin::built_in()).unwrap();
    registry.activate_initial(None).unwrap();
    let session = CurrentSession::new(session);
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(Dispatcher::builder(registry).build())
        .conversation(Arc::new(session.clone()))
        .session(Arc::new(session.clone()))
        .hook(Arc::new(TodoReminders::new(todos.clone())))
        .build()
        .unwrap();
    Bench { agent, todos, session }
}

fn write(ops: Value) -> Turn {
    Turn::new().call(TODO_WRITE, &json!({ "ops": ops }))
}

fn init() -> Turn {
    write(json!([{ "op": "init", "phase": "Work", "items": ["one", "two"] }]))
}

fn work() -> Turn {
    Turn::new().call("work", &json!({}))
}

fn done() -> Turn {
    write(json!([{ "op": "done", "phase": "Work" }]))
}

impl Bench {
    /// The list, as `content:status` words.
    fn list(&self) -> Vec<String> {
        let phases = self.todos.phases(&self.session);
        let tasks = phases.iter().flat_map(|phase| &phase.tasks);
        tasks.map(|task| format!("{}:{}", task.content, json!(task.status).as_str().unwrap())).collect()
    }

    async fn reminders(&self, prompt: &str) -> Vec<TodoReminder> {
        let mut events = self.agent.subscribe();
        let summary = self.agent.run(prompt).await.unwrap();
        assert!(!matches!(summary.end, RunEnd::Fatal { .. }), "{summary:?}");
        assert_paired(&self.agent);
        let events = heard(&mut events);
        let told = events.iter().filter_map(|event| match event.as_ref() {
            AgentEvent::Session(SessionEvent::TodoReminder(reminder)) => Some(reminder.clone()),
            _ => None,
        });
        told.collect()
    }

    fn told(&self) -> Vec<String> {
        let messages = self.session.get().messages();
        let told = messages.into_iter().filter_map(|message| match message {
            Message::Developer(said) => Some(said.content[0].as_text().unwrap().to_owned()),
            _ => None,
        });
        told.collect()
    }
}

#[tokio::test]
async fn c7_1_a_model_that_stops_with_open_tasks_is_reminded_three_times_at_most() {
    let session = SessionLog::in_memory("/p");
    let turns = [init()].into_iter().chain((0..5).flat_map(|_| [Turn::new().text("I am done."), work()]));
    let bench = bench(session, turns);
    let reminders = bench.reminders("Go").await;
    let attempts: Vec<(u32, u32)> = reminders.iter().map(|one| (one.attempt, one.max_attempts)).collect();
    assert_eq!(attempts, [(1, 3), (2, 3), (3, 3)]);
    assert_eq!(
        reminders[0].todos,
        [
            json!({ "id": "task-1", "content": "one", "status": "in_progress", "phase": "Work" }),
            json!({ "id": "task-2", "content": "two", "status": "pending", "phase": "Work" }),
        ]
    );
    let told = bench.told();
    assert_eq!(told.len(), 3);
    assert!(told[0].starts_with("<system-reminder>\nYou stopped, but 2 tasks of your todo list are still open:\nWork:\n  - one (task-1)\n  - two (task-2)\n"), "{}", told[0]);
    assert!(told[2].ends_with("(Reminder 3/3)\n</system-reminder>"), "{}", told[2]);
}

#[tokio::test]
async fn a_reminder_that_nothing_is_done_about_is_the_last_one_until_somebody_prompts() {
    let ends = || Turn::new().text("I am done.");
    let bench = bench(SessionLog::in_memory("/p"), [init(), ends(), ends(), ends(), ends()]);
    assert_eq!(bench.reminders("Go").await.len(), 1);
    assert_eq!(bench.reminders("Go on").await.len(), 1);
}

#[tokio::test]
async fn what_a_person_says_during_the_run_counts_as_a_prompt() {
    let ends = || Turn::new().text("I am done.");
    let bench = bench(SessionLog::in_memory("/p"), [init(), ends(), ends(), ends()]);
    bench.agent.follow_up("And also this").unwrap();
    // Stops once for the follow-up, then is reminded, then does nothing about it.
    let reminders = bench.reminders("Go").await;
    assert_eq!(reminders.iter().map(|one| one.attempt).collect::<Vec<_>>(), [1]);
    assert_eq!(bench.told().len(), 1);
}

#[tokio::test]
async fn there_is_no_reminder_when_all_is_closed_or_the_model_asks_or_fails() {
    let stop = || Turn::new().text("Done.");
    let closed = bench(SessionLog::in_memory("/p"), [init(), done(), stop()]);
    assert_eq!(closed.reminders("Go").await, []);
    let asks = bench(SessionLog::in_memory("/p"), [init(), Turn::new().text("Two ways.\nWhich one? ")]);
    assert_eq!(asks.reminders("Go").await, []);
    let fails = bench(SessionLog::in_memory("/p"), [init(), Turn::new().error(ErrorClass::Auth, "no key")]);
    assert_eq!(fails.reminders("Go").await, []);
    let none = bench(SessionLog::in_memory("/p"), [stop()]);
    assert_eq!(none.reminders("Go").await, []);
}

#[tokio::test]
async fn the_list_is_in_details_and_calls_of_one_turn_build_on_each_other() {
    let both = Turn::new()
        .call(TODO_WRITE, &json!({ "ops": [{ "op": "init", "items": ["one", "two"] }] }))
        .call(TODO_WRITE, &json!({ "ops": [{ "op": "done", "task": "one" }] }))
        .call(TODO_WRITE, &json!({ "ops": [{ "op": "done", "task": "nothing" }] }));
    let bench = bench(SessionLog::in_memory("/p"), [both, Turn::new().text("Wait?")]);
    bench.reminders("Go").await;
    assert_eq!(bench.list(), ["one:completed", "two:in_progress"]);
    let messages = bench.session.get().messages().into_iter();
    let results = messages.filter_map(|message| match message {
        Message::ToolResult(result) => Some((result.is_error, result.details)),
        _ => None,
    });
    let results: Vec<_> = results.collect();
    assert_eq!(
        results[1].1.as_ref().unwrap()["phases"],
        json!([{ "id": "phase-1", "name": "Tasks", "tasks": [
            { "id": "task-1", "content": "one", "status": "completed" },
            { "id": "task-2", "content": "two", "status": "in_progress" },
        ] }])
    );
    assert!(results[2].0 && results[2].1.is_none(), "{results:?}");
}

#[tokio::test]
async fn the_list_survives_resume_compaction_and_is_the_one_of_the_branch() {
    let home = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(home.path());
    let question = || Turn::new().text("And now?");
    let first = bench(sessions.create(home.path()), [init(), question()]);
    first.reminders("Go").await;
    let session = first.session.get();
    let before_second = session.leaf_id().unwrap();
    drop(first);
    drop(session);

    // Resumed, and one task closed.
    let close = write(json!([{ "op": "done", "task": "one" }]));
    let second = bench(sessions.open_latest(home.path()).unwrap().unwrap(), [close, question()]);
    assert_eq!(second.list(), ["one:in_progress", "two:pending"]);
    second.reminders("On").await;
    assert_eq!(second.list(), ["one:completed", "two:in_progress"]);
    // Compacted: the model is told nothing of it, the branch still has it.
    let session = second.session.get();
    let leaf = session.leaf_id().unwrap();
    let compaction =
        Compaction { summary: "s".to_owned(), first_kept_entry_id: leaf.clone(), ..Compaction::default() };
    session.append(EntryKind::Compaction(compaction)).unwrap();
    assert_eq!(second.list(), ["one:completed", "two:in_progress"]);
    // At an earlier place of the tree it is what it was there.
    session.go_to(Some(&before_second), None).unwrap();
    assert_eq!(second.list(), ["one:in_progress", "two:pending"]);
    session.go_to(Some(&leaf), None).unwrap();
    assert_eq!(second.list(), ["one:completed", "two:in_progress"]);
    // Another session under the same agent has its own.
    second.session.replace(SessionLog::in_memory("/elsewhere"));
    assert_eq!(second.list(), Vec::<String>::new());
}

#[tokio::test]
async fn a_session_of_a_relative_or_a_broken_one_is_no_problem() {
    for (details, list) in [
        (
            json!({ "phases": [{ "name": "A", "tasks": [{ "content": "x", "status": "pending" }, { "id": "task-1", "content": "y", "status": "in_progress", "notes": "n" }] }], "storage": "session" }),
            vec!["x:pending", "y:in_progress"],
        ),
        (
            json!({ "phases": [{ "name": "A", "tasks": [{ "id": "t", "content": "x" }, { "id": "t", "content": "y" }] }] }),
            vec!["x:in_progress", "y:pending"],
        ),
        (json!({ "phases": "none" }), vec![]),
        (json!([1]), vec![]),
    ] {
        let session = SessionLog::in_memory("/p");
        let mut result = toolsmith_llm::ToolResultMessage::new("1", TODO_WRITE, Vec::new());
        result.details = Some(details);
        session.append_message(Message::ToolResult(result)).unwrap();
        let bench = bench(session, []);
        assert_eq!(bench.list(), list);
        let mut ids: Vec<_> = bench
            .todos
            .phases(&bench.session)
            .into_iter()
            .flat_map(|phase| phase.tasks)
            .map(|task| task.id)
            .collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "{ids:?}");
    }
}

#[tokio::test]
async fn without_a_session_the_list_is_kept_in_memory() {
    let provider = ScriptedProvider::new(Script::new([init(), done(), Turn::new().text("Done.")]));
    let todos = Todos::default();
    let mut registry = Registry::new();
    registry.register(Arc::new(TodoTool::new(todos.clone())), Origin::built_in()).unwrap();
    registry.activate_initial(None).unwrap();
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(Dispatcher::builder(registry).build())
        .hook(Arc::new(TodoReminders::new(todos)))
        .build()
        .unwrap();
    assert!(agent.run("Go").await.unwrap().end.is_completed());
    assert!(toolsmith_testkit::agent::results(&agent)[1].starts_with("All 2 tasks are closed."));
}
