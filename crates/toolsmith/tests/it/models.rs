//! Which model a session asks, with servers on this machine that want no key.

use serde_json::json;
use toolsmith::{ModelChoice, ModelError, Session, SessionBuildError, settings::Settings};
use toolsmith_llm::{Environment, Selection};
use toolsmith_testkit::{ModelServer, Reply};

use crate::place::Place;

/// A server that has these models.
async fn server(models: &[&str]) -> ModelServer {
    let server = ModelServer::start().await.unwrap();
    let data: Vec<_> = models.iter().map(|id| json!({ "id": id, "max_model_len": 4096 })).collect();
    server.set_models(json!({ "object": "list", "data": data }));
    server
}

/// Settings with the servers of this machine at these places and nowhere else.
fn settings(servers: &[(&str, &ModelServer)], more: &str) -> Settings {
    let mut text = more.to_owned();
    for name in ["ollama", "lmstudio", "llama.cpp", "vllm"] {
        let at = servers.iter().find(|(known, _)| *known == name);
        // Nothing listens on the first port.
        let url = at.map_or_else(|| "http://127.0.0.1:1".to_owned(), |(_, server)| server.url());
        text.push_str(&format!("\n[providers.\"{name}\"]\nbase_url = \"{url}\"\n"));
    }
    let loaded = Place::new(&[("home/.toolsmith/config.toml", text.as_str())]).settings();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    loaded.settings
}

/// Nobody's keys.
fn keyless() -> Environment {
    Environment::new(|_| None)
}

async fn select(choice: ModelChoice, settings: &Settings) -> Result<Selection, ModelError> {
    choice.select(settings, keyless()).await
}

fn named(name: &str) -> ModelChoice {
    ModelChoice::Named(name.to_owned())
}

#[tokio::test]
async fn without_a_model_or_a_key_the_first_that_talks_on_this_machine_answers() {
    let ollama = server(&["nomic-embed-text", "qwen3:4b", "gpt-oss:20b"]).await;
    ollama.push(Reply::new().text("Hello."));
    let place = Place::new(&[]);
    let session = Session::builder(place.cwd())
        .home(place.home())
        .settings(settings(&[("ollama", &ollama)], ""))
        .environment(keyless())
        .build()
        .await
        .unwrap();
    session.prompt("hi").unwrap();
    assert_eq!(session.wait_for_idle().await.unwrap().text, "Hello.");
    assert_eq!(ollama.last_request().body["model"], "qwen3:4b");
}

#[tokio::test]
async fn a_name_nobody_knows_is_looked_for_on_this_machine() {
    let (ollama, studio) = (server(&["tiny:1b"]).await, server(&["my-own-7b"]).await);
    let settings = settings(&[("ollama", &ollama), ("lmstudio", &studio)], "");
    let found = select(named("my-own"), &settings).await.unwrap().model;
    assert_eq!((found.reference().as_str(), found.context_window), ("lmstudio/my-own-7b", 4096));
    let missing = select(named("my-oven-7b"), &settings).await.unwrap_err().to_string();
    assert!(missing.contains("my-oven-7b") && missing.contains("lmstudio/my-own-7b"), "{missing}");
}

#[tokio::test]
async fn servers_are_asked_only_when_nothing_else_is_meant() {
    let ollama = server(&["tiny:1b"]).await;
    let settings = settings(&[("ollama", &ollama)], "");
    // With the provider's name it works at once, whether the server has it or not.
    assert_eq!(
        select(named("ollama/other:3b"), &settings).await.unwrap().model.reference(),
        "ollama/other:3b"
    );
    assert_eq!(
        select(named("anthropic/claude-sonnet-4-5"), &settings).await.unwrap().model.provider,
        "anthropic"
    );
    let with_key = Environment::new(|name| (name == "ANTHROPIC_API_KEY").then(|| "k".to_owned()));
    let chosen = ModelChoice::Settings.select(&settings, with_key).await.unwrap();
    assert_eq!(chosen.model.provider, "anthropic");
    assert!(ollama.requests().is_empty());
}

#[tokio::test]
async fn a_model_here_comes_before_one_whose_key_is_missing() {
    let ollama = server(&["gpt-oss:120b"]).await;
    let settings = settings(&[("ollama", &ollama)], "");
    let chosen = select(named("gpt-oss"), &settings).await.unwrap();
    assert_eq!(chosen.model.reference(), "ollama/gpt-oss:120b");
}

#[tokio::test]
async fn nobody_answers_or_nobody_is_asked() {
    let ollama = server(&["tiny:1b"]).await;
    let off = settings(&[("ollama", &ollama)], "[discovery]\nlocal_models = false\n");
    assert!(matches!(select(ModelChoice::Settings, &off).await, Err(ModelError::None)));
    assert!(ollama.requests().is_empty());
    let place = Place::new(&[]);
    let built = Session::builder(place.cwd())
        .home(place.home())
        .settings(settings(&[], ""))
        .environment(keyless())
        .build()
        .await;
    assert!(matches!(built, Err(SessionBuildError::Model(ModelError::None))));
    // Something else lives there.
    let stranger = ModelServer::start().await.unwrap();
    stranger.set_models(json!("<html>"));
    let settings = settings(&[("llama.cpp", &stranger)], "");
    assert!(matches!(select(ModelChoice::Settings, &settings).await, Err(ModelError::None)));
}

#[tokio::test]
async fn what_the_settings_say_of_a_model_is_laid_over_what_is_known() {
    let ollama = server(&["tiny:1b"]).await;
    let more = "[providers.ollama.models.\"tiny:1b\"]\nimages = true\nmax_output = 99\nthinking = [\"low\", \"high\"]\n\
        [providers.anthropic.models.claude-haiku-4-5]\ncontext_window = 12345\nprice.input = 7.5\n\
        [providers.anthropic.models.house-model]\nthinking_budget = 4096\n";
    let settings = settings(&[("ollama", &ollama)], more);
    // What the server says comes after what the user says.
    let tiny = select(named("tiny"), &settings).await.unwrap().model;
    assert_eq!((tiny.images, tiny.max_output), (true, 99));
    assert_eq!(tiny.thinking.efforts, ["low", "high"]);

    let known = ModelChoice::Named("anthropic/claude-haiku-4-5".to_owned());
    let plain = known.clone().select(&Settings::default(), keyless()).await.unwrap().model;
    let changed = known.select(&settings, keyless()).await.unwrap().model;
    assert_eq!((changed.context_window, changed.price.input), (12345, 7.5));
    assert_eq!((changed.max_output, changed.price.output), (plain.max_output, plain.price.output));

    let own = select(named("anthropic/house-model"), &settings).await.unwrap().model;
    assert_eq!(own.thinking.budget, Some((1024, 4096)));
}

#[tokio::test]
async fn a_server_fills_in_what_the_user_did_not_say() {
    let ollama = server(&["tiny:1b", "big:70b"]).await;
    let more = "[providers.ollama.models.\"tiny:1b\"]\nimages = true\n[providers.ollama.models.\"big:70b\"]\ncontext_window = 7\n";
    let settings = settings(&[("ollama", &ollama)], more);
    let mut providers = toolsmith::providers(&settings, keyless()).unwrap();
    providers.discover().await;
    let [tiny, big] = ["ollama/tiny:1b", "ollama/big:70b"].map(|name| providers.select(name).unwrap().model);
    assert_eq!((tiny.images, tiny.context_window), (true, 4096));
    assert_eq!(big.context_window, 7);
}
