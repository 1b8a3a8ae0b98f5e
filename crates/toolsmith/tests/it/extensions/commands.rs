//! Commands, completions, shortcuts, flags and renderers.

use serde_json::json;
use toolsmith::{CommandError, CommandOutcome};
use toolsmith_tool::{CancelToken, RenderOptions, RendererKind};

use super::place::{extended, extended_with};

const DEPLOY: &str = r#"export default (pi) => {
  pi.registerCommand("deploy", {
    description: "Deploys",
    getArgumentCompletions: (prefix) => ["staging", "production"].filter((name) => name.startsWith(prefix)).map((value) => ({ value, label: value, description: "env" })),
    handler: async (args, ctx) => pi.appendEntry("deployed", [args, ctx.hasUI]),
  });
  pi.registerCommand("ask", { handler: async () => "What is new?" });
  pi.registerCommand("fails", { handler: async () => { throw new Error("no"); } });
  pi.registerShortcut("Shift+Ctrl+P", { description: "s", handler: async () => pi.appendEntry("key", true) });
  pi.registerShortcut("ctrl+c", { handler() {} });
  pi.registerCommand("quit", { handler() {} });
  pi.registerFlag("plan", { type: "boolean", default: false, description: "p" });
  pi.registerFlag("preset", { type: "string" });
  pi.on("session_start", () => pi.appendEntry("flags", [pi.getFlag("plan"), pi.getFlag("--preset") ?? null, pi.getFlag("unknown") ?? null]));
  pi.registerMessageRenderer("card", (message, options, theme) => ({ render: (width) => [`[${message.content}] ${width} ${options.expanded}`] }));
  pi.registerEntryRenderer("row", () => { throw new Error("broken"); });
};"#;

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_commands_are_listed_completed_and_run() {
    let on = extended(&[DEPLOY], json!(["Done."])).await;
    let names: Vec<String> = on.session.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["deploy", "ask", "fails"]);
    assert_eq!(
        on.session.find_command("/deploy  to prod "),
        Some(("deploy".to_owned(), "to prod".to_owned()))
    );
    assert_eq!(on.session.find_command("/nothing"), None);
    assert_eq!(on.session.find_command("deploy"), None);
    let completions = on.session.complete_command("deploy", "st").await;
    assert_eq!(completions.iter().map(|one| one.value.as_str()).collect::<Vec<_>>(), ["staging"]);
    let outcome = on.session.run_command("deploy", "prod", CancelToken::new()).await.unwrap();
    assert_eq!((outcome, on.entries("deployed")), (CommandOutcome::Done, vec![json!(["prod", false])]));
    let outcome = on.session.run_command("ask", "", CancelToken::new()).await.unwrap();
    assert_eq!(outcome, CommandOutcome::Prompt("What is new?".into()));
    let error = on.session.run_command("fails", "", CancelToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "the command \"/fails\" failed: no");
    let error = on.session.run_command("deplyo", "", CancelToken::new()).await.unwrap_err();
    assert!(matches!(error, CommandError::Unknown { .. }));
    assert_eq!(error.to_string(), "unknown command \"/deplyo\"; did you mean /deploy?");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_reserved_names_and_keys_are_refused_with_a_reason() {
    let again = "export default (pi) => { pi.registerCommand('deploy', { handler() {} }); };";
    let on = extended(&[DEPLOY, again], json!(["Done."])).await;
    let refused = on.session.refused_registrations().join("\n");
    for part in
        ["\"/quit\" is reserved", "\"ctrl+c\" is reserved", "another extension has the command \"/deploy\""]
    {
        assert!(refused.contains(part), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_shortcuts_run_by_their_key_in_any_spelling() {
    let on = extended(&[DEPLOY], json!(["Done."])).await;
    let keys: Vec<String> = on.session.shortcuts().into_iter().map(|shortcut| shortcut.key).collect();
    assert_eq!(keys, ["ctrl+shift+p"]);
    on.session.run_shortcut("ctrl+shift+p", CancelToken::new()).await.unwrap();
    assert_eq!(on.entries("key"), [json!(true)]);
    assert!(on.session.run_shortcut("f1", CancelToken::new()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_flags_have_values_from_the_command_line_and_defaults() {
    let on = extended(&[DEPLOY], json!(["Done."])).await;
    assert_eq!(on.entries("flags"), [json!([false, null, null])]);
    let flags =
        |builder: toolsmith::SessionBuilder| builder.flag("plan", json!(true)).flag("preset", json!("fast"));
    let on = extended_with(&[DEPLOY], json!(["Done."]), flags).await;
    assert_eq!(on.entries("flags"), [json!([true, "fast", null])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c6_2_renderers_draw_messages_and_entries_or_leave_the_default() {
    let on = extended(&[DEPLOY], json!(["Done."])).await;
    let options = RenderOptions::new(40).expanded(true);
    let value = json!({ "content": "hello" });
    let drawn = on.session.render_custom(RendererKind::Message, "card", &value, &options).await.unwrap();
    assert_eq!(drawn.lines, ["[hello] 40 true"]);
    assert_eq!(on.session.render_custom(RendererKind::Entry, "row", &value, &options).await, None);
    assert_eq!(on.session.render_custom(RendererKind::Message, "other", &value, &options).await, None);
}
