//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::{
    commands::{
        call, check, completions, config, demo, dev, doctor, licenses, list, man, new, print, rpc, sessions,
        test, trust, types, undo,
    },
    versions,
};

/// A coding agent and a runtime for custom tools.
#[derive(Debug, Parser)]
#[command(name = "toolsmith", version, long_version = versions::long(), arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// What is the same for every command.
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(flatten)]
    pub(crate) print: print::PrintArguments,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Arguments {
    /// Whether the exit code says how the work ended, and not only whether it could be done.
    pub(crate) fn has_verdict(&self) -> bool {
        matches!(
            self.command,
            None | Some(Command::Call(_) | Command::Check(_) | Command::Test(_) | Command::Dev(_))
        )
    }
}

/// Options every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Shared {
    /// Work in this folder instead of the current one.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print machine-readable JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Trust the working folder's tools for this run (also TOOLSMITH_TRUST=1).
    #[arg(long = "trust", id = "trust_once", global = true)]
    pub(crate) trust: bool,
    /// Load this module too; needs no trust. May be given several times.
    #[arg(long = "tool", global = true, value_name = "PATH")]
    pub(crate) tools: Vec<String>,
    /// Set a setting for this run. May be given several times.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Show where in a tool's code an error came about.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work: an offline tour of ten seconds.
    Demo(demo::DemoArguments),
    /// Show the tools that were found, and what was refused and why.
    List(list::ListArguments),
    /// Call a tool, without a model.
    Call(call::CallArguments),
    /// Show the settings in force, and where each came from.
    Config(config::ConfigArguments),
    /// Say that a folder's or file's code may run.
    Trust(trust::TrustArguments),
    /// Look at this installation: versions, folders, engine.
    Doctor(doctor::DoctorArguments),
    /// Print a completion script for a shell.
    Completions(completions::CompletionsArguments),
    /// Print the licences of what is built in.
    Licenses(licenses::LicensesArguments),
    /// Print the manual page.
    Man(man::ManArguments),
    /// Begin a new tool.
    New(new::NewArguments),
    /// Load tools and look for mistakes, for every model provider.
    Check(check::CheckArguments),
    /// Run the case files beside tools.
    Test(test::TestArguments),
    /// Watch a tool: load, check and call it again whenever a file changes.
    Dev(dev::DevArguments),
    /// Write the types editors check tools with.
    Types(types::TypesArguments),
    /// Take back what tools changed of files.
    Undo(undo::UndoArguments),
    /// List, show, export and remove the conversations that are kept.
    Sessions(sessions::SessionsArguments),
    /// Print the protocol of --mode rpc as a JSON Schema.
    RpcSchema(rpc::schema::SchemaArguments),
}
