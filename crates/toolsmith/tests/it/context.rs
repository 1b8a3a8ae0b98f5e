//! Context files of a session, and the report of what is sent.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith::Session;
use toolsmith_llm::{Script, ScriptedProvider};

use crate::{place::Place, session_place::results};

async fn session(place: &Place, answers: Value) -> (Session, ScriptedProvider) {
    let model = ScriptedProvider::new(Script::parse(&answers.to_string()).unwrap());
    let session = Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .discovery(true)
        .provider(Arc::new(model.clone()), model.model().clone())
        .build()
        .await
        .unwrap();
    (session, model)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nested_context_file_is_announced_once_when_a_file_beside_it_is_read() {
    let read = |path: &str| json!({ "reply": [{ "call": "read", "arguments": { "path": path } }] });
    let place = Place::new(&[
        ("project/AGENTS.md", "root"),
        ("project/sub/AGENTS.md", "sub"),
        ("project/sub/deep/CLAUDE.md", "deep"),
        ("project/sub/deep/a.rs", "a"),
        ("project/sub/b.rs", "b"),
        ("project/c.rs", "c"),
    ]);
    let answers = json!([
        read("c.rs"),
        read("sub/deep/a.rs"),
        read("sub/b.rs"),
        read("sub/deep/a.rs"),
        read("missing"),
        "Done."
    ]);
    let (session, _) = session(&place, answers).await;
    session.run("read").await.unwrap();
    let announced: Vec<usize> = results(&session)
        .iter()
        .map(|(_, text)| text.matches("Instructions for this directory").count())
        .collect();
    assert_eq!(announced, [0, 2, 0, 0, 0]);
    let text = &results(&session)[1].1;
    assert!(text.contains("sub/AGENTS.md") && text.contains("sub/deep/CLAUDE.md"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parts_of_the_context_are_what_is_sent() {
    let place = Place::new(&[
        ("project/AGENTS.md", "Use tabs."),
        ("project/.toolsmith/RULES.md", "Never push."),
        ("home/.toolsmith/agent/AGENTS.md", "Be brief."),
        ("home/.claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: PDFs\n---\n"),
    ]);
    let (session, model) = session(&place, json!(["Hi."])).await;
    session.run("hi").await.unwrap();
    let parts = session.context_parts();
    let system: String =
        parts.iter().filter(|part| part.kind == "system prompt").map(|part| part.text.as_str()).collect();
    assert_eq!(system, model.requests()[0].system);
    let requests = model.requests();
    let sent: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    let listed: Vec<&str> = parts
        .iter()
        .filter(|part| part.kind == "tool")
        .map(|part| part.origin.split(' ').next().unwrap())
        .collect();
    assert_eq!(listed, sent);
    let origins: Vec<&str> = parts.iter().map(|part| part.origin.as_str()).collect();
    for part in ["AGENTS.md", "RULES.md", "skills", "read (built-in)"] {
        assert!(origins.iter().any(|origin| origin.ends_with(part)), "{part}: {origins:?}");
    }
}
