//! Examples that change prompts, input and what the model receives.

use serde_json::json;

use super::place::{Person, Setup, call, official, official_with};

#[tokio::test(flavor = "multi_thread")]
async fn pirate_mode_changes_the_system_prompt() {
    for name in ["pi/pirate.ts", "omp/pirate.ts"] {
        let Some(on) = official(name, json!(["Ahoy.", "Hello."]), Setup::default()).await else { return };
        on.command("pirate", "").await;
        on.ask("Go").await;
        assert!(on.last_system().contains("PIRATE MODE"), "{name}");
        on.command("pirate", "").await;
        on.ask("Go").await;
        assert!(!on.last_system().contains("PIRATE MODE"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_of_the_project_are_named_to_the_model() {
    let setup = Setup { files: &[("project/.claude/rules/style.md", "Be tidy.")], ..Setup::default() };
    let Some(on) = official("pi/claude-rules.ts", json!(["Done."]), setup).await else { return };
    on.ask("Go").await;
    assert!(on.last_system().contains("- .claude/rules/style.md"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_customizer_adds_a_section() {
    let Some(on) = official("pi/prompt-customizer.ts", json!(["Done."]), Setup::default()).await else {
        return;
    };
    on.ask("Go").await;
    assert!(on.last_system().contains("Use `read` for file contents"), "{}", on.last_system());
}

#[tokio::test(flavor = "multi_thread")]
async fn inline_commands_are_expanded() {
    let Some(on) = official("pi/inline-bash.ts", json!(["Done."]), Setup::default()).await else { return };
    on.ask("It is !{printf sunny} today").await;
    assert_eq!(on.last_request(), ["It is sunny today"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn input_is_transformed_or_handled() {
    let setup = Setup { person: Some(Person::default()), ..Setup::default() };
    let Some(on) = official("pi/input-transform.ts", json!(["Done."]), setup).await else { return };
    on.ask("ping").await;
    assert!(on.person.saw("pong") && on.model.requests().is_empty());
    on.ask("?quick what is this").await;
    assert_eq!(on.last_request(), ["Respond briefly in 1-2 sentences: what is this"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_added_to_questions_about_them() {
    let setup = Setup { git: true, files: &[("project/a.txt", "one\n")], ..Setup::default() };
    let Some(on) = official("pi/input-transform-streaming.ts", json!(["Done."]), setup).await else { return };
    on.git(&["add", "a.txt"]);
    on.git(&["commit", "-q", "-m", "a"]);
    on.place.write("project/a.txt", "two\n");
    on.ask("Explain the changes").await;
    assert!(on.last_request()[0].contains("a.txt | 2"), "{:?}", on.last_request());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preset_selects_tools_and_instructions() {
    let presets =
        r#"{ "plan": { "tools": ["read", "ls"], "instructions": "Only plan.", "thinkingLevel": "low" } }"#;
    let files = [(".toolsmith", ""), (".pi", ""), (".omp", "")]
        .map(|(folder, _)| format!("project/{folder}/presets.json"));
    let files: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), presets)).collect();
    let setup = Setup { files: &files, flags: &[("preset", json!("plan"))], ..Setup::default() };
    let Some(on) = official("pi/preset.ts", json!(["Done."]), setup).await else { return };
    on.ask("Go").await;
    assert!(on.last_system().contains("Only plan."), "{}", on.last_system());
    let offered: Vec<String> = on.model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, ["read", "ls"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_payloads_are_logged() {
    let folders = [".toolsmith", ".pi", ".omp"].map(|folder| format!("project/{folder}/keep"));
    let files: Vec<(&str, &str)> = folders.iter().map(|file| (file.as_str(), "")).collect();
    let Some(on) =
        official("pi/provider-payload.ts", json!(["Done."]), Setup { files: &files, ..Setup::default() })
            .await
    else {
        return;
    };
    on.ask("Look at this prompt").await;
    let log = [".toolsmith", ".pi", ".omp"].iter().find_map(|folder| {
        std::fs::read_to_string(on.place.path(&format!("project/{folder}/provider-payload.log"))).ok()
    });
    let log = log.unwrap();
    assert!(log.contains("Look at this prompt") && log.contains("[200]"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_length_of_the_system_prompt_is_shown() {
    let setup = Setup { person: Some(Person::default()), ..Setup::default() };
    let Some(on) = official("pi/system-prompt-header.ts", json!(["Done."]), setup).await else { return };
    on.ask("Go").await;
    assert!(on.person.saw(&format!("system-prompt=System: {} chars", on.last_system().chars().count())));
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_are_counted_in_the_status_line() {
    for name in ["pi/status-line.ts", "omp/status-line.ts"] {
        let setup = Setup { person: Some(Person::default()), ..Setup::default() };
        let Some(on) = official(name, json!([call("ls", json!({})), "Done."]), setup).await else { return };
        on.ask("Go").await;
        assert!(on.person.saw("Turn 2 complete") && on.person.saw("Ready"), "{name}: {:?}", on.person.shown);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_change_is_shown() {
    let setup = Setup { person: Some(Person::default()), ..Setup::default() };
    let Some(on) = official("pi/model-status.ts", json!(["Done."]), setup).await else { return };
    on.place.write("other.json", r#"["Hello."]"#);
    on.session.set_model(&format!("script:{}", on.place.path("other.json").display())).await.unwrap();
    on.until_seen("Model: script/other").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn compaction_can_be_triggered_and_is_summarised_by_the_model() {
    let long = "word ".repeat(3000);
    let turns = json!([long, long, long, "Four.", "A summary."]);
    let setup = Setup { person: Some(Person::default()), ..Setup::default() };
    let Some(on) = official("pi/trigger-compact.ts", turns, setup).await else { return };
    for prompt in ["one", "two", "three", "four"] {
        on.ask(prompt).await;
    }
    on.command("trigger-compact", "").await;
    on.until_seen("Compaction completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_compaction_replaces_the_summary() {
    use toolsmith_testkit::{ModelServer, Reply};
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().text("Summary by another model."));
    let long = "word ".repeat(3000);
    let setup = Setup { person: Some(Person::default()), ..Setup::default() };
    let url = server.url().to_owned();
    let made =
        official_with("pi/custom-compaction.ts", json!([long, long, long, "Four."]), setup, |builder| {
            let place = crate::place::Place::new(&[(
                "home/.toolsmith/config.toml",
                &format!("[providers.google]\nbase_url = \"{url}\"\napi_key = \"k\"\n"),
            )]);
            builder.settings(place.settings().settings)
        });
    let Some(on) = made.await else { return };
    for prompt in ["one", "two", "three", "four"] {
        on.ask(prompt).await;
    }
    let compacted = on.session.compact(None).await.unwrap();
    assert_eq!(compacted.summary, "Summary by another model.", "{:?}", on.person.shown);
}
