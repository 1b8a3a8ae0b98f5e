//! The catalogue of skills and its budget.

use std::path::PathBuf;

use super::{Skill, catalogue};
use crate::discovery::{Scope, ToolSource};

fn skill(name: &str, description: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        description: description.to_owned(),
        file: PathBuf::new(),
        folder: PathBuf::new(),
        source: ToolSource::new("toolsmith", "Toolsmith", Scope::User),
        hidden: false,
        invocable: true,
        argument_hint: None,
        allowed_tools: Vec::new(),
    }
}

#[test]
fn c11_3_names_and_descriptions_are_listed_and_hidden_skills_are_not() {
    let hidden = Skill { hidden: true, ..skill("secret", "d") };
    let skills = [skill("pdf", "Reads PDF files"), hidden];
    let text = catalogue(skills.iter(), 4096).unwrap();
    assert!(text.ends_with("\n- pdf: Reads PDF files"), "{text}");
    assert!(catalogue(skills[1..].iter(), 4096).is_none());
}

#[test]
fn the_budget_holds_for_any_number_of_skills() {
    for count in [1, 10, 50, 100, 500, 5000] {
        for length in [10, 200, 1024, 5000] {
            let skills: Vec<Skill> =
                (0..count).map(|at| skill(&format!("skill-{at}"), &"ü".repeat(length / 2))).collect();
            let text = catalogue(skills.iter(), 4096).unwrap();
            assert!(text.len() <= 4096, "{count} × {length}: {}", text.len());
            assert!(text.contains("- skill-0"), "{count} × {length}");
        }
    }
}

#[test]
fn descriptions_are_cut_before_skills_are_left_out() {
    let skills: Vec<Skill> = (0..40).map(|at| skill(&format!("s{at}"), &"word ".repeat(100))).collect();
    let text = catalogue(skills.iter(), 4096).unwrap();
    assert_eq!(text.lines().count(), 41, "{text}");
    assert!(text.len() > 3800 && text.contains('…'), "{text}");
}
