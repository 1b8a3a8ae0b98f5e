//! `toolsmith skills`: lists, checks and creates skills.

mod check;
mod list;
mod new;

use std::process::ExitCode;

use anyhow::Result;

use crate::arguments::Shared;

/// Arguments of `skills`.
#[derive(Debug, clap::Args)]
pub(crate) struct SkillsArguments {
    #[command(subcommand)]
    command: SkillsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum SkillsCommand {
    /// List skills with their origins, and skills with faults.
    List(list::ListArguments),
    /// Check skills strictly by the Agent Skills specification.
    Check(check::CheckArguments),
    /// Create a skill.
    New(new::NewArguments),
}

pub(crate) fn run(shared: &Shared, own: &SkillsArguments) -> Result<ExitCode> {
    match &own.command {
        SkillsCommand::List(own) => list::run(shared, own),
        SkillsCommand::Check(own) => check::run(shared, own),
        SkillsCommand::New(own) => new::run(shared, own),
    }
}
