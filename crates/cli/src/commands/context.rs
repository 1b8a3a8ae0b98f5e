//! `toolsmith context`: what a session would send with every request, in bytes and tokens, by origin.

use std::{io::Write as _, process::ExitCode, time::Duration};

use anyhow::Result;
use serde_json::json;
use toolsmith::{ContextPart, ModelChoice, Session};
use toolsmith_llm::{Script, ScriptedProvider};

use crate::{
    arguments::Shared,
    failure,
    output::{Cell, harmless, one_line, print_json, print_table},
    project::Project,
    runtime,
    terminal::{self, DIM, HEADING, NAME, paint},
};

/// Maximum wait for MCP servers whose tools are not cached.
const MCP_TIME: Duration = Duration::from_secs(10);

/// Arguments of `context`.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArguments {
    /// Print the texts instead of their sizes.
    #[arg(long)]
    full: bool,
}

pub(crate) fn run(shared: &Shared, own: &ContextArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    project.check_settings()?;
    let parts = runtime::block_on(async {
        // Sizes do not depend on the model, so none has to be configured.
        let provider = ScriptedProvider::new(Script::default());
        let model = provider.model().clone();
        let session = Session::builder(&project.cwd)
            .home(project.home.clone())
            .settings(project.loaded.settings.clone())
            .discovered(project.discover())
            .trust(project.trust.clone())
            .model_choice(ModelChoice::Given(std::sync::Arc::new(provider), Box::new(model)))
            .mcp_servers(project.mcp_configuration().servers)
            .build()
            .await?;
        if let Some(servers) = session.mcp() {
            servers.known(MCP_TIME, |_| true).await;
        }
        failure::warn_about_tools(&session.loaded());
        let parts = session.context_parts();
        session.dispose().await;
        Ok(parts)
    })?;
    let bytes: usize = parts.iter().map(|part| part.bytes).sum();
    let tokens: u64 = parts.iter().map(|part| part.tokens).sum();
    if shared.json {
        let part = |part: &ContextPart| {
            let mut value = json!({
                "kind": part.kind, "origin": part.origin, "bytes": part.bytes, "tokens": part.tokens,
            });
            if own.full {
                value["text"] = json!(part.text);
            }
            value
        };
        let parts: Vec<_> = parts.iter().map(part).collect();
        print_json(&json!({ "parts": parts, "bytes": bytes, "tokens": tokens }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = crate::streams::stdout();
    if own.full {
        for part in &parts {
            let heading = format!("{} ({}, {} bytes)", part.origin, part.kind, part.bytes);
            writeln!(out, "{}", paint(HEADING, one_line(&heading)))?;
            writeln!(out, "{}\n", harmless(part.text.trim()))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let row = |part: &ContextPart| -> Vec<Cell> {
        vec![
            (format!("{:>7}", part.bytes), None),
            (format!("{:>7}", part.tokens), None),
            (part.kind.to_owned(), Some(DIM)),
            (part.origin.clone(), Some(NAME)),
        ]
    };
    let mut rows: Vec<Vec<Cell>> = parts.iter().map(row).collect();
    rows.push(vec![
        (format!("{bytes:>7}"), Some(HEADING)),
        (format!("{tokens:>7}"), Some(HEADING)),
        ("total".to_owned(), Some(HEADING)),
        (String::new(), None),
    ]);
    let mut page = Vec::new();
    print_table(&mut page, &["  BYTES", " TOKENS", "KIND", "ORIGIN"], &rows, terminal::output_width())?;
    out.write_all(&page)?;
    writeln!(out, "Tokens are estimated as four characters each.")?;
    Ok(ExitCode::SUCCESS)
}
