//! From what a person types to a model at a provider.

use serde_json::json;
use toolsmith_llm::{
    ApiKind, Environment, ForcedTool, KeySource, ModelOverride, ProviderConfig, Providers, ThinkingLevel,
};
use toolsmith_testkit::{ModelServer, Reply};

fn with(variables: &'static [&'static str]) -> Providers {
    Providers::builtin(Environment::new(move |name| {
        variables.contains(&name).then(|| "a-key-of-mine".to_owned())
    }))
}

fn selected(providers: &Providers, name: &str) -> String {
    match providers.select(name) {
        Ok(selection) => {
            assert_eq!(selection.provider.name(), selection.model.provider);
            selection.model.reference()
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_model_is_found_by_all_its_names() {
    let providers = with(&["ANTHROPIC_API_KEY"]);
    for (name, found) in [
        ("anthropic/claude-haiku-4-5", "anthropic/claude-haiku-4-5"),
        ("claude-haiku-4-5", "anthropic/claude-haiku-4-5"),
        ("haiku", "anthropic/claude-haiku-4-5"),
        ("Haiku 4.5", "anthropic/claude-haiku-4-5"),
        ("opus 5.5", "anthropic/claude-opus-5-5"),
        ("opus-5", "anthropic/claude-opus-5"),
        ("haiku-4-5", "anthropic/claude-haiku-4-5"),
        ("openrouter/anthropic/claude-sonnet-5.5", "openrouter/anthropic/claude-sonnet-5.5"),
        // Unknown to us, not to the provider.
        ("anthropic/claude-next-9", "anthropic/claude-next-9"),
        ("ollama/qwen3:4b", "ollama/qwen3:4b"),
    ] {
        assert_eq!(selected(&providers, name), found, "{name}");
    }
}

#[test]
fn a_name_that_means_too_much_or_nothing_says_what_there_is() {
    let providers = with(&["ANTHROPIC_API_KEY"]);
    let many = selected(&providers, "sonnet");
    assert!(many.starts_with("\"sonnet\" is ambiguous; it matches anthropic/claude-sonnet-"), "{many}");
    let none = selected(&providers, "claude-hiaku-4-5");
    assert!(none.contains("did you mean anthropic/claude-haiku-4-5"), "{none}");
    assert_eq!(selected(&providers, ""), "unknown model \"\"");
    assert_eq!(selected(&providers, "/"), "unknown model \"/\"");
    let error = providers.select_at("nobody", "x").unwrap_err().to_string();
    assert!(
        error.starts_with("unknown provider \"nobody\" (known: anthropic, openai, openai-chat, google,"),
        "{error}"
    );
}

#[test]
fn a_provider_with_a_key_comes_before_one_without() {
    // Both have it; the key decides.
    assert_eq!(selected(&with(&["CEREBRAS_API_KEY"]), "gpt-oss-120b"), "cerebras/gpt-oss-120b");
    assert_eq!(selected(&with(&["OPENAI_API_KEY"]), "gpt-5.2"), "openai/gpt-5.2");
    let providers = with(&["GEMINI_API_KEY"]);
    assert_eq!(providers.default_model().unwrap().model.provider, "google");
    assert!(with(&[]).default_model().is_none());
    let available = providers.available();
    assert!(available.iter().all(|model| model.provider == "google") && !available.is_empty());
}

#[test]
fn a_level_can_be_named_with_the_model() {
    let providers = with(&["ANTHROPIC_API_KEY"]);
    let selection = providers.select("claude-haiku-4-5:high").unwrap();
    assert_eq!(
        (selection.model.id.as_str(), selection.thinking),
        ("claude-haiku-4-5", Some(ThinkingLevel::High))
    );
    let selection = providers.select_at("ollama", "qwen3:4b:low").unwrap();
    assert_eq!((selection.model.id.as_str(), selection.thinking), ("qwen3:4b", Some(ThinkingLevel::Low)));
}

#[test]
fn what_the_user_says_of_a_model_wins() {
    let mut providers = with(&[]);
    let config: ProviderConfig = serde_json::from_value(json!({
        "name": "gate", "api": "anthropic-messages", "baseUrl": "https://gate.example",
        "models": [
            { "id": "claude-haiku-4-5", "contextWindow": 50_000, "price": { "input": 9.0 } },
            { "id": "house-model", "name": "House", "images": true, "maxOutput": 1000, "forcedTool": "none" },
        ],
    }))
    .unwrap();
    providers.add(config);
    let model = providers.select("gate/claude-haiku-4-5").unwrap().model;
    assert_eq!((model.context_window, model.price.input, model.images), (50_000, 9.0, true));
    let selection = providers.select("house-model").unwrap();
    assert_eq!((selection.model.provider.as_str(), selection.model.name.as_str()), ("gate", "House"));
    assert_eq!(selection.provider.capabilities(&selection.model).forced_tool, ForcedTool::None);
    // The same model elsewhere is as able, but what it costs there is not known.
    let model = providers.select("gate/claude-opus-5").unwrap().model;
    assert_eq!((model.context_window, model.price.input), (1_000_000, 0.0));
    let model = providers.select("gate/unheard-of").unwrap().model;
    assert_eq!((model.context_window, model.max_output), (128_000, 16_384));
    providers.add_models("ollama", [ModelOverride::new("qwen3:4b")]);
    assert_eq!(selected(&providers, "qwen3"), "ollama/qwen3:4b");
}

#[test]
fn openai_is_known_over_both_its_wires() {
    let providers = with(&["OPENAI_API_KEY"]);
    assert_eq!(providers.get("openai").unwrap().config().api, ApiKind::OpenAiResponses);
    let selection = providers.select("openai-chat/gpt-5.2").unwrap();
    assert_eq!((selection.model.provider.as_str(), selection.model.context_window), ("openai-chat", 400_000));
}

/// `--provider NAME --model ID --base-url URL --api-key-env VAR`, and nothing else.
#[tokio::test]
async fn any_endpoint_works_from_the_command_line_alone() {
    let server = ModelServer::start().await.unwrap();
    for (name, path) in [
        ("anthropic", "/v1/messages"),
        ("openai", "/v1/responses"),
        ("openai-chat", "/v1/chat/completions"),
        ("google", "/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("my-own", "/v1/chat/completions"),
    ] {
        let mut providers = with(&["MY_KEY"]);
        providers.add_endpoint(name, Some(&server.url()), Some("MY_KEY")).unwrap();
        let selection = providers.select_at(name, "m").unwrap();
        server.push(Reply::new().text("hello"));
        let asked = [toolsmith_llm::Message::user("hi")];
        let request = toolsmith_llm::Request::new(&selection.model).messages(&asked);
        let answer =
            selection.provider.stream(&request, toolsmith_llm::CancelToken::new()).finish().await.unwrap();
        assert_eq!(answer.text(), "hello");
        let request = server.last_request();
        assert_eq!(request.path, path);
        assert!(request.headers.iter().any(|(_, value)| value.contains("a-key-of-mine")));
    }
    // A server of one's own without a key.
    let mut providers = with(&[]);
    providers.add_endpoint("anthropic", Some(&server.url()), None).unwrap();
    assert_eq!(providers.get("anthropic").unwrap().config().key, KeySource::None);
    assert!(providers.add_endpoint("my-own", None, Some("MY_KEY")).is_err());
    // What only the real endpoint takes is not sent elsewhere.
    assert!(!providers.get("anthropic").unwrap().config().quirks.eager_tool_input);
}
