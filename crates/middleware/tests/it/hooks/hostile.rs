//! Hooks that hang, fork, print without end, answer nonsense or cannot be run.

use std::{fs, time::Duration};

use toolsmith_agent::CallEnd;
use toolsmith_middleware::hooks::{Handler, Hook, HookEvent};
use toolsmith_tool::{CancelToken, ToolContext};

use super::kit::{Kit, bash, claude, file, program, soon, text};

/// A file hook before `bash` with this script, which blocks if it fails.
fn strict(script: &str) -> Kit {
    Kit::new(|folder| vec![soon(file(folder, HookEvent::PreToolUse, "bash.sh", script))])
}

async fn blocked(kit: &Kit) -> String {
    let outcome = kit.call("ls").await;
    assert_eq!(outcome.end, CallEnd::Blocked, "{}", text(&outcome));
    text(&outcome)
}

/// Waits until a process is gone.
async fn gone(pid: &str) {
    while fs::metadata(format!("/proc/{}", pid.trim())).is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn c11_1_a_hook_that_hangs_blocks_the_call_and_is_killed_with_its_children() {
    let kit =
        strict("trap '' TERM; (trap '' TERM; sleep 1000) & echo $! > child; echo $$ > self; sleep 1000");
    assert!(blocked(&kit).await.contains("timed out after 200ms"));
    gone(&kit.read("child")).await;
    gone(&kit.read("self")).await;
    let kit = strict("while :; do :; done");
    assert!(blocked(&kit).await.contains("timed out"));
}

#[tokio::test]
async fn a_child_that_keeps_the_pipe_open_does_not_hold_up_the_call() {
    let kit = Kit::new(|folder| {
        let script = "sleep 1000 & echo $! > child; exit 0";
        vec![file(folder, HookEvent::PreToolUse, "bash.sh", script)]
    });
    assert_eq!(text(&kit.call("ls").await), r#"{"command":"ls"}"#);
    program("kill", kit.read("child").trim()).await;
}

#[tokio::test]
async fn a_hook_that_prints_a_gigabyte_fails_without_filling_the_memory() {
    let kit = Kit::new(|folder| {
        let script = "head -c 1073741824 /dev/zero; exit 0";
        vec![file(folder, HookEvent::PreToolUse, "bash.sh", script)]
    });
    assert!(blocked(&kit).await.contains("it printed more than 1 MB"));
    // Standard error is for people: its beginning is enough.
    let kit = Kit::new(|folder| {
        let script = "head -c 8000000 /dev/zero | tr '\\0' x >&2; exit 2";
        vec![file(folder, HookEvent::PreToolUse, "bash.sh", script)]
    });
    assert!(blocked(&kit).await.len() < 20_000);
}

#[tokio::test]
async fn answers_that_cannot_be_read_block_where_failures_block() {
    for (script, problem) in [
        (r#"printf '{"block": tr'"#, "not valid JSON"),
        (r#"printf '{"block": "true"}'"#, "not true or false"),
        (r#"printf '{"input": "rm"}'"#, "its input is not an object"),
        (r"printf '\377\376{'", "not UTF-8"),
        ("kill -9 $$", "exit code 137"),
    ] {
        let text = blocked(&strict(script)).await;
        assert!(text.contains(problem), "{script}: {text}");
    }
    // Deeper than the parser goes.
    let deep = "printf '{\"a\":'; head -c 100000 /dev/zero | tr '\\0' '['";
    assert!(blocked(&strict(deep)).await.contains("not valid JSON"));
}

#[tokio::test]
async fn a_hook_that_rewrites_the_input_into_something_invalid_stops_the_call() {
    let kit = strict(r#"echo '{"input": {"timeout": "never", "more": 1}}'"#);
    let outcome = kit.call("ls").await;
    assert_eq!(outcome.end, CallEnd::InvalidArguments, "{}", text(&outcome));
}

#[tokio::test]
async fn a_hook_that_cannot_be_started_blocks() {
    let missing = Kit::new(|folder| {
        let handler = Handler::File { path: folder.join("gone.sh"), interpreter: Vec::new() };
        let mut hook = Hook::new(HookEvent::PreToolUse, handler, "gone.sh");
        hook.fails_closed = true;
        vec![hook]
    });
    blocked(&missing).await;
    let not_executable = Kit::new(|folder| {
        let mut hook = file(folder, HookEvent::PreToolUse, "bash", "exit 0");
        hook.handler = Handler::File { path: folder.join("bash"), interpreter: Vec::new() };
        vec![hook]
    });
    blocked(&not_executable).await;
    let gone = strict("exit 0");
    fs::remove_dir_all(gone.folder.path()).unwrap();
    blocked(&gone).await;
}

#[tokio::test]
async fn a_hook_that_does_not_read_its_input_is_not_waited_for() {
    let kit = Kit::new(|folder| vec![file(folder, HookEvent::PreToolUse, "bash.sh", "exit 0")]);
    let big = "x".repeat(4 << 20);
    assert!(!kit.call(&big).await.is_error());
}

#[tokio::test]
async fn c11_1_hooks_end_with_the_call() {
    let kit = Kit::guarding("echo $$ > self; sleep 1000");
    let cancel = CancelToken::new();
    let context = ToolContext::detached().with_cancel(cancel.clone());
    let dispatcher = kit.dispatcher();
    let running = tokio::spawn(async move { dispatcher.call(bash("ls").context(context)).await });
    while kit.read("self").trim().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    cancel.cancel("the person stopped it");
    let outcome = running.await.unwrap();
    assert!(matches!(outcome.end, CallEnd::Stopped(_)), "{:?}", outcome.end);
    gone(&kit.read("self")).await;
    // A cancelled call has no hooks after it.
    let kit = Kit::new(|_| vec![claude(HookEvent::PostToolUse, "", "touch ran")]);
    let cancelled = CancelToken::new();
    cancelled.cancel("stopped");
    kit.dispatcher().call(bash("ls").context(ToolContext::detached().with_cancel(cancelled))).await;
    assert!(!kit.path("ran").exists());
}

#[tokio::test]
async fn at_most_eight_hooks_run_at_once() {
    let kit = Kit::new(|_| {
        let script = |n: usize| {
            format!(
                "mkdir running.{n}; ls -d running.* | wc -l >> counts; sleep 0.05; rmdir running.{n} # {n}"
            )
        };
        (0..24).map(|n| claude(HookEvent::PreToolUse, "Bash", &script(n))).collect()
    });
    kit.call("ls").await;
    let counts: Vec<usize> = kit.read("counts").lines().map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(counts.len(), 24);
    assert!(counts.iter().all(|count| *count <= 8), "{counts:?}");
}
