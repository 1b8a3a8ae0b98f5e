//! What extensions send: custom messages, user messages, entries, names and labels.

use serde_json::json;
use toolsmith_tool::CancelToken;

use super::place::{call, extended};

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_message_is_added_at_once_or_starts_a_run() {
    let module = r#"export default (pi) => {
      pi.registerCommand("note", { handler: async () => pi.sendMessage({ customType: "n", content: "Noted", display: true, details: { a: 1 } }) });
      pi.registerCommand("start", { handler: async () => pi.sendMessage({ customType: "n", content: "Begin", display: false }, { triggerTurn: true }) });
    };"#;
    let on = extended(&[module], json!(["Begun."])).await;
    on.session.run_command("note", "", CancelToken::new()).await.unwrap();
    assert_eq!(on.model.requests().len(), 0);
    on.session.run_command("start", "", CancelToken::new()).await.unwrap();
    on.session.wait_until_settled().await;
    assert_eq!(on.last_request(), ["Noted", "Begin"]);
    let entries = toolsmith_tool::SessionView::entries(&on.session.log());
    let custom: Vec<_> = entries.iter().filter(|entry| entry["type"] == "custom_message").collect();
    assert_eq!(custom.len(), 2, "{entries:?}");
    assert_eq!((&custom[0]["display"], &custom[0]["details"]), (&json!(true), &json!({ "a": 1 })));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_messages_during_a_run_are_delivered_as_asked() {
    let module = r#"export default (pi) => {
      let sent = false;
      pi.on("tool_result", () => {
        if (sent) return;
        sent = true;
        pi.sendMessage({ customType: "m", content: "steered", display: true }, { deliverAs: "steer" });
        pi.sendMessage({ customType: "m", content: "followed", display: true }, { deliverAs: "followUp" });
        pi.sendMessage({ customType: "m", content: "next", display: true }, { deliverAs: "nextTurn" });
      });
    };"#;
    let on = extended(&[module], json!([call("ls", json!({})), "One.", "Two.", "Three."])).await;
    on.ask("Go").await;
    let requests = on.model.requests();
    let told =
        |at: usize, text: &str| requests[at].messages.iter().any(|message| message.joined_text() == text);
    assert_eq!(requests.len(), 3);
    assert!(told(1, "steered") && !told(1, "followed") && told(2, "followed") && !told(2, "next"));
    on.ask("More").await;
    assert!(on.last_request().contains(&"next".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_user_message_at_the_end_of_a_run_continues_it() {
    let module = r#"export default (pi) => {
      let times = 0;
      pi.on("agent_end", () => { if (times++ < 2) pi.sendUserMessage(`again ${times}`); });
    };"#;
    let on = extended(&[module], json!(["One.", "Two.", "Three."])).await;
    assert_eq!(on.ask("Go").await, "Three.");
    assert_eq!(on.last_request(), ["Go", "One.", "again 1", "Two.", "again 2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_message_from_inside_context_waits_for_the_next_prompt() {
    let module = r#"export default (pi) => {
      pi.on("context", () => pi.sendMessage({ customType: "m", content: "from context", display: false }, { triggerTurn: true }));
    };"#;
    let on = extended(&[module], json!(["One.", "Two."])).await;
    on.ask("Go").await;
    assert_eq!(on.model.requests().len(), 1);
    on.ask("More").await;
    assert_eq!(on.last_request(), ["Go", "One.", "More", "from context"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_names_labels_tools_and_levels() {
    let module = r#"export default (pi) => {
      pi.registerCommand("do", { handler: async (args, ctx) => {
        pi.setSessionName("Named");
        pi.appendEntry("mark", 1);
        pi.setLabel(ctx.sessionManager.getLeafId(), "here");
        pi.setThinkingLevel("low");
        pi.setActiveTools(["read", "nothing"]);
        pi.appendEntry("seen", {
          name: pi.getSessionName(), level: pi.getThinkingLevel(), active: pi.getActiveTools(), all: pi.getAllTools().some((tool) => tool.name === "bash"),
          mode: ctx.mode, trusted: ctx.isProjectTrusted(), usage: typeof ctx.getContextUsage().tokens, prompt: ctx.getSystemPrompt().includes("Toolsmith"),
          model: ctx.model.id, idle: ctx.isIdle(), commands: pi.getCommands().map((command) => command.name), args,
        });
      } });
    };"#;
    let on = extended(&[module], json!(["Done."])).await;
    on.session.run_command("do", "these words", CancelToken::new()).await.unwrap();
    assert_eq!(
        on.entries("seen"),
        [json!({
            "name": "Named", "level": "low", "active": ["read"], "all": true, "mode": "print", "trusted": true, "usage": "number",
            "prompt": true, "model": on.model.model().id, "idle": true, "commands": ["do"], "args": "these words",
        })]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_modules_talk_over_the_bus() {
    let speaks =
        r#"export default (pi) => { pi.on("agent_end", () => pi.events.emit("done", { count: 2 })); };"#;
    let hears = r#"export default (pi) => {
      let told; const heard = new Promise((resolve) => { told = resolve; });
      pi.events.on("done", (data) => told(data));
      pi.on("agent_settled", async () => pi.appendEntry("bus", await heard));
    };"#;
    let on = extended(&[speaks, hears], json!(["Done."])).await;
    on.ask("Go").await;
    assert_eq!(on.entries("bus"), [json!({ "count": 2 })]);
}
