//! `tool_call` and `tool_result` (CONTRACT 10.2).

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolsmith_agent::{ApprovalMode, ApprovalRequest, Approver, Decision};
use toolsmith_tool::{CancelToken, async_trait};

use super::place::{call, extended, extended_with, started};
use crate::place::Place;

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_handler_blocks_a_call_with_its_reason() {
    let gate = r#"export default (pi) => {
      pi.on("tool_call", (event) => event.toolName === "bash" && event.input.command.includes("rm")
        ? { block: true, reason: "No deleting." } : undefined);
    };"#;
    let turns = json!([
        call("bash", json!({ "command": "rm x" })),
        call("bash", json!({ "command": "printf hi" })),
        "Done."
    ]);
    let on = extended(&[gate], turns).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(true, "No deleting.".to_owned()), (false, "hi".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_handler_without_a_reason_has_a_default_one() {
    let gate = r#"export default (pi) => { pi.on("tool_call", () => ({ block: true })); };"#;
    let on = extended(&[gate], json!([call("ls", json!({})), "Done."])).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(true, "Tool execution was blocked by an extension".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_replaced_input_is_what_runs_in_both_forms() {
    // One changes the event in place, one returns the input; each sees what the one before it made.
    let first =
        r#"export default (pi) => { pi.on("tool_call", (event) => { event.input.command += " one"; }); };"#;
    let second = r#"export default (pi) => {
      pi.on("tool_call", (event) => ({ input: { command: `${event.input.command} two` } }));
    };"#;
    let on =
        extended(&[first, second], json!([call("bash", json!({ "command": "printf %s%s" })), "Done."])).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "onetwo".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_replaced_input_is_validated_again() {
    let gate =
        r#"export default (pi) => { pi.on("tool_call", () => ({ input: { command: { not: "text" } } })); };"#;
    let on = extended(&[gate], json!([call("bash", json!({ "command": "printf hi" })), "Done."])).await;
    on.ask("Go").await;
    let [(true, text)] = &on.results()[..] else { panic!("{:?}", on.results()) };
    assert!(text.contains("command"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_handler_that_throws_or_answers_nonsense_blocks() {
    for (body, expected) in [
        ("throw new Error('broken');", "failed: broken"),
        ("return 'yes';", "returned a string; expected an object or nothing"),
        ("return [1];", "returned an array; expected an object or nothing"),
        ("event.input = undefined;", "not a JSON value"),
        ("return Promise.reject(null);", "failed: null"),
    ] {
        let gate = format!("export default (pi) => {{ pi.on('tool_call', (event) => {{ {body} }}); }};");
        let on = extended(&[&gate], json!([call("ls", json!({})), "Done."])).await;
        on.ask("Go").await;
        let [(true, text)] = &on.results()[..] else { panic!("{body}: {:?}", on.results()) };
        assert!(text.contains(expected), "{body}: {text}");
        assert!(text.starts_with("Extension ") && text.contains("m0.ts"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_handler_that_never_settles_or_loops_blocks_that_call_only() {
    for body in ["await new Promise(() => {});", "for (;;) {}"] {
        let gate = format!(
            "export default (pi) => {{ pi.on('tool_call', async (event) => {{ if (event.input.path === 'stuck') {{ {body} }} }}); }};"
        );
        let place = Place::new(&[
            ("project/.toolsmith/extensions/gate.ts", gate.as_str()),
            ("project/.toolsmith/config.toml", "[extensions]\ntimeout = \"300ms\"\n"),
        ]);
        let turns = json!([call("ls", json!({ "path": "stuck" })), call("ls", json!({})), "Done."]);
        let on = started(place, turns, |builder| builder).await;
        on.ask("Go").await;
        let results = on.results();
        assert!(results[0].0 && results[0].1.contains("timed out after 300ms"), "{results:?}");
        assert!(!results[1].0, "{results:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_results_are_rewritten_in_a_chain() {
    let first = r#"export default (pi) => {
      pi.on("tool_result", (event) => ({ content: [{ type: "text", text: `${event.content[0].text}+1` }], details: { by: 1 } }));
    };"#;
    let second = r#"export default (pi) => {
      pi.on("tool_result", (event) => ({ content: [{ type: "text", text: `${event.content[0].text}+${event.details.by + 1}` }], isError: true }));
    };"#;
    let on =
        extended(&[first, second], json!([call("bash", json!({ "command": "printf a" })), "Done."])).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(true, "a+1+2".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_result_handler_that_fails_leaves_the_result() {
    for body in ["throw new Error('x')", "return { content: 7 }", "return { content: [{ type: 'video' }] }"] {
        let module = format!("export default (pi) => {{ pi.on('tool_result', () => {{ {body}; }}); }};");
        let mut on =
            extended(&[&module], json!([call("bash", json!({ "command": "printf a" })), "Done."])).await;
        on.ask("Go").await;
        assert_eq!(on.results(), [(false, "a".to_owned())], "{body}");
        assert!(on.notices().iter().any(|notice| notice.contains("tool_result handler failed")), "{body}");
    }
}

/// Notes what it is asked about, and agrees.
#[derive(Default)]
struct Agrees(Mutex<Vec<String>>);

#[async_trait]
impl Approver for Agrees {
    async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.0.lock().unwrap().push(request.arguments.to_string());
        Decision::Allow
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_8_approval_asks_about_the_replaced_input() {
    let gate = r#"export default (pi) => { pi.on("tool_call", (event) => { event.input.command = "printf replaced"; }); };"#;
    let approver = Arc::new(Agrees::default());
    let given = Arc::clone(&approver);
    let turns = json!([call("bash", json!({ "command": "printf original" })), "Done."]);
    let on = extended_with(&[gate], turns, |builder| {
        builder.approval_mode(ApprovalMode::AlwaysAsk).approver(given)
    })
    .await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "replaced".to_owned())]);
    let asked = approver.0.lock().unwrap().clone();
    assert!(asked.len() == 1 && asked[0].contains("printf replaced"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_2_a_suspended_guard_stays_closed() {
    let gate = r#"export default (pi) => { pi.on("tool_call", () => { throw new Error("always"); }); };"#;
    let listing = || call("ls", json!({}));
    let turns = json!([listing(), listing(), listing(), listing(), "Done."]);
    let mut on = extended(&[gate], turns).await;
    on.ask("Go").await;
    let results = on.results();
    assert!(results.iter().all(|(failed, _)| *failed), "{results:?}");
    assert!(results[3].1.contains("suspended after 3 failures"), "{results:?}");
    let notices = on.notices();
    assert!(notices.iter().any(|notice| notice.contains("all tool calls are blocked")), "{notices:?}");
}
