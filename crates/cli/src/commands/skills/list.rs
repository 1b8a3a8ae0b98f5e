//! `toolsmith skills list`.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith::{Skill, discover_skills};

use crate::{
    arguments::Shared,
    failure,
    output::{Cell, print_json, print_page, print_table, source_json},
    project::Project,
    terminal::{self, DIM, NAME},
};

/// Arguments of `skills list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {}

pub(super) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let skills = discover_skills(&project.discovery_options());
    if shared.json {
        let skill = |skill: &Skill| {
            json!({
                "name": skill.name,
                "description": skill.description,
                "path": skill.file.to_string_lossy(),
                "source": source_json(&skill.source),
                "hidden": skill.hidden,
                "invocable": skill.invocable,
                "allowedTools": skill.allowed_tools,
            })
        };
        print_json(&json!({
            "skills": skills.list.iter().map(skill).collect::<Vec<_>>(),
            "warnings": skills.warnings.iter().map(failure::warning_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    if skills.list.is_empty() {
        writeln!(page, "No skills found. `toolsmith skills new NAME` creates one.")?;
    } else {
        let row = |skill: &Skill| -> Vec<Cell> {
            vec![
                (skill.name.clone(), Some(NAME)),
                (skill.source.to_string(), Some(DIM)),
                (skill.description.clone(), None),
            ]
        };
        let rows: Vec<Vec<Cell>> = skills.list.iter().map(row).collect();
        print_table(&mut page, &["NAME", "SOURCE", "DESCRIPTION"], &rows, terminal::output_width())?;
    }
    for warning in &skills.warnings {
        failure::show_warning(&mut page, warning)?;
    }
    print_page(&page)?;
    Ok(ExitCode::SUCCESS)
}
