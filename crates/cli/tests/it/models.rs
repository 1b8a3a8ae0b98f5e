//! Models on this machine, found by the real program.

use serde_json::{Value, json};
use toolsmith_host::exec::Stdin;
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

/// A place without local servers.
fn offline() -> Place {
    Place::new(&[("home/.toolsmith/config.toml", "[discovery]\nlocal_models = false\n")])
}

async fn listed(place: &Place, env: &[(&str, &str)]) -> Vec<String> {
    let mut request = place.request(&["models", "--json"]);
    for (name, value) in env {
        request = request.env(*name, *value);
    }
    let models = place.run_request(&request).await.json();
    models.as_array().unwrap().iter().map(|model| model["model"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn keys_of_clouds_are_stored_listed_and_removed() {
    for (provider, model) in [
        ("azure", "azure/gpt-5.5"),
        ("amazon-bedrock", "amazon-bedrock/us.anthropic.claude-sonnet-4-6"),
        ("google-vertex", "google-vertex/gemini-3.1-pro-preview"),
    ] {
        let place = offline();
        assert!(listed(&place, &[]).await.is_empty());
        let request = place.request(&["login", provider]).stdin(Stdin::Bytes(b"cloud-key-1\n".to_vec()));
        let said = place.run_request(&request).await;
        assert_eq!(said.code, 0, "{said:#?}");
        assert!(!said.stdout.contains("cloud-key-1"), "{said:#?}");
        let models = listed(&place, &[]).await;
        assert!(models.iter().any(|name| name == model), "{models:?}");
        assert!(models.iter().all(|name| name.starts_with(&format!("{provider}/"))), "{models:?}");
        assert_eq!(place.run(&["logout", provider]).await.code, 0);
        assert!(listed(&place, &[]).await.is_empty());
    }
    let said = offline().run(&["login", "google-vertex-anthropic"]).await;
    assert_eq!(said.code, 2, "{said:#?}");
    assert!(said.stderr.contains("gcloud auth application-default login"), "{said:#?}");
}

#[tokio::test]
async fn credentials_of_clouds_make_their_models_available() {
    let place = offline();
    let keys = [("AWS_ACCESS_KEY_ID", "AK"), ("AWS_SECRET_ACCESS_KEY", "s3cret")];
    assert!(listed(&place, &keys).await.iter().all(|name| name.starts_with("amazon-bedrock/")));
    assert!(!listed(&place, &keys).await.is_empty());
    let file = toolsmith_testkit::service_account("https://oauth2.googleapis.com/token").to_string();
    place.write("home/.config/gcloud/application_default_credentials.json", &file);
    let models = listed(&place, &[]).await;
    for provider in ["google-vertex/", "google-vertex-anthropic/"] {
        assert!(models.iter().any(|name| name.starts_with(provider)), "{models:?}");
    }
    let said = place
        .run_request(&place.request(&["doctor"]).env(keys[0].0, keys[0].1).env(keys[1].0, keys[1].1))
        .await;
    assert!(said.stdout.contains("credentials of its cloud") && !said.stdout.contains("s3cret"), "{said:#?}");
}

/// The whole program against a server that checks signatures.
#[tokio::test]
async fn a_prompt_is_answered_by_bedrock_with_a_signed_request() {
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().text("From the cloud."));
    let place = offline();
    let request = place
        .request(&["-p", "hi", "--model", "amazon-bedrock/us.anthropic.claude-sonnet-4-6"])
        .env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url())
        .env("AWS_REGION", "us-west-2")
        .env("AWS_ACCESS_KEY_ID", "AK")
        .env("AWS_SECRET_ACCESS_KEY", "s3cret");
    let said = place.run_request(&request).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "From the cloud.\n"), "{said:#?}");
    let signer =
        toolsmith_testkit::check_aws_signature(&server.last_request(), "s3cret", "us-west-2", "bedrock");
    assert_eq!(signer.as_deref(), Ok("AK"));
}
