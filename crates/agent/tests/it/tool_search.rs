//! `grep` and `find`.

use std::os::unix::fs::symlink;

use serde_json::json;
use toolsmith_agent::{CallEnd, CallRequest};
use toolsmith_tool::{CancelToken, ToolContext};

use crate::place::Place;

fn project() -> Place {
    let place = Place::new();
    place.write(".gitignore", "target/\n*.log\n");
    place.write("src/main.rs", "fn main() {\n    hello();\n}\n");
    place.write("src/lib.rs", "pub fn hello() {}\n");
    place.write("target/out.rs", "hello\n");
    place.write("debug.log", "hello\n");
    place.write(".git/config", "hello\n");
    place.write(".env", "hello=1\n");
    place
}

#[tokio::test]
async fn grep_finds_lines_and_skips_what_git_ignores() {
    let place = project();
    assert_eq!(
        place.works("grep", json!({ "pattern": "hel+o" })).await,
        ".env:1: hello=1\nsrc/lib.rs:1: pub fn hello() {}\nsrc/main.rs:2:     hello();\n"
    );
    assert_eq!(
        place
            .works(
                "grep",
                json!({ "pattern": "HELLO()", "ignoreCase": true, "literal": true, "glob": "*.rs" })
            )
            .await,
        "src/lib.rs:1: pub fn hello() {}\nsrc/main.rs:2:     hello();\n"
    );
    assert_eq!(
        place.works("grep", json!({ "pattern": "hello", "path": "src/lib.rs" })).await.lines().count(),
        1
    );
    assert_eq!(place.works("grep", json!({ "pattern": "nowhere" })).await, "No matches\n");
    // What is named is searched, ignored or not.
    assert_eq!(
        place.works("grep", json!({ "pattern": "hello", "path": "debug.log" })).await,
        "debug.log:1: hello\n"
    );
}

#[tokio::test]
async fn grep_shows_lines_around_and_stops_at_the_limit() {
    let place = Place::new();
    place.write("a", "1\nx\n3\n4\n5\n6\nx\n8\nx\n");
    assert_eq!(
        place.works("grep", json!({ "pattern": "x", "context": 1, "limit": 2 })).await,
        "a-1- 1\na:2: x\na-3- 3\n--\na-6- 6\na:7: x\na-8- 8\n[first 2 matches; narrow the search or raise limit for more]\n"
    );
}

#[tokio::test]
async fn grep_survives_every_file() {
    let place = Place::new();
    place.write("binary", b"\0\0hello\0");
    place.write("latin1", b"hello caf\xe9\n");
    place.write("long", &format!("{}hello{}\n", "x".repeat(100_000), "y".repeat(100_000)));
    place.make_pipe("pipe").await;
    symlink(".", place.path("loop")).unwrap();
    symlink("gone", place.path("dangling")).unwrap();
    place.write("secret", "hello\n");
    let forbidden = place.forbid("secret");
    let text = place.works("grep", json!({ "pattern": "hello" })).await;
    assert!(text.contains("latin1:1: hello caf\u{fffd}\n"), "{text}");
    assert!(text.contains("long:1: xxx") && text.contains("[cut]") && text.len() < 2000, "{}", text.len());
    assert_eq!(text.contains("[not searched: secret"), forbidden, "{text}");
    assert!(
        place.fails("grep", json!({ "pattern": "x", "path": "pipe" })).await.contains("not a regular file")
    );
}

#[tokio::test]
async fn a_pattern_that_is_none_says_what_to_do() {
    let place = Place::new();
    let text = place.fails("grep", json!({ "pattern": "foo(" })).await;
    assert!(text.starts_with("Invalid pattern: ") && text.contains("Set literal to true"), "{text}");
    assert!(place.fails("find", json!({ "pattern": "[" })).await.starts_with("Invalid glob: "));
    let nested = format!("{}a{}", "(".repeat(2000), ")".repeat(2000));
    assert!(place.fails("grep", json!({ "pattern": nested })).await.starts_with("Invalid pattern: "));
}

#[tokio::test]
async fn find_matches_names_at_any_depth_and_paths_as_written() {
    let place = project();
    assert_eq!(place.works("find", json!({ "pattern": "*.rs" })).await, "src/lib.rs\nsrc/main.rs");
    assert_eq!(place.works("find", json!({ "pattern": "src/l*.rs" })).await, "src/lib.rs");
    assert_eq!(place.works("find", json!({ "pattern": "**/main.*" })).await, "src/main.rs");
    assert_eq!(place.works("find", json!({ "pattern": "s*" })).await, "src/");
    assert_eq!(
        place.works("find", json!({ "pattern": "*.rs", "path": "src" })).await,
        "src/lib.rs\nsrc/main.rs"
    );
    let whole = place.path("src/*.rs").display().to_string();
    assert_eq!(place.works("find", json!({ "pattern": whole })).await, "src/lib.rs\nsrc/main.rs");
    let up = place.works("find", json!({ "pattern": "../*.log", "path": "src" })).await;
    assert_eq!(up, "No files match ../*.log");
    assert!(
        place.works("find", json!({ "pattern": "../.e*", "path": "src" })).await.ends_with("src/../.env")
    );
    assert_eq!(place.works("find", json!({ "pattern": "*.py" })).await, "No files match *.py");
    assert_eq!(
        place.works("find", json!({ "pattern": "*", "limit": 1 })).await,
        ".env\n[first 1 results; narrow the pattern or raise limit for more]"
    );
    assert!(
        place
            .fails("find", json!({ "pattern": "*", "path": "src/lib.rs" }))
            .await
            .contains("not a directory")
    );
}

#[tokio::test]
async fn a_link_that_leads_back_is_not_followed() {
    let place = Place::new();
    place.write("a/file", "hello\n");
    symlink("..", place.path("a/up")).unwrap();
    assert_eq!(place.works("find", json!({ "pattern": "file" })).await, "a/file");
    assert_eq!(place.works("grep", json!({ "pattern": "hello" })).await, "a/file:1: hello\n");
}

#[tokio::test]
async fn c4_6_a_search_stops_when_asked() {
    let place = Place::new();
    for n in 0..200 {
        place.write(&format!("d{n}/file"), "hello\n");
    }
    let cancel = CancelToken::new();
    let context = ToolContext::detached().with_cancel(cancel.clone());
    let request = CallRequest::new("1", "grep", json!({ "pattern": "hello" })).context(context);
    let (outcome, ()) = tokio::join!(place.dispatcher.call(request), async { cancel.cancel("user") });
    assert!(matches!(outcome.end, CallEnd::Stopped(_)), "{outcome:?}");
}

#[tokio::test]
async fn c5_8_a_file_name_is_one_line_without_hidden_characters() {
    let place = Place::new();
    place.write("innocent\nsrc/forged.rs:1: entry", "hello\n");
    place.write("a\u{202e}b", "hello\n");
    for (tool, arguments) in
        [("ls", json!({})), ("find", json!({ "pattern": "*" })), ("grep", json!({ "pattern": "hello" }))]
    {
        let text = place.works(tool, arguments).await;
        assert!(text.contains("a\\u{202e}b"), "{tool}: {text}");
        assert!(text.lines().all(|line| !line.starts_with("src/forged")), "{tool}: {text}");
    }
}

#[tokio::test]
async fn c4_7_ignore_files_without_an_end_are_not_read() {
    let place = project();
    symlink("/dev/zero", place.path("src/.ignore")).unwrap();
    let found = place.works("grep", json!({ "pattern": "hello" })).await;
    assert_eq!(found, ".env:1: hello=1\n", "a directory with such rules is left out");
    std::fs::remove_file(place.path(".gitignore")).unwrap();
    symlink("/dev/zero", place.path(".gitignore")).unwrap();
    let found = place.works("find", json!({ "pattern": "**/*" })).await;
    assert!(found.contains("debug.log") && found.contains("src/lib.rs"), "there are no rules: {found}");
    assert!(place.works("grep", json!({ "pattern": "hello" })).await.contains("src/main.rs:2"));
}
