//! Masking of credentials.

use std::collections::BTreeMap;

use super::{redact, target};
use crate::config::Transport;

const SECRET: &str = "s3cret";

#[test]
fn credentials_in_addresses_are_masked_wherever_a_text_has_them() {
    for (text, expected) in [
        ("https://user:s3cret@example.com/mcp", "https://***@example.com/mcp"),
        ("https://example.com/mcp?key=s3cret&b=1", "https://example.com/mcp?***"),
        ("https://example.com/mcp#s3cret", "https://example.com/mcp?***"),
        ("postgres://u:s3/cret?s3cret#s3cret@db:5432/app", "postgres://***@db:5432/app"),
        ("postgres://u:p@s3cret@db/app", "postgres://***@db/app"),
        (
            "error for url (https://example.com/mcp?key=s3cret): refused",
            "error for url (https://example.com/mcp?***): refused",
        ),
        ("--dsn=mysql://root:s3cret@db/app,", "--dsn=mysql://***@db/app,"),
        ("sent \"Authorization: Bearer s3cret-s3cret\"", "sent \"Authorization: Bearer ***\""),
        ("key sk-s3cret-s3cret-s3cret is wrong", "key *** is wrong"),
        ("https://[::1]:8080/mcp", "https://[::1]:8080/mcp"),
        ("https://registry.example.com/@scope/name", "https://registry.example.com/@scope/name"),
        ("http://127.0.0.1:8931/mcp is unreachable", "http://127.0.0.1:8931/mcp is unreachable"),
        ("the bearer of bad news", "the bearer of bad news"),
        ("Bearer ${TOKEN}", "Bearer ${TOKEN}"),
        ("", ""),
    ] {
        let shown = redact(text);
        assert!(!shown.contains(SECRET), "{shown}");
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn masking_keeps_text_that_is_no_secret_and_survives_any_input() {
    for text in [
        "://",
        "a://",
        "://@",
        "héllo://wörld@ü?",
        "@@@://:@/?#",
        "\u{0}://x@\u{301}",
        "sk-",
        "((https://a?b))",
    ] {
        let _ = redact(text);
    }
    assert_eq!(redact("plain text, nothing else"), "plain text, nothing else");
    assert_eq!(redact(&"a://b@".repeat(10_000)).chars().take(4).collect::<String>(), "a://");
}

#[test]
fn values_of_secret_options_are_masked_in_a_command_line() {
    let args = [
        "-y",
        "@scope/server",
        "--token",
        "s3cret",
        "--api-key=s3cret",
        "-e",
        "DB_PASSWORD=s3cret",
        "--token",
        "${TOKEN}",
        "--header",
        "Authorization: Bearer s3cret",
        "postgres://u:s3cret@db/app",
        "--password",
        "--verbose",
        "npm:thing@1.2.3",
        "/data/dir",
    ];
    let transport = Transport::Stdio {
        command: "npx".to_owned(),
        args: args.map(str::to_owned).to_vec(),
        env: BTreeMap::from([("KEY".to_owned(), SECRET.to_owned())]),
        cwd: None,
    };
    assert_eq!(
        target(&transport),
        "npx -y @scope/server --token *** --api-key=*** -e DB_PASSWORD=*** --token ${TOKEN} --header Authorization:*** \
         postgres://***@db/app --password --verbose npm:thing@1.2.3 /data/dir"
    );
    let http = Transport::Http {
        url: "https://me:s3cret@example.com/mcp?token=s3cret".to_owned(),
        headers: BTreeMap::from([("Authorization".to_owned(), SECRET.to_owned())]),
    };
    assert_eq!(target(&http), "https://***@example.com/mcp?***");
}
