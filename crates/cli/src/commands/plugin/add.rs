//! `toolsmith plugin add`: fetches a plugin, shows what it contains, and installs it.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith::{Marketplace, PluginError, PluginSource, StagedPlugin};
use toolsmith_tool::visible_line;

use super::{confirm, interruptible, show_parts, source, store};
use crate::{
    arguments::Shared,
    failure::{self, Problem},
    output::{Cell, print_json, print_page, print_table},
    progress::Progress,
    project::Project,
    terminal::{self, HEADING, NAME, paint},
};

/// Arguments of `plugin add`.
#[derive(Debug, clap::Args)]
pub(super) struct AddArguments {
    /// npm:PACKAGE[@VERSION], git:URL[#REF], a directory, or NAME@MARKETPLACE.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Plugin to install from a marketplace.
    #[arg(long, value_name = "NAME")]
    plugin: Option<String>,
    /// Install without asking.
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(shared: &Shared, own: &AddArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let wanted = source(&project, &own.source)?;
    interruptible(|cancel| async move {
        let store = store(&project, cancel);
        let progress = Progress::start("Fetching");
        let mut staged = store.stage(&wanted).await;
        if let Err(PluginError::Marketplace(marketplace)) = &staged {
            let only = marketplace.plugins.keys().next().filter(|_| marketplace.plugins.len() == 1);
            let Some(plugin) = own.plugin.as_ref().or(only) else {
                progress.end();
                return listed(shared, marketplace);
            };
            let plugin =
                PluginSource::Marketplace { plugin: plugin.clone(), marketplace: marketplace.name.clone() };
            staged = store.stage(&plugin).await;
        }
        let staged = match staged {
            Ok(mut staged) => store.complete(&mut staged).await.map(|()| staged),
            Err(error) => Err(error),
        };
        progress.end();
        let staged = staged.map_err(|error| problem(&error))?;
        announce(&staged)?;
        if !confirm("Install it? Code and hooks can do whatever you can.", own.yes)? {
            writeln!(crate::streams::stderr(), "Nothing was installed.")?;
            return Ok(ExitCode::FAILURE);
        }
        let (name, version) = (staged.name.clone(), staged.manifest.version.clone());
        let (fingerprint, parts) = (staged.fingerprint().map(str::to_owned), staged.parts.clone());
        let folder = store.install(staged).await?;
        if shared.json {
            print_json(&json!({
                "name": name, "version": version, "folder": folder.to_string_lossy(), "fingerprint": fingerprint,
                "parts": parts,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = crate::streams::stdout();
        writeln!(out, "Installed {} in {}", paint(NAME, visible_line(&name)), project.show(&folder))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Describes an error with the next step.
pub(super) fn problem(error: &PluginError) -> Problem {
    let problem = Problem::failed(error.to_string());
    match error {
        PluginError::Program { program, .. } if program == "npm" => {
            problem.hint("Check the name and the connection to the registry. Nothing was installed.")
        }
        PluginError::Program { .. } => problem.hint("Check the address. Nothing was installed."),
        PluginError::UnknownSource(_) => problem.hint("`toolsmith plugin search TEXT` finds plugins."),
        _ => problem,
    }
}

/// Shows what a plugin contains.
fn announce(staged: &StagedPlugin) -> Result<()> {
    let mut out = crate::streams::stderr();
    let version = staged.manifest.version.as_deref().unwrap_or("no version");
    let title = format!("{} ({version}) from {}", staged.name, staged.source);
    writeln!(out, "{}", paint(HEADING, visible_line(&title)))?;
    if let Some(description) = &staged.manifest.description {
        writeln!(out, "{}", visible_line(description))?;
    }
    if let Some(fingerprint) = staged.fingerprint() {
        writeln!(out, "{}", visible_line(fingerprint))?;
    }
    match &staged.installed {
        None => show_parts(&mut out, &staged.parts, "")?,
        Some(installed) => {
            show_parts(&mut out, staged.parts.difference(installed), "+")?;
            show_parts(&mut out, installed.difference(&staged.parts), "-")?;
            show_parts(&mut out, staged.parts.intersection(installed), "")?;
        }
    }
    for problem in &staged.manifest.problems {
        failure::warn_all([&toolsmith::Warning::new(problem)]);
    }
    Ok(())
}

fn listed(shared: &Shared, marketplace: &Marketplace) -> Result<ExitCode> {
    if shared.json {
        print_json(&json!({ "marketplace": marketplace.name, "plugins": marketplace.plugins }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    let rows: Vec<Vec<Cell>> = marketplace
        .plugins
        .iter()
        .map(|(name, description)| vec![(name.clone(), Some(NAME)), (description.clone(), None)])
        .collect();
    writeln!(page, "Added the marketplace {}.", visible_line(&marketplace.name))?;
    print_table(&mut page, &["PLUGIN", "DESCRIPTION"], &rows, terminal::output_width())?;
    writeln!(page, "\nInstall one: toolsmith plugin add NAME@{}", visible_line(&marketplace.name))?;
    print_page(&page)?;
    Ok(ExitCode::SUCCESS)
}
