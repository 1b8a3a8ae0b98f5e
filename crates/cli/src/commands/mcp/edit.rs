//! `toolsmith mcp add` and `remove`: changes the user's or the project's own configuration file.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use toolsmith_mcp::config::{ConfigFile, add_server, remove_server};
use toolsmith_tool::visible_line;

use crate::{
    arguments::Shared,
    failure::Problem,
    output::print_json,
    project::Project,
    terminal::{GOOD, paint},
};

/// Arguments of `mcp add`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolsmith mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n  toolsmith mcp add issues https://example.com/mcp --header 'Authorization: Bearer ${ISSUES_TOKEN}'\n\nValues may contain ${VAR} and ${VAR:-default}; they are expanded when the server is started."
)]
pub(crate) struct AddArguments {
    /// Name: letters, digits, - and _.
    #[arg(value_name = "NAME")]
    name: String,
    /// URL of the server.
    #[arg(value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    /// Command that starts the server, and its arguments, after `--`.
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<String>,
    /// Environment variable for the server, as NAME=VALUE. Can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Request header, as 'Name: value'. Can be repeated.
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Description, used when tools are searched.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// When the model sees its tools (default: by their number and size).
    #[arg(long, value_enum, value_name = "WHEN")]
    exposure: Option<ExposureWord>,
    /// Write to the project's file instead of the user's.
    #[arg(long)]
    project: bool,
    /// Replace an existing entry.
    #[arg(long)]
    force: bool,
}

/// When the model sees tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExposureWord {
    /// In every request.
    Direct,
    /// After a search.
    Deferred,
    /// Never, unless named.
    Hidden,
}

/// Arguments of `mcp remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct RemoveArguments {
    /// Name of the server.
    #[arg(value_name = "NAME")]
    name: String,
    /// Remove it from the project's file instead of the user's.
    #[arg(long)]
    project: bool,
}

fn file(project: &Project, is_project: bool) -> PathBuf {
    match is_project {
        true => project.root.join(".toolsmith/mcp.json"),
        false => project.home.toolsmith().join("agent/mcp.json"),
    }
}

fn config_file<'a>(file: &'a Path, project: &'a Project, is_project: bool) -> ConfigFile<'a> {
    match is_project {
        true => ConfigFile::in_project(file, "mcpServers", &project.root),
        false => ConfigFile::of_user(file, "mcpServers"),
    }
}

fn pairs(given: &[String], separator: char, option: &str) -> Result<Map<String, Value>> {
    given
        .iter()
        .map(|pair| {
            let (name, value) = pair.split_once(separator).ok_or_else(|| {
                Problem::wrong_use(format!("invalid {option} value (expected NAME{separator}VALUE)"))
            })?;
            Ok((name.trim().to_owned(), json!(value.trim())))
        })
        .collect()
}

pub(super) fn add(shared: &Shared, own: &AddArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if own.name.is_empty() || own.name.len() > 64 || !own.name.chars().all(is_name) {
        let what = format!("invalid server name \"{}\" (expected 1 to 64 letters, digits, - or _)", own.name);
        return Err(Problem::wrong_use(what).into());
    }
    let mut entry = Map::new();
    match (&own.url, own.command.split_first()) {
        (Some(url), _) => {
            if !own.env.is_empty() {
                return Err(Problem::wrong_use("--env is for commands; a URL takes --header").into());
            }
            if !url.starts_with("http://") && !url.starts_with("https://") {
                let hint = format!("To start a command, write: toolsmith mcp add {} -- {url} …", own.name);
                return Err(Problem::wrong_use(format!("\"{url}\" is not a URL")).hint(hint).into());
            }
            entry.insert("type".to_owned(), json!("http"));
            entry.insert("url".to_owned(), json!(url));
            let headers = pairs(&own.header, ':', "--header")?;
            if !headers.is_empty() {
                entry.insert("headers".to_owned(), Value::Object(headers));
            }
        }
        (None, Some((command, rest))) => {
            if !own.header.is_empty() {
                return Err(Problem::wrong_use("--header is for URLs; a command takes --env").into());
            }
            entry.insert("command".to_owned(), json!(command));
            if !rest.is_empty() {
                entry.insert("args".to_owned(), json!(rest));
            }
            let env = pairs(&own.env, '=', "--env")?;
            if !env.is_empty() {
                entry.insert("env".to_owned(), Value::Object(env));
            }
        }
        (None, None) => {
            let hint = "Give a URL, or a command after `--`.";
            return Err(Problem::wrong_use("a server needs a command or a URL").hint(hint).into());
        }
    }
    if let Some(description) = &own.description {
        entry.insert("description".to_owned(), json!(description));
    }
    if let Some(word) = own.exposure.and_then(|word| word.to_possible_value()) {
        entry.insert("exposure".to_owned(), json!(word.get_name()));
    }
    let file = file(&project, own.project);
    add_server(config_file(&file, &project, own.project), &own.name, Value::Object(entry), own.force)?;
    if shared.json {
        print_json(&json!({ "name": own.name, "file": file.to_string_lossy() }))?;
    } else {
        let mut out = crate::streams::stdout();
        writeln!(out, "{} {} in {}", paint(GOOD, "Added"), visible_line(&own.name), project.show(&file))?;
        writeln!(out, "`toolsmith mcp test {}` starts it and shows its tools.", own.name)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn remove(shared: &Shared, own: &RemoveArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let file = file(&project, own.project);
    if !remove_server(config_file(&file, &project, own.project), &own.name)? {
        let configuration = project.mcp_configuration();
        let elsewhere = configuration.servers.iter().find(|server| server.name == own.name);
        let hint = match elsewhere {
            Some(server) => format!("It is configured in {}.", project.show(&server.origin.file)),
            None => "`toolsmith mcp list` shows the configured servers.".to_owned(),
        };
        let what = format!("\"{}\" is not configured in {}", own.name, project.show(&file));
        return Err(Problem::failed(what).hint(hint).into());
    }
    if shared.json {
        print_json(&json!({ "name": own.name, "file": file.to_string_lossy(), "removed": true }))?;
    } else {
        writeln!(
            crate::streams::stdout(),
            "Removed {} from {}",
            visible_line(&own.name),
            project.show(&file)
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
