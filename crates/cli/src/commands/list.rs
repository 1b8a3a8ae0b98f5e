//! `toolsmith list`: what was found and from where, what waits, and what was refused and why.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{CustomTool, LoadMode, LoadedTools};
use toolsmith_js::SchemaKind;

use crate::{
    arguments::Shared,
    failure,
    output::{Cell, print_json, print_table, source_json},
    project::Project,
    runtime,
    terminal::{self, DIM, ERROR, HEADING, HINT, NAME, WARNING, paint},
};

/// Options of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {}

pub(crate) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let mut loaded = runtime::block_on(async {
        let engine = project.engine();
        let progress = crate::progress::Progress::start("Loading tools");
        let loaded = project.load(project.discover(), &engine, LoadMode::Survey).await;
        progress.end();
        Ok(loaded)
    })?;
    loaded.warnings.splice(0..0, project.warnings.iter().cloned());
    if shared.json {
        print_json(&to_json(&project, &loaded))?;
    } else {
        show(&mut anstream::stdout().lock(), &project, &loaded, shared.verbose)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a tool's parameters were written with, in a word.
pub(crate) fn schema_word(kind: SchemaKind) -> &'static str {
    match kind {
        SchemaKind::Zod => "zod",
        SchemaKind::TypeBox => "typebox",
        SchemaKind::ArkType => "arktype",
        SchemaKind::Json => "json",
        _ => "other",
    }
}

fn to_json(project: &Project, loaded: &LoadedTools) -> Value {
    let tool = |tool: &CustomTool| {
        let spec = tool.tool.spec();
        json!({
            "name": spec.name,
            "label": spec.label,
            "description": spec.description,
            "path": tool.path,
            "source": source_json(&tool.source),
            "engine": "embedded",
            "loadMs": tool.elapsed.as_secs_f64() * 1000.0,
            "schema": schema_word(tool.schema),
            "hidden": spec.hidden,
        })
    };
    json!({
        "tools": loaded.tools.iter().map(tool).collect::<Vec<_>>(),
        "waiting": loaded.waiting.iter().map(|module| json!({
            "name": module.name(), "path": module.path, "source": source_json(&module.source),
        })).collect::<Vec<_>>(),
        "waitingSettings": project.loaded.waiting.iter().map(|setting| json!({
            "key": setting.key, "value": setting.value, "path": setting.file,
        })).collect::<Vec<_>>(),
        "metadata": loaded.metadata.iter().map(|file| json!({
            "path": file.path, "source": source_json(&file.source),
        })).collect::<Vec<_>>(),
        "disabled": loaded.disabled,
        "refused": loaded.errors.iter().map(failure::load_error_json).collect::<Vec<_>>(),
        "warnings": loaded.warnings.iter().map(failure::warning_json).collect::<Vec<_>>(),
    })
}

fn show(out: &mut dyn Write, project: &Project, loaded: &LoadedTools, verbose: bool) -> io::Result<()> {
    let is_empty = loaded.tools.is_empty() && loaded.waiting.is_empty() && loaded.errors.is_empty();
    if is_empty {
        writeln!(out, "No tools found. `toolsmith new NAME` writes one.")?;
    }
    if !loaded.tools.is_empty() {
        let rows: Vec<Vec<Cell>> = loaded.tools.iter().map(row).collect();
        let heading = ["NAME", "LABEL", "SOURCE", "ENGINE", "LOAD", "SCHEMA"];
        print_table(out, &heading, &rows, terminal::output_width())?;
    }
    if !loaded.waiting.is_empty() || !project.loaded.waiting.is_empty() {
        let count = loaded.waiting.len() + project.loaded.waiting.len();
        writeln!(out, "\n{} ({count})", paint(WARNING, "Waiting for trust"))?;
        for module in &loaded.waiting {
            let path = project.show(&module.path);
            writeln!(out, "  {path}  {}", paint(DIM, &module.source))?;
        }
        for setting in &project.loaded.waiting {
            let file = project.show(&setting.file);
            writeln!(out, "  {} = {}  {}", setting.key, setting.value, paint(DIM, file))?;
        }
        writeln!(out, "  {} `toolsmith trust` lets them run.", paint(HINT, "→"))?;
    }
    if !loaded.metadata.is_empty() {
        writeln!(out, "\n{} ({})", paint(HEADING, "Descriptions, not run"), loaded.metadata.len())?;
        for file in &loaded.metadata {
            writeln!(out, "  {}  {}", project.show(&file.path), paint(DIM, &file.source))?;
        }
    }
    if !loaded.disabled.is_empty() {
        writeln!(
            out,
            "\n{}: {}",
            paint(HEADING, "Left out by `tools.disabled`"),
            loaded.disabled.join(", ")
        )?;
    }
    if !loaded.errors.is_empty() {
        writeln!(out, "\n{} ({})", paint(ERROR, "Refused"), loaded.errors.len())?;
        for error in &loaded.errors {
            failure::show_load_error(out, error, verbose)?;
        }
    }
    if !loaded.warnings.is_empty() {
        writeln!(out)?;
        for warning in &loaded.warnings {
            failure::show_warning(out, warning)?;
        }
    }
    Ok(())
}

fn row(tool: &CustomTool) -> Vec<Cell> {
    let spec = tool.tool.spec();
    let time = format!("{:.1} ms", tool.elapsed.as_secs_f64() * 1000.0);
    vec![
        (spec.name.clone(), Some(NAME)),
        (spec.label.clone(), None),
        (tool.source.to_string(), None),
        ("embedded".to_owned(), Some(DIM)),
        (time, Some(DIM)),
        (schema_word(tool.schema).to_owned(), Some(DIM)),
    ]
}
