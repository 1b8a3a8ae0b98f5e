//! What a session may remember of an endpoint.

use super::*;
use crate::secret::Secret;

fn at(base_url: &str) -> ProviderConfig {
    ProviderConfig::new("own", ApiKind::OpenAiChat, base_url).key(KeySource::None)
}

#[test]
fn nothing_secret_of_a_url_is_kept() {
    for (url, kept, uses_key) in [
        ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1", false),
        ("https://user:p@ss@host/v1", "https://host/v1", true),
        ("https://host/v1?key=secret", "https://host/v1", true),
        ("https://token@host", "https://host", true),
        ("https://host/a@b", "https://host/a@b", false),
    ] {
        let endpoint = Endpoint::of(&at(url));
        assert_eq!((endpoint.base_url.as_str(), endpoint.uses_key), (kept, uses_key), "{url}");
    }
}

#[test]
fn keys_and_headers_count_as_secrets_and_so_does_a_record_that_does_not_say() {
    assert!(Endpoint::of(&at("http://h").key(KeySource::Literal(Secret::new("k")))).uses_key);
    let text = r#"{"provider":"p","api":"openai-completions","baseUrl":"http://h"}"#;
    assert!(serde_json::from_str::<Endpoint>(text).unwrap().uses_key);
    let written =
        serde_json::to_string(&Endpoint::of(&at("http://h").key(KeySource::Literal(Secret::new("sk-1")))))
            .unwrap();
    assert!(!written.contains("sk-1"));
}

#[test]
fn the_same_place_is_the_same_provider_wire_and_url() {
    let one = Endpoint::of(&at("http://h/v1/"));
    assert!(one.is_same_place(&Endpoint::of(&at("http://h/v1"))));
    assert!(!one.is_same_place(&Endpoint::of(&at("http://h:1/v1"))));
    let other = ProviderConfig::new("other", ApiKind::OpenAiChat, "http://h/v1");
    assert!(!one.is_same_place(&Endpoint::of(&other)));
}
