//! What is shown of settings that hold secrets.

use super::*;

#[test]
fn addresses_lose_their_credentials() {
    let cases = [
        ("https://api.example/v1", "https://api.example/v1"),
        ("https://me:s3cret@api.example/v1", "https://***@api.example/v1"),
        ("https://s3cret@api.example", "https://***@api.example"),
        ("https://a@b@api.example/x", "https://***@api.example/x"),
        ("me:s3cret@api.example/v1", "***@api.example/v1"),
        ("https://api.example/v1?key=s3cret&x=s3cret", "https://api.example/v1?key=***&x=***"),
        ("https://api.example?s3cret", "https://api.example?***"),
        ("https://api.example/#s3cret", "https://api.example/#***"),
        ("gpt-5.2:high", "gpt-5.2:high"),
    ];
    for (address, expected) in cases {
        assert_eq!(without_credentials(address), expected);
        assert!(!without_credentials(address).contains("s3cret"));
    }
}

#[test]
fn addresses_in_lists_lose_their_credentials() {
    let key = keys::find(&["tools", "paths"].map(str::to_owned)).unwrap();
    let value = json!(["https://me:s3cret@host.example/x.ts", "./node_modules/@scope/tool.ts"]);
    let expected = json!(["https://***@host.example/x.ts", "./node_modules/@scope/tool.ts"]);
    assert_eq!(shown(key, value), expected);
    let line = "tools.paths = [\"https://me:s3cret@host.example/x.ts\"";
    assert!(!masked(line).contains("s3cret"), "{}", masked(line));
}

#[test]
fn only_values_without_secrets_are_shown_of_a_file() {
    let text = "model = \"s3cret\"\nlimits.call = 5x # s3cret\n# api_key = s3cret\n[providers.x]\napi_key = \"s3cret\n\
                base_url = \"https://s3cret\"\napi_key: s3cret\ns3cret==\n[\"s3cret\"]\nfoo = s3cret\n[limits]\ncall = yes\nfoo = s3cret\n";
    let shown = masked(text);
    assert!(!shown.contains("s3cret"), "{shown}");
    assert_eq!(shown.lines().count(), text.lines().count());
    for kept in ["limits.call = 5x", "[providers.x]", "api_key = …", "[limits]\ncall = yes", "foo = …"] {
        assert!(shown.contains(kept), "{kept} is not in {shown}");
    }
}
