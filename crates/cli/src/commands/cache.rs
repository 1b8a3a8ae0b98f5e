//! `toolsmith cache`: what is remembered about modules between runs.

use std::{io::Write as _, path::Path, process::ExitCode};

use anyhow::{Context as _, Result};
use clap::Subcommand;
use serde_json::json;
use toolsmith_js::{CachedProject, clear_definitions, list_definitions};

use crate::{
    arguments::Shared,
    output::{Cell, print_json, print_table},
    project::Project,
    terminal::{self, DIM, NAME},
};

/// Arguments of `cache`.
#[derive(Debug, clap::Args)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the modules whose definitions are remembered (default).
    Show {
        /// List the modules of all directories.
        #[arg(long)]
        all: bool,
    },
    /// Forget all definitions; modules are loaded again when they are next listed or used.
    Clear,
}

pub(crate) fn run(shared: &Shared, own: &CacheArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let folder = toolsmith::definition_cache(&project.home);
    match own.what {
        Some(What::Clear) => clear(shared, &folder),
        Some(What::Show { all }) => show(shared, &project, &folder, all),
        None => show(shared, &project, &folder, false),
    }
}

fn clear(shared: &Shared, folder: &Path) -> Result<ExitCode> {
    let removed =
        clear_definitions(folder).with_context(|| format!("{} cannot be cleared", folder.display()))?;
    if shared.json {
        print_json(&json!({ "removed": removed }))?;
    } else {
        let what = if removed == 1 { "directory" } else { "directories" };
        writeln!(crate::streams::stdout(), "Removed the definitions of {removed} {what}.")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(shared: &Shared, project: &Project, folder: &Path, all: bool) -> Result<ExitCode> {
    let found = list_definitions(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let here = toolsmith_host::real_path(&project.cwd).unwrap_or_else(|_| project.cwd.clone());
    let found: Vec<CachedProject> = found.into_iter().filter(|found| all || found.cwd == here).collect();
    if shared.json {
        print_json(&json!({ "folder": folder, "projects": found }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = crate::streams::stdout();
    let rows: Vec<Vec<Cell>> = found
        .iter()
        .flat_map(|found| &found.modules)
        .map(|module| {
            let state = match (&module.reason, module.is_current) {
                (_, false) => "changed; loaded next time".to_owned(),
                (Some(reason), true) => format!("loaded every time: {reason}"),
                (None, true) => "cached".to_owned(),
            };
            vec![
                (project.show(&module.path), Some(NAME)),
                (module.files.to_string(), Some(DIM)),
                (state, None),
            ]
        })
        .collect();
    if rows.is_empty() {
        writeln!(out, "No definitions are cached{}.", if all { "" } else { " for this directory" })?;
        return Ok(ExitCode::SUCCESS);
    }
    print_table(&mut out, &["MODULE", "FILES", "STATE"], &rows, terminal::output_width())?;
    Ok(ExitCode::SUCCESS)
}
