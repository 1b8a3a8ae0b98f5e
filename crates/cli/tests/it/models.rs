//! Models on this machine, found by the real program.

use serde_json::{Value, json};
use toolsmith_testkit::{ModelServer, Reply};

use crate::place::Place;

/// A place whose only server is this one, known as Ollama.
fn place(server: &ModelServer, more: &str) -> Place {
    let mut text = more.to_owned();
    for name in ["ollama", "lmstudio", "llama.cpp", "vllm"] {
        // Nothing listens on the first port.
        let url = if name == "ollama" { server.url() } else { "http://127.0.0.1:1".to_owned() };
        text.push_str(&format!("\n[providers.\"{name}\"]\nbase_url = \"{url}\"\n"));
    }
    Place::new(&[("home/.toolsmith/config.toml", &text)])
}

async fn server() -> ModelServer {
    let server = ModelServer::start().await.unwrap();
    server.set_models(json!({ "data": [{ "id": "tiny:1b" }, { "id": "other:7b" }] }));
    server
}

#[tokio::test]
async fn a_server_on_this_machine_answers_without_any_setting_up() {
    for args in
        [&["-p", "hi"][..], &["-p", "hi", "--model", "tiny"], &["-p", "hi", "--model", "ollama/tiny:1b"]]
    {
        let server = server().await;
        server.push(Reply::new().text("From here."));
        let said = place(&server, "").run(args).await;
        assert_eq!((said.code, said.stdout.as_str()), (0, "From here.\n"), "{args:?} {said:#?}");
        assert_eq!(server.last_request().body["model"], "tiny:1b", "{args:?}");
        let with_provider = args.contains(&"ollama/tiny:1b");
        assert_eq!(server.requests().len(), if with_provider { 1 } else { 2 }, "{args:?}");
    }
}

#[tokio::test]
async fn doctor_says_which_models_can_be_asked_and_never_shows_a_key() {
    let server = server().await;
    let place = place(
        &server,
        "[providers.mine]\nwire = \"openai-completions\"\nbase_url = \"http://u:p4ss@127.0.0.1:1\"\napi_key = \"sk-literal\"\n",
    );
    let ask = |args: &[&str]| place.request(args).env("OPENAI_API_KEY", "s3cret");
    let said = place.run_request(&ask(&["doctor"])).await;
    assert_eq!(said.code, 0, "{said:#?}");
    for part in ["key in OPENAI_API_KEY", "has tiny:1b, other:7b", "no answer from", "ANTHROPIC_API_KEY"] {
        assert!(said.stdout.contains(part), "{part}: {said:#?}");
    }
    let as_json = place.run_request(&ask(&["doctor", "--json"])).await;
    let models = &as_json.json()["models"];
    assert!(models["chosen"].as_str().unwrap().starts_with("openai/"), "{models:#}");
    let provider = |name: &str| -> Value {
        let all = models["providers"].as_array().unwrap();
        all.iter().find(|provider| provider["name"] == name).unwrap().clone()
    };
    assert_eq!(provider("ollama")["models"], json!(["tiny:1b", "other:7b"]));
    assert_eq!(provider("lmstudio")["usable"], false);
    assert_eq!(provider("anthropic")["usable"], false);
    assert_eq!(provider("openai")["variable"], "OPENAI_API_KEY");
    for secret in ["s3cret", "p4ss", "sk-literal"] {
        assert!(!said.stdout.contains(secret) && !as_json.stdout.contains(secret), "{secret}");
    }
}
