//! `toolsmith completions SHELL`: prints a shell completion script.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::arguments::Arguments;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArguments {
    /// Target shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(own: &CompletionsArguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(own.shell, &mut Arguments::command(), "toolsmith", &mut script);
    std::io::Write::write_all(&mut crate::streams::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}
