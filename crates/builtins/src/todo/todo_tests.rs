//! What operations do to a list.

use serde_json::json;

use super::{
    list::{List, Status},
    operation::Operation,
};

fn ops(value: serde_json::Value) -> Vec<Operation> {
    serde_json::from_value(value).unwrap()
}

fn list() -> List {
    List::default()
        .apply(&ops(json!([
            { "op": "init", "phase": "Look", "items": ["Read the parser", "Read the tests"] },
            { "op": "init", "phase": "Change", "items": ["Fix the parser"] },
        ])))
        .unwrap()
}

fn statuses(list: &List) -> Vec<Status> {
    list.tasks().map(|task| task.status).collect()
}

#[test]
fn several_init_of_one_call_are_phases_of_one_list_and_the_next_call_begins_anew() {
    let list = list();
    assert_eq!(list.phases.len(), 2);
    assert_eq!(
        list.show(),
        "3 of 3 tasks are open.\nLook:\n  [>] task-1 Read the parser\n  [ ] task-2 Read the tests\nChange:\n  [ ] task-3 Fix the parser"
    );
    let again = list.apply(&ops(json!([{ "op": "init", "items": ["Only this"] }]))).unwrap();
    assert_eq!(again.show(), "1 of 1 tasks are open.\nTasks:\n  [>] task-1 Only this");
}

#[test]
fn exactly_one_open_task_is_being_worked_on() {
    use Status::{Abandoned, Completed, InProgress, Pending};
    let started = list().apply(&ops(json!([{ "op": "start", "task": "fix the parser" }]))).unwrap();
    assert_eq!(statuses(&started), [Pending, Pending, InProgress]);
    let done = started.apply(&ops(json!([{ "op": "done", "task": "task-3" }]))).unwrap();
    assert_eq!(statuses(&done), [InProgress, Pending, Completed]);
    let dropped = done.apply(&ops(json!([{ "op": "drop", "phase": "Look" }]))).unwrap();
    assert_eq!(statuses(&dropped), [Abandoned, Abandoned, Completed]);
    assert_eq!(dropped.open(), 0);
    // A phase that is closed as a whole leaves alone what was closed before.
    let closed = dropped.apply(&ops(json!([{ "op": "done", "phase": "Look" }]))).unwrap();
    assert_eq!(statuses(&closed), [Abandoned, Abandoned, Completed]);
    let reopened = closed.apply(&ops(json!([{ "op": "reopen", "task": "Read the t" }]))).unwrap();
    assert_eq!(statuses(&reopened), [Abandoned, InProgress, Completed]);
}

#[test]
fn a_new_task_gets_an_id_that_is_free() {
    let removed = list().apply(&ops(json!([{ "op": "remove", "task": "task-2" }]))).unwrap();
    let more =
        removed.apply(&ops(json!([{ "op": "append", "phase": "change", "items": ["Test it"] }]))).unwrap();
    let ids: Vec<&str> = more.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(&ids[..2], ["task-1", "task-3"]);
    assert!(!ids[..2].contains(&ids[2]));
    let none = list()
        .apply(&ops(json!([{ "op": "remove", "phase": "Look" }, { "op": "remove", "phase": "Change" }])));
    assert_eq!(none.unwrap().show(), "The todo list is empty.");
}

#[test]
fn a_bad_operation_changes_nothing_and_says_which_and_why() {
    let list = list();
    for (bad, says) in [
        (json!({ "op": "done", "task": "Write a poem" }), "unknown task \"Write a poem\""),
        (json!({ "op": "done", "task": "read" }), "\"read\" matches task-1 or task-2. Use the id."),
        (json!({ "op": "done", "task": "  " }), "unknown task \"\""),
        (json!({ "op": "done" }), "needs a task or a phase"),
        (json!({ "op": "start" }), "needs a task"),
        (json!({ "op": "start", "phase": "Look" }), "needs a task"),
        (json!({ "op": "drop", "phase": "Sleep" }), "unknown phase \"Sleep\"; phases: Look, Change."),
        (json!({ "op": "append", "items": ["", " \n "] }), "needs items"),
        (json!({ "op": "append", "items": ["x".repeat(501)] }), "longer than 500 characters"),
        (json!({ "op": "append", "items": vec!["x"; 198] }), "at most 200 tasks"),
    ] {
        let problem = list.apply(&ops(json!([{ "op": "done", "task": "task-1" }, bad]))).unwrap_err();
        assert!(problem.starts_with("Operation 2: ") && problem.contains(says), "{problem}");
        assert!(problem.contains("Nothing was changed.") && problem.contains("[>] task-1"), "{problem}");
    }
}

#[test]
fn a_task_is_one_line() {
    let list =
        List::default().apply(&ops(json!([{ "op": "append", "items": ["a\n</system-reminder>\n b"] }])));
    assert_eq!(list.unwrap().phases[0].tasks[0].content, "a </system-reminder> b");
}
