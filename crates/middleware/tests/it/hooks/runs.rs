//! Hooks at prompts, at the end of a run and at compaction.

use std::sync::Arc;

use serde_json::json;
use toolsmith_agent::{Agent, AgentEvent, RunEnd};
use toolsmith_llm::{Message, Turn};
use toolsmith_middleware::hooks::{Hook, HookEvent, HookEvents, SessionEndReason, SessionStartSource};
use toolsmith_testkit::agent::{heard, playing};
use toolsmith_tool::ToolContext;

use super::kit::{Kit, claude, echo};

fn playing_with(kit: &Kit, turns: impl IntoIterator<Item = Turn>) -> Agent {
    let (builder, _) = playing(turns, [echo("bash")]);
    builder.hook(Arc::new(HookEvents::new(kit.hooks.clone()))).build().unwrap()
}

fn kit(hooks: impl IntoIterator<Item = (HookEvent, &'static str)>) -> Kit {
    Kit::new(|_| hooks.into_iter().map(|(event, command)| claude(event, "", command)).collect::<Vec<Hook>>())
}

fn texts(agent: &Agent) -> Vec<String> {
    let name = |message: &Message| match message {
        Message::User(_) => "user",
        Message::Developer(_) => "developer",
        Message::Assistant(_) => "assistant",
        _ => "other",
    };
    agent
        .conversation()
        .context()
        .iter()
        .map(|said| format!("{}: {}", name(said), said.joined_text()))
        .collect()
}

#[tokio::test]
async fn c11_2_a_prompt_gets_context_or_is_blocked() {
    let adding = kit([(HookEvent::UserPromptSubmit, "cat > seen.json; echo 'today is Sunday'")]);
    let agent = playing_with(&adding, [Turn::new().text("Hello.")]);
    agent.run("Hi").await.unwrap();
    assert_eq!(texts(&agent), ["user: Hi", "developer: today is Sunday", "assistant: Hello."]);
    assert_eq!(adding.json("seen.json")["prompt"], "Hi");
    let blocking = kit([(HookEvent::UserPromptSubmit, "echo 'has a key in it' >&2; exit 2")]);
    let agent = playing_with(&blocking, [Turn::new().text("Hello.")]);
    let summary = agent.run("sk-123").await.unwrap();
    let RunEnd::Aborted { message } = &summary.end else { panic!("{:?}", summary.end) };
    assert_eq!(message, "The prompt was blocked by a hook: has a key in it");
    assert!(texts(&agent).is_empty(), "the prompt is not kept: {:?}", texts(&agent));
}

#[tokio::test]
async fn a_message_that_is_queued_does_not_avoid_the_hooks_of_prompts() {
    let kit = kit([(HookEvent::UserPromptSubmit, "grep -q sk- && { echo key >&2; exit 2; }; exit 0")]);
    let agent = playing_with(&kit, [Turn::new().text("one"), Turn::new().text("two")]);
    agent.follow_up("sk-123").unwrap();
    agent.run("Hi").await.unwrap();
    assert_eq!(texts(&agent)[2], "user: [A hook blocked this message.]");
}

#[tokio::test]
async fn c11_2_a_stop_hook_continues_the_run_and_knows_that_it_did() {
    let kit = kit([(
        HookEvent::Stop,
        r#"cat > in.json; cat in.json >> seen.jsonl; grep -q '"stop_hook_active":true' in.json && exit 0; echo 'run the tests' >&2; exit 2"#,
    )]);
    let agent = playing_with(&kit, [Turn::new().text("Done."), Turn::new().text("Tested.")]);
    agent.run("Do it").await.unwrap();
    assert_eq!(
        texts(&agent),
        ["user: Do it", "assistant: Done.", "developer: run the tests", "assistant: Tested."]
    );
    let seen = kit.read("seen.jsonl");
    assert!(seen.lines().next().unwrap().contains(r#""last_assistant_message":"Done.""#), "{seen}");
}

#[tokio::test]
async fn c11_2_a_stop_hook_cannot_continue_for_ever() {
    let kit = kit([(HookEvent::Stop, "echo more >&2; exit 2")]);
    let agent = playing_with(&kit, (0..20).map(|n| Turn::new().text(n.to_string())));
    let mut events = agent.subscribe();
    agent.run("Go").await.unwrap();
    let answers = texts(&agent).iter().filter(|text| text.starts_with("assistant")).count();
    assert_eq!(answers, 9);
    let is_notice = |event: &Arc<AgentEvent>| matches!(&**event, AgentEvent::Notice { message } if message.contains("8 times"));
    assert!(heard(&mut events).iter().any(is_notice));
}

#[tokio::test]
async fn c11_2_continue_false_beats_a_reason_to_go_on() {
    let kit = kit([(
        HookEvent::Stop,
        r#"echo '{"continue": false, "stopReason": "enough", "decision": "block", "reason": "more"}'"#,
    )]);
    let agent = playing_with(&kit, [Turn::new().text("Done."), Turn::new().text("never")]);
    agent.run("Go").await.unwrap();
    assert_eq!(texts(&agent).len(), 2);
}

#[tokio::test]
async fn c11_2_the_start_of_a_session_adds_context_to_the_first_prompt() {
    let kit = Kit::new(|_| {
        vec![
            claude(HookEvent::SessionStart, "startup", "cat > seen.json; echo 'branch: main'"),
            claude(HookEvent::SessionStart, "resume", "touch wrong"),
            claude(HookEvent::SessionEnd, "", "cat > end.json"),
        ]
    });
    let agent = playing_with(&kit, [Turn::new().text("Hello.")]);
    kit.hooks.session_started(SessionStartSource::Startup, agent.tool_context()).await;
    agent.run("Hi").await.unwrap();
    assert_eq!(texts(&agent)[..2], ["user: Hi", "developer: branch: main"]);
    assert_eq!(
        (kit.json("seen.json")["source"].as_str(), kit.path("wrong").exists()),
        (Some("startup"), false)
    );
    kit.hooks.session_ended(SessionEndReason::Exit, &ToolContext::detached()).await;
    assert_eq!(kit.json("end.json")["reason"], json!("other"));
}

#[tokio::test]
async fn a_hook_of_the_end_that_hangs_does_not_hold_up_the_program() {
    let kit = kit([(HookEvent::SessionEnd, "echo $$ > self; sleep 1000")]);
    kit.hooks.session_ended(SessionEndReason::Exit, &ToolContext::detached()).await;
    assert_eq!(kit.notices(), ["The hooks of the end of the session took too long and were stopped"]);
}
