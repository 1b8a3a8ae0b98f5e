//! Events of sessions, runs, turns, messages and requests (CONTRACT 10.1).

use serde_json::{Value, json};

use super::place::{call, extended, extended_with, started};
use crate::place::Place;

/// A module that appends the name of every event it receives.
fn recorder(events: &[&str]) -> String {
    let events = serde_json::to_string(events).unwrap();
    format!(
        "export default (pi) => {{ for (const name of {events}) pi.on(name, (event) => {{ \
         if (event.type !== name) throw new Error(`${{event.type}} is not ${{name}}`); pi.appendEntry('heard', name); }}); }};"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_the_events_of_a_run_arrive_in_order() {
    let module = recorder(&[
        "session_start",
        "before_agent_start",
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "tool_execution_start",
        "tool_call",
        "tool_result",
        "tool_execution_end",
        "turn_end",
        "agent_end",
        "agent_settled",
    ]);
    let on = extended(&[&module], json!([call("ls", json!({})), "Done."])).await;
    on.ask("Go").await;
    let heard = on.entries("heard");
    let expected = [
        "session_start",
        "before_agent_start",
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "message_start",
        "message_end",
        "tool_execution_start",
        "tool_call",
        "tool_result",
        "tool_execution_end",
        "message_start",
        "message_end",
        "turn_end",
        "turn_start",
        "message_start",
        "message_end",
        "turn_end",
        "agent_end",
        "agent_settled",
    ];
    assert_eq!(heard, expected.map(Value::from), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_updates_of_a_response_arrive_before_its_end() {
    let module = r#"export default (pi) => {
      let text = "";
      pi.on("message_update", (event) => { if (event.assistantMessageEvent.type === "text_delta") text += event.assistantMessageEvent.delta; });
      pi.on("message_end", (event) => { if (event.message.role === "assistant") pi.appendEntry("text", text); });
    };"#;
    let on = extended(&[module], json!(["A longer answer in several pieces."])).await;
    on.ask("Go").await;
    assert_eq!(on.entries("text"), [json!("A longer answer in several pieces.")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_before_agent_start_is_chained() {
    let first = r#"export default (pi) => {
      pi.on("before_agent_start", (event) => ({ systemPrompt: `${event.systemPrompt} [first: ${event.prompt}]`, message: { customType: "note", content: "Note one", display: false } }));
    };"#;
    let second = r#"export default (pi) => {
      pi.on("before_agent_start", (event) => ({ systemPrompt: `${event.systemPrompt} [second]` }));
    };"#;
    let on = extended(&[first, second], json!(["Done.", "Again."])).await;
    on.ask("Go").await;
    let request = &on.model.requests()[0];
    assert!(request.system.ends_with("[first: Go] [second]"), "{}", request.system);
    assert_eq!(on.last_request(), ["Go", "Note one"]);
    // The next prompt starts from the original.
    on.ask("More").await;
    assert!(on.model.requests()[1].system.ends_with("[first: More] [second]"));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_input_is_transformed_or_handled() {
    let module = r#"export default (pi) => {
      pi.on("input", (event) => {
        if (event.text === "ping") { pi.appendEntry("heard", event.source); return { action: "handled" }; }
        return event.text.startsWith("?") ? { action: "transform", text: `Answer briefly: ${event.text.slice(1)}` } : { action: "continue" };
      });
    };"#;
    let on = extended(&[module], json!(["Done.", "Done."])).await;
    on.ask("ping").await;
    assert_eq!((on.model.requests().len(), on.entries("heard")), (0, vec![json!("interactive")]));
    on.ask("?why").await;
    assert_eq!(on.last_request(), ["Answer briefly: why"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_context_changes_one_request_only() {
    let hides = r#"export default (pi) => {
      pi.on("context", (event) => ({ messages: event.messages.filter((message) => message.customType !== "secret") }));
    };"#;
    let edits = r#"export default (pi) => {
      // In place, without an answer.
      pi.on("context", (event) => { const last = event.messages.at(-1); if (last.role === "user") last.content[0].text += " (edited)"; });
    };"#;
    let sends = r#"export default (pi) => {
      pi.on("before_agent_start", () => ({ message: { customType: "secret", content: "hidden", display: false } }));
    };"#;
    let on = extended(&[hides, edits, sends], json!(["One.", "Two."])).await;
    on.ask("First").await;
    assert_eq!(on.last_request(), ["First (edited)"]);
    on.ask("Second").await;
    assert_eq!(on.last_request(), ["First", "One.", "Second (edited)"]);
    let kept: Vec<String> =
        on.session.log().messages().iter().map(toolsmith_llm::Message::joined_text).collect();
    assert_eq!(kept, ["First", "hidden", "One.", "Second", "hidden", "Two."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_only_new_messages_cross_into_a_context_listener() {
    // Reads what arrived through the kernel's own payload: the objects of earlier requests are the same.
    let module = r#"export default (pi) => {
      let before = [];
      pi.on("context", (event) => { pi.appendEntry("sizes", event.messages.length); before = event.messages; });
    };"#;
    let on = extended(&[module], json!(["One.", "Two.", "Three."])).await;
    for prompt in ["a", "b", "c"] {
        on.ask(prompt).await;
    }
    assert_eq!(on.entries("sizes"), [json!(1), json!(3), json!(5)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_message_may_be_replaced_at_its_end_with_the_same_role() {
    let module = r#"export default (pi) => {
      pi.on("message_end", (event) => {
        if (event.message.role !== "assistant") return;
        return { message: { ...event.message, content: [{ type: "text", text: "Replaced." }] } };
      });
    };"#;
    let on = extended(&[module], json!(["Original."])).await;
    assert_eq!(on.ask("Go").await, "Replaced.");
    let other = r#"export default (pi) => { pi.on("message_end", (event) => ({ message: { role: "user", content: "no" } })); };"#;
    let mut on = extended(&[other], json!(["Original."])).await;
    assert_eq!(on.ask("Go").await, "Original.");
    assert!(on.notices().iter().any(|notice| notice.contains("must keep the role")));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_model_and_thinking_level_are_told() {
    let module = r#"export default (pi) => {
      pi.on("thinking_level_select", (event) => pi.appendEntry("level", [event.previousLevel, event.level]));
      pi.on("session_info_changed", (event) => pi.appendEntry("name", event.name));
    };"#;
    let on = extended(&[module], json!(["Done."])).await;
    on.session.set_thinking(toolsmith_llm::ThinkingLevel::High).unwrap();
    on.session.set_name("Work").unwrap();
    on.ask("Go").await;
    assert_eq!(on.entries("level"), [json!(["off", "high"])]);
    assert_eq!(on.entries("name"), [json!("Work")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_provider_events_see_the_request_and_the_response() {
    let module = r#"export default (pi) => {
      pi.on("before_provider_request", (event) => { pi.appendEntry("request", Object.keys(event.payload).length > 0); });
      pi.on("after_provider_response", (event) => { pi.appendEntry("status", event.status); });
    };"#;
    let on = extended(&[module], json!(["Done."])).await;
    on.ask("Go").await;
    assert_eq!((on.entries("request"), on.entries("status")), (vec![json!(true)], vec![json!(200)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_stopped_engine_hears_of_the_session_again() {
    let module = r#"export default (pi) => {
      pi.on("session_start", (event) => pi.appendEntry("start", event.reason));
      pi.on("turn_start", () => { if (!globalThis.once) { globalThis.once = true; for (;;) {} } });
      pi.on("agent_end", () => pi.appendEntry("end", "reached"));
    };"#;
    let place = Place::new(&[
        ("project/.toolsmith/extensions/m.ts", module),
        ("project/.toolsmith/config.toml", "[extensions]\ntimeout = \"300ms\"\n"),
    ]);
    let on = started(place, json!(["Done."]), |builder| builder).await;
    assert_eq!(on.ask("Go").await, "Done.");
    assert_eq!(on.entries("start"), [json!("startup"), json!("reload")]);
    assert_eq!(on.entries("end"), [json!("reached")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_extensions_of_an_untrusted_project_do_not_run() {
    let module =
        r#"import { writeFileSync } from "node:fs"; writeFileSync("ran", "x"); export default () => {};"#;
    let place = Place::new(&[("project/.toolsmith/extensions/m.ts", module)]).untrusted();
    let on = started(place, json!(["Done."]), |builder| builder).await;
    assert_eq!(on.session.extensions().len(), 0);
    assert_eq!(on.session.loaded().waiting.len(), 1);
    assert!(!on.place.path("project/ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_sources_are_searched_in_order_and_can_be_switched_off() {
    let named = |name: &str| {
        format!("export default (pi) => {{ pi.registerCommand('{name}', {{ handler() {{}} }}); }};")
    };
    let place = Place::new(&[
        ("project/.toolsmith/extensions/a.ts", &named("a")),
        ("project/.omp/extensions/b.ts", &named("b")),
        ("project/.pi/extensions/c/index.ts", &named("c")),
        ("project/.xcsh/extensions/d.ts", &named("d")),
        ("home/.pi/agent/extensions/e.ts", &named("e")),
        ("project/.pi/extensions/package/package.json", r#"{ "pi": { "extensions": ["./src/f.ts"] } }"#),
        ("project/.pi/extensions/package/src/f.ts", &named("f")),
        (
            "home/.toolsmith/plugins/node_modules/plugin/package.json",
            r#"{ "pi": { "extensions": "./g.ts" } }"#,
        ),
        ("home/.toolsmith/plugins/node_modules/plugin/g.ts", &named("g")),
        ("project/elsewhere/h.ts", &named("h")),
        (
            "project/.toolsmith/config.toml",
            "[extensions]\npaths = [\"elsewhere/h.ts\"]\ndisabled = [\"d\"]\n",
        ),
        ("project/given.ts", &named("i")),
    ]);
    let given = place.path("project/given.ts");
    let on = started(place, json!(["Done."]), |builder| builder.extension_path(&given)).await;
    let names: Vec<String> = on.session.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["a", "b", "c", "f", "e", "g", "h", "i"]);

    let place = on.place;
    place.write("project/.toolsmith/config.toml", "[extensions]\nenabled = false\n");
    let on = started(place, json!(["Done."]), |builder| builder.extension_path(&given)).await;
    let names: Vec<String> = on.session.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["i"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_3_what_is_not_supported_is_a_warning() {
    let module = r#"export default (pi) => { pi.on("moon_phase", () => {}); pi.registerToolRenderer(() => {}); pi.registerCommand("x", { handler() {} }); };"#;
    let on = extended_with(&[module], json!(["Done."]), |builder| builder).await;
    let warnings: Vec<String> = on.session.loaded().warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings.iter().any(|warning| warning.contains("on (moon_phase); registerToolRenderer")),
        "{warnings:?}"
    );
}
