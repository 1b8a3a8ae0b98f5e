//! Retries and compaction in the real program.

use serde_json::{Value, json};
use toolsmith_testkit::{ModelServer, Problem, Reply};

use crate::{
    place::{Place, Said},
    pty::Terminal,
};

const CONFIG: &str =
    "retry.base_delay = \"1ms\"\nretry.max_attempts = 2\ncompaction.keep_recent_tokens = 50\n";

struct Stage {
    server: ModelServer,
    place: Place,
}

impl Stage {
    async fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let server = ModelServer::start().await.unwrap();
        for reply in replies {
            server.push(reply);
        }
        Self { server, place: Place::new(&[("home/.toolsmith/config.toml", CONFIG)]) }
    }

    async fn run(&self, args: &[&str]) -> Said {
        let url = self.server.url();
        let model = ["--provider", "anthropic", "--model", "m", "--base-url", &url];
        self.place.run(&[args, &model].concat()).await
    }
}

/// What was told of the session: all lines whose type begins so.
fn told(said: &Said, prefix: &str) -> Vec<Value> {
    let events = said.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["type"].as_str().unwrap().starts_with(prefix)).collect()
}

#[tokio::test]
async fn an_error_that_passes_costs_only_time() {
    let limited = || Reply::refuse(Problem::RateLimited(Some(0)));
    let cut = || Reply::new().text("Hel").cut();
    let stage =
        Stage::new([limited(), cut(), Reply::new().text("Hello."), cut(), Reply::new().text("Yes.")]).await;
    let said = stage.run(&["-p", "hi"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Hello.\n"));
    assert_eq!(said.stderr.matches("retrying in").count(), 2, "{said:#?}");
    let said = stage.run(&["-p", "hi", "--mode", "json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let told = told(&said, "auto_retry");
    assert_eq!((&told[0]["attempt"], &told[0]["maxAttempts"]), (&json!(1), &json!(2)), "{told:?}");
    assert_eq!(told[1], json!({ "type": "auto_retry_end", "success": true, "attempt": 1 }));
}

#[tokio::test]
async fn an_error_that_stays_is_told_after_the_last_attempt() {
    let stage = Stage::new([]).await;
    stage.server.otherwise(|_| Reply::refuse(Problem::Overloaded));
    let said = stage.run(&["-p", "hi"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("overloaded") && said.stderr.contains("529"), "{said:#?}");
    assert_eq!(stage.server.requests().len(), 3);
}

#[tokio::test]
async fn a_conversation_that_became_too_long_goes_on_from_its_summary() {
    let stage = Stage::new([
        Reply::new().text("One."),
        Reply::refuse(Problem::Overflow),
        Reply::new().text("## Goal\nTo say many words."),
        Reply::new().text("Two."),
        Reply::new().text("Three."),
    ])
    .await;
    let long = "word ".repeat(200);
    assert_eq!(stage.run(&["-p", &long]).await.stdout, "One.\n");
    let said = stage.run(&["-p", "two", "--continue", "--mode", "json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let told = told(&said, "auto_compaction");
    assert_eq!((&told[0]["trigger"], &told[1]["willRetry"]), (&json!("overflow"), &json!(true)));
    // The next process knows of it.
    let said = stage.run(&["-p", "three", "--continue"]).await;
    assert_eq!(said.stdout, "Three.\n");
    let asked = stage.server.last_request().body.to_string();
    assert!(asked.contains("To say many words.") && !asked.contains("word word"), "{asked}");
}

#[test]
fn who_waits_is_told_what_for() {
    let script = json!([{ "reply": ["half", { "error": "so busy", "class": "overloaded" }] }, "Done."]);
    let place =
        Place::new(&[("home/.toolsmith/config.toml", CONFIG), ("project/script.json", &script.to_string())]);
    let (seen, code) = Terminal::start(&place, &["-p", "--model", "script:script.json", "hi"]).finish();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("retrying in 0.0 s (1 of 2)") && seen.contains("so busy"), "{seen}");
    assert!(seen.contains("Done."), "{seen}");
}
