//! The command-line arguments.

use std::{ffi::OsString, path::PathBuf};

use clap::{
    Parser, Subcommand, ValueEnum,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    commands::{
        cache, call, check, completions, config, context, demo, dev, doctor, hooks, licenses, list, login,
        man, mcp, new, plugin, print, replay, rpc, sessions, skills, stats, test, trust, types, undo, update,
    },
    versions,
};

/// Coding agent and runtime for custom tools.
#[derive(Debug, Parser)]
#[command(name = "toolsmith", version, long_version = versions::long())]
pub(crate) struct Arguments {
    /// Options shared by all commands.
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(flatten)]
    pub(crate) print: print::PrintArguments,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Arguments {
    /// Returns whether the exit code tells how the work ended, and not only whether it could be done.
    pub(crate) fn has_verdict(&self) -> bool {
        matches!(
            self.command,
            None | Some(
                Command::Call(_) | Command::Check(_) | Command::Test(_) | Command::Dev(_) | Command::Hooks(_)
            )
        )
    }
}

/// Maximum number of options of extensions on one command line.
const MAX_FLAGS: usize = 64;

/// Reads the command line. Options that are not ours may be those of an extension, which is not loaded yet: they are set
/// aside where a session starts.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let mut left = words;
    let mut flags = Vec::new();
    let mut first = None;
    loop {
        match Arguments::try_parse_from(&left) {
            Ok(mut arguments) => {
                if arguments.command.is_some()
                    && let Some(error) = first
                {
                    return Err(error);
                }
                arguments.print.flags = flags;
                return Ok(arguments);
            }
            Err(error) => {
                let unknown = unknown_option(&error, &left).filter(|_| flags.len() < MAX_FLAGS);
                let Some((at, name, value)) = unknown else { return Err(first.unwrap_or(error)) };
                left.remove(at);
                flags.push((name, value));
                first.get_or_insert(error);
            }
        }
    }
}

/// Returns the position, the name and the value of the unknown long option an error is about.
fn unknown_option(error: &clap::Error, words: &[OsString]) -> Option<(usize, String, Option<String>)> {
    let named = match (error.kind(), error.get(ContextKind::InvalidArg)?) {
        (ErrorKind::UnknownArgument, ContextValue::String(text)) => text.strip_prefix("--")?.to_owned(),
        _ => return None,
    };
    let name = named.split('=').next().unwrap_or_default().to_owned();
    words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let rest = word.to_str()?.strip_prefix("--")?;
        let (own, value) = match rest.split_once('=') {
            Some((own, value)) => (own, Some(value.to_owned())),
            None => (rest, None),
        };
        (own == name && !name.is_empty()).then(|| (at, name.clone(), value))
    })
}

/// Options every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Shared {
    /// Working directory (default: the current directory).
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    /// Print machine-readable JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Trust the working directory for this run (also TOOLSMITH_TRUST=1).
    #[arg(long = "trust", id = "trust_once", global = true)]
    pub(crate) trust: bool,
    /// Additional tool module to load, without requiring trust. Can be repeated.
    #[arg(long = "tool", global = true, value_name = "PATH")]
    pub(crate) tools: Vec<String>,
    /// Additional extension to load, without requiring trust. Can be repeated.
    #[arg(long = "extension", short = 'e', global = true, value_name = "PATH")]
    pub(crate) extensions: Vec<String>,
    /// Load no extensions except those named with --extension.
    #[arg(long, global = true)]
    pub(crate) no_extensions: bool,
    /// Setting for this run. Can be repeated.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Show where in the tool's code an error occurred.
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
    /// Run an offline tour of ten seconds.
    Demo(demo::DemoArguments),
    /// List tools, and modules that failed to load.
    List(list::ListArguments),
    /// Call a tool without a model.
    Call(call::CallArguments),
    /// Show or clear what is remembered about modules.
    Cache(cache::CacheArguments),
    /// Show or change settings.
    Config(config::ConfigArguments),
    /// Show what a session sends with every request, by origin.
    Context(context::ContextArguments),
    /// Install, list, update and remove plugins.
    Plugin(plugin::PluginArguments),
    /// List, check and create skills.
    Skills(skills::SkillsArguments),
    /// Trust a directory or file, so that its code may run.
    Trust(trust::TrustArguments),
    /// Show versions, directories, engines and available models.
    Doctor(doctor::DoctorArguments),
    /// List, confirm and try hooks.
    Hooks(hooks::HooksArguments),
    /// Print a shell completion script.
    Completions(completions::CompletionsArguments),
    /// Print the licences of bundled dependencies.
    Licenses(licenses::LicensesArguments),
    /// Store the key of a model provider.
    Login(login::LoginArguments),
    /// Remove the stored key of a model provider.
    Logout(login::LogoutArguments),
    /// List the models that can be used.
    Models(login::ModelsArguments),
    /// Print the manual page.
    Man(man::ManArguments),
    /// Serve tools to other agents, and use the tools of MCP servers.
    Mcp(mcp::McpArguments),
    /// Create a tool.
    New(new::NewArguments),
    /// Check tools for mistakes and for provider restrictions.
    Check(check::CheckArguments),
    /// Run the case files of tools.
    Test(test::TestArguments),
    /// Run the recorded calls of a session against today's tools, and show what differs.
    Replay(replay::ReplayArguments),
    /// Load, check and call a tool again whenever a file changes.
    Dev(dev::DevArguments),
    /// Write type definitions for editors.
    Types(types::TypesArguments),
    /// Undo file changes made by tools.
    Undo(undo::UndoArguments),
    /// Say how the program was installed and how to update it.
    Update(update::UpdateArguments),
    /// List, show, export and remove sessions.
    Sessions(sessions::SessionsArguments),
    /// Show what tool calls and models used, by tool, session or day.
    Stats(stats::StatsArguments),
    /// Print the protocol of --mode rpc as a JSON Schema.
    RpcSchema(rpc::schema::SchemaArguments),
}
