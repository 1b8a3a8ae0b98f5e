//! `toolsmith plugin update`: fetches plugins again and installs what changed, after showing it.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith_tool::visible_line;

use super::{add::problem, confirm, interruptible, show_parts, source, store};
use crate::{
    arguments::Shared,
    failure::{self, Problem},
    output::print_json,
    progress::Progress,
    project::Project,
    terminal::{DIM, HEADING, NAME, paint},
};

/// Arguments of `plugin update`.
#[derive(Debug, clap::Args)]
pub(super) struct UpdateArguments {
    /// Plugins to update (default: all that were installed here).
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Install without asking.
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(shared: &Shared, own: &UpdateArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    interruptible(|cancel| async move {
        let store = store(&project, cancel);
        let lock = store.lock()?;
        for name in &own.names {
            if !lock.plugins.contains_key(name) {
                let what = format!("the plugin \"{name}\" was not installed here");
                return Err(Problem::wrong_use(what)
                    .hint("`toolsmith plugin list` shows the plugins.")
                    .into());
            }
        }
        let mut out = crate::streams::stderr();
        let (mut updated, mut same, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let wanted = lock.plugins.iter().filter(|(name, _)| own.names.is_empty() || own.names.contains(name));
        for (name, entry) in wanted {
            let Some(written) = &entry.source else { continue };
            let progress = Progress::start("Fetching");
            let staged = match source(&project, written) {
                Ok(source) => store.stage(&source).await.map_err(|error| problem(&error).to_string()),
                Err(error) => Err(error.to_string()),
            };
            let before = entry.commit.as_deref().or(entry.integrity.as_deref());
            let staged = match staged {
                Ok(staged) if before.is_some() && before == staged.fingerprint() => {
                    progress.end();
                    same.push(name.clone());
                    continue;
                }
                Ok(mut staged) => match store.complete(&mut staged).await {
                    Ok(()) => Ok(staged),
                    Err(error) => Err(problem(&error).to_string()),
                },
                Err(error) => Err(error),
            };
            progress.end();
            let staged = match staged {
                Ok(staged) => staged,
                Err(error) => {
                    failure::warn_all([&toolsmith::Warning::new(format!("{name} was not updated: {error}"))]);
                    failed.push(name.clone());
                    continue;
                }
            };
            let old = entry.version.as_deref().unwrap_or("no version");
            let new = staged.manifest.version.as_deref().unwrap_or("no version");
            let title = format!("{name}: {old} → {new}");
            writeln!(out, "{}", paint(HEADING, visible_line(&title)))?;
            let installed = staged.installed.clone().unwrap_or_default();
            if installed == staged.parts {
                writeln!(out, "  {}", paint(DIM, "Its parts are the same; their contents changed."))?;
            }
            show_parts(&mut out, staged.parts.difference(&installed), "+")?;
            show_parts(&mut out, installed.difference(&staged.parts), "-")?;
            for problem in &staged.manifest.problems {
                failure::warn_all([&toolsmith::Warning::new(problem)]);
            }
            if confirm(&format!("Update {name}?"), own.yes)? {
                store.install(staged).await?;
                updated.push(name.clone());
            }
        }
        let code = ExitCode::from(u8::from(!failed.is_empty()));
        if shared.json {
            print_json(&json!({ "updated": updated, "upToDate": same, "failed": failed }))?;
            return Ok(code);
        }
        let mut out = crate::streams::stdout();
        for name in &updated {
            writeln!(out, "Updated {}", paint(NAME, visible_line(name)))?;
        }
        for name in &same {
            writeln!(out, "{} is up to date", paint(NAME, visible_line(name)))?;
        }
        Ok(code)
    })
}
