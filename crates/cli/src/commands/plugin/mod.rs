//! `toolsmith plugin`: installs, lists, updates, disables, removes and finds plugins.

mod add;
mod change;
mod list;
mod search;
mod update;

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use toolsmith::{PluginSource, PluginStore, expand_path};
use toolsmith_tool::{CancelToken, visible_line};

use crate::{
    arguments::Shared,
    failure::Problem,
    project::Project,
    terminal::{self, DIM, ERROR, GOOD, paint},
};

/// Arguments of `plugin`.
#[derive(Debug, clap::Args)]
pub(crate) struct PluginArguments {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PluginCommand {
    /// Install a plugin, or add a marketplace.
    Add(add::AddArguments),
    /// List installed plugins and what they contain.
    List(list::ListArguments),
    /// Update plugins, showing what changes in what they may do.
    Update(update::UpdateArguments),
    /// Remove a plugin.
    Remove(change::RemoveArguments),
    /// Disable a plugin or one of its parts.
    Disable(change::SwitchArguments),
    /// Enable a plugin or one of its parts again.
    Enable(change::SwitchArguments),
    /// Search the npm registry and known marketplaces.
    Search(search::SearchArguments),
}

pub(crate) fn run(shared: &Shared, own: &PluginArguments) -> Result<ExitCode> {
    match &own.command {
        PluginCommand::Add(own) => add::run(shared, own),
        PluginCommand::List(own) => list::run(shared, own),
        PluginCommand::Update(own) => update::run(shared, own),
        PluginCommand::Remove(own) => change::remove(shared, own),
        PluginCommand::Disable(own) => change::switch(shared, own, false),
        PluginCommand::Enable(own) => change::switch(shared, own, true),
        PluginCommand::Search(own) => search::run(shared, own),
    }
}

/// Opens the user's plugin directory.
fn store(project: &Project, cancel: CancelToken) -> PluginStore {
    PluginStore::new(&project.home, toolsmith_host::exec::program_path(), cancel)
}

fn source(project: &Project, written: &str) -> Result<PluginSource> {
    let parsed = PluginSource::parse(written, |path| expand_path(path, &project.cwd, &project.home));
    Ok(parsed.map_err(|error| Problem::wrong_use(error.to_string()))?)
}

/// Runs work that ends when the user interrupts it.
fn interruptible<T, F: Future<Output = Result<T>>>(work: impl FnOnce(CancelToken) -> F) -> Result<T> {
    crate::runtime::block_on(async {
        let cancel = CancelToken::new();
        let stopper = cancel.clone();
        let _listening = crate::interrupts::listen(move |reason, _| stopper.cancel(reason));
        work(cancel).await
    })
}

/// Asks before something is installed; without a terminal `--yes` has to say so.
fn confirm(question: &str, yes: bool) -> Result<bool> {
    if yes {
        return Ok(true);
    }
    if !terminal::is_interactive() {
        let problem = Problem::failed("nothing was installed: nobody could be asked");
        return Err(problem.hint("Read the list above, then run the command again with --yes.").into());
    }
    Ok(terminal::ask_yes_or_no(question) == Some(true))
}

/// Prints the parts of a plugin: what is new, what is gone, and what stays.
fn show_parts<'a>(
    out: &mut dyn Write,
    parts: impl IntoIterator<Item = &'a String>,
    sign: &str,
) -> std::io::Result<()> {
    for part in parts {
        let line = visible_line(part);
        let line = match sign {
            "+" => paint(GOOD, format_args!("+ {line}")),
            "-" => paint(ERROR, format_args!("- {line}")),
            _ => paint(DIM, format_args!("  {line}")),
        };
        writeln!(out, "  {line}")?;
    }
    Ok(())
}
