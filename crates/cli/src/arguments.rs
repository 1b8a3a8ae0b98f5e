//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::doctor;

/// A coding agent and a runtime for custom tools.
#[derive(Debug, Parser)]
#[command(name = "toolsmith", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// What is the same for every command.
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options every command takes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Shared {
    /// Work in this folder instead of the current one.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print machine-readable JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at this installation: versions, folders, engine.
    Doctor(doctor::DoctorArguments),
}
