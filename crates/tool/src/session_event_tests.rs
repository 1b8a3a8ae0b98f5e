//! CONTRACT 7.1: the eleven reasons and their payloads, as authors read them.

use serde_json::json;

use super::*;

#[test]
fn c7_1_every_reason_carries_its_documented_payload() {
    let previous_session_file = Some(PathBuf::from("old.jsonl"));
    let cases = [
        (SessionEvent::Start, json!({ "reason": "start" })),
        (
            SessionEvent::Switch { previous_session_file: previous_session_file.clone() },
            json!({ "reason": "switch", "previousSessionFile": "old.jsonl" }),
        ),
        (
            SessionEvent::Branch { previous_session_file },
            json!({ "reason": "branch", "previousSessionFile": "old.jsonl" }),
        ),
        (SessionEvent::Tree, json!({ "reason": "tree" })),
        (SessionEvent::Shutdown, json!({ "reason": "shutdown" })),
        (
            SessionEvent::AutoCompactionStart {
                trigger: CompactionTrigger::Overflow,
                action: CompactionAction::ContextFull,
            },
            json!({ "reason": "auto_compaction_start", "trigger": "overflow", "action": "context-full" }),
        ),
        (
            SessionEvent::AutoCompactionEnd(CompactionEnd {
                action: CompactionAction::Handoff,
                result: Some(json!({ "summary": "s" })),
                aborted: false,
                will_retry: true,
                error_message: None,
            }),
            json!({
                "reason": "auto_compaction_end", "action": "handoff", "result": { "summary": "s" },
                "aborted": false, "willRetry": true,
            }),
        ),
        (
            SessionEvent::AutoRetryStart(RetryStart {
                attempt: 1,
                max_attempts: 3,
                delay_ms: 2000,
                error_message: "overloaded".into(),
            }),
            json!({
                "reason": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 2000,
                "errorMessage": "overloaded",
            }),
        ),
        (
            SessionEvent::AutoRetryEnd(RetryEnd {
                success: false,
                attempt: 3,
                final_error: Some("Retry cancelled".into()),
            }),
            json!({ "reason": "auto_retry_end", "success": false, "attempt": 3, "finalError": "Retry cancelled" }),
        ),
        (
            SessionEvent::TtsrTriggered { rules: vec![json!({ "name": "no-any" })] },
            json!({ "reason": "ttsr_triggered", "rules": [{ "name": "no-any" }] }),
        ),
        (
            SessionEvent::TodoReminder(TodoReminder { todos: vec![json!("x")], attempt: 1, max_attempts: 3 }),
            json!({ "reason": "todo_reminder", "todos": ["x"], "attempt": 1, "maxAttempts": 3 }),
        ),
    ];
    for (event, expected) in cases {
        assert_eq!(event.to_json(), expected);
    }
}

#[test]
fn an_absent_previous_file_reads_as_undefined() {
    assert_eq!(
        SessionEvent::Switch { previous_session_file: None }.to_json(),
        serde_json::json!({ "reason": "switch" })
    );
}
