//! Which rules are found, which are refused, and which are in the system prompt.

use std::os::unix::fs::symlink;

use toolsmith_testkit::{ModelServer, Reply};

use crate::place::Place;

fn names(place: &Place) -> Vec<String> {
    let found = place.discover().rules;
    found.iter().map(|found| format!("{} {}", found.rule.text, found.source)).collect()
}

#[test]
fn rules_come_from_the_folders_of_providers_and_the_first_of_a_name_counts() {
    let place = Place::new(&[
        ("project/.toolsmith/rules/a.md", "ours"),
        ("project/.toolsmith/rules/b.mdc", "ours b"),
        ("project/.toolsmith/rules/.hidden.md", "no"),
        ("project/.toolsmith/rules/c.txt", "no"),
        ("project/.toolsmith/rules/sub/d.md", "no"),
        ("home/.toolsmith/agent/rules/a.md", "shadowed"),
        ("home/.toolsmith/agent/rules/u.md", "user's"),
        ("project/.omp/rules/a.md", "shadowed"),
        ("home/.omp/agent/rules/o.md", "omp's"),
        ("project/.xcsh/rules/x.md", "xcsh's"),
        ("project/.claude/rules/c.md", "claude's"),
        ("home/.claude/rules/cu.md", "claude user's"),
        ("project/.codex/rules/no.md", "no"),
    ]);
    let found: Vec<String> = place.discover().rules.into_iter().map(|found| found.rule.text).collect();
    assert_eq!(found, ["ours", "ours b", "user's", "omp's", "xcsh's", "claude's", "claude user's"]);
    assert!(place.discover().warnings.is_empty(), "{:?}", place.discover().warnings);
    place.write("home/.toolsmith/config.toml", "[discovery.providers]\nomp = false\nclaude = false\n");
    assert_eq!(names(&place).len(), 4, "{:?}", names(&place));
    place.write("home/.toolsmith/config.toml", "[rules]\nenabled = false\n");
    assert_eq!(names(&place), Vec::<String>::new());
}

#[test]
fn what_is_no_rule_is_told_and_the_others_stay() {
    let place = Place::new(&[
        ("project/.toolsmith/rules/bad.md", "---\ncondition: '('\n---\nx"),
        ("project/.toolsmith/rules/good.md", "good"),
        ("project/.toolsmith/rules/huge.md", &"x".repeat(100_000)),
        ("project/.toolsmith/rules/off.md", "---\nenabled: false\n---\nx"),
        ("project/.toolsmith/rules/folder.md/x", ""),
    ]);
    let rules = place.path("project/.toolsmith/rules");
    std::fs::write(rules.join("bytes.md"), b"\xff\xfe").unwrap();
    symlink("loop.md", rules.join("loop.md")).unwrap();
    let discovered = place.discover();
    assert_eq!(discovered.rules.len(), 1);
    let warnings: Vec<String> = discovered.warnings.iter().map(ToString::to_string).collect();
    let told = |name: &str, words: &str| {
        assert!(
            warnings.iter().any(|line| line.contains(name) && line.contains(words)),
            "{name}: {warnings:#?}"
        );
    };
    told(
        "bad.md",
        "is not a valid rule: the condition \"(\" is not a valid regular expression: unclosed group",
    );
    told("bytes.md", "it is not UTF-8");
    told("folder.md", "directory");
    told("huge.md", "larger than 64 KB");
    told("loop.md", "is not a valid rule");
    assert_eq!(warnings.len(), 5, "{warnings:#?}");
}

#[test]
fn c2_8_a_link_out_of_a_folder_that_is_not_trusted_is_not_followed() {
    let secret = [("home/.ssh/key", "secret"), ("project/.toolsmith/rules/in.md", "in")];
    let mut place = Place::new(&secret).untrusted();
    symlink(place.path("home/.ssh/key"), place.path("project/.toolsmith/rules/out.md")).unwrap();
    let discovered = place.discover();
    assert_eq!(discovered.rules.len(), 1);
    assert!(discovered.warnings[0].to_string().contains("lies outside"));
    place.trust = toolsmith::TrustDecision::everything();
    assert_eq!(place.discover().rules.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_without_a_condition_are_in_the_system_prompt() {
    let place = Place::new(&[
        ("project/.toolsmith/rules/kind.md", "---\nalwaysApply: true\n---\nBe kind."),
        ("project/.toolsmith/rules/tests.md", "---\ndescription: How to test\n---\nAll of the details."),
        ("project/.toolsmith/rules/watch.md", "---\ncondition: foo\n---\nNever foo."),
    ]);
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().text("Hello."));
    place.session(&server).append_system_prompt("The end.").build().await.unwrap().run("Hi").await.unwrap();
    let system = server.last_request().body["messages"][0]["content"].to_string();
    assert!(system.contains("Be kind.") && system.contains("tests: How to test ("), "{system}");
    assert!(!system.contains("All of the details.") && !system.contains("Never foo."), "{system}");
    assert!(system.trim_end_matches(['"', '}', ']']).ends_with("The end."), "{system}");
}
