//! `toolsmith completions SHELL`: a script the shell reads.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::arguments::Arguments;

/// Options of `completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArguments {
    /// The shell the script is for.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(own: &CompletionsArguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(own.shell, &mut Arguments::command(), "toolsmith", &mut script);
    std::io::Write::write_all(&mut crate::streams::stdout(), &script)?;
    Ok(ExitCode::SUCCESS)
}
