//! Answers of hooks, in both formats.

use serde_json::json;

use super::*;
use crate::hooks::Handler;

fn hook(event: HookEvent) -> Hook {
    let mut hook = Hook::new(event, Handler::Shell { command: "guard".to_owned() }, "settings.json");
    hook.dialect = Dialect::Claude;
    hook
}

fn file(event: HookEvent) -> Hook {
    Hook::new(event, Handler::File { path: "pre/bash".into(), interpreter: Vec::new() }, "pre/bash")
}

fn ran(code: i32, stdout: &str, stderr: &str) -> Ran {
    Ran { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
}

fn read(event: HookEvent, stdout: &Value) -> Result<Answer, String> {
    Answer::read(&hook(event), event, &ran(0, &stdout.to_string(), ""))
}

#[test]
fn c11_1_exit_code_2_blocks_with_standard_error_as_the_reason() {
    use HookEvent::{PostToolUse, PreCompact, PreToolUse, SessionStart, Stop, UserPromptSubmit};
    let blocked = |event| Answer::read(&hook(event), event, &ran(2, "{broken", "no\n")).unwrap();
    let answer = blocked(PreToolUse);
    assert_eq!((answer.permission, answer.reason.as_deref()), (Some(Permission::Deny), Some("no")));
    for event in [UserPromptSubmit, Stop, PreCompact, PostToolUse] {
        assert_eq!(blocked(event).block.as_deref(), Some("no"), "{event:?}");
    }
    assert_eq!(blocked(SessionStart).messages, ["no"]);
    let answer = Answer::read(&file(PostToolUse), PostToolUse, &ran(2, "", "bad")).unwrap();
    assert_eq!((answer.is_error, answer.content), (Some(true), Some(vec![ContentBlock::text("bad")])));
    let mut codex = hook(PreToolUse);
    codex.dialect = Dialect::Codex;
    assert!(Answer::read(&codex, PreToolUse, &ran(2, "", " ")).is_err());
    assert!(Answer::read(&hook(PreToolUse), PreToolUse, &ran(2, "", "")).unwrap().reason.is_some());
}

#[test]
fn c11_1_other_exit_codes_and_unreadable_answers_are_failures() {
    let event = HookEvent::PreToolUse;
    let failed =
        |code, stdout: &str| Answer::read(&hook(event), event, &ran(code, stdout, "oops")).unwrap_err();
    assert_eq!(failed(1, ""), "exit code 1: oops");
    assert_eq!(failed(127, "{}"), "exit code 127: oops");
    for stdout in
        ["{\"hookSpecificOutput\": {\"permissionDec", "{]", r#"{"continue": "no"}"#, r#"{"decision": 1}"#]
    {
        assert!(Answer::read(&hook(event), event, &ran(0, stdout, "")).is_err(), "{stdout}");
    }
    for specific in [json!(7), json!({ "permissionDecision": "denied" }), json!({ "updatedInput": "rm" })] {
        assert!(read(event, &json!({ "hookSpecificOutput": specific })).is_err(), "{specific}");
    }
    for own in [r#"{"block": "yes"}"#, r#"{"approval": "perhaps"}"#, r#"{"input": []}"#] {
        assert!(Answer::read(&file(event), event, &ran(0, own, "")).is_err(), "{own}");
    }
}

#[test]
fn c11_2_the_json_of_claude_code_is_understood() {
    let event = HookEvent::PreToolUse;
    let answer = read(
        event,
        &json!({
            "systemMessage": "hello", "suppressOutput": true,
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "why",
                "updatedInput": { "command": "ls" }, "additionalContext": "note",
            },
        }),
    )
    .unwrap();
    assert_eq!((answer.permission, answer.reason.as_deref()), (Some(Permission::Ask), Some("why")));
    assert_eq!((answer.input, answer.context), (Some(json!({ "command": "ls" })), vec!["note".to_owned()]));
    assert_eq!(answer.messages, ["hello"]);
    let old = read(event, &json!({ "decision": "block", "reason": "old" })).unwrap();
    assert_eq!((old.permission, old.reason.as_deref()), (Some(Permission::Deny), Some("old")));
    assert_eq!(read(event, &json!({ "decision": "approve" })).unwrap().permission, Some(Permission::Allow));
    assert_eq!(
        read(event, &json!({ "continue": false, "stopReason": "x" })).unwrap().stop.as_deref(),
        Some("x")
    );
    let post = HookEvent::PostToolUse;
    let answer = read(post, &json!({ "decision": "block", "reason": "lint" })).unwrap();
    assert_eq!(answer.block.as_deref(), Some("lint"));
    let answer =
        read(post, &json!({ "hookSpecificOutput": { "updatedToolOutput": { "stdout": "x" } } })).unwrap();
    assert_eq!(answer.output, Some(json!({ "stdout": "x" })));
    let request = HookEvent::PermissionRequest;
    let decide =
        |decision: Value| read(request, &json!({ "hookSpecificOutput": { "decision": decision } })).unwrap();
    assert_eq!(decide(json!({ "behavior": "allow" })).permission, Some(Permission::Allow));
    let denied = decide(json!({ "behavior": "deny", "message": "m", "interrupt": true }));
    assert_eq!((denied.permission, denied.stop.as_deref()), (Some(Permission::Deny), Some("m")));
    let changed = decide(json!({ "behavior": "allow", "updatedInput": {} }));
    assert!(changed.permission.is_none() && changed.warnings.len() == 1);
}

#[test]
fn c11_2_plain_text_is_context_only_where_claude_code_says_so() {
    let text = |event| Answer::read(&hook(event), event, &ran(0, " hello \n", "")).unwrap().context;
    assert_eq!(text(HookEvent::UserPromptSubmit), ["hello"]);
    assert_eq!(text(HookEvent::SessionStart), ["hello"]);
    assert!(text(HookEvent::PreToolUse).is_empty() && text(HookEvent::Stop).is_empty());
    let post = HookEvent::PostToolUse;
    assert_eq!(Answer::read(&file(post), post, &ran(0, "hello", "")).unwrap().context, ["hello"]);
}

#[test]
fn c11_1_file_hooks_understand_both_formats() {
    let event = HookEvent::PreToolUse;
    let own = |text: &str| Answer::read(&file(event), event, &ran(0, text, "")).unwrap();
    assert_eq!(own(r#"{"block": true, "reason": "r"}"#).reason.as_deref(), Some("r"));
    assert_eq!(own(r#"{"approval": "ask"}"#).permission, Some(Permission::Ask));
    assert_eq!(own(r#"{"input": {"a": 1}, "context": "c"}"#).input, Some(json!({ "a": 1 })));
    let theirs =
        own(r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "d"}}"#);
    assert_eq!((theirs.permission, theirs.reason.as_deref()), (Some(Permission::Deny), Some("d")));
    let post = HookEvent::PostToolUse;
    let answer =
        Answer::read(&file(post), post, &ran(0, r#"{"content": "new", "isError": true}"#, "")).unwrap();
    assert_eq!((answer.content, answer.is_error), (Some(vec![ContentBlock::text("new")]), Some(true)));
}

#[test]
fn c11_2_the_strictest_of_several_answers_counts() {
    let event = HookEvent::PreToolUse;
    let answer = |word: &str, reason: &str| {
        read(event, &json!({ "hookSpecificOutput": { "permissionDecision": word, "permissionDecisionReason": reason } })).unwrap()
    };
    let merge = |words: &[&str]| {
        let mut merged = Answer::default();
        for word in words {
            merged.merge(answer(word, word));
        }
        (merged.permission.unwrap(), merged.reason.unwrap())
    };
    assert_eq!(merge(&["allow", "deny", "ask"]), (Permission::Deny, "deny".to_owned()));
    assert_eq!(merge(&["ask", "allow"]), (Permission::Ask, "ask".to_owned()));
    assert_eq!(merge(&["ask", "defer"]).0, Permission::Defer);
    let mut merged = answer("deny", "a");
    merged.merge(answer("deny", "b"));
    assert_eq!(merged.reason.as_deref(), Some("a\nb"));
}

#[test]
fn long_texts_for_the_model_are_cut() {
    let event = HookEvent::UserPromptSubmit;
    let answer = Answer::read(&hook(event), event, &ran(0, &"ä".repeat(20_000), "")).unwrap();
    assert!(answer.context[0].ends_with("[20000 bytes of the hook's output left out]"));
}
