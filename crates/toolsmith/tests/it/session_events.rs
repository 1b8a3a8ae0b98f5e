//! What tools hear of a session (CONTRACT 7.1, 7.2): exact sequences, with payloads, from the real engine and from Rust.

use std::{path::Path, time::Duration};

use serde_json::{Value, json};
use toolsmith::{AbandonedBranch, settings::Settings};
use toolsmith_agent::AgentLimits;
use toolsmith_middleware::rules::Rule;
use toolsmith_tool::{ToolCall, ToolContext};

use crate::recorder::Recording;

fn count() -> Value {
    json!({ "reply": [{ "call": "counter" }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_start_and_shutdown() {
    let mut recording = Recording::start(&json!([count(), "Done."])).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.check("start").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_a_new_session() {
    let mut recording = Recording::start(&json!([count(), "Done.", count(), "Done."])).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("new").new_session().await.unwrap();
    // It counts from the beginning there.
    recording.step("prompt").run("count").await.unwrap();
    recording.step("new").new_session().await.unwrap();
    recording.check("new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_resuming_a_session() {
    let mut recording = Recording::start(&json!([count(), count(), "Done.", count(), "Done."])).await;
    recording.step("prompt").run("count twice").await.unwrap();
    let first = recording.file();
    recording.step("new").new_session().await.unwrap();
    recording.step("prompt").run("count").await.unwrap();
    let second = recording.file();
    recording.step("switch").switch(first.to_str().unwrap()).await.unwrap();
    recording.step("switch").switch(second.to_str().unwrap()).await.unwrap();
    recording.step("switch to itself").switch(second.to_str().unwrap()).await.unwrap();
    recording.step("switch to nothing").switch("nothing").await.unwrap_err();
    recording.check("resume").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_forking_a_session() {
    let mut recording = Recording::start(&json!([count(), "Done.", count(), "Done."])).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("fork").fork().await.unwrap();
    recording.step("prompt").run("count").await.unwrap();
    recording.step("fork").fork().await.unwrap();
    recording.check("fork").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_branching_from_a_message() {
    let mut recording =
        Recording::start(&json!([count(), "Done.", count(), "Done.", count(), "Done."])).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("prompt").run("again").await.unwrap();
    let asked = recording.session.user_messages();
    recording.step("branch from the second message").branch(&asked[1].entry_id).await.unwrap();
    recording.step("prompt").run("otherwise").await.unwrap();
    recording.step("branch from nowhere").branch("nowhere").await.unwrap_err();
    recording.step("branch from the first message").branch(&asked[0].entry_id).await.unwrap();
    recording.check("branch").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_moving_in_the_tree() {
    let turns = json!([count(), "Done.", count(), "Done.", "They counted.", count(), "Done."]);
    let mut recording = Recording::start(&turns).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("prompt").run("again").await.unwrap();
    let asked = recording.session.user_messages();
    let leaf = recording.session.log().leaf_id();
    recording
        .step("go before the second message")
        .go_to(Some(&asked[1].entry_id), AbandonedBranch::Drop)
        .await
        .unwrap();
    recording.step("go to the end").go_to(leaf.as_deref(), AbandonedBranch::Drop).await.unwrap();
    recording.step("go before everything").go_to(None, AbandonedBranch::Drop).await.unwrap();
    recording.step("go to the end").go_to(leaf.as_deref(), AbandonedBranch::Drop).await.unwrap();
    let second = Some(asked[1].entry_id.as_str());
    recording
        .step("go before the second message, with a summary")
        .go_to(second, AbandonedBranch::Summarise)
        .await
        .unwrap();
    recording.step("prompt").run("otherwise").await.unwrap();
    recording.check("tree").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_a_session_in_memory_has_no_file_to_tell_of() {
    let mut recording = Recording::start_with(&json!([count(), "Done."]), |builder, _| {
        builder.session(toolsmith::SessionSource::Memory)
    })
    .await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("fork").fork().await.unwrap();
    recording.step("new").new_session().await.unwrap();
    recording.check("memory").await;
}

/// Settings under which nobody waits, and little is kept.
fn impatient() -> Settings {
    let mut settings = Settings::default();
    settings.retry.base_delay = Duration::ZERO;
    settings.retry.max_attempts = 2;
    settings.compaction.threshold_tokens = Some(4000);
    settings.compaction.keep_recent_tokens = 10;
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_asking_again() {
    let overloaded = json!({ "reply": [{ "error": "busy", "class": "overloaded" }] });
    let turns = json!([overloaded, count(), "Done.", overloaded, overloaded, overloaded]);
    let mut recording = Recording::start_with(&turns, |builder, _| builder.settings(impatient())).await;
    recording.step("prompt, busy once").run("count").await.unwrap();
    recording.step("prompt, busy for good").run("again").await.unwrap();
    recording.check("retry").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_compacting() {
    let large = json!({ "reply": [{ "call": "counter" }], "usage": { "input": 5000, "output": 10 } });
    let overflow = json!({ "reply": [{ "error": "too long", "class": "overflow" }] });
    let turns = json!([
        count(),
        "Done.",
        large,
        "They counted.",
        "The turn began with a call.",
        "Done.",
        overflow,
        count(),
        "Done.",
        overflow,
        "They counted more.",
        count(),
        "Done.",
    ]);
    let mut recording = Recording::start_with(&turns, |builder, _| builder.settings(impatient())).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("prompt, past the threshold").run("count").await.unwrap();
    recording.step("prompt, too long though there is little").run("count").await.unwrap();
    recording.step("a long prompt").run("count ".repeat(100)).await.unwrap();
    recording.step("prompt, too long for the model").run("count").await.unwrap();
    // The count is still found, though the model was told a summary of it.
    let leaf = recording.session.log().leaf_id();
    recording.step("go to where it is").go_to(leaf.as_deref(), AbandonedBranch::Drop).await.unwrap();
    recording.check("compaction").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_a_rule_interrupts() {
    let text = "---\ncondition: '\\bfoo\\b'\n---\nNever say it.\n";
    let rule = Rule::parse(Path::new("rules/no-foo.md"), text).unwrap().unwrap();
    let turns = json!(["It is foo, I think.", count(), "Done.", "foo again"]);
    let mut recording = Recording::start_with(&turns, |builder, _| builder.rule(rule)).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("prompt, after the rule was shown").run("again").await.unwrap();
    recording.check("rules").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_a_reminder_of_open_tasks() {
    let todo = |ops: Value| json!({ "reply": [{ "call": "todo_write", "arguments": { "ops": ops } }] });
    let turns = json!([
        todo(json!([{ "op": "init", "items": ["Count", "Rest"] }])),
        "I am done.",
        count(),
        "Really.",
        todo(json!([{ "op": "done", "task": "Count" }, { "op": "done", "task": "Rest" }])),
        "Done.",
    ]);
    let named = toolsmith::BuiltIns::Named(vec!["todo_write".to_owned()]);
    let mut recording = Recording::start_with(&turns, |builder, _| builder.built_ins(named)).await;
    recording.step("prompt").run("count").await.unwrap();
    recording.check("todo").await;
}

/// A tool that does this when it hears of a move in the tree.
fn misbehaving(name: &str, body: &str) -> String {
    format!(
        "export default () => ({{ name: \"{name}\", description: \"d\", parameters: {{ type: \"object\", properties: {{}} }},\n\
         execute: async () => ({{ content: [{{ type: \"text\", text: \"still here\" }}] }}),\n\
         async onSession(event) {{ if (event.reason === \"tree\") {{ {body} }} }} }});\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_2_a_tool_that_throws_hangs_or_loops_stops_neither_the_session_nor_the_next_tool() {
    let bad = [
        ("throws", "throw new Error(\"no\");"),
        ("rejects", "await Promise.reject(null);"),
        ("hangs", "await new Promise(() => {});"),
        ("loops", "for (;;) {}"),
        ("recurses", "(function f() { f(); })();"),
    ];
    let mut recording =
        Recording::start_with(&json!([count(), "Done.", count(), "Done."]), |builder, place| {
            let builder = builder.limits(AgentLimits::default().hearing(Duration::from_secs(3)));
            bad.iter().fold(builder, |builder, (name, body)| {
                place.write(&format!("project/{name}.ts"), &misbehaving(name, body));
                builder.tool_path(place.cwd().join(format!("{name}.ts")))
            })
        })
        .await;
    recording.step("prompt").run("count").await.unwrap();
    recording.step("go before everything").go_to(None, AbandonedBranch::Drop).await.unwrap();
    // The session goes on, and so do the tools.
    recording.step("prompt").run("count").await.unwrap();
    for tool in &recording.session.loaded().tools {
        let result = tool.tool.execute(ToolCall::new("1", json!({})), ToolContext::detached()).await.unwrap();
        assert!(!result.is_error, "{}", tool.name());
    }
    recording.check("misbehaving").await;
}
