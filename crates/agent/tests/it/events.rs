//! The events of a run, compared with snapshots.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_agent::{
    Agent, AgentEvent, ApprovalRequest, ApprovalSettings, Approver, Decision, Subscription,
};
use toolsmith_llm::{CancelToken, ErrorClass, Script, ScriptedProvider, Turn, Usage};
use toolsmith_testkit::agent::{Probe, agent, dispatching, spec};
use toolsmith_tool::{Concurrency, Tier, ToolResult, async_trait};

/// What differs from run to run.
fn settle(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match key.as_str() {
                    "timestamp" | "durationMs" | "wallUs" => *value = json!(0),
                    _ => settle(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        _ => {}
    }
}

fn check(events: &mut Subscription, name: &str) {
    let mut text = String::new();
    while let Some(event) = events.try_next() {
        let mut json = serde_json::to_value(&*event).unwrap();
        settle(&mut json);
        text.push_str(&format!("{json}\n"));
    }
    insta::assert_snapshot!(name, text);
}

async fn check_run(agent: Agent, name: &str) {
    let mut events = agent.subscribe();
    agent.run("Do it").await.unwrap();
    check(&mut events, name);
}

#[tokio::test]
async fn a_turn_with_thinking_a_call_and_updates() {
    let probe = Probe::new(spec("work").concurrency(Concurrency::Exclusive), |call, context| async move {
        context.updates.send(ToolResult::text("10 %"));
        Ok(ToolResult::text(format!("{} done", call.id)).with_details(json!({ "rows": 3 })))
    });
    let turns = [
        Turn::new()
            .thinking("Hm.")
            .text("Working on it.")
            .call("work", &json!({ "text": "a" }))
            .call("wrok", &json!({}))
            .usage(Usage::new(100, 20, 0, 0)),
        Turn::new().text("All done.").chunk(4),
    ];
    check_run(agent(turns, [probe]), "turn").await;
}

#[tokio::test]
async fn a_run_that_fails_in_the_middle_of_a_call() {
    let turns = [Turn::new().text("half").call("echo", &json!({})).error(ErrorClass::Overloaded, "busy")];
    check_run(agent(turns, [Probe::echo("echo")]), "failure").await;
}

struct No;

#[async_trait]
impl Approver for No {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        Decision::Deny { note: Some("not today".to_owned()) }
    }
}

#[tokio::test]
async fn a_call_that_is_asked_about_and_denied() {
    let probe = Probe::new(spec("run").approval(Tier::Exec), |_, _| async { Ok(ToolResult::text("ran")) });
    let provider =
        ScriptedProvider::new(Script::new([Turn::new().call("run", &json!({})), Turn::new().text("ok")]));
    let dispatcher = dispatching([probe.details(&["Runs it"])])
        .approval(ApprovalSettings::default())
        .approver(Arc::new(No))
        .build();
    let agent = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(dispatcher)
        .clock(|| 0)
        .build()
        .unwrap();
    check_run(agent, "denied").await;
}

#[tokio::test]
async fn whoever_hears_the_end_can_prompt_at_once() {
    let agent = agent([Turn::new().text("one"), Turn::new().text("two")], []);
    let mut events = agent.subscribe();
    agent.prompt("a").unwrap();
    while let Some(event) = events.next().await {
        if matches!(&*event, AgentEvent::AgentEnd { .. }) {
            break;
        }
    }
    agent.prompt("b").unwrap();
    assert_eq!(agent.wait_for_idle().await.unwrap().text, "two");
}

#[tokio::test]
async fn all_subscribers_hear_the_same_and_one_that_left_is_forgotten() {
    let agent = agent([Turn::new().text("one")], []);
    let (mut first, mut second) = (agent.subscribe(), agent.subscribe());
    drop(agent.subscribe());
    agent.run("a").await.unwrap();
    let mut count = 0;
    while let Some(event) = first.try_next() {
        assert_eq!(Some(event), second.try_next());
        count += 1;
    }
    assert!(count > 5);
}

#[tokio::test]
async fn a_subscription_is_a_stream_that_ends_with_the_agent() {
    use futures::StreamExt as _;
    let provider = ScriptedProvider::new(Script::parse(r#"["Hello."]"#).unwrap());
    let model = provider.model().clone();
    let agent = Agent::builder().model(Arc::new(provider), model).build().unwrap();
    let events = agent.subscribe();
    agent.run("Hi").await.unwrap();
    drop(agent);
    let kinds: Vec<String> = events
        .map(|event| serde_json::to_value(&*event).unwrap()["type"].as_str().unwrap().to_owned())
        .collect()
        .await;
    assert_eq!(kinds.first().map(String::as_str), Some("agent_start"));
    assert_eq!(kinds.last().map(String::as_str), Some("agent_end"));
}
