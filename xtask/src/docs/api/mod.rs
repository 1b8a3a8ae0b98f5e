//! `docs/api.md` and `docs/module.md`, generated from the types in `crates/cli/types`. Every example on the pages is run by a
//! test of this module.

mod declarations;
#[cfg(test)]
mod examples_tests;
mod sections;

use std::{fmt::Write as _, fs, path::PathBuf};

use anyhow::{Context, Result};
use declarations::{Declarations, Group, Member, ensure_documented};
use sections::{EXPORTS, SECTIONS, Section};

use crate::cargo::root;

/// The worked example, which is a tool of the examples folder.
const WORKED_EXAMPLE: &str = "examples/tools/expenses.ts";

fn types() -> PathBuf {
    root().join("crates/cli/types")
}

/// Renders `docs/api.md`.
pub(super) fn render() -> Result<String> {
    let declarations = Declarations::read(&types())?;
    let worked = fs::read_to_string(root().join(WORKED_EXAMPLE)).context(WORKED_EXAMPLE)?;
    let mut text = sections::BEGINNING.replace("{{example}}", worked.trim_end());
    writeln!(text, "\n## Contents\n")?;
    for section in SECTIONS {
        writeln!(text, "- [{}](#{})", section.title, anchor(section.title))?;
    }
    for section in SECTIONS {
        let group = declarations.interface(section.interface)?;
        ensure_documented(group)?;
        section_text(&mut text, section, group)?;
        for (name, summary, words) in &declarations.words {
            if section.words.contains(&name.as_str()) {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                writeln!(text, "\n{summary} {}.", words.join(", "))?;
            }
        }
    }
    Ok(text)
}

/// Renders `docs/module.md`.
pub(super) fn render_module() -> Result<String> {
    let declarations = Declarations::read(&types())?;
    let mut text = sections::MODULE_BEGINNING.to_owned();
    for (module, title, about) in EXPORTS {
        let group = declarations.module(module)?;
        ensure_documented(group)?;
        writeln!(text, "\n## {title}\n\n{about}")?;
        for member in &group.members {
            member_text(&mut text, &member.name, member)?;
        }
    }
    Ok(text)
}

fn section_text(text: &mut String, section: &Section, group: &Group) -> Result<()> {
    writeln!(text, "\n## {}\n\n{}", section.title, section.about)?;
    for member in &group.members {
        member_text(text, &format!("{}{}", section.prefix, member.name), member)?;
    }
    Ok(())
}

fn member_text(text: &mut String, name: &str, member: &Member) -> Result<()> {
    let example = member.doc.example.as_deref().unwrap_or_default();
    // The types are exported under these names.
    let signature = member.signature.replace("Toolsmith.", "");
    writeln!(text, "\n### `{name}`\n\n{}\n\n```ts\n{signature}\n\n{example}\n```", member.doc.summary)?;
    Ok(())
}

/// The name of a heading in links.
fn anchor(title: &str) -> String {
    title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
        .collect()
}
