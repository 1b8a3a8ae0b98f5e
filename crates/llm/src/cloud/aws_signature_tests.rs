//! Signatures as AWS publishes them.

use super::{AwsCredentials, Scope, Secret};

/// The signature of a request with the credentials and the time of AWS's published test suite.
fn signature(service: &str, method: &str, url: &str, body: &[u8], token: Option<&str>) -> String {
    let credentials = AwsCredentials {
        access_key: "AKIDEXAMPLE".to_owned(),
        secret: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        session_token: token.map(Secret::new),
    };
    let time = "2015-08-30T12:36:00Z".parse().unwrap();
    let headers = Scope { region: "us-east-1", service, time }.sign(method, url, body, &credentials).unwrap();
    let value =
        |name: &str| headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.expose().to_owned());
    assert_eq!(value("x-amz-date").as_deref(), Some("20150830T123600Z"));
    assert_eq!(value("x-amz-security-token").as_deref(), token);
    value("authorization").unwrap()
}

#[test]
fn signatures_are_those_of_the_published_test_suite() {
    for (method, url, expected) in [
        ("GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "GET",
            "/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
    ] {
        let url = format!("https://example.amazonaws.com{url}");
        assert_eq!(
            signature("service", method, &url, b"", None),
            format!(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                 SignedHeaders=host;x-amz-date, Signature={expected}"
            )
        );
    }
}

#[test]
fn a_path_that_is_encoded_already_is_encoded_again_and_a_token_is_signed() {
    // Computed with botocore 1.x.
    let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse-stream";
    let authorization = signature("bedrock", "POST", url, br#"{"messages":[]}"#, Some("session/token=="));
    assert!(
        authorization.ends_with(
            "SignedHeaders=host;x-amz-date;x-amz-security-token, \
             Signature=22286ecfe1fb0b101685d9bf5a06fb50abb5ed9ad7bed4dac7bce22fe1a65056"
        ),
        "{authorization}"
    );
}
