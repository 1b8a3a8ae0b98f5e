//! `toolsmith mcp test NAME`: starts one server and shows what it offers.

use std::{io::Write, process::ExitCode, time::Instant};

use anyhow::Result;
use serde_json::json;
use toolsmith_mcp::{ServerStatus, ServerView};
use toolsmith_tool::{Tool, ToolSpec};

use crate::{
    arguments::Shared,
    failure::Problem,
    output::{Cell, indented, one_line, print_json, print_page, print_table},
    project::Project,
    runtime,
    terminal::{self, DIM, GOOD, HEADING, NAME, WARNING, paint},
};

/// Arguments of `mcp test`.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArguments {
    /// Name of the server.
    #[arg(value_name = "NAME")]
    name: String,
}

pub(super) fn run(shared: &Shared, own: &TestArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let configuration = project.mcp_configuration();
    let mut config = super::find(&project, &configuration, &own.name)?;
    // A test of a disabled server is a test all the same.
    config.enabled = true;
    let name = config.name.clone();
    runtime::block_on(async {
        let servers = super::client(&project, vec![config]);
        let started = Instant::now();
        if let Err(error) = servers.restart(&name).await {
            servers.close().await;
            return Err(Problem::failed(error.to_string()).into());
        }
        let elapsed = started.elapsed();
        let tools = servers.tools_of(&name);
        let specs: Vec<&ToolSpec> = tools.iter().map(|tool| Tool::spec(tool.as_ref())).collect();
        let view = servers.list().into_iter().next().ok_or_else(|| Problem::failed("the server is gone"))?;
        let resources = if view.has_resources { servers.resources(&name).await.ok() } else { None };
        if shared.json {
            let (protocol, implementation) = about(&view);
            print_json(&json!({
                "name": name,
                "protocol": protocol,
                "implementation": implementation,
                "startMs": elapsed.as_secs_f64() * 1000.0,
                "tools": specs.iter().map(|spec| json!({
                    "name": spec.name, "tool": spec.mcp.as_ref().map(|mcp| &mcp.tool), "label": spec.label,
                    "description": spec.description, "tier": spec.approval.tier.as_str(),
                })).collect::<Vec<_>>(),
                "prompts": view.prompts.iter().map(|prompt| &prompt.name).collect::<Vec<_>>(),
                "resources": resources.as_ref().map(|(resources, _)| resources.iter().map(|one| &one.uri).collect::<Vec<_>>()),
                "problems": view.problems,
            }))?;
        } else {
            let mut page = Vec::new();
            show(&mut page, &view, &specs, elapsed.as_secs_f64() * 1000.0)?;
            if let Some((resources, templates)) = resources {
                writeln!(
                    page,
                    "{}: {} and {} templates",
                    paint(HEADING, "Resources"),
                    resources.len(),
                    templates.len()
                )?;
            }
            print_page(&page)?;
        }
        servers.close().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn about(view: &ServerView) -> (String, String) {
    match &view.status {
        ServerStatus::Ready { protocol, implementation } => (protocol.clone(), implementation.clone()),
        _ => (String::new(), String::new()),
    }
}

fn show(page: &mut dyn Write, view: &ServerView, specs: &[&ToolSpec], elapsed: f64) -> Result<()> {
    let (protocol, implementation) = about(view);
    let name = one_line(&view.config.name);
    let about =
        paint(DIM, format_args!("{}, protocol {protocol}, {elapsed:.0} ms", one_line(&implementation)));
    writeln!(page, "{} {name}  {about}", paint(GOOD, "Started"))?;
    if specs.is_empty() {
        writeln!(page, "It offers no tools.")?;
    } else {
        let rows: Vec<Vec<Cell>> = specs
            .iter()
            .map(|spec| {
                let about = spec.description.lines().next().unwrap_or_default().to_owned();
                vec![
                    (spec.name.clone(), Some(NAME)),
                    (spec.approval.tier.as_str().to_owned(), None),
                    (about, Some(DIM)),
                ]
            })
            .collect();
        print_table(page, &["NAME", "TIER", "DESCRIPTION"], &rows, terminal::output_width())?;
    }
    if !view.prompts.is_empty() {
        let names: Vec<&str> = view.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        writeln!(page, "{}: {}", paint(HEADING, "Prompts"), one_line(&names.join(", ")))?;
    }
    for problem in &view.problems {
        writeln!(page, "{} {}", paint(WARNING, "warning:"), indented(problem))?;
    }
    Ok(())
}
