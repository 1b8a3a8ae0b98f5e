//! The commands, one file or folder each. A command has its arguments (`…Arguments`) and a `run` that gives the exit code.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod dev;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod test;
pub(crate) mod trust;
pub(crate) mod types;

use std::process::ExitCode;

use anyhow::Result;

use crate::arguments::{Arguments, Command};

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let shared = &arguments.shared;
    match arguments.command {
        Command::List(own) => list::run(shared, &own),
        Command::Call(own) => call::run(shared, &own),
        Command::Config(own) => config::run(shared, &own),
        Command::Trust(own) => trust::run(shared, &own),
        Command::Doctor(own) => doctor::run(shared, &own),
        Command::Completions(own) => completions::run(&own),
        Command::Man(own) => man::run(&own),
        Command::New(own) => new::run(shared, &own),
        Command::Check(own) => check::run(shared, &own),
        Command::Test(own) => test::run(shared, &own),
        Command::Dev(own) => dev::run(shared, &own),
        Command::Types(own) => types::run(shared, &own),
    }
}
