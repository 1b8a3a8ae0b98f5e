//! Modules that misbehave: they cost themselves, never the session.

use serde_json::json;
use toolsmith_tool::CancelToken;

use super::place::{call, extended};

#[tokio::test(flavor = "multi_thread")]
async fn c1_5_an_action_while_loading_is_a_load_error() {
    for action in [
        "pi.sendMessage({ customType: 'x', content: 'y' })",
        "pi.getActiveTools()",
        "pi.setSessionName('x')",
        "pi.appendEntry('x')",
    ] {
        let module = format!("export default (pi) => {{ {action}; }};");
        let on = extended(&[&module], json!(["Done."])).await;
        let loaded = on.session.loaded();
        let errors = &loaded.errors;
        assert!(
            errors[0].message.contains("Action methods cannot be called during extension loading"),
            "{errors:?}"
        );
        assert_eq!(on.ask("Go").await, "Done.");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_registrations_of_the_wrong_shape_are_load_errors() {
    for (call, expected) in [
        ("pi.on('tool_call')", "needs a function"),
        ("pi.registerCommand('x', {})", "needs a function handler"),
        ("pi.registerCommand('a b', { handler() {} })", "is not a command name"),
        ("pi.registerShortcut('f1', {})", "needs a function handler"),
        ("pi.registerMessageRenderer('x', 7)", "needs a function"),
    ] {
        let on = extended(&[&format!("export default (pi) => {{ {call}; }};")], json!(["Done."])).await;
        let loaded = on.session.loaded();
        let errors = &loaded.errors;
        assert!(errors.first().is_some_and(|error| error.message.contains(expected)), "{call}: {errors:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_events_of_the_wrong_shape_change_nothing() {
    let module = r#"export default (pi) => {
      pi.on("context", () => ({ messages: 7 }));
      pi.on("input", () => "text");
      pi.on("before_agent_start", () => ({ systemPrompt: { not: "text" } }));
    };"#;
    let mut on = extended(&[module], json!(["Done."])).await;
    assert_eq!(on.ask("Go").await, "Done.");
    assert_eq!(on.last_request(), ["Go"]);
    let notices = on.notices().join("\n");
    for event in ["context", "input", "before_agent_start"] {
        assert!(notices.contains(&format!("its {event} handler failed")), "{notices}");
    }
    assert!(notices.contains("failed 3 times in a row and is suspended"), "{notices}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_context_messages_that_are_no_messages_are_refused() {
    for message in ["null", "7", "{}", "{ role: 'moon' }", "{ role: 'assistant', content: 7 }"] {
        let module = format!(
            "export default (pi) => {{ pi.on('context', (event) => ({{ messages: [...event.messages, {message}] }})); }};"
        );
        let mut on = extended(&[&module], json!(["Done."])).await;
        assert_eq!(on.ask("Go").await, "Done.");
        assert_eq!(on.last_request(), ["Go"], "{message}");
        assert!(!on.notices().is_empty(), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_module_that_fails_now_and_then_is_not_suspended() {
    let module = r#"export default (pi) => {
      let count = 0;
      pi.on("turn_start", () => { if (++count % 2 === 1) throw new Error("odd"); pi.appendEntry("even", count); });
    };"#;
    let listing = || call("ls", json!({}));
    let on =
        extended(&[module], json!([listing(), listing(), listing(), listing(), listing(), "Done."])).await;
    on.ask("Go").await;
    assert_eq!(on.entries("even"), [json!(2), json!(4), json!(6)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_1_a_handler_that_changes_its_event_changes_nothing_for_others() {
    let changes = r#"export default (pi) => { pi.on("turn_end", (event) => { event.message.content = []; event.toolResults.length = 0; delete event.type; }); };"#;
    let sees = r#"export default (pi) => { pi.on("turn_end", (event) => pi.appendEntry("seen", event.message.content[0].text)); };"#;
    let on = extended(&[changes, sees], json!(["Intact."])).await;
    assert_eq!(on.ask("Go").await, "Intact.");
    assert_eq!(on.entries("seen"), [json!("Intact.")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_6_a_command_is_stopped_when_it_is_cancelled() {
    for body in ["await new Promise(() => {});", "for (;;) {}"] {
        let module = format!(
            "export default (pi) => {{ pi.registerCommand('stuck', {{ handler: async () => {{ {body} }} }}); pi.registerCommand('fine', {{ handler() {{}} }}); }};"
        );
        let on = extended(&[&module], json!(["Done."])).await;
        let cancel = CancelToken::new();
        let (session, token) = (on.session.clone(), cancel.clone());
        let work = tokio::spawn(async move { session.run_command("stuck", "", token).await });
        tokio::task::yield_now().await;
        cancel.cancel("enough");
        assert!(work.await.unwrap().is_err());
        on.session.run_command("fine", "", CancelToken::new()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c1_1_what_the_factory_of_an_extension_returns_is_ignored_unless_it_is_a_tool() {
    let module =
        "export default (pi) => { pi.registerCommand('x', { handler() {} }); return { stop() {} }; };";
    let on = extended(&[module], json!(["Done."])).await;
    assert!(on.session.loaded().errors.is_empty(), "{:?}", on.session.loaded().errors);
    assert_eq!(on.session.commands().len(), 1);
}
