//! The commands, one file or directory each. A command has its arguments (`…Arguments`) and a `run` that returns the
//! exit code.

pub(crate) mod cache;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
mod config_edit;
pub(crate) mod context;
pub(crate) mod demo;
pub(crate) mod dev;
pub(crate) mod doctor;
pub(crate) mod hooks;
pub(crate) mod interactive;
pub(crate) mod library_view;
pub(crate) mod licenses;
pub(crate) mod list;
pub(crate) mod login;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod plugin;
pub(crate) mod print;
pub(crate) mod replay;
pub(crate) mod rpc;
pub(crate) mod sessions;
pub(crate) mod skills;
pub(crate) mod stats;
pub(crate) mod test;
pub(crate) mod trust;
pub(crate) mod types;
pub(crate) mod undo;
pub(crate) mod update;

use std::process::ExitCode;

use anyhow::Result;

use crate::{
    arguments::{Arguments, Command},
    failure::Problem,
};

/// Runs the selected command.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let shared = &arguments.shared;
    let Some(command) = arguments.command else {
        return match interactive::applies(shared, &arguments.print) {
            true => interactive::run(shared, &arguments.print),
            false if interactive::is_help(&arguments.print) => interactive::help(),
            false => print::run(shared, &arguments.print),
        };
    };
    if arguments.print.is_asked_for() {
        let hint = "Put a prompt that begins with a command's name in quotes.";
        return Err(Problem::wrong_use("A prompt and a command cannot go together").hint(hint).into());
    }
    match command {
        Command::Demo(own) => demo::run(shared, &own),
        Command::List(own) => list::run(shared, &own),
        Command::Call(own) => call::run(shared, &own),
        Command::Cache(own) => cache::run(shared, &own),
        Command::Config(own) => config::run(shared, &own),
        Command::Context(own) => context::run(shared, &own),
        Command::Plugin(own) => plugin::run(shared, &own),
        Command::Skills(own) => skills::run(shared, &own),
        Command::Trust(own) => trust::run(shared, &own),
        Command::Doctor(own) => doctor::run(shared, &own),
        Command::Completions(own) => completions::run(&own),
        Command::Licenses(own) => licenses::run(&own),
        Command::Login(own) => login::login(shared, &own),
        Command::Logout(own) => login::logout(shared, &own),
        Command::Models(own) => login::models(shared, &own),
        Command::Man(own) => man::run(&own),
        Command::Hooks(own) => hooks::run(shared, &own),
        Command::Mcp(own) => mcp::run(shared, &own),
        Command::New(own) => new::run(shared, &own),
        Command::Check(own) => check::run(shared, &own),
        Command::Test(own) => test::run(shared, &own),
        Command::Replay(own) => replay::run(shared, &own),
        Command::Dev(own) => dev::run(shared, &own),
        Command::Types(own) => types::run(shared, &own),
        Command::Undo(own) => undo::run(shared, &own),
        Command::Update(own) => update::run(shared, &own),
        Command::Sessions(own) => sessions::run(shared, &own),
        Command::Stats(own) => stats::run(shared, &own),
        Command::RpcSchema(own) => rpc::schema::run(&own),
    }
}
