//! Retries and compaction end to end: a session, real wires, and a server that says what a test wants.

use std::time::Duration;

use serde_json::{Value, json};
use toolsmith::{ModelChoice, Session, SessionSource, settings::Settings};
use toolsmith_agent::{AgentEvent, RunEnd, Subscription};
use toolsmith_llm::Environment;
use toolsmith_middleware::CompactError;
use toolsmith_testkit::{Gate, ModelServer, Problem, Reply, Tokens};

use crate::place::Place;

/// Keeps its count in the details of its results, and finds it there.
const TALLY: &str = r#"const heard = [];
export default () => ({
  name: "tally", description: "Counts its calls", approval: "read", parameters: { type: "object", properties: {} },
  onSession(event) { heard.push(event); },
  async execute(id, params, onUpdate, ctx) {
    let count = 0;
    for (const entry of ctx.sessionManager.getBranch()) {
      if (entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === "tally") {
        count = entry.message.details.count;
      }
    }
    count += 1;
    return { content: [{ type: "text", text: `count ${count}` }], details: { count, heard } };
  },
});
"#;

struct Stage {
    server: ModelServer,
    session: Session,
    events: Subscription,
    _place: Place,
}

/// Waits of a millisecond; compacts past 4000 tokens and keeps 100.
fn impatient() -> Settings {
    let mut settings = Settings::default();
    settings.retry.base_delay = Duration::from_millis(1);
    settings.compaction.threshold_tokens = Some(4000);
    settings.compaction.keep_recent_tokens = 100;
    settings
}

async fn stage(settings: Settings, replies: impl IntoIterator<Item = Reply>) -> Stage {
    let server = ModelServer::start().await.unwrap();
    for reply in replies {
        server.push(reply);
    }
    let place = Place::new(&[("project/tally.ts", TALLY)]);
    let session = Session::builder(place.cwd())
        .home(place.home())
        .settings(settings)
        .environment(Environment::new(|_| None))
        .model_choice(ModelChoice::Endpoint {
            provider: "anthropic".to_owned(),
            model: Some("some-model".to_owned()),
            base_url: Some(server.url()),
            api_key_env: None,
        })
        .tool_path(place.path("project/tally.ts"))
        .session(SessionSource::New)
        .build()
        .await
        .unwrap();
    let events = session.subscribe();
    Stage { server, session, events, _place: place }
}

impl Stage {
    /// What was told of the session, by reason, and all of it.
    fn told(&mut self) -> (Vec<String>, Vec<Value>) {
        let mut told = Vec::new();
        while let Some(event) = self.events.try_next() {
            if let AgentEvent::Session(event) = &*event {
                told.push(event.to_json());
            }
        }
        (told.iter().map(|event| event["reason"].as_str().unwrap().to_owned()).collect(), told)
    }

    fn bodies(&self) -> Vec<String> {
        self.server.requests().iter().map(|request| request.body.to_string()).collect()
    }
}

fn said(text: &str) -> Reply {
    Reply::new().text(text)
}

fn tokens(input: u64) -> Tokens {
    Tokens { input, output: 10, ..Tokens::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_passes() {
    let limited = |wait| Reply::refuse(Problem::RateLimited(wait));
    let mut stage = stage(impatient(), [limited(None), limited(Some(0)), said("Hello.")]).await;
    assert_eq!(stage.session.run("Hi").await.unwrap().text, "Hello.");
    let (reasons, told) = stage.told();
    assert_eq!(reasons, ["auto_retry_start", "auto_retry_start", "auto_retry_end"]);
    assert!(told[0]["errorMessage"].as_str().unwrap().contains("rate limit"), "{told:?}");
    assert_eq!(told[2], json!({ "reason": "auto_retry_end", "success": true, "attempt": 2 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_is_too_long_fails_at_once_and_says_how_long() {
    let mut stage = stage(impatient(), [Reply::refuse(Problem::RateLimited(Some(3600)))]).await;
    let end = stage.session.run("Hi").await.unwrap().end.clone();
    assert!(
        matches!(&end, RunEnd::Failed { class: "rate_limited", message } if message.contains("wait 3600 s")),
        "{end:?}"
    );
    let mut notices = Vec::new();
    while let Some(event) = stage.events.try_next() {
        if let AgentEvent::Notice { message } = &*event {
            notices.push(message.clone());
        }
        assert!(!matches!(&*event, AgentEvent::Session(_)));
    }
    assert!(notices[0].contains("asks to wait 3600 s"), "{notices:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_stays_overloaded_is_given_up() {
    let mut settings = impatient();
    settings.retry.max_attempts = 3;
    let mut stage = stage(settings, []).await;
    stage.server.otherwise(|_| Reply::refuse(Problem::Overloaded));
    let end = stage.session.run("Hi").await.unwrap().end.clone();
    assert!(matches!(end, RunEnd::Failed { class: "overloaded", .. }), "{end:?}");
    assert_eq!(stage.server.requests().len(), 4);
    let (reasons, told) = stage.told();
    assert_eq!(reasons, ["auto_retry_start", "auto_retry_start", "auto_retry_start", "auto_retry_end"]);
    assert_eq!((&told[3]["success"], &told[3]["attempt"]), (&json!(false), &json!(3)));
    assert!(told[3]["finalError"].as_str().unwrap().contains("HTTP 529"), "{told:?}");
    // Switched off, it is not even tried.
    stage.session.set_auto_retry(false);
    stage.session.run("Hi").await.unwrap();
    assert_eq!(stage.server.requests().len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_cut_off_in_the_middle_is_asked_for_again() {
    let half_a_call = Reply::new().text("I will").call("1", "tally", &json!({})).cut();
    let replies = [half_a_call, Reply::new().call("2", "tally", &json!({})), said("Done.")];
    let mut stage = stage(impatient(), replies).await;
    assert_eq!(stage.session.run("Count").await.unwrap().text, "Done.");
    assert_eq!(stage.told().0, ["auto_retry_start", "auto_retry_end"]);
    let last = stage.bodies().pop().unwrap();
    assert!(last.contains("count 1") && !last.contains("I will"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_the_wait() {
    let mut settings = impatient();
    settings.retry.base_delay = Duration::from_secs(200);
    let mut stage = stage(settings, [Reply::refuse(Problem::Server)]).await;
    stage.session.prompt("Hi").unwrap();
    while let Some(event) = stage.events.next().await {
        if matches!(&*event, AgentEvent::Session(event) if event.reason() == "auto_retry_start") {
            break;
        }
    }
    stage.session.abort("enough");
    let end = stage.session.wait_for_idle().await.unwrap().end.clone();
    assert!(matches!(end, RunEnd::Aborted { .. }), "{end:?}");
    assert_eq!(stage.told().1[0]["finalError"], "Retry cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overflow_is_followed_by_a_compaction_and_an_answer() {
    let long = "word ".repeat(400);
    let replies = [
        said("One."),
        said("Two."),
        Reply::refuse(Problem::Overflow),
        said("## Goal\nTo count."),
        said("Three."),
    ];
    let mut stage = stage(impatient(), replies).await;
    stage.session.run(format!("1 {long}")).await.unwrap();
    stage.session.run(format!("2 {long}")).await.unwrap();
    assert_eq!(stage.session.run("3").await.unwrap().text, "Three.");
    let (reasons, told) = stage.told();
    assert_eq!(reasons, ["auto_compaction_start", "auto_compaction_end"]);
    assert_eq!((&told[0]["trigger"], &told[1]["willRetry"]), (&json!("overflow"), &json!(true)));
    let bodies = stage.bodies();
    assert!(bodies[3].contains("<conversation>") && !bodies[3].contains("\"tools\""), "{}", bodies[3]);
    assert!(bodies[4].contains("To count.") && bodies[4].contains("2 word") && !bodies[4].contains("1 word"));
    // The file has it all: another session goes on from the summary.
    let kept = stage.session.log();
    assert_eq!(kept.messages().len(), 1 + 2 + 2, "{:?}", kept.messages());
}

#[tokio::test(flavor = "multi_thread")]
async fn c7_1_tools_hear_of_a_compaction_and_find_their_state_after_it() {
    let long = "word ".repeat(400);
    let call = |id: &str| Reply::new().call(id, "tally", &json!({}));
    let replies = [
        call("1"),
        call("2").tokens(tokens(100)),
        said("Two.").tokens(tokens(4001)),
        said("## Goal\nTo count."),
        call("3"),
        said("Three."),
    ];
    let mut stage = stage(impatient(), replies).await;
    assert_eq!(stage.session.run("Count").await.unwrap().text, "Two.");
    assert_eq!(stage.session.run(long).await.unwrap().text, "Three.");
    assert_eq!(stage.told().0, ["auto_compaction_start", "auto_compaction_end"]);
    let last = stage.bodies().pop().unwrap();
    assert!(last.contains("count 3") && !last.contains("count 2") && last.contains("To count."), "{last}");

    let entries = toolsmith_tool::SessionView::branch(&stage.session.log(), None);
    let details: Vec<&Value> = entries
        .iter()
        .map(|entry| &entry["message"]["details"])
        .filter(|details| details.is_object())
        .collect();
    assert_eq!(
        details.iter().map(|details| details["count"].as_u64()).collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3)]
    );
    let heard = details[2]["heard"].as_array().unwrap();
    let reasons: Vec<_> = heard.iter().map(|event| event["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["start", "auto_compaction_start", "auto_compaction_end"]);
    assert_eq!(heard[2]["result"]["shortSummary"], "To count.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_can_ask_for_it_and_stop_it() {
    let long = "word ".repeat(400);
    let gate = Gate::new();
    let replies = [said("One."), said("half").wait(&gate), said("## Goal\nTo count."), said("Two.")];
    let stage = stage(impatient(), replies).await;
    assert!(matches!(stage.session.compact(None).await, Err(CompactError::Nothing)));
    stage.session.run(format!("1 {long}")).await.unwrap();

    let stopping = async {
        stage.server.wait_for_requests(2).await;
        assert!(matches!(stage.session.compact(None).await, Err(CompactError::Busy(_))));
        stage.session.abort("enough");
    };
    let (outcome, ()) = tokio::join!(stage.session.compact(None), stopping);
    assert!(matches!(outcome, Err(CompactError::Aborted)), "{outcome:?}");
    stage.server.wait_for_disconnects(1).await;

    let done = stage.session.compact(Some("Mind the words")).await.unwrap();
    assert_eq!(done.short_summary.as_deref(), Some("To count."));
    assert!(stage.bodies()[2].contains("Additional instructions of the user: Mind the words"));
    assert_eq!(stage.session.run("2").await.unwrap().text, "Two.");
    assert!(!stage.bodies()[3].contains("word word"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_waits_for_errors_that_pass() {
    let replies = [said("One."), Reply::refuse(Problem::Overloaded), said("## Goal\nTo count.")];
    let mut stage = stage(impatient(), replies).await;
    stage.session.run("word ".repeat(400)).await.unwrap();
    stage.session.compact(None).await.unwrap();
    assert_eq!(stage.told().0, ["auto_retry_start", "auto_retry_end"]);

    let mut settings = impatient();
    settings.retry.max_attempts = 1;
    let replies = [said("One."), Reply::refuse(Problem::Overloaded), Reply::refuse(Problem::Overloaded)];
    let mut stage = self::stage(settings, replies).await;
    stage.session.run("word ".repeat(400)).await.unwrap();
    let error = stage.session.compact(None).await.unwrap_err();
    assert!(matches!(error, CompactError::Summary(_)), "{error}");
    assert_eq!(stage.told().1[1]["success"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn switched_off_nothing_is_compacted() {
    let mut stage = stage(impatient(), [said("One.").tokens(tokens(5000)), said("Two.")]).await;
    assert!(stage.session.auto_compaction() && stage.session.auto_retry());
    stage.session.set_auto_compaction(false);
    stage.session.run("1 ".repeat(2000)).await.unwrap();
    assert_eq!(stage.session.run("2").await.unwrap().text, "Two.");
    assert!(stage.told().0.is_empty());
}
