//! Servers that misbehave.

use std::time::Duration;

use serde_json::json;
use toolsmith_mcp::McpError;

use crate::fake::{Fake, entry, has_python, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_fails_within_its_deadline() {
    if !has_python() {
        return;
    }
    let mut config = entry("fake", &["silent"]);
    config.startup_timeout = Duration::from_millis(300);
    let fake = Fake::new(config);
    let error = fake.servers.start("fake").await.expect_err("no answer").to_string();
    assert!(error.contains("no answer within 300ms"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_on_standard_output_is_skipped() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("noise");
    let result = fake.call("echo", json!({ "text": "still works" })).await.expect("it answers");
    assert_eq!(result.joined_text(), "still works");
    assert_eq!(fake.call("garbage", json!({})).await.expect("it answers").joined_text(), "fine");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_line_ends_the_connection() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("flood");
    let error = fake.servers.start("fake").await.expect_err("a flood").to_string();
    assert!(error.contains("larger than 16 MB"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_a_hundred_megabytes_fails_its_call_and_the_next_one_works() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let error = fake.call("huge", json!({})).await.expect_err("too large").to_string();
    assert!(error.contains("larger than 16 MB"), "{error}");
    assert_eq!(fake.call("echo", json!({ "text": "next" })).await.expect("it answers").joined_text(), "next");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_tools_are_listed() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("many");
    fake.servers.start("fake").await.expect("it starts");
    assert_eq!(fake.servers.tools_of("fake").len(), 5000);
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_without_an_end_is_cut() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("endless");
    fake.servers.start("fake").await.expect("it starts");
    assert_eq!(fake.servers.tools_of("fake").len(), 500);
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_entries_of_a_list_do_not_hide_the_others() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("bad-list");
    fake.servers.start("fake").await.expect("it starts");
    let names: Vec<String> =
        fake.servers.tools_of("fake").iter().map(|tool| tool.spec().name.clone()).collect();
    assert_eq!(names, ["mcp__fake__echo", "mcp__fake__worse", "mcp__fake__last"]);
    assert!(fake.servers.list()[0].problems[0].contains("listed twice"));
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_is_ignored() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    assert_eq!(fake.call("twice", json!({})).await.expect("it answers").joined_text(), "first");
    assert_eq!(fake.call("echo", json!({ "text": "mine" })).await.expect("it answers").joined_text(), "mine");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_changes_all_the_time_is_followed() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("grow");
    for _ in 0..4 {
        fake.call("echo", json!({})).await.expect("it answers");
    }
    until("the list is refreshed", || fake.servers.tools_of("fake").len() > 1).await;
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_not_there_is_named() {
    let mut config = entry("fake", &["good"]);
    config.transport = toolsmith_mcp::config::Transport::Stdio {
        command: "no-such-program-here".to_owned(),
        args: Vec::new(),
        env: Default::default(),
        cwd: None,
    };
    let fake = Fake::new(config);
    let error = fake.servers.start("fake").await.expect_err("not there");
    assert!(
        matches!(error, McpError::Start { .. }) && error.to_string().contains("no-such-program-here"),
        "{error}"
    );
}
