//! Providers of extensions (`registerProvider`): those that answer requests themselves with `streamSimple`, and the others.

use serde_json::json;
use toolsmith::{CommandOutcome, SessionBuilder};
use toolsmith_agent::{AgentEvent, RunEnd};
use toolsmith_testkit::{ModelServer, Reply};
use toolsmith_tool::{CancelToken, SessionEvent};

use super::place::{Extended, extended_with};

/// A provider in the way compatible agents document it. `{{BODY}}` writes the answer.
const MODULE: &str = r#"
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";

const answer = (model, context, options) => {
  const stream = createAssistantMessageEventStream();
  (async () => {
    const output = {
      role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, stopReason: "stop",
      usage: { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, totalTokens: 10, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
      timestamp: Date.now(),
    };
    const say = (text) => {
      const contentIndex = output.content.push({ type: "text", text: "" }) - 1;
      stream.push({ type: "text_start", contentIndex, partial: output });
      for (const delta of text.match(/.{1,4}/gsu) ?? []) {
        output.content[contentIndex].text += delta;
        stream.push({ type: "text_delta", contentIndex, delta, partial: output });
      }
      stream.push({ type: "text_end", contentIndex, content: text, partial: output });
    };
    const call = (id, name, args) => {
      const toolCall = { type: "toolCall", id, name, arguments: args };
      const contentIndex = output.content.push(toolCall) - 1;
      stream.push({ type: "toolcall_start", contentIndex, partial: output });
      stream.push({ type: "toolcall_delta", contentIndex, delta: JSON.stringify(args), partial: output });
      stream.push({ type: "toolcall_end", contentIndex, toolCall, partial: output });
      output.stopReason = "toolUse";
    };
    try {
      stream.push({ type: "start", partial: output });
      {{BODY}}
      stream.push({ type: "done", reason: output.stopReason, message: output });
    } catch (error) {
      output.stopReason = "error";
      output.errorMessage = error.message;
      stream.push({ type: "error", reason: "error", error: output });
    }
    stream.end();
  })();
  return stream;
};

export default (pi) => {
  pi.registerProvider("own", {
    baseUrl: "https://own.example", apiKey: "a-key", api: "own-api", streamSimple: answer,
    models: [{ id: "m1", name: "M1", reasoning: false, input: ["text"], contextWindow: 5000, maxTokens: 100,
      cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } }],
  });
};
"#;

fn own(builder: SessionBuilder) -> SessionBuilder {
    builder.model("own/m1")
}

async fn answering(body: &str) -> Extended {
    extended_with(&[&MODULE.replace("{{BODY}}", body)], json!(["unused"]), own).await
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_provider_of_an_extension_answers_and_calls_tools() {
    let mut on = answering(
        r#"
        const last = context.messages.at(-1);
        if (last.role === "user") call("c1", "ls", {});
        else say(`${model.id} ${model.maxTokens} ${options.apiKey} ${last.role} ${last.toolName} ${context.tools.some((tool) => tool.name === "ls")} ${typeof context.systemPrompt}`);
        "#,
    )
    .await;
    assert_eq!(on.ask("Go").await, "m1 100 a-key toolResult ls true string");
    assert_eq!(on.results().len(), 1);
    let mut deltas = 0;
    while let Some(event) = on.events.try_next() {
        deltas += usize::from(matches!(event.as_ref(), AgentEvent::MessageUpdate { .. }));
    }
    assert!(deltas > 5, "the text arrives in pieces: {deltas}");
    let entries = toolsmith_tool::SessionView::entries(&on.session.log());
    let last = entries.iter().rev().find(|entry| entry["message"]["role"] == "assistant").unwrap();
    assert_eq!(last["message"]["usage"]["input"], 7);
    assert_eq!(last["message"]["provider"], "own");
    assert!(on.notices().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_an_answer_that_was_not_streamed_is_read_from_its_end() {
    let on = answering(r#"output.content.push({ type: "text", text: "All at once." });"#).await;
    assert_eq!(on.ask("Go").await, "All at once.");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_an_error_of_the_provider_ends_the_run_with_its_text() {
    let on = answering(r#"throw new Error("credit balance is too low");"#).await;
    on.session.prompt("Go").unwrap();
    let end = on.session.wait_until_settled().await.unwrap();
    assert!(format!("{:?}", end.end).contains("credit balance is too low"), "{:?}", end.end);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_a_function_that_throws_or_returns_nothing_fails_the_request() {
    for broken in ["() => { throw new Error('not today'); }", "() => undefined"] {
        let module = format!(
            r#"export default (pi) => pi.registerProvider("own", {{ api: "x", streamSimple: {broken}, models: [{{ id: "m1" }}] }});"#
        );
        let on = extended_with(&[&module], json!(["unused"]), own).await;
        on.session.prompt("Go").unwrap();
        let end = on.session.wait_until_settled().await.unwrap();
        let said = format!("{:?}", end.end);
        assert!(said.contains("not today") || said.contains("no stream of events"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_a_provider_that_loops_is_stopped_with_the_run() {
    let on = answering("for (;;) {}").await;
    on.session.prompt("Go").unwrap();
    on.session.abort("enough");
    let end = on.session.wait_until_settled().await.unwrap();
    assert!(!end.end.is_completed(), "{:?}", end.end);
}

/// A provider that sends events without end and without a pause, and a command that tells how many.
const FLOOD: &str = r#"
let count = 0;
export default (pi) => {
  pi.registerProvider("own", {
    api: "own-api", models: [{ id: "m1" }],
    streamSimple: async function* () {
      const partial = { role: "assistant", content: [] };
      for (;;) yield { type: "text_delta", contentIndex: 0, delta: "", partial, number: count++ };
    },
  });
  pi.registerCommand("count", { description: "d", handler: async () => `${count}` });
};
"#;

async fn sent(on: &Extended) -> u64 {
    match on.session.run_command("count", "", CancelToken::new()).await.unwrap() {
        CommandOutcome::Prompt(prompt) => prompt.content[0].as_text().unwrap().parse().unwrap(),
        outcome => panic!("{outcome:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_a_provider_that_floods_events_can_be_used_and_stopped() {
    let mut on = extended_with(&[FLOOD], json!(["unused"]), own).await;
    on.session.prompt("Go").unwrap();
    while !matches!(on.events.next().await.unwrap().as_ref(), AgentEvent::MessageUpdate { .. }) {}
    // The engine answers others although events flow.
    assert!(sent(&on).await > 0);
    on.session.abort("enough");
    let end = on.session.wait_until_settled().await.unwrap();
    assert!(matches!(end.end, RunEnd::Aborted { .. }), "{:?}", end.end);
    // It was interrupted, and its module is still loaded: nothing had to be forced.
    let mut before = sent(&on).await;
    while sent(&on).await != before {
        before = sent(&on).await;
    }
    assert!(before > 0);
    assert!(on.notices().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_an_endless_answer_ends_at_the_limit_of_an_answer() {
    let mut on = answering(
        r#"
        const [delta, contentIndex] = ["x".repeat(1 << 20), 0];
        output.content.push({ type: "text", text: "" });
        for (let count = 0; count < 64; count++) stream.push({ type: "text_delta", contentIndex, delta, partial: output });
        "#,
    )
    .await;
    on.session.prompt("Go").unwrap();
    let end = on.session.wait_until_settled().await.unwrap();
    // It would be as long again.
    assert!(matches!(end.end, RunEnd::Failed { class: "too_long", .. }), "{:?}", end.end);
    while let Some(event) = on.events.try_next() {
        assert!(!matches!(event.as_ref(), AgentEvent::Session(SessionEvent::AutoRetryStart(_))), "{event:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_a_provider_with_an_unknown_wire_leaves_other_models_usable() {
    let module = r#"export default (pi) => pi.registerProvider("odd", { api: "odd-api", baseUrl: "https://odd.example", models: [{ id: "m" }] });"#;
    let on = extended_with(&[module], json!(["Still here."]), |builder| builder).await;
    assert_eq!(on.ask("Go").await, "Still here.");
    let warnings = format!("{:?}", on.session.loaded().warnings);
    assert!(warnings.contains("odd-api"), "{warnings}");
}

/// A module that registers providers with these names.
fn registering(names: &[&str], url: &str, key: &str) -> String {
    let names = json!(names);
    format!(
        r#"export default (pi) => {{ for (const name of {names}) pi.registerProvider(name, {{ api: "openai-completions", baseUrl: "{url}",
          apiKey: "{key}", models: [{{ id: "m" }}] }}); pi.on("input", () => {{}}); }};"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_a_reload_adds_changes_and_removes_providers() {
    let server = ModelServer::start().await.unwrap();
    let ran = |on: &Extended| on.place.path("ran").exists();
    let file = "project/.toolsmith/extensions/m0.ts";
    let module = registering(&["one"], &server.url(), "first");
    let on = extended_with(&[&module], json!(["unused"]), |builder| builder.model("one/m")).await;
    let key = || server.last_request().header("authorization").unwrap_or_default().to_owned();
    server.push(Reply::new().text("One."));
    assert_eq!(on.ask("Go").await, "One.");
    assert_eq!(key(), "Bearer first");

    on.place.write(file, &registering(&["one", "two"], &server.url(), "second"));
    on.session.reload_changed_tools().await;
    server.push(Reply::new().text("One again."));
    assert_eq!(on.ask("Go").await, "One again.");
    assert_eq!(key(), "Bearer second");
    on.session.set_model("two/m").await.unwrap();
    server.push(Reply::new().text("Two."));
    assert_eq!(on.ask("Go").await, "Two.");

    // The removed one has a command for its key, which must not run.
    on.place.write(file, &registering(&["one", "two"], &server.url(), "!echo x > ../ran; echo k"));
    on.session.reload_changed_tools().await;
    on.place.write(file, &registering(&["one"], &server.url(), "third"));
    on.session.reload_changed_tools().await;
    on.session.prompt("Go").unwrap();
    let end = format!("{:?}", on.session.wait_until_settled().await.unwrap().end);
    assert!(end.contains("the provider two cannot be used"), "{end}");
    assert!(on.session.set_model("two/m").await.is_err());
    assert!(!ran(&on) && server.requests().len() == 3);
    on.session.set_model("one/m").await.unwrap();
    server.push(Reply::new().text("One at last."));
    assert_eq!(on.ask("Go").await, "One at last.");
    assert_eq!(key(), "Bearer third");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_provider_can_be_registered_and_removed_at_any_time() {
    let server = ModelServer::start().await.unwrap();
    let module = format!(
        r#"export default (pi) => {{
          const config = {{ api: "openai-completions", baseUrl: "{}", apiKey: "k", models: [{{ id: "m" }}] }};
          pi.registerCommand("add", {{ description: "d", handler: async () => pi.registerProvider("late", config) }});
          pi.registerCommand("odd", {{ description: "d", handler: async () => pi.registerProvider("late", {{ ...config, api: "odd" }}) }});
          pi.registerCommand("remove", {{ description: "d", handler: async () => pi.unregisterProvider("late") }});
        }};"#,
        server.url()
    );
    let on = extended_with(&[&module], json!(["unused"]), |builder| builder).await;
    let run = async |name: &str| on.session.run_command(name, "", CancelToken::new()).await;
    assert!(on.session.set_model("late/m").await.is_err());
    run("add").await.unwrap();
    on.session.set_model("late/m").await.unwrap();
    server.push(Reply::new().text("Late."));
    assert_eq!(on.ask("Go").await, "Late.");
    assert!(run("odd").await.unwrap_err().to_string().contains("odd"));
    run("remove").await.unwrap();
    assert!(on.session.set_model("late/m").await.is_err());
    on.session.prompt("Go").unwrap();
    let end = format!("{:?}", on.session.wait_until_settled().await.unwrap().end);
    assert!(end.contains("the provider late cannot be used"), "{end}");
    assert_eq!(server.requests().len(), 1);
}
