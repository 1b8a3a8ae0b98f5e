//! `toolsmith mcp serve`: tools for another agent.

use std::{io::Write as _, net::SocketAddr, process::ExitCode, time::Duration};

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use toolsmith::{LiveTools, LoadScope, ServeApproval, ServingOptions, ServingTools, Warning, Watch};
use toolsmith_mcp::server::{HttpOptions, ServeEvents, ServeOptions, bind_http, serve_stream};
use toolsmith_middleware::Telemetry;
use toolsmith_tool::{CancelToken, Tier};

use super::standard_streams;
use crate::{
    arguments::Shared,
    failure::{self, Problem},
    project::Project,
    runtime, streams,
};

/// Modules up to this number get their own runtime at once.
const FEW_MODULES: usize = 4;

/// Time to write the last messages.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Arguments of `mcp serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolsmith mcp serve\n  toolsmith mcp serve --tools hello,repo_stats --approve write\n  toolsmith mcp serve --http 127.0.0.1:8931\n\n`toolsmith mcp install --client NAME` prints the entry for another agent's configuration."
)]
pub(crate) struct ServeArguments {
    /// Tools to serve, separated by commas (default: all custom tools).
    #[arg(long = "tools", id = "served", value_name = "NAMES", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// Serve built-in tools too.
    #[arg(long, conflicts_with = "served")]
    all: bool,
    /// Stage the changes of `edit` and `write` instead of making them.
    #[arg(long)]
    preview: bool,
    /// Calls to run: all the client asks for, those up to a tier, or exec calls after the user's confirmation.
    #[arg(long, value_enum, default_value_t, value_name = "WHO")]
    approve: Approve,
    /// Ask the user through the client before a staged change is applied.
    #[arg(long, value_enum, value_name = "HOW")]
    confirm: Option<Confirm>,
    /// Serve over HTTP at this address instead of standard input and output. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// Allow an address that other machines can reach.
    #[arg(long, requires = "http")]
    allow_remote: bool,
    /// Environment variable with the bearer token (default: a random token, printed once).
    #[arg(long, requires = "http", value_name = "VAR")]
    token_env: Option<String>,
    /// Accept requests without a token. Any program on this machine can then call the tools.
    #[arg(long, requires = "http", conflicts_with = "token_env")]
    no_token: bool,
    /// Origin of web pages that may call, such as https://app.example.com:443. Can be repeated.
    #[arg(long, requires = "http", value_name = "ORIGIN")]
    allow_origin: Vec<String>,
}

/// Calls to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Approve {
    /// The client decides.
    #[default]
    Client,
    /// Only calls that read.
    Read,
    /// Calls that read or change files in the project.
    Write,
    /// Exec calls only after the client's user confirmed them.
    Elicit,
}

/// Confirmation before a staged change is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Confirm {
    /// By an elicitation, with clients that can show one.
    Elicit,
}

impl ServeArguments {
    fn options(&self) -> ServingOptions {
        let mut options = ServingOptions::default();
        options.only = self.tools.clone();
        options.built_ins = self.all;
        options.preview = self.preview;
        options.approval = match self.approve {
            Approve::Client => ServeApproval::Client,
            Approve::Read => ServeApproval::UpTo(Tier::Read),
            Approve::Write => ServeApproval::UpTo(Tier::Write),
            Approve::Elicit => ServeApproval::Elicit,
        };
        options
    }

    fn http_options(&self, address: SocketAddr) -> Result<HttpOptions> {
        let mut options = HttpOptions::new(address);
        options.allow_remote = self.allow_remote;
        options.without_token = self.no_token;
        options.origins = self.allow_origin.clone();
        if let Some(variable) = &self.token_env {
            let token = std::env::var(variable).ok().filter(|token| token.len() >= 16);
            let what = format!("{variable} must hold a token of 16 characters or more");
            options.token = Some(token.ok_or_else(|| Problem::wrong_use(what))?);
        }
        Ok(options)
    }
}

pub(crate) fn run(shared: &Shared, own: &ServeArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    project.warn();
    runtime::block_on(async {
        let stop = CancelToken::new();
        let stopping = stop.clone();
        let came = crate::interrupts::listen(move |reason, _| stopping.cancel(reason));
        let discovered = project.discover();
        let engine = project.caching_engine(&discovered);
        let few = discovered.ready().count() <= FEW_MODULES;
        let scope = if few { LoadScope::Call } else { LoadScope::Scan };
        let search = discovered.searched.as_deref().cloned();
        let loaded = project.load(discovered, &engine, scope).await;
        failure::warn_about_tools(&loaded);
        let hooks = project.hooks();
        failure::warn_all(&hooks.all_warnings());
        let mut served = own.options();
        served.hooks = Some(hooks);
        served.mcp_servers = project.mcp_configuration().servers;
        let telemetry = Telemetry::from_environment(|name| std::env::var(name).ok());
        served.telemetry = telemetry.clone();
        let tools = ServingTools::new(
            &project.cwd,
            project.home.clone(),
            project.loaded.settings.clone(),
            served,
            &loaded,
        )
        .map_err(|error| Problem::wrong_use(error.to_string()))?;
        let live = project.live_tools(&engine, search, &loaded, scope);
        tools.follow(live.clone());
        let events = ServeEvents::default();
        let options = ServeOptions::default().confirm(own.confirm.is_some());
        let told = events.clone();
        let reloading = async {
            match project.loaded.settings.tools.reload {
                true => reload(&tools, &live, &told).await,
                false => std::future::pending().await,
            }
        };
        let serving = async {
            match own.http {
                None => {
                    let read = standard_streams::input()?;
                    let (write, writing) = standard_streams::output()?;
                    let served =
                        serve_stream(tools.served(), options, events, read, write, stop.clone()).await;
                    let written = tokio::task::spawn_blocking(move || writing.join());
                    // Nobody may be reading any more.
                    let _ = tokio::time::timeout(LAST_WORDS, written).await;
                    served.map_err(|reason| {
                        Problem::failed(format!("the client broke the protocol: {reason}")).into()
                    })
                }
                Some(address) => {
                    let bound = bind_http(own.http_options(address)?).await?;
                    announce(&bound.url(), bound.token(), own.token_env.is_some(), shared.json)?;
                    bound.serve(tools.served(), options, events, stop.clone()).await;
                    Ok(())
                }
            }
        };
        let outcome: Result<()> = tokio::select! {
            outcome = serving => outcome,
            outcome = reloading => outcome,
        };
        if let Some(telemetry) = telemetry {
            telemetry.flush().await;
        }
        outcome?;
        Ok(came.exit_code().map_or(ExitCode::SUCCESS, ExitCode::from))
    })
}

/// Shows the URL and, unless the caller chose it, the token. Standard error, because standard output may be a protocol.
fn announce(url: &str, token: Option<&str>, is_given: bool, as_json: bool) -> Result<()> {
    let mut out = streams::stderr();
    if as_json {
        let token = token.filter(|_| !is_given);
        writeln!(out, "{}", serde_json::json!({ "url": url, "token": token }))?;
        return Ok(());
    }
    writeln!(out, "Serving at {url}")?;
    match token {
        Some(token) if !is_given => writeln!(out, "Header: Authorization: Bearer {token}")?,
        Some(_) => {}
        None => writeln!(out, "No token is required: any program on this machine can call these tools.")?,
    }
    out.flush().context("could not print the address")
}

/// Loads modules again whenever a file changes.
async fn reload(tools: &ServingTools, live: &LiveTools, events: &ServeEvents) -> Result<()> {
    let mut watch = Watch::new().context("could not watch files")?;
    loop {
        watch.add(&live.watched().await);
        // Before the wait, because files may have changed before they were watched.
        match tools.reload().await {
            Ok(reloaded) => {
                failure::warn_about_tools(&reloaded.loaded);
                failure::warn_all(&reloaded.problems.iter().map(Warning::new).collect::<Vec<_>>());
                if reloaded.is_list_changed {
                    events.tools_changed();
                }
            }
            // The old tools go on: a file may be half written.
            Err(error) => failure::warn_all(&[Warning::new(format!("the tools were not reloaded: {error}"))]),
        }
        watch.add(&live.watched().await);
        tokio::select! {
            _ = watch.changed() => {}
            () = tools.list_changed() => events.tools_changed(),
        }
    }
}
