//! Tools of extensions: late ones, replaced built-in tools, and calls of other tools.

use serde_json::json;
use toolsmith::BuiltIns;
use toolsmith_agent::ApprovalMode;

use super::place::{call, extended, extended_with, started};
use crate::place::Place;

const WRAPS_READ: &str = r#"import { createReadTool } from "@earendil-works/pi-coding-agent";
export default (pi) => {
  const read = createReadTool(pi.cwd);
  pi.registerTool({ ...read, execute: async (id, params, signal, onUpdate, ctx) => {
    const result = await read.execute(id, params, signal, onUpdate);
    return { content: [{ type: "text", text: `wrapped: ${result.content[0].text}` }] };
  } });
};"#;

#[tokio::test(flavor = "multi_thread")]
async fn c2_6_an_extension_replaces_a_built_in_tool_and_wraps_the_real_one() {
    let place =
        Place::new(&[("project/.toolsmith/extensions/m.ts", WRAPS_READ), ("project/a.txt", "hello\n")]);
    let turns =
        json!([call("read", json!({ "path": "a.txt" })), call("read", json!({ "path": "none" })), "Done."]);
    // The real tool's approval applies, so reading needs no question.
    let on = started(place, turns, |builder| builder.approval_mode(ApprovalMode::Write)).await;
    on.ask("Go").await;
    let results = on.results();
    assert!(
        !results[0].0 && results[0].1.contains("wrapped: ") && results[0].1.contains("hello"),
        "{results:?}"
    );
    assert!(results[1].0, "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_a_wrapped_write_needs_the_approval_of_the_place_it_lands_in() {
    let module = r#"import { createWriteTool } from "@earendil-works/pi-coding-agent";
      export default (pi) => { const write = createWriteTool(pi.cwd); pi.registerTool({ ...write, execute: (id, params, signal, onUpdate) => write.execute(id, params, signal, onUpdate) }); };"#;
    let write = |path: &str| call("write", json!({ "path": path, "content": "x" }));
    let turns = json!([write("a.txt"), write(".git/hooks/pre-commit"), "Done."]);
    let on = extended_with(&[module], turns, |builder| builder.approval_mode(ApprovalMode::Write)).await;
    on.ask("Go").await;
    let results = on.results();
    assert!(!results[0].0, "{results:?}");
    assert!(results[1].0 && results[1].1.contains("approv"), "{results:?}");
    assert!(!on.place.path("project/.git/hooks/pre-commit").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_a_replaced_built_in_tool_without_an_approval_counts_as_exec() {
    let module = r#"export default (pi) => { pi.registerTool({ name: "read", description: "d", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [{ type: "text", text: "ran" }] }) }); };"#;
    let on = extended_with(&[module], json!([call("read", json!({})), "Done."]), |builder| {
        builder.approval_mode(ApprovalMode::Write)
    })
    .await;
    on.ask("Go").await;
    assert!(on.results()[0].0, "{:?}", on.results());
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_6_a_custom_tool_does_not_replace_a_built_in_one_unless_that_is_off() {
    let tool = r#"export default () => ({ name: "ls", description: "d", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [{ type: "text", text: "mine" }] }) });"#;
    let place = || Place::new(&[("project/.toolsmith/tools/ls.ts", tool)]);
    let on = started(place(), json!(["Done."]), |builder| builder).await;
    assert!(on.session.loaded().errors[0].message.contains("conflicts with existing tool (built-in)"));

    let freed = place();
    freed.write("project/.toolsmith/tools/todo_write.ts", &tool.replace("\"ls\"", "\"todo_write\""));
    freed.write("project/.toolsmith/config.toml", "[todo]\nenabled = false\n");
    let on = started(freed, json!([call("todo_write", json!({})), "Done."]), |builder| builder).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "mine".to_owned())]);

    let none = |builder: toolsmith::SessionBuilder| builder.built_ins(BuiltIns::None);
    let on = started(place(), json!([call("ls", json!({})), "Done."]), none).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "mine".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_tool_can_be_registered_at_any_time() {
    let module = r#"export default (pi) => {
      pi.on("session_start", () => pi.registerTool({
        name: "late", label: "Late", description: "d", promptSnippet: "comes late", promptGuidelines: ["Prefer late."],
        parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        execute: async (id, { n }, signal, onUpdate, ctx) => ({ content: [{ type: "text", text: `late ${n + 1}` }] }),
      }));
    };"#;
    let on = extended(&[module], json!([call("late", json!({ "n": "1" })), "Done."])).await;
    on.ask("Go").await;
    assert_eq!(on.results(), [(false, "late 2".to_owned())]);
    let system = &on.model.requests()[0].system;
    assert!(system.contains("- Prefer late.") && system.contains("- late: comes late"), "{system}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_tool_calls_other_tools_through_the_same_path() {
    let module = r#"export default (pi) => {
      pi.on("tool_call", (event) => event.toolName === "bash" && event.input.command === "no" ? { block: true, reason: "blocked" } : undefined);
      pi.registerTool({ name: "outer", description: "d", parameters: { type: "object", properties: {} }, async execute(id, params, signal, onUpdate, ctx) {
        const good = await ctx.executeTool("bash", { command: "printf nested" });
        const bad = await ctx.executeTool("bash", { command: "no" });
        const direct = await ctx.invokeTool("bash", { command: "printf direct" });
        const unknown = await ctx.executeTool("nothing", {});
        return { content: [{ type: "text", text: [good, bad, direct, unknown].map((one) => `${one.isError}:${one.content[0].text}`).join("|") }] };
      } });
    };"#;
    let on = extended(&[module], json!([call("outer", json!({})), "Done."])).await;
    on.ask("Go").await;
    let (failed, text) = &on.results()[0];
    assert!(
        !failed && text.starts_with("false:nested|true:blocked|false:direct|true:Tool nothing not found"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_an_extension_asks_the_model_by_itself() {
    let module = r#"import { complete } from "@earendil-works/pi-ai";
      export default (pi) => {
        pi.registerCommand("sum", { handler: async (args, ctx) => {
          const answer = await complete(ctx.model, { systemPrompt: "Be short", messages: [{ role: "user", content: [{ type: "text", text: args }], timestamp: 0 }] });
          const other = await ctx.modelRegistry.complete(ctx.model, { messages: [{ role: "user", content: "again", timestamp: 0 }] });
          pi.appendEntry("answers", [answer.content[0].text, other.content[0].text]);
        } });
      };"#;
    let on = extended(&[module], json!(["First.", "Second."])).await;
    on.session.run_command("sum", "Sum up", toolsmith_tool::CancelToken::new()).await.unwrap();
    assert_eq!(on.entries("answers"), [json!(["First.", "Second."])]);
    assert_eq!(on.model.requests()[0].system, "Be short");
    assert!(on.session.log().messages().is_empty());
}
