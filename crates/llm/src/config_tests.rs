//! Settings are read as people write them, and never shown whole.

use serde_json::json;

use super::*;

#[test]
fn the_version_is_added_where_it_is_missing_and_nowhere_else() {
    use ApiKind::*;
    for (api, given, used) in [
        (AnthropicMessages, "https://api.anthropic.com", "https://api.anthropic.com/v1"),
        (AnthropicMessages, "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1"),
        (AnthropicMessages, "https://gate.example/anthropic", "https://gate.example/anthropic/v1"),
        (OpenAiChat, "http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        (OpenAiChat, "http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1"),
        (OpenAiChat, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        (OpenAiResponses, "https://api.openai.com/v1", "https://api.openai.com/v1"),
        (
            GoogleGemini,
            "https://generativelanguage.googleapis.com",
            "https://generativelanguage.googleapis.com/v1beta",
        ),
    ] {
        assert_eq!(api.versioned(given), used, "{api} {given}");
    }
}

#[test]
fn a_key_is_a_variable_a_command_a_literal_or_nothing() {
    assert_eq!(KeySource::parse("MY_KEY"), KeySource::env("MY_KEY"));
    assert_eq!(KeySource::parse("!pass show x"), KeySource::Command("pass show x".to_owned()));
    assert_eq!(KeySource::parse("sk-abc"), KeySource::Literal(Secret::new("sk-abc")));
    assert_eq!(KeySource::parse("ABCDEF"), KeySource::Literal(Secret::new("ABCDEF")));
    assert_eq!(KeySource::parse(" "), KeySource::None);
}

#[test]
fn a_provider_is_read_from_settings_and_prints_no_secret() {
    let config: ProviderConfig = serde_json::from_value(json!({
        "name": "mine",
        "api": "openai-completions",
        "baseUrl": "https://user:hunter2@gate.example:8443/v1?token=abc",
        "apiKey": "sk-very-secret",
        "headers": { "x-team": "also-secret" },
        "models": [{ "id": "m", "contextWindow": 4096, "forcedTool": "required" }],
        "quirks": { "reasoning": "object", "forcedTool": "none" },
        "idleTimeoutMs": 5,
    }))
    .unwrap();
    assert_eq!(config.host(), "gate.example:8443");
    assert_eq!(config.idle_timeout, Duration::from_millis(5));
    assert_eq!(config.models[0].forced_tool, Some(ForcedTool::Required));
    let shown = format!("{config:?}");
    for secret in ["very-secret", "also-secret", "hunter2", "token=abc"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn a_misspelt_setting_is_found() {
    let error = serde_json::from_value::<ProviderConfig>(json!({
        "name": "x", "api": "openai-completions", "baseUrl": "http://h", "apikey": "K",
    }))
    .unwrap_err();
    assert!(error.to_string().contains("unknown field `apikey`"), "{error}");
    let error = "openai".parse::<ApiKind>().unwrap_err();
    assert!(error.to_string().contains("openai-responses"), "{error}");
}
