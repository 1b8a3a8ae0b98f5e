//! Addresses of an authorization server.

use super::*;

fn metadata(token: &str, registration: Option<&str>) -> AuthorizationMetadata {
    let mut value = serde_json::json!({ "authorization_endpoint": "https://a.example/authorize", "token_endpoint": token });
    if let Some(registration) = registration {
        value["registration_endpoint"] = registration.into();
    }
    serde_json::from_value(value).unwrap()
}

#[test]
fn codes_and_tokens_go_over_https_or_to_this_machine() {
    assert_eq!(check_endpoints(&metadata("https://a.example/token", None)), Ok(()));
    assert_eq!(check_endpoints(&metadata("http://127.0.0.1:1/token", Some("http://localhost/r"))), Ok(()));
    for bad in [
        metadata("http://a.example/token", None),
        metadata("https://a.example/token", Some("http://a.example/register")),
        metadata("token", None),
    ] {
        assert!(check_endpoints(&bad).is_err(), "{bad:?}");
    }
}
