//! What providers really say, and what it means.

use super::*;

fn class(status: Option<u16>, body: &str) -> ErrorClass {
    Said::parse(status, body).into_error().class
}

#[test]
fn every_known_wording_of_too_long_is_an_overflow() {
    for body in [
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}"#,
        r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens","type":"BadRequestError","code":400}}"#,
        r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
        r#"{"error":{"message":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}}"#,
        r#"{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
        r#"{"error":"Trying to keep the first 5000 tokens when the context overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough: tokens to keep is greater than the context length"}"#,
    ] {
        assert_eq!(class(Some(400), body), ErrorClass::Overflow, "{body}");
    }
    assert_eq!(class(Some(413), "Request Entity Too Large"), ErrorClass::Overflow);
}

#[test]
fn a_limit_by_the_minute_that_speaks_of_tokens_is_no_overflow() {
    let body = r#"{"error":{"message":"Request too large: maximum context length per minute is 30000 tokens. Please try again in 1m2.5s.","type":"tokens","code":"rate_limit_exceeded"}}"#;
    let error = Said::parse(Some(429), body).into_error();
    assert_eq!(error.class, ErrorClass::RateLimited);
    assert_eq!(error.retry_after, Some(Duration::from_millis(62_500)));
    assert!(error.to_string().starts_with("HTTP 429: too many requests, wait 63 s: "), "{error}");
}

#[test]
fn the_code_decides_before_the_status_and_the_status_before_nothing() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(class(Some(500), overloaded), ErrorClass::Overloaded);
    assert_eq!(class(None, overloaded), ErrorClass::Overloaded);
    assert_eq!(class(Some(529), ""), ErrorClass::Overloaded);
    assert_eq!(class(Some(503), "<html><h1>Service unavailable</h1></html>"), ErrorClass::Overloaded);
    assert_eq!(class(Some(401), "{}"), ErrorClass::Auth);
    assert_eq!(class(Some(402), r#"{"error":{"message":"Insufficient credits"}}"#), ErrorClass::Quota);
    assert_eq!(class(Some(404), r#"{"error":{"message":"no such model"}}"#), ErrorClass::BadRequest);
    assert_eq!(
        class(Some(500), r#"{"error":{"type":"invalid_request_error","message":"x"}}"#),
        ErrorClass::Server
    );
    assert_eq!(class(Some(502), "bad gateway"), ErrorClass::Server);
    assert_eq!(class(None, "what"), ErrorClass::Server);
}

#[test]
fn a_wrong_key_and_an_empty_account_are_known_by_their_wording() {
    let google = r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#;
    assert_eq!(class(Some(400), google), ErrorClass::Auth);
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#;
    assert_eq!(class(Some(400), anthropic), ErrorClass::Quota);
    let openai = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    assert_eq!(class(Some(429), openai), ErrorClass::Quota);
}

#[test]
fn the_wait_is_found_wherever_the_provider_puts_it() {
    let google = r#"{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
    let wait = |body: &str| Said::parse(Some(429), body).into_error().retry_after;
    assert_eq!(wait(google), Some(Duration::from_millis(34_500)));
    assert_eq!(wait("Please try again in 350ms."), Some(Duration::from_millis(350)));
    assert_eq!(wait("Please retry in 20 seconds or so"), Some(Duration::from_secs(20)));
    assert_eq!(wait("try again in a moment"), None);
    assert_eq!(wait("try again in 99999999999999999999h"), None);
}

#[test]
fn an_error_behind_a_gateway_keeps_both_texts_and_the_inner_status() {
    let body = r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"model is at capacity"}}}"#;
    let error = Said::parse(Some(200), body).into_error();
    assert_eq!(error.status, Some(429));
    assert_eq!(error.class, ErrorClass::RateLimited);
    assert_eq!(error.text, "Provider returned error: model is at capacity");
}

#[test]
fn a_page_is_shown_without_its_tags_and_a_long_text_is_cut() {
    let said = Said::parse(Some(502), "<html><body><h1>502</h1>\n<p>Bad  gateway</p></body></html>");
    assert_eq!(said.text, "502 Bad gateway");
    let said = Said::parse(Some(500), &"é".repeat(10_000));
    assert_eq!(said.text.chars().count(), MAX_TEXT_CHARS + 1);
}
