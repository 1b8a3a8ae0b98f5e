//! Servers that misbehave.

use std::{io::Read as _, time::Duration};

use serde_json::json;
use toolsmith_mcp::{McpError, ServerStatus};
use toolsmith_testkit::Project;
use toolsmith_tool::{ToolCall, ToolContext, UiHandle};

use crate::fake::{Fake, entry, has_python, is_running, until};

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

#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_a_start_covers_the_lists() {
    if !has_python() {
        return;
    }
    let mut config = entry("fake", &["no-list"]);
    config.startup_timeout = Duration::from_secs(4);
    let fake = Fake::new(config);
    let error = fake.servers.start("fake").await.expect_err("no list").to_string();
    assert!(error.contains("did not list its tools within 4s"), "{error}");
    let status = fake.servers.list()[0].status.clone();
    assert!(matches!(&status, ServerStatus::Failed(reason) if reason.contains("did not list")), "{status:?}");
    fake.servers.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_is_reported() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("deep-list");
    let error = fake.servers.start("fake").await.expect_err("nested too deeply").to_string();
    assert!(error.contains("the answer cannot be read: recursion limit exceeded"), "{error}");
    fake.servers.close().await;
}

/// Waits for something that must not hang.
async fn ends<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(25), what).await.expect("it ends")
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_6_a_server_that_asks_and_does_not_read_ends_with_its_call() {
    if !has_python() {
        return;
    }
    let fake = Fake::mode("good");
    let error = ends(fake.call("question_flood", json!({}))).await.expect_err("a flood").to_string();
    assert!(error.contains("requests and did not read the answers"), "{error}");
    ends(fake.servers.close()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_6_closing_does_not_wait_for_a_server_that_does_not_read() {
    if !has_python() {
        return;
    }
    let project = Project::new(&[]);
    let state = project.path("state");
    let config = entry("fake", &["good", state.to_str().expect("UTF-8")]);
    let fake = Fake { servers: Fake::client(config, &project, UiHandle::headless()), project };
    fake.servers.start("fake").await.expect("it starts");
    let log = || std::fs::read_to_string(&state).unwrap_or_default();
    let call = |name: &str, text: String| {
        let tool = fake.tool(name);
        tokio::spawn(async move {
            tool.execute(ToolCall::new("1", json!({ "text": text })), ToolContext::detached()).await
        })
    };
    let first = call("stop_reading", String::new());
    until("the server stops reading", || log().contains("stopped")).await;
    let pid = log().lines().find_map(|line| line.strip_prefix("start ").map(str::to_owned)).expect("a pid");
    // More than fits into a pipe. Once a byte is in it, the rest waits.
    let second = call("echo", "x".repeat(4 << 20));
    let input = format!("/proc/{pid}/fd/0");
    let read = tokio::task::spawn_blocking(move || std::fs::File::open(input)?.read_exact(&mut [0]));
    ends(read).await.expect("no panic").expect("a byte");
    ends(fake.servers.close()).await;
    assert!(ends(first).await.expect("no panic").is_err() && ends(second).await.expect("no panic").is_err());
    until("the process is gone", || !is_running(&pid)).await;
}
