//! The commands, one file or folder each. A command has its arguments (`…Arguments`) and a `run` that gives the exit code.

pub(crate) mod doctor;

use std::process::ExitCode;

use anyhow::Result;

use crate::arguments::{Arguments, Command};

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Doctor(own) => doctor::run(&arguments.shared, &own),
    }
}
