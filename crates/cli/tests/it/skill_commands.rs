//! `toolsmith skills`, `toolsmith context`, and Markdown commands and skills in `-p`.

use serde_json::json;

use crate::place::Place;

fn model(place: &Place) -> String {
    format!("script:{}", place.path("script.json").display())
}

#[tokio::test]
async fn a_new_skill_is_valid_and_listed() {
    let place = Place::trusted(&[]);
    let said = place
        .run(&["skills", "new", "release-notes", "--description", "Writes release notes: it's for tags"])
        .await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said = place.run(&["skills", "check"]).await;
    assert!(said.code == 0 && said.stdout.contains("valid"), "{said:#?}");
    let said = place.run(&["skills", "list"]).await;
    assert!(said.stdout.contains("release-notes") && said.stdout.contains("Toolsmith, project"), "{said:#?}");
    let said = place.run(&["skills", "new", "release-notes"]).await;
    assert!(said.code == 1 && said.stderr.contains("already exists"), "{said:#?}");
    for name in ["Upper", "a--b", "-a", "a/b", ""] {
        assert_eq!(place.run(&["skills", "new", "--", name]).await.code, 2, "{name}");
    }
}

#[tokio::test]
async fn the_check_fails_with_the_messages_of_the_specification() {
    let place = Place::trusted(&[
        ("project/.claude/skills/one/SKILL.md", "---\nname: two\ndescription: d\nversion: 1\n---\n"),
        ("project/.claude/skills/broken/SKILL.md", "---\nname: [\n---\n"),
    ]);
    let said = place.run(&["skills", "check", "--json"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    let problems = said.json()["skills"][1]["problems"].to_string();
    assert!(problems.contains("Unexpected fields in frontmatter: version"), "{problems}");
    assert!(problems.contains("Directory name 'one' must match skill name 'two'"), "{problems}");
    let said = place.run(&["skills", "check", ".claude/skills/broken/SKILL.md"]).await;
    assert!(said.code == 1 && said.stdout.contains("Invalid YAML in frontmatter"), "{said:#?}");
}

#[tokio::test]
async fn commands_and_skills_work_in_print_mode() {
    let place = Place::trusted(&[
        ("project/.claude/commands/git/review.md", "Review $1 carefully"),
        ("home/.claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\nBody of pdf\n"),
    ]);
    let script = json!([{ "expect": { "lastUserContains": "Review src carefully" }, "reply": "Reviewed." }]);
    place.write("script.json", &script.to_string());
    let said = place.run(&["-p", "/git:review src", "--model", &model(&place)]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Reviewed.\n"), "{said:#?}");
    let script = json!([{ "expect": { "lastUserContains": "Body of pdf" }, "reply": "Read." }]);
    place.write("script.json", &script.to_string());
    let said = place.run(&["-p", "/skill:pdf page 1", "--model", &model(&place)]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Read.\n"), "{said:#?}");
}

#[tokio::test]
async fn context_prints_what_is_sent_by_origin() {
    let place = Place::trusted(&[
        ("project/AGENTS.override.md", "Use tabs."),
        ("project/AGENTS.md", "Shadowed."),
        ("home/.toolsmith/agent/AGENTS.md", "Be brief."),
        ("home/.claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDFs\n---\n"),
    ]);
    let said = place.run(&["context", "--json", "--full"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let json = said.json();
    let parts = json["parts"].as_array().unwrap();
    let text = |origin: &str| {
        let found = parts.iter().find(|part| part["origin"].as_str().unwrap().ends_with(origin));
        found.map(|part| part["text"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert!(text("AGENTS.override.md").contains("Use tabs."), "{said:#?}");
    assert!(text("agent/AGENTS.md").contains("Be brief."), "{said:#?}");
    assert!(text("skills").contains("- pdf: Reads PDFs"), "{said:#?}");
    assert!(!said.stdout.contains("Shadowed"));
    let bytes: u64 = parts.iter().map(|part| part["bytes"].as_u64().unwrap()).sum();
    assert_eq!(json["bytes"], bytes);
    let said = place.run(&["context"]).await;
    assert!(said.stdout.contains("built-in instructions") && said.stdout.contains("total"), "{said:#?}");
}
