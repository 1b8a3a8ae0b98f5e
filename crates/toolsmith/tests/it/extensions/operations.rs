//! Session operations: events before and after them, compaction, reload, end.

use std::time::Instant;

use serde_json::{Value, json};
use toolsmith::{AbandonedBranch, OperationError, SessionSource};
use toolsmith_tool::CancelToken;

use super::place::{extended, extended_with};

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_switch_can_be_cancelled() {
    let module = r#"export default (pi) => {
      pi.on("session_before_switch", (event) => ({ cancel: event.reason === "new" }));
      pi.on("session_before_fork", () => ({ cancel: true }));
      pi.on("session_before_tree", () => ({ cancel: true }));
    };"#;
    let on = extended(&[module], json!(["One."])).await;
    on.ask("Go").await;
    let id = on.session.log().id();
    assert!(matches!(on.session.new_session().await, Err(OperationError::Cancelled)));
    assert!(matches!(on.session.fork().await, Err(OperationError::Cancelled)));
    assert!(matches!(on.session.go_to(None, AbandonedBranch::Drop).await, Err(OperationError::Cancelled)));
    assert_eq!(on.session.log().id(), id);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_switch_is_told_in_the_form_the_module_knows() {
    let newer = r#"export default (pi) => {
      pi.on("session_shutdown", (event) => { globalThis.ended = event.reason; });
      pi.on("session_start", (event) => pi.appendEntry("newer", [globalThis.ended ?? null, event.reason]));
    };"#;
    let older = r#"export default (pi) => {
      pi.on("session_start", (event) => pi.appendEntry("older", "start"));
      pi.on("session_switch", (event) => pi.appendEntry("older", event.reason));
      pi.on("session_fork", () => pi.appendEntry("older", "fork"));
    };"#;
    let on = extended(&[newer, older], json!(["One."])).await;
    on.session.new_session().await.unwrap();
    assert_eq!(on.entries("newer"), [json!(["new", "new"])]);
    assert_eq!(on.entries("older"), [json!("new")]);
    on.session.fork().await.unwrap();
    assert_eq!(on.entries("older").last(), Some(&json!("fork")));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_an_extension_summarises_an_abandoned_branch() {
    let module = r#"export default (pi) => {
      pi.on("session_before_tree", (event) => ({ summary: { summary: `left ${event.preparation.entriesToSummarize.length}` } }));
      pi.on("session_tree", (event) => pi.appendEntry("moved", [event.fromExtension, event.summaryEntry.summary]));
    };"#;
    let on = extended(&[module], json!(["One."])).await;
    on.ask("Go").await;
    on.session.go_to(None, AbandonedBranch::Drop).await.unwrap();
    assert_eq!(on.entries("moved"), [json!([true, "left 2"])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_compaction_is_replaced_or_cancelled() {
    let module = r#"export default (pi) => {
      let cancel = true;
      pi.on("session_before_compact", (event) => cancel ? ((cancel = false), { cancel: true })
        : { compaction: { summary: `Summary of ${event.preparation.messagesToSummarize.length}: ${event.customInstructions}`, firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore } });
      pi.on("session_compact", (event) => pi.appendEntry("compacted", [event.fromExtension, event.reason, event.compactionEntry.summary]));
      pi.on("session_compact_failed", (event) => pi.appendEntry("failed", event.aborted));
    };"#;
    let long = "word ".repeat(2000);
    let on = extended(&[module], json!([long, long, long, "Four.", "After."])).await;
    for prompt in ["one", "two", "three", "four"] {
        on.ask(prompt).await;
    }
    assert_eq!(on.session.compact(None).await.unwrap_err().to_string(), "Compaction cancelled");
    let compacted = on.session.compact(Some("the goal")).await.unwrap();
    assert!(compacted.summary.starts_with("Summary of ") && compacted.summary.ends_with(": the goal"));
    assert_eq!(on.entries("failed"), [json!(true)]);
    assert_eq!(on.entries("compacted"), [json!([true, "manual", compacted.summary])]);
    on.ask("five").await;
    assert!(on.last_request()[0].contains(&compacted.summary));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_commands_control_the_session() {
    let module = r#"export default (pi) => {
      pi.registerCommand("fresh", { handler: async (args, ctx) => {
        await ctx.waitForIdle();
        const outcome = await ctx.newSession({ withSession: async (inner) => inner.sendUserMessage("From the new session") });
        pi.appendEntry("outcome", outcome.cancelled);
      } });
    };"#;
    let on = extended_with(&[module], json!(["One.", "Two."]), |builder| builder.session(SessionSource::New))
        .await;
    on.ask("Go").await;
    let before = on.session.log().id();
    on.session.run_command("fresh", "", CancelToken::new()).await.unwrap();
    on.session.wait_until_settled().await;
    assert_ne!(on.session.log().id(), before);
    assert_eq!(on.entries("outcome"), [json!(false)]);
    assert_eq!(on.last_request(), ["From the new session"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_reload_runs_the_factory_again_from_the_file() {
    let first = r#"export default (pi) => {
      pi.registerCommand("one", { handler: async (args, ctx) => ctx.reload() });
      pi.registerTool({ name: "mine", description: "d", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) });
    };"#;
    let on = extended(&[first], json!(["One."])).await;
    on.place.write(
        "project/.toolsmith/extensions/m0.ts",
        r#"export default (pi) => {
      pi.registerCommand("two", { handler() {} });
      pi.on("session_start", (event) => pi.appendEntry("start", event.reason));
    };"#,
    );
    on.session.run_command("one", "", CancelToken::new()).await.unwrap();
    let names: Vec<String> = on.session.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["two"]);
    assert_eq!(on.entries("start"), [json!("reload")]);
    assert!(!on.session.tools().iter().any(|tool| tool.name == "mine"));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_the_end_of_a_session_does_not_wait_for_a_stuck_module() {
    let stuck = "export default (pi) => { pi.on('session_shutdown', () => new Promise(() => {})); };";
    let good = r#"import { writeFileSync } from "node:fs";
      export default (pi) => { pi.on("session_shutdown", (event, ctx) => writeFileSync(`${ctx.cwd}/ended`, event.reason)); };"#;
    let on = extended(&[stuck, good], json!(["One."])).await;
    let start = Instant::now();
    on.session.dispose().await;
    // Not a measurement: without a limit it would never end.
    assert!(start.elapsed().as_secs() < 60);
    assert_eq!(std::fs::read_to_string(on.place.path("project/ended")).unwrap(), "quit");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_shell_command_of_the_user_can_run_elsewhere() {
    let module = r#"export default (pi) => {
      pi.on("user_bash", (event) => event.command.startsWith("remote ") ? { operations: { exec: async (command, cwd, { onData }) => { onData(Buffer.from(`ran ${command}`)); return { exitCode: 3 }; } } } : undefined);
    };"#;
    let on = extended(&[module], json!(["Done."])).await;
    let result = on.session.user_bash("remote ls", true, CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(
        (result.output.as_str(), result.exit_code, result.from_extension),
        ("ran remote ls", Some(3), true)
    );
    let result = on.session.user_bash("echo here", false, CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!((result.output.as_str(), result.from_extension), ("here\n", false));
    on.ask("Go").await;
    assert!(on.last_request()[0].contains("The user ran `echo here`"));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_resources_are_collected() {
    let module = r#"export default (pi) => { pi.on("resources_discover", (event) => ({ skillPaths: ["skills"], themePaths: ["/themes/x.json"] })); };"#;
    let on = extended(&[module], json!(["Done."])).await;
    let found = on.session.extension_resources();
    assert_eq!(found.skills, [on.place.path("project/skills")]);
    assert_eq!(found.themes, [std::path::PathBuf::from("/themes/x.json")]);
    let _: Value = json!(null);
}
