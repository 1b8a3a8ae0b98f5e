//! `toolsmith mcp login` and `logout`.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith_mcp::auth::{LoginPrompt, TokenFile};
use toolsmith_tool::{async_trait, visible_line};

use crate::{
    arguments::Shared,
    failure::Problem,
    output::print_json,
    project::Project,
    runtime, streams,
    terminal::{self, GOOD, paint},
};

/// Arguments of `mcp login`.
#[derive(Debug, clap::Args)]
pub(crate) struct LoginArguments {
    /// Name of the server.
    #[arg(value_name = "NAME")]
    name: String,
    /// Permissions to request in addition to those granted before, separated by spaces.
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
}

/// Arguments of `mcp logout`.
#[derive(Debug, clap::Args)]
pub(crate) struct LogoutArguments {
    /// Name of the server.
    #[arg(value_name = "NAME")]
    name: String,
}

struct TerminalPrompt;

#[async_trait]
impl LoginPrompt for TerminalPrompt {
    async fn show(&self, url: &str) {
        let mut out = streams::stderr();
        let _ = writeln!(
            out,
            "Open this address in a browser and allow the access:\n\n  {}\n",
            visible_line(url)
        );
        if terminal::is_interactive() {
            let _ = writeln!(out, "If the browser is on another machine, paste the address it ends at here.");
        }
        let _ = out.flush();
    }

    async fn pasted(&self) -> String {
        if !terminal::is_interactive() {
            return std::future::pending().await;
        }
        let line = tokio::task::spawn_blocking(|| crate::terminal::ask_line("Address:")).await;
        match line.ok().flatten().filter(|line| !line.trim().is_empty()) {
            Some(line) => line,
            None => std::future::pending().await,
        }
    }
}

fn tokens(project: &Project) -> TokenFile {
    TokenFile::at(project.home.toolsmith().join("mcp-auth.json"))
}

pub(super) fn login(shared: &Shared, own: &LoginArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let configuration = project.mcp_configuration();
    let mut config = super::find(&project, &configuration, &own.name)?;
    if let Some(scope) = &own.scope {
        config.oauth.additional_scopes = scope.split_whitespace().map(str::to_owned).collect();
    }
    runtime::block_on(async {
        toolsmith_mcp::auth::login(&config, &project.cwd, &tokens(&project), &TerminalPrompt)
            .await
            .map_err(|error| Problem::failed(error.to_string()))?;
        if shared.json {
            print_json(&json!({ "name": config.name, "loggedIn": true }))?;
        } else {
            writeln!(streams::stdout(), "{} {}", paint(GOOD, "Logged in to"), visible_line(&config.name))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

pub(super) fn logout(shared: &Shared, own: &LogoutArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let removed = tokens(&project).remove(&own.name)?;
    if shared.json {
        print_json(&json!({ "name": own.name, "removed": removed }))?;
    } else if removed {
        writeln!(streams::stdout(), "Removed the login to {}", visible_line(&own.name))?;
    } else {
        writeln!(streams::stdout(), "Not logged in to {}", visible_line(&own.name))?;
    }
    Ok(ExitCode::SUCCESS)
}
