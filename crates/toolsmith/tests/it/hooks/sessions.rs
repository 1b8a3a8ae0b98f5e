//! Hooks in a session: a denying hook is not avoided, whoever calls and however.

use std::fs;

use serde_json::json;
use toolsmith::{ApprovalMode, PendingChoice, RunEnd, Session, SessionBuilder};
use toolsmith_llm::{Script, Turn};

use super::place::settings;
use crate::{place::Place, session_place::results};

/// Refuses everything that has `secret` in it.
const GUARD: &str = "#!/bin/sh\nif grep -q secret; then echo 'secrets stay here' >&2; exit 2; fi\n";

fn playing(place: &Place, turns: impl IntoIterator<Item = Turn>) -> SessionBuilder {
    Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .trust(place.trust.clone())
        .discovery(true)
        .approval_mode(ApprovalMode::Yolo)
        .script(Script::new(turns))
}

fn guarded() -> Place {
    let place = Place::new(&[]);
    place.executable("home/.toolsmith/agent/hooks/pre/_all", GUARD);
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denying_hook_is_not_avoided_in_yolo_with_parallel_calls() {
    let place = guarded();
    let calls = Turn::new()
        .call("bash", &json!({ "command": "echo secret > out" }))
        .call("write", &json!({ "path": "secret.txt", "content": "" }))
        .call("bash", &json!({ "command": "echo plain" }));
    let session = playing(&place, [calls, Turn::new().text("Done.")]).build().await.unwrap();
    session.run("Go").await.unwrap();
    let results = results(&session);
    assert_eq!(results[0], (true, "secrets stay here".to_owned()));
    assert_eq!(results[1], (true, "secrets stay here".to_owned()));
    assert!(!results[2].0 && results[2].1.contains("plain"), "{:?}", results[2]);
    assert!(!place.path("project/out").exists() && !place.path("project/secret.txt").exists());
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denying_hook_sees_tools_of_modules_and_what_extensions_make_of_an_input() {
    let place = guarded();
    place.write(
        "home/.toolsmith/agent/extensions/rewrite.ts",
        "export default (pi) => { pi.on('tool_call', (event) => ({ input: { ...event.input, command: 'echo secret > out' } })); };\n",
    );
    place.write(
        "home/.toolsmith/agent/tools/custom.ts",
        "export default () => ({ name: 'custom', description: 'd', parameters: { type: 'object', properties: { text: { type: 'string' } } },\n\
         execute: async () => ({ content: [{ type: 'text', text: 'ran' }] }) });\n",
    );
    let turn = Turn::new()
        .call("bash", &json!({ "command": "echo plain" }))
        .call("custom", &json!({ "text": "a secret" }));
    let session = playing(&place, [turn, Turn::new().text("Done.")]).build().await.unwrap();
    session.run("Go").await.unwrap();
    assert_eq!(results(&session)[0], (true, "secrets stay here".to_owned()));
    assert_eq!(results(&session)[1], (true, "secrets stay here".to_owned()));
    assert!(!place.path("project/out").exists());
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denying_hook_holds_for_staged_changes_of_any_tool() {
    let place = guarded();
    place.write("project/a.js", "let hidden = 1;\n");
    // The pattern of the call does not show what the file will contain.
    let edit = json!({ "ops": [{ "pat": "let hidden = $V", "out": "let secret_ = $V" }], "path": "a.js" });
    fs::remove_file(place.path("home/.toolsmith/agent/hooks/pre/_all")).unwrap();
    place.executable("home/.toolsmith/agent/hooks/pre/write", GUARD);
    let turn = Turn::new().call("ast_edit", &edit);
    let session = playing(&place, [turn, Turn::new().text("Staged.")]).build().await.unwrap();
    session.run("Go").await.unwrap();
    assert_eq!(session.pending_actions().len(), 1, "{:?}", results(&session));
    let error = session.apply_pending(PendingChoice::Top, None, "ok").await.unwrap_err();
    assert!(error.to_string().contains("secrets stay here"), "{error}");
    assert_eq!(fs::read_to_string(place.path("project/a.js")).unwrap(), "let hidden = 1;\n");
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_sees_the_file_behind_the_name_of_a_skill() {
    let text = "---\nname: notes\ndescription: Notes. Use for notes.\n---\nText\n";
    let place = Place::new(&[
        ("home/.toolsmith/agent/skills/notes/SKILL.md", text),
        ("home/.toolsmith/agent/skills/notes/keys.txt", "a key"),
    ]);
    let guard =
        "#!/bin/sh\nif grep -q '\"file\":\"[^\"]*skills/notes/keys.txt'; then echo refused >&2; exit 2; fi\n";
    place.executable("home/.toolsmith/agent/hooks/pre/read", guard);
    let turn = Turn::new()
        .call("read", &json!({ "path": "skill://notes/keys.txt" }))
        .call("read", &json!({ "path": "skill://notes" }));
    let session = playing(&place, [turn, Turn::new().text("Done.")]).build().await.unwrap();
    session.run("Go").await.unwrap();
    let results = results(&session);
    assert_eq!(results[0], (true, "refused".to_owned()));
    assert!(!results[1].0 && results[1].1.contains("Text"), "{results:?}");
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_2_hooks_of_a_project_run_after_they_were_confirmed() {
    let place = Place::new(&[]);
    let command = "grep -q secret && { echo 'not here' >&2; exit 2; }; exit 0";
    place.write("project/.claude/settings.json", &settings("PreToolUse", "Bash", command));
    let turns = || {
        let turn = Turn::new().call("bash", &json!({ "command": "echo secret" }));
        [turn, Turn::new().text("Done.")]
    };
    let session = playing(&place, turns()).build().await.unwrap();
    let warnings: Vec<String> = session.loaded().warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|text| text.contains("does not run until you confirm it")), "{warnings:?}");
    session.run("Go").await.unwrap();
    assert!(!results(&session)[0].0);
    // Confirmed in the running session, it counts from then on.
    let shown = session.find_hooks();
    let waiting: Vec<_> = shown.waiting().collect();
    session.decide_hooks(&shown, &waiting, true).unwrap();
    session.dispose().await;
    let session = playing(&place, turns()).build().await.unwrap();
    session.run("Go").await.unwrap();
    assert_eq!(results(&session)[0], (true, "not here".to_owned()));
    // It is checked again before each run.
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_that_is_changed_during_a_session_blocks() {
    let place = Place::new(&[("project/.claude/hooks/guard.sh", "exit 0\n")]);
    place
        .write("project/.claude/settings.json", &settings("PreToolUse", "Bash", "sh .claude/hooks/guard.sh"));
    place.confirm();
    let turn = || Turn::new().call("bash", &json!({ "command": "echo fine" }));
    let session = playing(&place, [turn(), Turn::new().text("1"), turn(), Turn::new().text("2")])
        .build()
        .await
        .unwrap();
    session.run("Go").await.unwrap();
    place.write("project/.claude/hooks/guard.sh", "touch evidence\n");
    session.run("Again").await.unwrap();
    let results = results(&session);
    assert!(!results[0].0, "{results:?}");
    assert!(results[1].0 && results[1].1.contains("changed since you confirmed it"), "{results:?}");
    assert!(!place.path("project/evidence").exists());
    session.dispose().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_2_sessions_have_a_start_and_an_end_for_hooks() {
    let place = Place::new(&[]);
    let file = json!({ "hooks": {
        "SessionStart": [{ "hooks": [{ "type": "command", "command": "cat >> events.jsonl; echo 'the branch is main'" }] }],
        "SessionEnd": [{ "hooks": [{ "type": "command", "command": "cat >> events.jsonl" }] }],
        "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "grep -q forbidden && exit 2; exit 0" }] }],
    } });
    place.write("home/.toolsmith/agent/hooks.json", &file.to_string());
    let session =
        playing(&place, [Turn::new().text("Hi."), Turn::new().text("Again.")]).build().await.unwrap();
    session.run("Hello").await.unwrap();
    let said: Vec<String> =
        session.log().messages().iter().map(toolsmith_llm::Message::joined_text).collect();
    assert_eq!(said, ["Hello", "the branch is main", "Hi."]);
    let refused = session.run("forbidden").await.unwrap();
    assert!(matches!(refused.end, RunEnd::Aborted { .. }), "{:?}", refused.end);
    session.new_session().await.unwrap();
    session.run("Once more").await.unwrap();
    session.dispose().await;
    let events = place.lines("project/events.jsonl");
    let names: Vec<String> = events
        .iter()
        .map(|event| {
            let about = event["source"].as_str().or(event["reason"].as_str()).unwrap();
            format!("{} {about}", event["hook_event_name"].as_str().unwrap())
        })
        .collect();
    assert_eq!(names[..3], ["SessionStart startup", "SessionEnd clear", "SessionStart clear"]);
    assert_eq!(names.last().unwrap(), "SessionEnd other");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_discovery_a_program_that_embeds_us_runs_no_hooks_but_those_it_gives() {
    let place = guarded();
    let turns = || {
        let turn = Turn::new().call("bash", &json!({ "command": "echo secret" }));
        [turn, Turn::new().text("Done.")]
    };
    let session = playing(&place, turns()).discovery(false).build().await.unwrap();
    session.run("Go").await.unwrap();
    assert!(!results(&session)[0].0);
    session.dispose().await;
    let session = playing(&place, turns()).discovery(false).hooks(place.hooks()).build().await.unwrap();
    session.run("Go").await.unwrap();
    assert_eq!(results(&session)[0], (true, "secrets stay here".to_owned()));
    session.dispose().await;
}
