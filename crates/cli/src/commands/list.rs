//! `toolsmith list`: lists tools with their origins, modules that wait for trust, and load errors.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{CustomTool, LoadScope, LoadedExtension, LoadedTools};
use toolsmith_agent::rules::Rule;
use toolsmith_js::SchemaKind;

use crate::{
    arguments::Shared,
    failure,
    output::{Cell, harmless, print_json, print_page, print_table, source_json},
    project::Project,
    runtime,
    terminal::{self, DIM, ERROR, HEADING, HINT, NAME, WARNING, paint},
};

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {}

pub(crate) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let mut loaded = runtime::block_on_briefly_while_read(async {
        let engine = project.engine();
        let progress = crate::progress::Progress::start("Loading tools");
        let loaded = project.load(project.discover(), &engine, LoadScope::Scan).await;
        progress.end();
        Ok(loaded)
    })?;
    loaded.warnings.splice(0..0, project.warnings.iter().cloned());
    if shared.json {
        print_json(&to_json(&project, &loaded))?;
    } else {
        let mut page = Vec::new();
        show(&mut page, &project, &loaded, shared.verbose)?;
        print_page(&page)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the name of the schema library.
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
            "path": tool.path.to_string_lossy(),
            "source": source_json(&tool.source),
            "engine": tool.engine.to_string(),
            "engineReason": tool.engine_reason,
            "loadMs": tool.elapsed.as_secs_f64() * 1000.0,
            "schema": schema_word(tool.schema),
            "hidden": spec.hidden,
        })
    };
    json!({
        "tools": loaded.tools.iter().map(tool).collect::<Vec<_>>(),
        "extensions": loaded.extensions.iter().map(extension_json).collect::<Vec<_>>(),
        "waiting": loaded.waiting.iter().map(|module| json!({
            "name": module.name(), "path": module.path.to_string_lossy(), "source": source_json(&module.source),
        })).collect::<Vec<_>>(),
        "waitingSettings": project.loaded.waiting.iter().map(|setting| json!({
            "key": setting.key, "value": setting.value, "path": setting.file.to_string_lossy(),
        })).collect::<Vec<_>>(),
        "metadata": loaded.metadata.iter().map(|file| json!({
            "path": file.path.to_string_lossy(), "source": source_json(&file.source),
        })).collect::<Vec<_>>(),
        "rules": loaded.rules.iter().map(|found| json!({
            "name": found.rule.name,
            "path": found.rule.path.to_string_lossy(),
            "source": source_json(&found.source),
            "use": rule_use(&found.rule),
        })).collect::<Vec<_>>(),
        "disabled": loaded.disabled,
        "refused": loaded.errors.iter().map(failure::load_error_json).collect::<Vec<_>>(),
        "notes": loaded.notes.iter().map(failure::warning_json).collect::<Vec<_>>(),
        "warnings": loaded.warnings.iter().map(failure::warning_json).collect::<Vec<_>>(),
    })
}

fn show(out: &mut dyn Write, project: &Project, loaded: &LoadedTools, verbose: bool) -> io::Result<()> {
    let mut sections: Vec<Vec<u8>> = Vec::new();
    if !loaded.tools.is_empty() {
        let rows: Vec<Vec<Cell>> = loaded.tools.iter().map(row).collect();
        let heading = ["NAME", "LABEL", "SOURCE", "ENGINE", "LOAD", "SCHEMA"];
        let mut section = Vec::new();
        print_table(&mut section, &heading, &rows, terminal::output_width())?;
        sections.push(section);
    } else if loaded.waiting.is_empty() && loaded.errors.is_empty() && loaded.extensions.is_empty() {
        sections.push(b"No tools found. `toolsmith new NAME` creates one.\n".to_vec());
    }
    sections.push(extensions(project, loaded)?);
    sections.push(waiting(project, loaded)?);
    let mut section = Vec::new();
    if !loaded.metadata.is_empty() {
        writeln!(section, "{} ({})", paint(HEADING, "Descriptions, not run"), loaded.metadata.len())?;
        for file in &loaded.metadata {
            writeln!(section, "  {}  {}", project.show(&file.path), paint(DIM, &file.source))?;
        }
    }
    sections.push(std::mem::take(&mut section));
    if !loaded.rules.is_empty() {
        writeln!(section, "{} ({})", paint(HEADING, "Rules"), loaded.rules.len())?;
        for found in &loaded.rules {
            let (path, how) = (project.show(&found.rule.path), rule_use(&found.rule));
            writeln!(section, "  {path}  {}", paint(DIM, format!("{how}, {}", found.source)))?;
        }
    }
    sections.push(std::mem::take(&mut section));
    if !loaded.disabled.is_empty() {
        let heading = paint(HEADING, "Left out by `tools.disabled`");
        writeln!(section, "{heading}: {}", harmless(&loaded.disabled.join(", ")))?;
    }
    sections.push(std::mem::take(&mut section));
    if !loaded.errors.is_empty() {
        writeln!(section, "{} ({})", paint(ERROR, "Refused"), loaded.errors.len())?;
        for error in &loaded.errors {
            failure::show_load_error(&mut section, error, verbose)?;
        }
    }
    sections.push(std::mem::take(&mut section));
    for note in &loaded.notes {
        writeln!(section, "{} {}", paint(DIM, "note:"), harmless(&note.to_string()))?;
    }
    for warning in &loaded.warnings {
        failure::show_warning(&mut section, warning)?;
    }
    sections.push(section);
    sections.retain(|section| !section.is_empty());
    out.write_all(&sections.join(&b'\n'))
}

fn extension_json(found: &LoadedExtension) -> Value {
    let registrations = found.extension.registrations();
    let mut value = json!({
        "name": module_name(&found.path),
        "path": found.path.to_string_lossy(),
        "source": source_json(&found.source),
        "engine": found.engine.to_string(),
        "loadMs": found.elapsed.as_secs_f64() * 1000.0,
        "tools": found.tools,
    });
    if let (Value::Object(all), Value::Object(registered)) = (&mut value, json!(registrations)) {
        all.extend(registered);
    }
    value
}

fn module_name(path: &std::path::Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(std::path::Path::file_name).filter(|_| stem == "index");
    folder.map_or_else(|| stem.clone().into_owned(), |folder| folder.to_string_lossy().into_owned())
}

/// Lists extensions with what each registered.
fn extensions(project: &Project, loaded: &LoadedTools) -> io::Result<Vec<u8>> {
    let mut section = Vec::new();
    if loaded.extensions.is_empty() {
        return Ok(section);
    }
    writeln!(section, "{} ({})", paint(HEADING, "Extensions"), loaded.extensions.len())?;
    for found in &loaded.extensions {
        let registered = found.extension.registrations();
        let time = format!("{:.1} ms", found.elapsed.as_secs_f64() * 1000.0);
        let about = format!("{}, {}, {time}", found.source, found.engine);
        writeln!(section, "  {}  {}", project.show(&found.path), paint(DIM, about))?;
        let slashed = |name: &str| format!("/{name}");
        let rows: [(&str, Vec<String>); 8] = [
            ("tools", found.tools.clone()),
            ("commands", registered.commands.iter().map(|command| slashed(&command.name)).collect()),
            ("events", registered.events.clone()),
            ("shortcuts", registered.shortcuts.iter().map(|shortcut| shortcut.key.clone()).collect()),
            ("flags", registered.flags.iter().map(|flag| format!("--{}", flag.name)).collect()),
            (
                "renderers",
                registered.message_renderers.iter().chain(&registered.entry_renderers).cloned().collect(),
            ),
            ("providers", registered.providers.iter().map(|provider| provider.name.clone()).collect()),
            ("unsupported", registered.unsupported.clone()),
        ];
        for (what, names) in rows.iter().filter(|(_, names)| !names.is_empty()) {
            let style = if *what == "unsupported" { WARNING } else { DIM };
            let label = paint(style, format_args!("{what}:"));
            writeln!(section, "    {label} {}", harmless(&names.join(", ")))?;
        }
    }
    Ok(section)
}

/// Describes a rule in a few words.
fn rule_use(rule: &Rule) -> &'static str {
    if rule.is_stream_rule() {
        "watches"
    } else if rule.always_apply {
        "always applies"
    } else {
        "named to the model"
    }
}

/// Lists what waits for trust in this directory.
fn waiting(project: &Project, loaded: &LoadedTools) -> io::Result<Vec<u8>> {
    let mut section = Vec::new();
    let settings = &project.loaded.waiting;
    let count = loaded.waiting.len() + settings.len();
    if count > 0 {
        writeln!(section, "{} ({count})", paint(WARNING, "Waiting for trust"))?;
        for module in &loaded.waiting {
            writeln!(section, "  {}  {}", project.show(&module.path), paint(DIM, &module.source))?;
        }
        for setting in settings {
            let file = project.show(&setting.file);
            let (key, value) = (harmless(&setting.key), harmless(&setting.value.to_string()));
            writeln!(section, "  {key} = {value}  {}", paint(DIM, file))?;
        }
        writeln!(section, "  {} {}", paint(HINT, "→"), failure::TRUST_HINT)?;
    }
    Ok(section)
}

fn row(tool: &CustomTool) -> Vec<Cell> {
    let spec = tool.tool.spec();
    let time = format!("{:.1} ms", tool.elapsed.as_secs_f64() * 1000.0);
    vec![
        (spec.name.clone(), Some(NAME)),
        (spec.label.clone(), None),
        (tool.source.to_string(), None),
        (tool.engine.to_string(), Some(DIM)),
        (time, Some(DIM)),
        (schema_word(tool.schema).to_owned(), Some(DIM)),
    ]
}
