//! `bash`.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolsmith_agent::{CallEnd, CallEvent, CallRequest};
use toolsmith_tool::{CancelToken, Stop, ToolContext};

use crate::place::Place;

#[tokio::test]
async fn both_streams_and_the_exit_code_come_back() {
    let place = Place::new();
    assert_eq!(place.works("bash", json!({ "command": "echo out; echo err >&2" })).await.lines().count(), 2);
    assert_eq!(place.works("bash", json!({ "command": "true" })).await, "(no output)");
    let outcome = place.call("bash", json!({ "command": "echo no; exit 3" })).await;
    assert!(outcome.is_error());
    assert_eq!(outcome.result.joined_text(), "no\n[exit code 3]");
    assert_eq!(outcome.result.details.unwrap()["exitCode"], 3);
}

#[tokio::test]
async fn it_runs_in_the_folder_or_in_another_one() {
    let place = Place::new();
    place.write("sub/file", "");
    assert_eq!(place.works("bash", json!({ "command": "ls" })).await, "sub\n");
    assert_eq!(place.works("bash", json!({ "command": "ls", "cwd": "sub" })).await, "file\n");
    let text = place.fails("bash", json!({ "command": "ls", "cwd": "gone" })).await;
    assert!(text.contains("gone"), "{text}");
}

#[tokio::test]
async fn input_ends_at_once_and_nobody_is_waited_for() {
    let place = Place::new();
    assert_eq!(place.works("bash", json!({ "command": "cat; echo end" })).await, "end\n");
}

#[tokio::test]
async fn a_timeout_ends_the_command_with_all_it_started_and_keeps_what_it_said() {
    let place = Place::new();
    let text =
        place.fails("bash", json!({ "command": "echo begin; sleep 1000 & sleep 1000", "timeout": 1 })).await;
    assert_eq!(text, "begin\n[timed out after 1 s; the command and its child processes were killed]");
}

#[tokio::test]
async fn c4_6_a_cancel_ends_the_command_and_tells_its_last_words() {
    let place = Place::new();
    let cancel = CancelToken::new();
    let stopper = cancel.clone();
    let request =
        CallRequest::new("1", "bash", json!({ "command": "while true; do echo working; sleep 0.05; done" }))
            .context(ToolContext::detached().with_cancel(cancel))
            .observe(move |event| {
                if let CallEvent::Update { .. } = event {
                    stopper.cancel("user");
                }
            });
    let outcome = place.dispatcher.call(request).await;
    assert_eq!(outcome.end, CallEnd::Stopped(Stop::Stopped));
    let text = outcome.result.joined_text();
    assert!(text.starts_with("stopped (user; its last output:\nworking\n"), "{text}");
}

#[tokio::test]
async fn c4_9_a_flood_is_cut_to_its_end_and_the_file_has_all_of_it() {
    let place = Place::new();
    let outcome = place.call("bash", json!({ "command": "seq 1 1000000" })).await;
    let text = outcome.result.joined_text();
    assert!(text.len() < 60_000 && text.starts_with("1\n2\n") && text.ends_with("\n999999\n1000000\n"));
    let file = outcome.full_output.unwrap();
    assert!(text.contains(&file.display().to_string()));
    let whole = std::fs::read_to_string(&file).unwrap();
    assert_eq!(whole.lines().count(), 1_000_000);
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn output_that_is_no_text_does_no_harm() {
    let place = Place::new();
    let text =
        place.works("bash", json!({ "command": "head -c 1000 /dev/zero; printf '\\377\\376 ok\\n'" })).await;
    assert!(text.ends_with(" ok\n"), "{text:?}");
}

#[tokio::test]
async fn c4_3_what_there_is_so_far_is_streamed() {
    let place = Place::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let request =
        CallRequest::new("1", "bash", json!({ "command": "echo a; sleep 0.3; echo b; sleep 0.3; echo c" }))
            .observe(move |event| {
                if let CallEvent::Update { partial } = event {
                    listener.lock().unwrap().push(partial.joined_text());
                }
            });
    assert_eq!(place.dispatcher.call(request).await.result.joined_text(), "a\nb\nc\n");
    let heard = heard.lock().unwrap();
    assert!(!heard.is_empty() && heard.iter().all(|so_far| "a\nb\nc\n".starts_with(so_far)), "{heard:?}");
}

#[tokio::test]
async fn a_nul_byte_in_the_command_is_an_error() {
    let place = Place::new();
    assert!(place.fails("bash", json!({ "command": "echo a\0b" })).await.contains("NUL"));
}
