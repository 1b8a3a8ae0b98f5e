//! `toolsmith mcp`: serves tools to other agents, and configures the MCP servers whose tools are used here.

mod edit;
mod install;
mod list;
mod login;
mod serve;
mod standard_streams;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use toolsmith_mcp::{
    Servers,
    config::{Configuration, ServerConfig},
};
use toolsmith_tool::{UiHandle, closest_names};

use crate::{arguments::Shared, failure::Problem, project::Project};

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    command: McpCommand,
}

#[derive(Debug, clap::Subcommand)]
enum McpCommand {
    /// Serve tools to another agent, over standard input and output or HTTP.
    Serve(serve::ServeArguments),
    /// Configure a server whose tools are used here.
    Add(edit::AddArguments),
    /// Remove a configured server.
    Remove(edit::RemoveArguments),
    /// List configured servers.
    List(list::ListArguments),
    /// Start a server and show what it offers.
    Test(test::TestArguments),
    /// Log in to a server behind a URL.
    Login(login::LoginArguments),
    /// Forget the login to a server.
    Logout(login::LogoutArguments),
    /// Print the entry that adds these tools to another agent's configuration, or write it.
    Install(install::InstallArguments),
}

pub(crate) fn run(shared: &Shared, own: &McpArguments) -> Result<ExitCode> {
    match &own.command {
        McpCommand::Serve(own) => serve::run(shared, own),
        McpCommand::Add(own) => edit::add(shared, own),
        McpCommand::Remove(own) => edit::remove(shared, own),
        McpCommand::List(own) => list::run(shared, own),
        McpCommand::Test(own) => test::run(shared, own),
        McpCommand::Login(own) => login::login(shared, own),
        McpCommand::Logout(own) => login::logout(shared, own),
        McpCommand::Install(own) => install::run(shared, own),
    }
}

/// Finds a configured server, or explains why it is not available.
fn find(project: &Project, configuration: &Configuration, name: &str) -> Result<ServerConfig> {
    let key = name.replace('-', "_");
    if let Some(server) = configuration.servers.iter().find(|server| server.key() == key) {
        return Ok(server.clone());
    }
    if let Some(waiting) = configuration.waiting.iter().find(|server| server.name.replace('-', "_") == key) {
        let file = project.show(&waiting.origin.file);
        let what = format!("the MCP server \"{name}\" waits for trust: {file} belongs to this project");
        return Err(Problem::failed(what).hint(crate::failure::TRUST_HINT).into());
    }
    let names: Vec<&str> = configuration.servers.iter().map(|server| server.name.as_str()).collect();
    let hint = match closest_names(name, names.iter().copied()).first() {
        Some(closest) => format!("Did you mean \"{closest}\"?"),
        None => "`toolsmith mcp list` shows the configured servers.".to_owned(),
    };
    Err(Problem::wrong_use(format!("unknown MCP server \"{name}\"")).hint(hint).into())
}

/// Creates a client for these servers.
fn client(project: &Project, servers: Vec<ServerConfig>) -> Servers {
    project.mcp_servers(servers, UiHandle::headless())
}
