//! Examples with commands, messages and renderers.

use serde_json::json;
use toolsmith_tool::{RenderOptions, RendererKind, SessionView as _};

use toolsmith_testkit::{ModelServer, Reply};

use super::place::{Person, Setup, official, official_with};

fn with_person() -> Setup<'static> {
    Setup { person: Some(Person::default()), ..Setup::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_answer_is_bookmarked() {
    let Some(on) = official("pi/bookmark.ts", json!(["Worth keeping."]), Setup::default()).await else {
        return;
    };
    on.ask("Go").await;
    on.command("bookmark", "good").await;
    let entries = on.session.log().entries();
    let answer = entries
        .iter()
        .rev()
        .find(|entry| {
            matches!(
                &entry.kind,
                toolsmith_agent::session::EntryKind::Message(toolsmith_llm::Message::Assistant(_))
            )
        })
        .unwrap();
    assert_eq!(on.session.log().label(&answer.id).as_deref(), Some("good"));
    on.command("unbookmark", "").await;
    assert_eq!(on.session.log().label(&answer.id), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_listed_for_choosing() {
    let Some(on) = official("pi/commands.ts", json!(["Done."]), with_person()).await else { return };
    on.command("commands", "").await;
    assert!(on.person.saw("/commands - List available slash commands"), "{:?}", on.person.shown);
    let completions = on.session.complete_command("commands", "ex").await;
    assert_eq!(completions[0].value, "extension");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_on_the_bus_are_shown() {
    let Some(on) = official("pi/event-bus.ts", json!(["Done."]), with_person()).await else { return };
    on.until_seen("Event from event-bus-example: Session started").await;
    on.command("emit", "hi").await;
    on.until_seen("Event from /emit command: hi").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_message_is_sent_and_drawn() {
    let Some(on) = official("pi/message-renderer.ts", json!(["Done."]), Setup::default()).await else {
        return;
    };
    on.command("status", "warn Disk almost full").await;
    let entries = toolsmith_tool::SessionView::entries(&on.session.log());
    let sent = entries.iter().find(|entry| entry["customType"] == "status-update").unwrap();
    let options = RenderOptions::new(60);
    let drawn =
        on.session.render_custom(RendererKind::Message, "status-update", sent, &options).await.unwrap();
    let text = drawn.lines.join("\n");
    assert!(text.contains("[WARN]") && text.contains("Disk almost full"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_card_is_an_entry_that_the_model_never_sees() {
    let Some(on) = official("pi/entry-renderer.ts", json!(["Done."]), Setup::default()).await else { return };
    on.command("status-card", "All well").await;
    let entries = toolsmith_tool::SessionView::entries(&on.session.log());
    let card = entries.iter().find(|entry| entry["customType"] == "status-card").unwrap();
    let drawn = on
        .session
        .render_custom(RendererKind::Entry, "status-card", card, &RenderOptions::new(60))
        .await
        .unwrap();
    assert!(drawn.lines.join("\n").contains("All well"));
    on.ask("Go").await;
    assert_eq!(on.last_request(), ["Go"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_sends_a_user_message() {
    let Some(on) = official("pi/send-user-message.ts", json!(["Answer."]), with_person()).await else {
        return;
    };
    on.command("ask", "What is this?").await;
    assert_eq!(on.last_request(), ["What is this?"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_names_the_session() {
    let Some(on) = official("pi/session-name.ts", json!(["Done."]), with_person()).await else { return };
    on.command("session-name", "Release work").await;
    assert_eq!(on.session.log().name().as_deref(), Some("Release work"));
    on.command("session-name", "").await;
    assert!(on.person.saw("Session: Release work"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timed_question_is_answered() {
    let person = Person { confirms: true, chooses: "Option B".to_owned(), ..Person::default() };
    let setup = Setup { person: Some(person), ..Setup::default() };
    let Some(on) = official("pi/timed-confirm.ts", json!(["Done."]), setup).await else { return };
    on.command("timed", "").await;
    on.command("timed-select", "").await;
    assert!(
        on.person.saw("Confirmed by user!") && on.person.saw("Selected: Option B"),
        "{:?}",
        on.person.shown
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_reloads_the_extensions() {
    for name in ["pi/reload-runtime.ts", "omp/reload-runtime.ts"] {
        let Some(on) = official(name, json!(["Done."]), Setup::default()).await else { return };
        let before = on.session.extensions();
        on.command("reload-runtime", "").await;
        let after = on.session.extensions();
        assert_eq!(after.len(), 1);
        assert!(!std::sync::Arc::ptr_eq(&before[0], &after[0]), "{name}");
        assert!(on.session.find_command("/reload-runtime").is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_summarised_on_request() {
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().text("A summary."));
    let url = server.url().to_owned();
    let made = official_with("pi/summarize.ts", json!(["An answer."]), with_person(), |builder| {
        let settings = format!("[providers.openai]\nbase_url = \"{url}\"\napi_key = \"k\"\n");
        let place = crate::place::Place::new(&[("home/.toolsmith/config.toml", &settings)]);
        builder.settings(place.settings().settings)
    });
    let Some(on) = made.await else { return };
    on.ask("A question").await;
    on.command("summarize", "").await;
    let asked = server.last_request().body.to_string();
    assert!(asked.contains("A question") && asked.contains("Summarize this conversation"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_committed_at_the_end() {
    for name in ["pi/auto-commit-on-exit.ts", "omp/auto-commit-on-exit.ts"] {
        let setup = Setup { git: true, files: &[("project/new.txt", "x")], ..Setup::default() };
        let Some(on) = official(name, json!(["Added a file."]), setup).await else { return };
        on.ask("Go").await;
        on.session.dispose().await;
        assert!(on.git(&["log", "-1", "--format=%s"]).contains("Added a file."), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_are_offered() {
    let Some(on) = official("pi/dynamic-resources/index.ts", json!(["Done."]), Setup::default()).await else {
        return;
    };
    let found = on.session.extension_resources();
    assert!(!found.skills.is_empty() && !found.prompts.is_empty() && !found.themes.is_empty(), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_only_command_says_so() {
    let Some(on) = official("pi/tools.ts", json!(["Done."]), with_person()).await else { return };
    on.command("tools", "").await;
    assert!(on.person.saw("/tools requires TUI mode"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_title_shows_that_work_is_going_on() {
    let Some(on) = official("pi/titlebar-spinner.ts", json!(["Done."]), with_person()).await else { return };
    on.ask("Go").await;
    assert!(on.person.saw("title="), "{:?}", on.person.shown);
}
