//! `toolsmith skills new`: creates a skill in its own directory.

use std::{fs, io::Write as _, process::ExitCode};

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use toolsmith::SKILL_FILE;

use crate::{
    arguments::Shared, failure::Problem, output::print_json, project::Project, project_files::Target,
};

/// Arguments of `skills new`.
#[derive(Debug, clap::Args)]
pub(super) struct NewArguments {
    /// Name: lower-case letters, digits and single hyphens.
    name: String,
    /// Purpose of the skill and when to use it.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Create the skill in your own directory, for all projects.
    #[arg(long)]
    user: bool,
}

pub(super) fn run(shared: &Shared, own: &NewArguments) -> Result<ExitCode> {
    let name = &own.name;
    let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(is_valid)
        || name.starts_with('-')
        || name.ends_with('-')
        || name.contains("--")
    {
        let hint = "Use lower-case letters, digits and single hyphens between them, at most 64 characters.";
        return Err(Problem::wrong_use(format!("{name:?} is not a valid skill name")).hint(hint).into());
    }
    let description =
        own.description.as_deref().unwrap_or("Describe what this skill does and when to use it.");
    if description.chars().count() > 1024 || description.trim().is_empty() {
        return Err(Problem::wrong_use("--description takes 1 to 1024 characters").into());
    }
    let project = Project::open(shared)?;
    let root =
        if own.user { project.home.toolsmith().join("agent") } else { project.root.join(".toolsmith") };
    let target = match own.user {
        true => Target::of_user(&root),
        false => Target::in_project(&project.root, &root)?,
    };
    let folder = root.join("skills").join(name);
    if fs::symlink_metadata(&folder).is_ok() {
        bail!("{} already exists; choose another name or remove it first", folder.display());
    }
    let quoted = description.split_whitespace().collect::<Vec<_>>().join(" ").replace('\'', "''");
    let title = name.replace('-', " ");
    let text = format!(
        "---\nname: {name}\ndescription: '{quoted}'\n---\n\n# {title}\n\n\
         Write the steps here. Put long material in files beside this one and name them, so that it is read only when needed.\n"
    );
    let file = folder.join(SKILL_FILE);
    target.write(&file, &text).with_context(|| format!("{} could not be written", file.display()))?;
    if shared.json {
        print_json(&json!({ "name": name, "file": file.to_string_lossy() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = crate::streams::stdout();
    writeln!(out, "{}", project.show(&file))?;
    writeln!(out, "\nUse it: /skill:{name} in a session. Check it: toolsmith skills check")?;
    Ok(ExitCode::SUCCESS)
}
