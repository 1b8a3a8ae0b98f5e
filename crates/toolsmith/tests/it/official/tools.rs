//! Examples with tools.

use serde_json::json;

use super::place::{Person, Setup, call, official};

#[tokio::test(flavor = "multi_thread")]
async fn hello_greets() {
    for name in ["pi/hello.ts", "omp/hello.ts"] {
        let turns = json!([call("hello", json!({ "name": "Ada" })), "Done."]);
        let Some(on) = official(name, turns, Setup::default()).await else { return };
        on.ask("Go").await;
        assert_eq!(on.results(), [(false, "Hello, Ada!".to_owned())], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_added_while_the_session_runs() {
    let turns = json!([
        call("echo_session", json!({ "message": "a" })),
        "One.",
        call("echo_mine", json!({ "message": "b" })),
        "Two."
    ]);
    let Some(on) = official("pi/dynamic-tools.ts", turns, Setup::default()).await else { return };
    on.ask("Go").await;
    on.command("add-echo-tool", "echo_mine").await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "[session] a".to_owned()), (false, "[echo_mine] b".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_structured_answer_has_its_guidelines() {
    let arguments = json!({ "headline": "Ready", "summary": "s", "actionItems": ["a"] });
    let Some(on) = official(
        "pi/structured-output.ts",
        json!([call("structured_output", arguments), "Done."]),
        Setup::default(),
    )
    .await
    else {
        return;
    };
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "Saved structured output: Ready".to_owned())]);
    assert!(on.model.requests()[0].system.contains("Use structured_output as your final action"));
}

#[tokio::test(flavor = "multi_thread")]
async fn todos_are_kept_in_the_session() {
    let todo = |arguments| call("todo", arguments);
    let turns = json!([
        todo(json!({ "action": "add", "text": "write tests" })),
        todo(json!({ "action": "toggle", "id": 1 })),
        todo(json!({ "action": "list" })),
        "Done."
    ]);
    let Some(on) = official("pi/todo.ts", turns, Setup::default()).await else { return };
    on.ask("Go").await;
    let last = on.results()[2].1.clone();
    assert!(last.contains("write tests") && last.contains('x'), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_gets_the_environment_of_the_spawn_hook() {
    let Some(on) = official(
        "pi/bash-spawn-hook.ts",
        json!([call("bash", json!({ "command": "printf \"hook=$PI_SPAWN_HOOK\"" })), "Done."]),
        Setup::default(),
    )
    .await
    else {
        return;
    };
    on.ask("Go").await;
    assert!(on.results()[0].1.contains("hook=1"), "{:?}", on.results());
}

#[tokio::test(flavor = "multi_thread")]
async fn replaced_built_in_tools_work_as_before() {
    for name in ["pi/built-in-tool-renderer.ts", "pi/minimal-mode.ts", "pi/ssh.ts"] {
        let turns = json!([
            call("read", json!({ "path": "a.txt" })),
            call("write", json!({ "path": "b.txt", "content": "new" })),
            call("bash", json!({ "command": "printf shell" })),
            "Done.",
        ]);
        let setup = Setup { files: &[("project/a.txt", "plain text")], ..Setup::default() };
        let Some(on) = official(name, turns, setup).await else { return };
        on.ask("Go").await;
        let results = on.results();
        assert!(results.iter().all(|(failed, _)| !failed), "{name}: {results:?}");
        assert!(results[0].1.contains("plain text") && results[2].1.contains("shell"), "{name}: {results:?}");
        assert_eq!(std::fs::read_to_string(on.place.path("project/b.txt")).unwrap(), "new");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_ends_the_session() {
    let turns = json!([call("finish_and_exit", json!({})), "Bye."]);
    let Some(on) = official("pi/shutdown-command.ts", turns, Setup::default()).await else { return };
    assert!(!on.session.is_shutdown_requested());
    on.ask("Go").await;
    assert!(on.session.is_shutdown_requested());
    // The name of its command is reserved, and a warning says so.
    assert!(on.session.refused_registrations().iter().any(|refused| refused.contains("/quit")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_without_anybody_to_ask_says_so() {
    let arguments = json!({ "question": "Which?", "options": [{ "label": "A" }, { "label": "B" }] });
    let Some(on) =
        official("pi/question.ts", json!([call("question", arguments), "Done."]), Setup::default()).await
    else {
        return;
    };
    on.ask("Go").await;
    assert!(on.results()[0].1.to_lowercase().contains("ui not available"), "{:?}", on.results());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_of_the_host_api_works() {
    let setup = Setup { person: Some(Person::default()), ..Setup::default() };
    let Some(on) = official("omp/api-demo.ts", json!(["Done."]), setup).await else { return };
    assert!(
        !on.session
            .tools()
            .iter()
            .filter(|tool| tool.origin.starts_with("extension"))
            .collect::<Vec<_>>()
            .is_empty()
    );
    on.ask("Go").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_does_not_disturb_the_work() {
    for name in ["pi/git-checkpoint.ts", "omp/git-checkpoint.ts"] {
        let setup = Setup { git: true, files: &[("project/a.txt", "x")], ..Setup::default() };
        let Some(on) = official(name, json!([call("ls", json!({})), "Done."]), setup).await else { return };
        assert_eq!(on.ask("Go").await, "Done.");
        assert!(!on.results()[0].0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_of_a_package_of_the_host_work() {
    let Some(on) =
        official("omp/chalk-logger.ts", json!([call("ls", json!({})), "Done."]), Setup::default()).await
    else {
        return;
    };
    assert_eq!(on.ask("Go").await, "Done.");
    assert!(!on.results()[0].0);
}
