//! Starting, restarting and stopping servers.

use serde_json::json;
use toolsmith_mcp::{McpError, ServerStatus};
use toolsmith_tool::UiHandle;

use crate::fake::{Fake, entry, has_python, is_running, until};

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_the_older_lifecycle_are_used_however_they_refuse_the_newer_one() {
    if !has_python() {
        return;
    }
    for mode in ["good", "old-ignores", "old-exits", "old-empty"] {
        let fake = Fake::mode(mode);
        let result = fake.call("echo", json!({ "text": mode })).await.expect("it answers");
        assert_eq!(result.joined_text(), mode);
        assert!(
            matches!(&fake.servers.list()[0].status, ServerStatus::Ready { protocol, .. } if protocol == "2025-11-25")
        );
        fake.servers.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_2_definitions_are_cached_until_the_entry_changes() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    fake.servers.start("fake").await.expect("it starts");
    fake.servers.close().await;
    let again = Fake::client(entry("fake", &["good"]), &fake.project, UiHandle::headless());
    assert!(again.tools_of("fake").iter().any(|tool| tool.spec().name == "mcp__fake__echo"));
    assert_eq!(again.list()[0].status, ServerStatus::Stopped);
    let changed = Fake::client(entry("fake", &["many"]), &fake.project, UiHandle::headless());
    assert!(changed.tools_of("fake").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_died_is_started_again_and_its_last_words_are_in_the_error() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let first = fake.call("pid", json!({})).await.expect("it answers").joined_text();
    let error = fake.call("exit", json!({})).await.expect_err("it died").to_string();
    assert!(error.contains("closed the connection") && error.contains("going down"), "{error}");
    let second = fake.call("pid", json!({})).await.expect("it answers again").joined_text();
    assert_ne!(first, second);
    fake.servers.close().await;
    until("the process is gone", || !is_running(&second)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_1_no_process_of_a_server_outlives_the_client() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let text = fake.call("children", json!({})).await.expect("it answers").joined_text();
    let pids: Vec<&str> = text.split(' ').collect();
    assert!(pids.iter().all(|pid| is_running(pid)), "{text}");
    // Not closed: only dropped.
    drop(fake);
    for pid in pids {
        until("the process is gone", || !is_running(pid)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_keeps_exiting_is_left_alone() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("exit");
    let mut last = String::new();
    for _ in 0..7 {
        match fake.servers.start("fake").await {
            Err(McpError::Parked { .. }) => return,
            Err(error) => last = error.to_string(),
            Ok(()) => panic!("it cannot start"),
        }
        assert!(last.contains("exited with code 3") && last.contains("cannot find the database"), "{last}");
    }
    panic!("it was started again and again: {last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_disabled_servers_say_so() {
    let mut config = entry("files", &["good"]);
    config.enabled = false;
    let fake = Fake::new(config);
    let unknown = fake.servers.start("filez").await.expect_err("unknown").to_string();
    assert_eq!(unknown, "unknown MCP server \"filez\"; did you mean files?");
    let disabled = fake.servers.start("files").await.expect_err("disabled").to_string();
    assert!(disabled.contains("disabled"), "{disabled}");
}
