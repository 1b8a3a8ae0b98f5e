//! Examples that guard calls and operations.

use serde_json::json;
use toolsmith::OperationError;

use super::place::{Person, Setup, call, official};

#[tokio::test(flavor = "multi_thread")]
async fn the_permission_gate_blocks_dangerous_commands() {
    for name in ["pi/permission-gate.ts", "omp/permission-gate.ts"] {
        let turns = json!([
            call("bash", json!({ "command": "rm -rf x" })),
            call("bash", json!({ "command": "printf fine" })),
            "Done."
        ]);
        let Some(on) = official(name, turns, Setup::default()).await else { return };
        on.ask("Go").await;
        let results = on.results();
        assert!(results[0].0 && results[0].1.contains("Dangerous command blocked"), "{name}: {results:?}");
        assert_eq!(results[1], (false, "fine".to_owned()), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_permission_gate_asks_the_person() {
    for (choice, blocked) in [("Yes", false), ("No", true)] {
        let turns = json!([call("bash", json!({ "command": "sudo() { printf ran; }; sudo" })), "Done."]);
        let person = Person { chooses: choice.to_owned(), ..Person::default() };
        let setup = Setup { person: Some(person), ..Setup::default() };
        let Some(on) = official("pi/permission-gate.ts", turns, setup).await else { return };
        on.ask("Go").await;
        assert_eq!(on.results()[0].0, blocked, "{choice}: {:?}", on.results());
        assert!(on.person.saw("Dangerous command"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_paths_cannot_be_written() {
    for name in ["pi/protected-paths.ts", "omp/protected-paths.ts"] {
        let write = |path: &str| call("write", json!({ "path": path, "content": "x" }));
        let Some(on) =
            official(name, json!([write(".env"), write("a.txt"), "Done."]), Setup::default()).await
        else {
            return;
        };
        on.ask("Go").await;
        let results = on.results();
        assert!(results[0].0 && results[0].1.contains("is protected"), "{results:?}");
        assert!(
            !results[1].0
                && on.place.path("project/a.txt").exists()
                && !on.place.path("project/.env").exists()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dirty_repository_keeps_the_session() {
    for name in ["pi/dirty-repo-guard.ts", "omp/dirty-repo-guard.ts"] {
        let setup = Setup { git: true, files: &[("project/new.txt", "x")], ..Setup::default() };
        let Some(on) = official(name, json!(["Done."]), setup).await else { return };
        assert!(matches!(on.session.new_session().await, Err(OperationError::Cancelled)), "{name}");
        std::fs::remove_file(on.place.path("project/new.txt")).unwrap();
        on.session.new_session().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn destructive_operations_are_confirmed() {
    for name in ["pi/confirm-destructive.ts", "omp/confirm-destructive.ts"] {
        for confirms in [false, true] {
            let person = Person { confirms, ..Person::default() };
            let setup = Setup { person: Some(person), ..Setup::default() };
            let Some(on) = official(name, json!(["Done."]), setup).await else { return };
            on.ask("Go").await;
            assert_eq!(on.session.new_session().await.is_ok(), confirms, "{name}");
            assert!(on.person.saw("Clear session?"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_read_override_blocks_secrets_and_logs() {
    let read = |path: &str| call("read", json!({ "path": path }));
    let setup = Setup { files: &[("project/.env", "KEY=1"), ("project/a.txt", "plain")], ..Setup::default() };
    let Some(on) =
        official("pi/tool-override.ts", json!([read(".env"), read("a.txt"), "Done."]), setup).await
    else {
        return;
    };
    on.ask("Go").await;
    let results = on.results();
    assert!(!results[0].1.contains("KEY=1") && results[0].1.to_lowercase().contains("block"), "{results:?}");
    assert!(results[1].1.contains("plain"), "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_mode_restricts_the_tools() {
    let turns = json!([call("bash", json!({ "command": "touch made" })), "Planned."]);
    let Some(on) = official(
        "pi/plan-mode/index.ts",
        turns,
        Setup { person: Some(Person::default()), ..Setup::default() },
    )
    .await
    else {
        return;
    };
    on.command("plan", "").await;
    let active: Vec<String> =
        on.session.tools().into_iter().filter(|tool| tool.is_active).map(|tool| tool.name).collect();
    assert!(!active.contains(&"write".to_owned()) && !active.contains(&"edit".to_owned()), "{active:?}");
    on.ask("Plan it").await;
    assert!(on.results()[0].0 && !on.place.path("project/made").exists(), "{:?}", on.results());
    assert!(on.last_request().iter().any(|text| text.contains("PLAN MODE")), "{:?}", on.last_request());
}
