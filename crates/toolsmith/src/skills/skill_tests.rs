//! Lenient reading of skills.

use std::path::Path;

use super::Skill;
use crate::discovery::{Scope, ToolSource};

fn parse(text: &str) -> Result<(Skill, Vec<String>), String> {
    let source = ToolSource::new("claude", "Claude Code", Scope::User);
    Skill::parse(Path::new("/skills/pdf/SKILL.md"), text, &source)
}

#[test]
fn a_skill_has_its_name_and_description_in_one_line() {
    let (skill, faults) =
        parse("---\nname: pdf\ndescription: |\n  Reads PDF files.\n  Use it for PDFs.\n---\nBody\n").unwrap();
    assert_eq!(
        (skill.name.as_str(), skill.description.as_str()),
        ("pdf", "Reads PDF files. Use it for PDFs.")
    );
    assert!(faults.is_empty() && skill.invocable && !skill.hidden, "{faults:?}");
}

#[test]
fn an_unquoted_colon_is_accepted() {
    let (skill, _) = parse("---\nname: pdf\ndescription: Use it when: a PDF is open # now\n---\n").unwrap();
    assert_eq!(skill.description, "Use it when: a PDF is open # now");
}

#[test]
fn a_name_that_differs_from_the_directory_is_reported_and_used() {
    let (skill, faults) = parse("---\nname: other\ndescription: d\n---\n").unwrap();
    assert_eq!(skill.name, "other");
    assert_eq!(faults, ["its name \"other\" is not that of its directory"]);
}

#[test]
fn names_that_could_leave_the_scheme_are_replaced() {
    for name in ["../x", "a b", "a/b", "..", "\"x\\ty\""] {
        let (skill, faults) = parse(&format!("---\nname: {name}\ndescription: d\n---\n")).unwrap();
        assert_eq!((skill.name.as_str(), faults.len()), ("pdf", 1), "{name}");
    }
}

#[test]
fn without_a_description_or_with_broken_yaml_a_skill_is_refused() {
    assert_eq!(parse("---\nname: pdf\n---\n").unwrap_err(), "it has no description");
    assert_eq!(parse("Text").unwrap_err(), "it has no front matter with a description");
    assert!(parse("---\nname: pdf\ndescription: [a\n---\n").unwrap_err().contains("not valid YAML"));
    assert!(parse("---\nname: pdf\ndescription: d\n").unwrap_err().contains("no closing ---"));
}

#[test]
fn fields_of_other_agents_are_understood() {
    let text = "---\nname: pdf\ndescription: d\ndisable-model-invocation: true\nuser-invocable: false\n\
                argument-hint: [file] [page]\nallowed-tools: Bash(git add:*), Read\n---\n";
    let (skill, _) = parse(text).unwrap();
    assert!(skill.hidden && !skill.invocable);
    assert_eq!(skill.allowed_tools, ["Bash(git add:*)", "Read"]);
}
