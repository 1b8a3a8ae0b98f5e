//! Servers on this machine are found, and those that are not there hold nothing up.

use serde_json::json;
use toolsmith_llm::discover_at;
use toolsmith_testkit::ModelServer;

#[tokio::test]
async fn servers_that_answer_are_found_with_what_they_have() {
    let ollama = ModelServer::start().await.unwrap();
    ollama.set_models(
        json!({ "object": "list", "data": [{ "id": "qwen3:4b" }, { "id": "gpt-oss:20b" }, { "noid": 1 }] }),
    );
    let vllm = ModelServer::start().await.unwrap();
    vllm.set_models(json!({ "data": [{ "id": "m", "max_model_len": 4096 }, { "id": "n", "meta": { "n_ctx_train": 8192 } }] }));
    // Something else lives there.
    let other = ModelServer::start().await.unwrap();
    other.set_models(json!("<html>"));
    let [a, b, c] = [&ollama, &vllm, &other].map(|server| format!("{}/v1", server.url()));
    let found = discover_at(&[
        ("ollama", a.as_str()),
        ("gone", "http://127.0.0.1:1/v1"),
        ("other", c.as_str()),
        ("vllm", b.as_str()),
    ])
    .await;
    let shown: Vec<String> = found
        .iter()
        .flat_map(|server| {
            let provider = &server.provider;
            let models = server.models.iter();
            models.map(move |model| format!("{provider} {} {:?}", model.id, model.context_window))
        })
        .collect();
    assert_eq!(
        shown,
        ["ollama qwen3:4b None", "ollama gpt-oss:20b None", "vllm m Some(4096)", "vllm n Some(8192)",]
    );
    assert_eq!(ollama.last_request().path, "/v1/models");
}
