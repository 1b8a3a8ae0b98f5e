//! `toolsmith hooks list`: every hook that was found, and whether it runs. Nothing is run.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith::{HookStatus, Warning};

use super::{short, to_json};
use crate::{
    arguments::Shared,
    failure,
    output::{Cell, print_json, print_page, print_table},
    project::Project,
    terminal::{self, DIM, HINT, NAME, WARNING, paint},
};

/// Arguments of `hooks list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {}

pub(super) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let found = project.hooks();
    if shared.json {
        print_json(&json!({
            "hooks": found.hooks.iter().map(to_json).collect::<Vec<_>>(),
            "warnings": found.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    if found.hooks.is_empty() {
        writeln!(page, "No hooks were found. docs/hooks.md describes where they are looked for.")?;
    } else {
        let row = |found: &toolsmith::FoundHook| -> Vec<Cell> {
            let is_running = matches!(found.status, HookStatus::User | HookStatus::Confirmed);
            vec![
                (found.hash.as_deref().map_or("-", short).to_owned(), Some(DIM)),
                (found.hook.event.as_str().to_owned(), Some(NAME)),
                (
                    match found.hook.matcher.as_text() {
                        text if text.is_empty() => "*".to_owned(),
                        text => text,
                    },
                    None,
                ),
                (found.status.as_str().to_owned(), (!is_running).then_some(WARNING)),
                (project.show(&found.hook.source), Some(DIM)),
                (found.what(), None),
            ]
        };
        let rows: Vec<Vec<Cell>> = found.hooks.iter().map(row).collect();
        let heading = ["HASH", "EVENT", "MATCHER", "STATUS", "SOURCE", "RUNS"];
        print_table(&mut page, &heading, &rows, terminal::output_width())?;
    }
    for hook in found.hooks.iter().filter(|hook| !hook.uncovered.is_empty()) {
        let programs = toolsmith_tool::visible_line(&hook.uncovered.join(", ")).into_owned();
        let text = format!("{programs} runs what files of the project say, which the hash does not cover");
        writeln!(page, "{}: {text}", hook.hash.as_deref().map_or("-", short))?;
    }
    if found.waiting().next().is_some() {
        writeln!(
            page,
            "{} `toolsmith hooks trust HASH` or `--all` confirms hooks that are new or changed.",
            paint(HINT, "→")
        )?;
    }
    if found.hooks.iter().any(|hook| hook.status == HookStatus::Untrusted) {
        writeln!(page, "{} {}", paint(HINT, "→"), failure::TRUST_HINT)?;
    }
    print_page(&page)?;
    let warnings: Vec<Warning> = found.warnings.clone();
    failure::warn_all(&warnings);
    Ok(ExitCode::SUCCESS)
}
