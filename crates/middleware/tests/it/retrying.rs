//! Asking again after errors that pass.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use toolsmith_agent::{Agent, AgentEvent, AgentLimits, RunEnd, Subscription};
use toolsmith_llm::{ErrorClass, Turn};
use toolsmith_middleware::{Retry, RetryPolicy};
use toolsmith_testkit::agent::{Probe, assert_paired, heard, playing, spec};
use toolsmith_tool::ToolResult;

fn failing(class: ErrorClass) -> Turn {
    Turn::new().text("half an ans").error(class, "busy")
}

fn retrying(policy: RetryPolicy, turns: impl IntoIterator<Item = Turn>) -> Agent {
    let retry = Retry::new(policy).with_chance(|| 0.0);
    playing(turns, []).0.hook(Arc::new(retry)).build().unwrap()
}

/// What was told of retries.
fn retries(events: &mut Subscription) -> Vec<Value> {
    let told = heard(events).into_iter().filter(|event| matches!(&**event, AgentEvent::Session(_)));
    told.map(|event| serde_json::to_value(&*event).unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn an_error_that_passes_is_waited_for_with_growing_patience() {
    let turns = [failing(ErrorClass::Overloaded), failing(ErrorClass::Network), Turn::new().text("whole")];
    let agent = retrying(RetryPolicy::default(), turns);
    let mut events = agent.subscribe();
    let began = tokio::time::Instant::now();
    let summary = agent.run("go").await.unwrap();
    assert_eq!((&summary.end, summary.text.as_str()), (&RunEnd::Completed, "whole"));
    assert_eq!(began.elapsed(), Duration::from_secs(1 + 2));
    assert_eq!(
        retries(&mut events),
        [
            json!({ "type": "auto_retry_start", "attempt": 1, "maxAttempts": 5, "delayMs": 1000, "errorMessage": "script: overloaded: busy" }),
            json!({ "type": "auto_retry_start", "attempt": 2, "maxAttempts": 5, "delayMs": 2000, "errorMessage": "script: no connection: busy" }),
            json!({ "type": "auto_retry_end", "success": true, "attempt": 2 }),
        ]
    );
    assert_eq!(agent.conversation().context().len(), 2, "what failed is no part of the conversation");
}

#[tokio::test(start_paused = true)]
async fn after_so_many_attempts_the_run_fails_and_the_end_is_told() {
    let agent = retrying(RetryPolicy::default().max_attempts(2), vec![failing(ErrorClass::Server); 3]);
    let mut events = agent.subscribe();
    let summary = agent.run("go").await.unwrap();
    assert_eq!(
        summary.end,
        RunEnd::Failed { class: "server", message: "script: the provider failed: busy".to_owned() }
    );
    let told = retries(&mut events);
    assert_eq!(told.len(), 3);
    assert_eq!(
        told[2],
        json!({ "type": "auto_retry_end", "success": false, "attempt": 2, "finalError": "script: the provider failed: busy" })
    );
}

#[tokio::test(start_paused = true)]
async fn each_prompt_and_each_answer_has_all_its_attempts() {
    let call = Turn::new().call("echo", &json!({}));
    let turns = [
        failing(ErrorClass::Server),
        call,
        failing(ErrorClass::Server),
        failing(ErrorClass::Auth),
        failing(ErrorClass::Server),
        Turn::new().text("x"),
    ];
    let (builder, _) = playing(turns, [Probe::echo("echo")]);
    let agent = builder.hook(Arc::new(Retry::new(RetryPolicy::default().max_attempts(1)))).build().unwrap();
    let mut events = agent.subscribe();
    assert!(matches!(agent.run("go").await.unwrap().end, RunEnd::Failed { class: "auth", .. }));
    assert_eq!(agent.run("go").await.unwrap().end, RunEnd::Completed);
    let ends: Vec<Value> =
        retries(&mut events).into_iter().filter(|told| told["type"] == "auto_retry_end").collect();
    assert_eq!(
        ends.iter().map(|end| end["success"] == true).collect::<Vec<_>>(),
        [true, false, true],
        "{ends:?}"
    );
    assert_eq!(ends[1]["finalError"], "busy");
    assert_paired(&agent);
}

#[tokio::test(start_paused = true)]
async fn errors_that_do_not_pass_end_the_run_at_once_and_in_silence() {
    for class in [ErrorClass::Overflow, ErrorClass::Auth, ErrorClass::BadRequest, ErrorClass::Quota] {
        let agent = retrying(RetryPolicy::default(), [failing(class), Turn::new().text("never")]);
        let mut events = agent.subscribe();
        let end = agent.run("go").await.unwrap().end.clone();
        assert!(matches!(end, RunEnd::Failed { class: failed, .. } if failed == class.as_str()), "{end:?}");
        assert!(retries(&mut events).is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn cancel_ends_the_wait_at_once() {
    let policy = RetryPolicy::default().delays(Duration::from_secs(86_400), Duration::from_secs(86_400));
    let agent = retrying(policy, [failing(ErrorClass::Overloaded), Turn::new().text("never")]);
    let mut events = agent.subscribe();
    let began = tokio::time::Instant::now();
    agent.prompt("go").unwrap();
    loop {
        let event = serde_json::to_value(&*events.next().await.unwrap()).unwrap();
        if event["type"] == "auto_retry_start" {
            break;
        }
    }
    agent.abort("enough");
    let end = agent.wait_for_idle().await.unwrap().end.clone();
    assert_eq!(end, RunEnd::Aborted { message: "Request was aborted: enough".to_owned() });
    assert_eq!(began.elapsed(), Duration::ZERO);
    let cancelled =
        json!({ "type": "auto_retry_end", "success": false, "attempt": 1, "finalError": "Retry cancelled" });
    assert_eq!(retries(&mut events), [cancelled]);
}

#[tokio::test(start_paused = true)]
async fn cancel_while_the_request_is_made_again_ends_the_series_too() {
    let turns = [failing(ErrorClass::Overloaded), Turn::new().text("slow").wait_for_abort()];
    let agent = retrying(RetryPolicy::default(), turns);
    let mut events = agent.subscribe();
    agent.prompt("go").unwrap();
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(&*event, AgentEvent::MessageUpdate { .. }) && told.len() == 1 {
            agent.abort("enough");
        }
        match &*event {
            AgentEvent::Session(event) => told.push(event.to_json()),
            AgentEvent::AgentEnd { .. } => break,
            _ => {}
        }
    }
    assert_eq!(told[1]["finalError"], "Retry cancelled");
    assert_eq!(told.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_asked_for_again_counts_once() {
    let turns = [failing(ErrorClass::Server), failing(ErrorClass::Server), Turn::new().text("x")];
    let (builder, _) = playing(turns, []);
    let limits = AgentLimits::default().max_turns(1);
    let agent = builder.hook(Arc::new(Retry::new(RetryPolicy::default()))).limits(limits).build().unwrap();
    let mut events = agent.subscribe();
    assert_eq!(agent.run("go").await.unwrap().end, RunEnd::Completed);
    let turns = heard(&mut events).into_iter().filter_map(|event| match *event {
        AgentEvent::TurnStart { turn } => Some(turn),
        _ => None,
    });
    assert_eq!(turns.collect::<Vec<_>>(), [1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn it_can_be_switched_off_and_on() {
    let retry = Arc::new(Retry::new(RetryPolicy::default().enabled(false)));
    let turns = [failing(ErrorClass::Server), failing(ErrorClass::Server), Turn::new().text("x")];
    let agent = playing(turns, []).0.hook(Arc::clone(&retry) as _).build().unwrap();
    assert!(matches!(agent.run("go").await.unwrap().end, RunEnd::Failed { .. }));
    retry.set_enabled(true);
    assert_eq!(agent.run("go").await.unwrap().end, RunEnd::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_tools_ran_is_never_played_again() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let tool = Probe::new(spec("once"), move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolResult::text("done")) }
    });
    // The answer with the call fails first while it comes in, with the whole call in it; then the one after the call does.
    let call = Turn::new().call("once", &json!({}));
    let turns = [
        call.clone().error(ErrorClass::Network, "cut"),
        call,
        failing(ErrorClass::Overloaded),
        failing(ErrorClass::Overloaded),
        Turn::new().text("all done"),
    ];
    let (builder, provider) = playing(turns, [tool]);
    let agent = builder.hook(Arc::new(Retry::new(RetryPolicy::default()))).build().unwrap();
    assert_eq!(agent.run("go").await.unwrap().text, "all done");
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let requests = provider.requests();
    assert_eq!(requests[3].messages, requests[4].messages);
    assert_eq!(requests[4].messages.len(), 3, "prompt, call, result");
    assert_paired(&agent);
}
