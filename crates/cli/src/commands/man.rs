//! `toolsmith man [COMMAND]`: prints manual pages.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use clap::CommandFactory as _;
use toolsmith_tool::closest_names;

use crate::{arguments::Arguments, failure::Problem};

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArguments {
    /// Command to document (default: the whole program).
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn run(own: &ManArguments) -> Result<ExitCode> {
    let mut whole = Arguments::command();
    whole.build();
    let about = match &own.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
                let closest = closest_names(name, names.iter().copied());
                let known = if closest.is_empty() { names } else { closest };
                let hint = format!("There are: {}", known.join(", "));
                return Err(Problem::wrong_use(format!("unknown command \"{name}\"")).hint(hint).into());
            }
        },
    };
    let mut page = Vec::new();
    let title = about.get_display_name().unwrap_or("toolsmith").to_owned();
    clap_mangen::Man::new(about).title(title).render(&mut page)?;
    crate::streams::stdout().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}
