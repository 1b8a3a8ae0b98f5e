//! `toolsmith mcp list`: the configured servers with their origins. Nothing is started; tools are those known from earlier.

use std::{io::Write, process::ExitCode};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith_mcp::{ServerView, config::Configuration};

use crate::{
    arguments::Shared,
    failure,
    output::{Cell, print_json, print_page, print_table},
    project::{Project, waiting_server},
    terminal::{self, DIM, HINT, NAME, WARNING, paint},
};

/// Arguments of `mcp list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {}

pub(super) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let configuration = project.mcp_configuration();
    let servers = super::client(&project, configuration.servers.clone()).list();
    if shared.json {
        print_json(&to_json(&servers, &configuration))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    if servers.is_empty() && configuration.waiting.is_empty() {
        writeln!(page, "No MCP servers are configured. `toolsmith mcp add NAME -- COMMAND` adds one.")?;
    } else if !servers.is_empty() {
        let rows: Vec<Vec<Cell>> = servers.iter().map(|server| row(&project, server)).collect();
        let heading = ["NAME", "STATE", "TOOLS", "TARGET", "SOURCE"];
        print_table(&mut page, &heading, &rows, terminal::output_width())?;
    }
    if !configuration.waiting.is_empty() {
        writeln!(page, "{} ({})", paint(WARNING, "Waiting for trust"), configuration.waiting.len())?;
        for server in &configuration.waiting {
            writeln!(
                page,
                "  {}  {}",
                waiting_server(server),
                paint(DIM, project.show(&server.origin.file))
            )?;
        }
        writeln!(page, "  {} {}", paint(HINT, "→"), failure::TRUST_HINT)?;
    }
    print_page(&page)?;
    failure::warn_all(&project.mcp_warnings(&configuration));
    Ok(ExitCode::SUCCESS)
}

fn row(project: &Project, server: &ServerView) -> Vec<Cell> {
    let tools = match server.tools.len() {
        0 => "-".to_owned(),
        count => count.to_string(),
    };
    let origin = &server.config.origin;
    vec![
        (server.config.name.clone(), Some(NAME)),
        (if server.config.enabled { "enabled" } else { "disabled" }.to_owned(), None),
        (tools, None),
        (server.config.target(), None),
        (format!("{}, {}", origin.scope.as_str(), project.show(&origin.file)), Some(DIM)),
    ]
}

fn to_json(servers: &[ServerView], configuration: &Configuration) -> Value {
    json!({
        "servers": servers.iter().map(|server| json!({
            "name": server.config.name,
            "enabled": server.config.enabled,
            "target": server.config.target(),
            "exposure": server.config.exposure.map(toolsmith_mcp::config::Exposure::as_str),
            "scope": server.config.origin.scope.as_str(),
            "provider": server.config.origin.provider,
            "file": server.config.origin.file.to_string_lossy(),
            "knownTools": server.tools,
        })).collect::<Vec<_>>(),
        "waiting": configuration.waiting.iter().map(|server| json!({
            "name": server.name, "target": server.target, "valueCommands": server.value_commands,
            "file": server.origin.file.to_string_lossy(),
        })).collect::<Vec<_>>(),
        "problems": configuration.problems.iter().map(|problem| json!({
            "file": problem.file.to_string_lossy(), "server": problem.server, "message": problem.message,
        })).collect::<Vec<_>>(),
    })
}
