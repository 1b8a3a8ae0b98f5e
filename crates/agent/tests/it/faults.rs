//! The loop against a server that speaks a real wire, and fails in every way it can.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use toolsmith_agent::{Agent, Prompt, RunEnd, Totals};
use toolsmith_llm::{ApiKind, Environment, HttpProvider, KeySource, Model, ProviderConfig, Secret};
use toolsmith_testkit::{
    Gate, ModelServer, Problem, Reply, Stop, Tokens,
    agent::{Probe, assert_paired, dispatching, results, spec},
};
use toolsmith_tool::{ContentBlock, ToolResult};

struct Bench {
    server: ModelServer,
    agent: Agent,
}

async fn bench(tools: impl IntoIterator<Item = Probe>) -> Bench {
    let server = ModelServer::start().await.unwrap();
    let config = ProviderConfig::new("bench", ApiKind::AnthropicMessages, server.url())
        .key(KeySource::Literal(Secret::new("sk-test-0123456789")))
        .idle_timeout(Duration::from_secs(60));
    let provider = HttpProvider::new(config, Environment::new(|_| None));
    let mut model = Model::unknown("bench", "test-model");
    model.price.input = 2.0;
    let agent = Agent::builder()
        .model(Arc::new(provider), model)
        .dispatcher(dispatching(tools).build())
        .build()
        .unwrap();
    Bench { server, agent }
}

#[tokio::test]
async fn a_whole_turn_over_a_real_wire() {
    let Bench { server, agent } = bench([Probe::echo("echo")]).await;
    let mut tokens = Tokens::default();
    (tokens.input, tokens.output) = (1000, 10);
    server.push(Reply::new().text("Looking.").call("c1", "echo", &json!({ "text": "a" })).tokens(tokens));
    server.push(Reply::new().text("Done."));
    let summary = agent.run("go").await.unwrap();
    assert_eq!((&summary.end, summary.text.as_str()), (&RunEnd::Completed, "Done."));
    let second = server.last_request().body;
    assert_eq!(second["messages"][2]["content"][0]["tool_use_id"], "c1");
    let Totals { usage, .. } = agent.totals();
    assert!(usage.input >= 1000 && usage.cost.total > 0.0, "{usage:?}");
}

#[tokio::test]
async fn every_fault_ends_the_run_with_its_class_and_the_next_prompt_works() {
    let half = || Reply::new().text("half").call("c1", "echo", &json!({ "text": "a" }));
    let faults: Vec<(&str, Reply)> = vec![
        ("rate_limited", Reply::refuse(Problem::RateLimited(Some(3)))),
        ("overloaded", Reply::refuse(Problem::Overloaded)),
        ("overflow", Reply::refuse(Problem::Overflow)),
        ("auth", Reply::refuse(Problem::Auth)),
        ("bad_request", Reply::refuse(Problem::BadRequest)),
        ("server", Reply::refuse(Problem::Server)),
        ("quota", Reply::refuse(Problem::Quota)),
        ("overloaded", half().problem(Problem::Overloaded)),
        ("network", half().cut()),
        ("network", Reply::nonsense("SSH-2.0-OpenSSH\r\n")),
        ("bad_request", Reply::whole(200, "text/html", "<html>captive portal</html>")),
    ];
    for (expected, fault) in faults {
        let Bench { server, agent } = bench([Probe::echo("echo")]).await;
        let description = format!("{fault:?}");
        server.push(fault);
        let summary = agent.run("go").await.unwrap();
        let RunEnd::Failed { class, message } = &summary.end else {
            panic!("{:?}: {description}", summary.end)
        };
        assert_eq!(*class, expected, "{message}: {description}");
        assert!(!message.contains("sk-test"), "{message}");
        assert_paired(&agent);
        server.push(Reply::new().text("fine again"));
        assert_eq!(agent.run("go").await.unwrap().text, "fine again", "{description}");
    }
}

#[tokio::test]
async fn a_length_stop_on_the_wire_runs_nothing() {
    let Bench { server, agent } = bench([Probe::echo("echo")]).await;
    server.push(Reply::new().call_deltas("c1", "echo", ["{\"text\":\"ha"]).stop(Stop::Length));
    server.push(Reply::new().text("ok"));
    agent.run("go").await.unwrap();
    assert!(results(&agent)[0].contains("length limit"), "{:?}", results(&agent));
    assert_paired(&agent);
}

#[tokio::test]
async fn an_abort_closes_the_connection() {
    let Bench { server, agent } = bench([]).await;
    let gate = Gate::new();
    server.push(Reply::new().text("half").wait(&gate));
    agent.prompt("go").unwrap();
    server.wait_for_requests(1).await;
    agent.abort("enough");
    let summary = agent.wait_for_idle().await.unwrap();
    assert!(matches!(summary.end, RunEnd::Aborted { .. }));
    server.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn a_model_that_sees_no_images_gets_a_note_in_their_place() {
    let draw = Probe::new(spec("draw"), |_, _| async {
        let image = ContentBlock::Image { data: "aGVsbG8=".to_owned(), mime_type: "image/png".to_owned() };
        Ok(ToolResult { content: vec![image], ..ToolResult::default() })
    });
    let Bench { server, agent } = bench([draw]).await;
    server.push(Reply::new().call("c1", "draw", &json!({})));
    server.push(Reply::new().text("ok"));
    agent.run(Prompt::from("look").image("aGVsbG8=", "image/png")).await.unwrap();
    let body = server.last_request().body.to_string();
    assert!(!body.contains("aGVsbG8=") && body.matches("image omitted").count() == 2, "{body}");
}

#[tokio::test]
async fn what_is_said_while_the_model_says_its_last_words_is_heard() {
    let Bench { server, agent } = bench([]).await;
    let gate = Gate::new();
    server.push(Reply::new().text("my last").wait(&gate).text("words"));
    server.push(Reply::new().text("one more thing"));
    agent.prompt("go").unwrap();
    server.wait_for_requests(1).await;
    agent.steer("wait").unwrap();
    gate.open();
    assert_eq!(agent.wait_for_idle().await.unwrap().text, "one more thing");
    assert_eq!(server.requests().len(), 2);
}
