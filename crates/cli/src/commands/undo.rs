//! `toolsmith undo`: undoes file changes made by tools, the last one or a named one.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith_host::changes::PastChange;
use toolsmith_tool::{CancelToken, visible_line};

use crate::{
    arguments::Shared,
    failure::Problem,
    output::{Cell, print_json, print_table},
    project::Project,
    terminal::{self, DIM, NAME},
};

/// Arguments of `undo`.
#[derive(Debug, clap::Args)]
pub(crate) struct UndoArguments {
    /// Id of the change, as shown by --list (default: the last change in this directory).
    #[arg(value_name = "CHANGE")]
    change: Option<String>,
    /// List changes that can be undone, newest first.
    #[arg(long, conflicts_with = "change")]
    list: bool,
    /// With --list, include changes in other directories.
    #[arg(long, requires = "list")]
    all: bool,
}

pub(crate) fn run(shared: &Shared, own: &UndoArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let store = toolsmith::change_store(&project.home)?;
    if own.list {
        let root = (!own.all).then_some(project.cwd.as_path());
        return list(shared, &project, &store.list(root)?);
    }
    let cancel = CancelToken::new();
    let undone = match &own.change {
        Some(id) => store.undo(id, &cancel),
        None => store.undo_last(&project.cwd, &cancel),
    };
    let undone = undone.map_err(|error| {
        Problem::failed(error.to_string()).hint("`toolsmith undo --list` lists changes that can be undone.")
    })?;
    if shared.json {
        print_json(&json!(undone))?;
    } else {
        let mut out = crate::streams::stdout();
        let label = visible_line(&undone.entry.label);
        writeln!(out, "Undid {label} ({})", visible_line(&undone.entry.id))?;
        for file in &undone.entry.files {
            writeln!(out, "  {}", project.show(&file.path))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(shared: &Shared, project: &Project, changes: &[PastChange]) -> Result<ExitCode> {
    if shared.json {
        print_json(&json!(changes))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = crate::streams::stdout();
    if changes.is_empty() {
        writeln!(out, "No changes in this directory.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Vec<Cell>> = changes
        .iter()
        .map(|change| {
            let entry = &change.entry;
            let files = match entry.files.as_slice() {
                [one] => project.show(&one.path),
                files => format!("{} files", files.len()),
            };
            let state = if change.is_undone { "undone" } else { "" };
            vec![
                (entry.id.clone(), Some(NAME)),
                (entry.time.clone(), Some(DIM)),
                (entry.tool.clone(), None),
                (entry.label.clone(), None),
                (files, None),
                (state.to_owned(), Some(DIM)),
            ]
        })
        .collect();
    print_table(&mut out, &["CHANGE", "WHEN", "TOOL", "WHAT", "FILES", ""], &rows, terminal::output_width())?;
    Ok(ExitCode::SUCCESS)
}
