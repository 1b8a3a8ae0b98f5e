//! `toolsmith skills check`: the strict check, as `skills-ref validate` makes it.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith::{check_skill, discover_skills};

use crate::{
    arguments::Shared,
    failure,
    output::{one_line, print_json},
    project::Project,
    terminal::{ERROR, GOOD, paint},
};

/// Arguments of `skills check`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArguments {
    /// Directories of skills (default: all skills that are found).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
}

pub(super) fn run(shared: &Shared, own: &CheckArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let mut warnings = Vec::new();
    let folders: Vec<PathBuf> = if own.paths.is_empty() {
        let skills = discover_skills(&project.discovery_options());
        // Those that could not be loaded at all are reported by the same rules.
        let broken =
            skills.warnings.iter().filter_map(|warning| Some(warning.path.as_ref()?.parent()?.to_path_buf()));
        let mut folders: Vec<PathBuf> =
            skills.list.iter().map(|skill| skill.folder.clone()).chain(broken).collect();
        warnings.extend(skills.warnings.iter().filter(|warning| warning.path.is_none()).cloned());
        folders.sort();
        folders.dedup();
        folders
    } else {
        let folder = |path: &PathBuf| {
            let path: PathBuf = project.cwd.join(path).components().collect();
            let is_file = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("skill.md"));
            path.parent().filter(|_| is_file && path.is_file()).map(PathBuf::from).unwrap_or(path)
        };
        own.paths.iter().map(folder).collect()
    };
    let checked: Vec<(PathBuf, Vec<String>)> =
        folders.into_iter().map(|folder| (folder.clone(), check_skill(&folder))).collect();
    let has_failed = checked.iter().any(|(_, problems)| !problems.is_empty());
    if shared.json {
        let one = |(folder, problems): &(PathBuf, Vec<String>)| json!({ "path": folder.to_string_lossy(), "valid": problems.is_empty(), "problems": problems });
        print_json(&json!({ "skills": checked.iter().map(one).collect::<Vec<_>>() }))?;
        return Ok(ExitCode::from(u8::from(has_failed)));
    }
    let mut out = crate::streams::stdout();
    if checked.is_empty() {
        writeln!(out, "No skills found. `toolsmith skills new NAME` creates one.")?;
    }
    for (folder, problems) in &checked {
        let word = if problems.is_empty() { paint(GOOD, "valid") } else { paint(ERROR, "invalid") };
        writeln!(out, "{word}  {}", project.show(folder))?;
        for problem in problems {
            writeln!(out, "  - {}", one_line(problem))?;
        }
    }
    failure::warn_all(&warnings);
    Ok(ExitCode::from(u8::from(has_failed)))
}
