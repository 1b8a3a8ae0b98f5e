//! Hooks before and after calls.

use std::sync::Arc;

use serde_json::json;
use toolsmith_agent::{CallEnd, CallRequest, Gate, GateVerdict, GatedCall};
use toolsmith_middleware::hooks::{CallRule, HookEvent};
use toolsmith_testkit::agent::Probe;
use toolsmith_tool::{McpNames, ToolError, ToolResult, async_trait};

use super::kit::{Kit, bash, claude, echo, file, program, shell_spec, text};

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no rm here"}}"#;

#[tokio::test]
async fn c11_2_a_hook_of_claude_code_receives_the_call_in_its_names() {
    let kit = Kit::guarding("cat > seen.json; printf '%s' \"$CLAUDE_PROJECT_DIR\" > dir.txt");
    let outcome =
        kit.dispatcher().call(CallRequest::new("c1", "bash", json!({ "command": "ls", "timeout": 5 }))).await;
    assert_eq!(text(&outcome), r#"{"command":"ls","timeout":5}"#);
    let seen = kit.json("seen.json");
    assert_eq!(
        (&seen["hook_event_name"], &seen["tool_name"], &seen["tool_use_id"]),
        (&json!("PreToolUse"), &json!("Bash"), &json!("c1"))
    );
    assert_eq!(seen["tool_input"], json!({ "command": "ls", "timeout": 5000 }));
    assert_eq!(seen["cwd"], json!(kit.folder.path()));
    for field in ["session_id", "transcript_path", "permission_mode"] {
        assert!(seen[field].is_string(), "{field}");
    }
    assert_eq!(kit.read("dir.txt"), kit.folder.path().to_string_lossy());
}

#[tokio::test]
async fn c11_1_a_file_hook_receives_the_call_in_our_names_and_its_environment() {
    let kit = Kit::new(|folder| {
        let script = "cat > seen.json; env | grep ^TOOLSMITH_ | sort > env.txt";
        vec![file(folder, HookEvent::PreToolUse, "bash.sh", script)]
    });
    kit.call("ls").await;
    let seen = kit.json("seen.json");
    assert_eq!(seen["event"], "pre");
    assert_eq!((&seen["tool"], &seen["callId"]), (&json!("bash"), &json!("call-1")));
    assert_eq!((&seen["input"], &seen["tier"]), (&json!({ "command": "ls" }), &json!("read")));
    let env = kit.read("env.txt");
    assert!(env.contains("TOOLSMITH_TOOL=bash\n") && env.contains("TOOLSMITH_CALL_ID=call-1\n"), "{env}");
    assert!(env.contains("TOOLSMITH_EVENT=pre\n") && env.contains("TOOLSMITH_CWD="), "{env}");
    // Hooks of other tools do not run.
    std::fs::remove_file(kit.path("seen.json")).unwrap();
    kit.dispatcher().call(CallRequest::new("2", "other", json!({ "command": "ls" }))).await;
    assert!(!kit.path("seen.json").exists());
}

#[tokio::test]
async fn c11_1_exit_code_2_and_a_denying_answer_block_the_call() {
    let kit = Kit::guarding("echo 'not today' >&2; exit 2");
    let outcome = kit.call("ls").await;
    assert_eq!((text(&outcome).as_str(), &outcome.end), ("not today", &CallEnd::Blocked));
    let kit = Kit::guarding(&format!("echo '{DENY}'"));
    assert_eq!(text(&kit.call("ls").await), "no rm here");
    let kit = Kit::new(|folder| {
        vec![file(folder, HookEvent::PreToolUse, "_all", r#"echo '{"block": true, "reason": "closed"}'"#)]
    });
    assert_eq!(text(&kit.call("ls").await), "closed");
}

#[tokio::test]
async fn c11_1_a_pre_hook_that_fails_blocks_and_one_of_claude_code_warns() {
    let kit =
        Kit::new(|folder| vec![file(folder, HookEvent::PreToolUse, "bash.sh", "echo oops >&2; exit 7")]);
    let outcome = kit.call("ls").await;
    assert_eq!(outcome.end, CallEnd::Blocked);
    assert!(text(&outcome).contains("bash.sh failed: exit code 7: oops"), "{}", text(&outcome));
    let kit = Kit::guarding("exit 7");
    assert_eq!(text(&kit.call("ls").await), r#"{"command":"ls"}"#);
    assert_eq!(kit.notices(), ["Hook exit 7 failed: exit code 7 (PreToolUse); continuing without it"]);
    let kit = Kit::new(|_| {
        let mut hook = claude(HookEvent::PreToolUse, "Bash", "exit 7");
        hook.fails_closed = true;
        vec![hook]
    });
    assert_eq!(kit.call("ls").await.end, CallEnd::Blocked);
}

#[tokio::test]
async fn c11_2_an_updated_input_is_mapped_back_repaired_and_validated_again() {
    let update = |input: &str| {
        Kit::guarding(&format!(
            r#"echo '{{"hookSpecificOutput":{{"permissionDecision":"allow","updatedInput":{input}}}}}'"#
        ))
    };
    let outcome = update(r#"{"command":"ls -l","timeout":2500}"#).call("ls").await;
    assert_eq!(text(&outcome), r#"{"command":"ls -l","timeout":3}"#);
    assert_eq!(outcome.arguments, Some(json!({ "command": "ls -l", "timeout": 3 })));
    let outcome = update(r#"{"timeout":1000}"#).call("ls").await;
    assert_eq!(outcome.end, CallEnd::InvalidArguments, "{}", text(&outcome));
    let outcome = update(r#""ls""#).call("ls").await;
    // Not an object: the answer cannot be read, and Claude's hooks fail open.
    assert_eq!(text(&outcome), r#"{"command":"ls"}"#);
}

#[tokio::test]
async fn c11_2_context_messages_and_results_reach_whom_they_are_for() {
    let kit = Kit::new(|_| {
        let say = |text: &str| format!("echo '{text}'");
        vec![
            claude(
                HookEvent::PreToolUse,
                "Bash",
                &say(
                    r#"{"systemMessage":"for the person","hookSpecificOutput":{"additionalContext":"for the model"}}"#,
                ),
            ),
            claude(
                HookEvent::PostToolUse,
                "Bash",
                &say(
                    r#"{"decision":"block","reason":"lint failed","hookSpecificOutput":{"additionalContext":"see docs"}}"#,
                ),
            ),
        ]
    });
    let outcome = kit.call("ls").await;
    assert_eq!(
        text(&outcome),
        "{\"command\":\"ls\"}\nPostToolUse hook: lint failed\nsee docs\nfor the model"
    );
    assert!(!outcome.is_error());
    assert_eq!(kit.notices(), ["for the person"]);
}

#[tokio::test]
async fn c11_2_hooks_after_a_call_see_and_replace_its_result() {
    let kit = Kit::new(|folder| {
        vec![
            file(folder, HookEvent::PostToolUse, "bash.sh", "cat > own.json; echo added"),
            claude(
                HookEvent::PostToolUse,
                "Bash",
                r#"cat > seen.json; echo '{"hookSpecificOutput":{"updatedToolOutput":{"stdout":"redacted"}}}'"#,
            ),
        ]
    });
    let outcome = kit.call("ls").await;
    assert_eq!(text(&outcome), "redacted");
    assert_eq!(kit.json("own.json")["result"]["content"][0]["text"], r#"{"command":"ls"}"#);
    let seen = kit.json("seen.json");
    assert_eq!(seen["tool_response"]["stdout"], "{\"command\":\"ls\"}\nadded");
    assert!(seen["duration_ms"].is_u64());
    let kit = Kit::new(|folder| {
        let script = r#"echo '{"content": "replaced", "details": {"a": 1}, "isError": true}'"#;
        vec![file(folder, HookEvent::PostToolUse, "bash.sh", script)]
    });
    let outcome = kit.call("ls").await;
    assert_eq!((text(&outcome).as_str(), outcome.is_error()), ("replaced", true));
    assert_eq!(outcome.result.details, Some(json!({ "a": 1 })));
}

#[tokio::test]
async fn c11_2_a_failed_call_has_hooks_of_its_own() {
    let kit = Kit::new(|_| {
        vec![
            claude(HookEvent::PostToolUse, "", "touch wrong"),
            claude(
                HookEvent::PostToolUseFailure,
                "",
                r#"cat > seen.json; echo '{"hookSpecificOutput":{"additionalContext":"try again"}}'"#,
            ),
        ]
    });
    let fails = Probe::new(shell_spec("bash"), |_, _| async { Err(ToolError::reply("broken")) });
    let outcome = kit.with([fails]).build().call(bash("ls")).await;
    assert_eq!(text(&outcome), "broken\ntry again");
    assert_eq!(
        (kit.json("seen.json")["error"].as_str(), kit.path("wrong").exists()),
        (Some("broken"), false)
    );
}

#[tokio::test]
async fn c11_2_all_matching_hooks_run_identical_ones_once_and_the_strictest_counts() {
    let kit = Kit::new(|_| {
        let count = "echo x >> count.txt";
        let allow = r#"echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'"#;
        vec![
            claude(HookEvent::PreToolUse, "Bash", count),
            claude(HookEvent::PreToolUse, "*", count),
            claude(HookEvent::PreToolUse, "bash", allow),
            claude(HookEvent::PreToolUse, "Ba.*", "echo no >&2; exit 2"),
            claude(HookEvent::PreToolUse, "Read", "touch wrong"),
        ]
    });
    assert_eq!(text(&kit.call("ls").await), "no");
    assert_eq!(kit.read("count.txt"), "x\n");
    assert!(!kit.path("wrong").exists());
}

#[tokio::test]
async fn c11_2_the_condition_of_a_hook_selects_calls() {
    let kit = Kit::new(|_| {
        let mut hook = claude(HookEvent::PreToolUse, "Bash", "echo no >&2; exit 2");
        hook.rule = CallRule::parse("Bash(git push*)");
        vec![hook]
    });
    assert_eq!(text(&kit.call("git status").await), r#"{"command":"git status"}"#);
    assert_eq!(text(&kit.call("cd x && git push --force").await), "no");
}

/// A hook that refuses `rm`, and one beside it that turns `ls` into `rm`.
#[tokio::test]
async fn a_hook_cannot_smuggle_an_input_past_another_hook() {
    let rewrite = r#"echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"rm -rf x"}}}'"#;
    let guard = "grep -q 'rm -rf' && { echo 'no rm' >&2; exit 2; }; exit 0";
    for guard_first in [true, false] {
        let kit = Kit::new(|_| {
            let mut hooks = vec![
                claude(HookEvent::PreToolUse, "Bash", guard),
                claude(HookEvent::PreToolUse, "Bash", rewrite),
            ];
            if !guard_first {
                hooks.reverse();
            }
            hooks
        });
        let outcome = kit.call("ls").await;
        assert_eq!((text(&outcome).as_str(), &outcome.end), ("no rm", &CallEnd::Blocked));
    }
    let kit = Kit::new(|folder| {
        vec![
            file(folder, HookEvent::PreToolUse, "bash.sh", guard),
            claude(HookEvent::PreToolUse, "Bash", rewrite),
        ]
    });
    assert_eq!(text(&kit.call("ls").await), "no rm");
}

#[tokio::test]
async fn a_hook_that_changes_its_own_change_is_asked_once() {
    let kit = Kit::guarding(
        r#"echo x >> count.txt; cmd=$(sed 's/.*"command":"\([^"]*\)".*/\1/'); echo "{\"hookSpecificOutput\":{\"updatedInput\":{\"command\":\"time $cmd\"}}}""#,
    );
    assert_eq!(text(&kit.call("ls").await), r#"{"command":"time ls"}"#);
    assert_eq!(kit.read("count.txt"), "x\n");
}

#[tokio::test]
async fn hooks_that_keep_replacing_each_others_input_block_the_call() {
    let add = |letter: char| {
        format!(
            r#"cmd=$(sed 's/.*"command":"\([^"]*\)".*/\1/'); echo "{{\"hookSpecificOutput\":{{\"updatedInput\":{{\"command\":\"${{cmd}}{letter}\"}}}}}}""#
        )
    };
    let kit =
        Kit::new(|_| ['a', 'b'].map(|letter| claude(HookEvent::PreToolUse, "Bash", &add(letter))).into());
    let outcome = kit.call("ls").await;
    assert_eq!(outcome.end, CallEnd::Blocked);
    assert!(text(&outcome).contains("keep replacing each other's input"), "{}", text(&outcome));
}

/// An extension that turns every command into another one.
struct Rewriter(&'static str);

#[async_trait]
impl Gate for Rewriter {
    fn name(&self) -> &str {
        "an extension"
    }
    async fn before(&self, _call: GatedCall<'_>) -> GateVerdict {
        GateVerdict::Rewrite(json!({ "command": self.0 }))
    }
}

#[tokio::test]
async fn a_denying_hook_sees_the_input_that_a_later_gate_made() {
    let guard = "grep -q 'rm -rf' && { echo 'no rm' >&2; exit 2; }; exit 0";
    let kit = Kit::guarding(guard);
    let outcome = kit.builder().gate(Arc::new(Rewriter("rm -rf x"))).build().call(bash("ls")).await;
    assert_eq!((text(&outcome).as_str(), &outcome.end), ("no rm", &CallEnd::Blocked));
    let outcome = kit.builder().gate(Arc::new(Rewriter("ls -l"))).build().call(bash("ls")).await;
    assert_eq!(text(&outcome), r#"{"command":"ls -l"}"#);
}

#[tokio::test]
async fn a_tool_cannot_avoid_its_hooks_by_another_name() {
    let kit = Kit::new(|_| vec![claude(HookEvent::PreToolUse, "mcp__git-hub__.*", "echo no >&2; exit 2")]);
    let names = McpNames { server: "git-hub".to_owned(), tool: "search issues".to_owned() };
    let tool = Probe::new(shell_spec("mcp__git-hub__search_issues").mcp(names), |call, _| async move {
        Ok(ToolResult::text(call.arguments.to_string()))
    });
    let dispatcher = kit.with([tool, echo("other")]).build();
    for name in ["mcp__git-hub__search_issues", "mcp_git_hub_search_issues"] {
        let outcome = dispatcher.call(CallRequest::new("1", name, json!({ "command": "x" }))).await;
        assert!(outcome.end == CallEnd::UnknownTool || text(&outcome) == "no", "{name}: {}", text(&outcome));
    }
}

#[tokio::test]
async fn parallel_calls_are_each_looked_at() {
    let guard = "grep -q 'rm -rf' && { echo 'no rm' >&2; exit 2; }; exit 0";
    let kit = Kit::guarding(guard);
    let requests = (0..20).map(|n| {
        let command = if n % 2 == 0 { "ls".to_owned() } else { format!("rm -rf {n}") };
        CallRequest::new(n.to_string(), "bash", json!({ "command": command }))
    });
    let outcomes = kit.dispatcher().run_batch(requests.collect()).await;
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.end == CallEnd::Blocked, n % 2 == 1, "{n}: {}", text(outcome));
    }
}

#[tokio::test]
async fn a_hook_that_stops_the_run_blocks_its_call() {
    let kit = Kit::guarding(r#"echo '{"continue": false, "stopReason": "budget spent"}'"#);
    let outcome = kit.call("ls").await;
    assert_eq!(
        (text(&outcome).as_str(), &outcome.end),
        ("Stopped by a hook: budget spent", &CallEnd::Blocked)
    );
    assert_eq!(kit.notices(), ["Stopped by a hook: budget spent"]);
}

#[tokio::test]
async fn a_hook_in_the_background_is_not_waited_for_and_decides_nothing() {
    let kit = Kit::new(|_| {
        let mut hook =
            claude(HookEvent::PreToolUse, "Bash", "cat >/dev/null; read x < gate; touch done; exit 2");
        hook.in_background = true;
        vec![hook]
    });
    // It waits for this pipe, which nobody writes to until the call is over.
    program("mkfifo", kit.path("gate")).await;
    assert_eq!(text(&kit.call("ls").await), r#"{"command":"ls"}"#);
    assert!(!kit.path("done").exists());
}

#[tokio::test]
async fn a_hook_that_changed_since_it_was_confirmed_neither_runs_nor_vanishes() {
    let kit = Kit::new(|_| {
        let mut hook = claude(HookEvent::PreToolUse, "Bash", "touch ran");
        hook.check = Some(Arc::new(|| Err("it changed".to_owned())));
        vec![hook]
    });
    let outcome = kit.call("ls").await;
    assert_eq!(
        (text(&outcome).as_str(), &outcome.end),
        ("Hook touch ran failed: it changed", &CallEnd::Blocked)
    );
    assert!(!kit.path("ran").exists());
}
