//! `toolsmith list`: lists tools with their origins, modules that wait for trust, and load errors.

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{CustomTool, LoadScope, LoadedExtension, LoadedTools, Warning};
use toolsmith_js::SchemaKind;
use toolsmith_mcp::{ServerStatus, ServerView, Servers, config::Configuration};
use toolsmith_middleware::rules::Rule;
use toolsmith_tool::{Tool, UiHandle};

use crate::{
    arguments::Shared,
    commands::library_view::LibraryView,
    failure,
    output::{Cell, indented, one_line, print_json, print_page, print_table, source_json},
    project::{Project, waiting_server},
    runtime,
    terminal::{self, DIM, ERROR, HEADING, HINT, NAME, WARNING, paint},
};

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArguments {}

pub(crate) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let (mut loaded, remote) = runtime::block_on_briefly_while_read(async {
        let discovered = project.discover();
        let engine = project.caching_engine(&discovered);
        let progress = crate::progress::Progress::start("Loading tools");
        let configuration = project.mcp_configuration();
        let servers = project.mcp_servers(configuration.servers.clone(), UiHandle::headless());
        let (loaded, ()) = tokio::join!(
            project.load(discovered, &engine, LoadScope::Scan),
            // Definitions known from earlier are enough.
            servers.known(MCP_TIME, |_| true),
        );
        progress.end();
        let remote = Remote { servers: servers.list(), tools: remote_tools(&servers), configuration };
        servers.close().await;
        Ok((loaded, remote))
    })?;
    loaded.warnings.splice(0..0, project.warnings.iter().cloned());
    loaded.warnings.extend(project.mcp_warnings(&remote.configuration));
    loaded.warnings.extend(remote.failures());
    let library = LibraryView::of(&project);
    for warning in library.warnings() {
        if !loaded.warnings.contains(warning) {
            loaded.warnings.push(warning.clone());
        }
    }
    if shared.json {
        let mut all = to_json(&project, &loaded, &remote);
        if let Value::Object(all) = &mut all {
            library.add_json(all);
        }
        print_json(&all)?;
    } else {
        let mut page = Vec::new();
        show(&mut page, &project, &loaded, &remote, &library, shared.verbose)?;
        print_page(&page)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Maximum wait for servers whose tools are not cached.
const MCP_TIME: Duration = Duration::from_secs(10);

/// The MCP servers and their tools.
struct Remote {
    servers: Vec<ServerView>,
    tools: Vec<(String, Arc<dyn Tool>)>,
    configuration: Configuration,
}

impl Remote {
    /// Servers whose tools are not known, with the reason.
    fn failures(&self) -> impl Iterator<Item = Warning> {
        self.servers.iter().filter_map(|server| match &server.status {
            ServerStatus::Failed(reason) => Some(Warning::from_lines(reason)),
            ServerStatus::NeedsLogin => {
                let name = &server.config.name;
                let warning = Warning::new(format!("the MCP server \"{name}\" requires a login"));
                Some(warning.hint(format!("Run `toolsmith mcp login {name}`.")))
            }
            ServerStatus::Starting | ServerStatus::Ready { .. }
                if !server.is_fresh && server.tools.is_empty() =>
            {
                let name = &server.config.name;
                Some(Warning::new(format!(
                    "the MCP server \"{name}\" did not list its tools within {MCP_TIME:?}"
                )))
            }
            _ => None,
        })
    }

    /// Returns the origin of a server's tools.
    fn source(&self, server: &str) -> String {
        let found = self.servers.iter().find(|view| view.config.name == server);
        let scope = found.map_or("", |view| view.config.origin.scope.as_str());
        format!("MCP server {server}, {scope}")
    }
}

fn remote_tools(servers: &Servers) -> Vec<(String, Arc<dyn Tool>)> {
    let names = servers.list().into_iter().filter(|view| view.config.enabled).map(|view| view.config.name);
    names.flat_map(|name| servers.tools_of(&name).into_iter().map(move |tool| (name.clone(), tool))).collect()
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

fn to_json(project: &Project, loaded: &LoadedTools, remote: &Remote) -> Value {
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
    let remote_tool = |(server, tool): &(String, Arc<dyn Tool>)| {
        let spec = tool.spec();
        let origin =
            remote.servers.iter().find(|view| view.config.name == *server).map(|view| &view.config.origin);
        json!({
            "name": spec.name,
            "label": spec.label,
            "description": spec.description,
            "path": origin.map(|origin| origin.file.to_string_lossy()),
            "source": {
                "provider": "mcp",
                "providerName": "MCP server",
                "scope": origin.map(|origin| origin.scope.as_str()),
                "detail": server,
            },
            "engine": "mcp",
            "schema": "json",
            "hidden": spec.hidden,
        })
    };
    let tools: Vec<Value> =
        loaded.tools.iter().map(tool).chain(remote.tools.iter().map(remote_tool)).collect();
    json!({
        "tools": tools,
        "extensions": loaded.extensions.iter().map(extension_json).collect::<Vec<_>>(),
        "waiting": loaded.waiting.iter().map(|module| json!({
            "name": module.name(), "path": module.path.to_string_lossy(), "source": source_json(&module.source),
        })).collect::<Vec<_>>(),
        "waitingServers": remote.configuration.waiting.iter().map(|server| json!({
            "name": server.name, "target": server.target, "valueCommands": server.value_commands,
            "path": server.origin.file.to_string_lossy(),
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

fn show(
    out: &mut dyn Write,
    project: &Project,
    loaded: &LoadedTools,
    remote: &Remote,
    library: &LibraryView,
    verbose: bool,
) -> io::Result<()> {
    let mut sections: Vec<Vec<u8>> = Vec::new();
    if !loaded.tools.is_empty() || !remote.tools.is_empty() {
        let remote_row = |(server, tool): &(String, Arc<dyn Tool>)| remote_row(remote, server, tool.as_ref());
        let rows: Vec<Vec<Cell>> =
            loaded.tools.iter().map(row).chain(remote.tools.iter().map(remote_row)).collect();
        let heading = ["NAME", "LABEL", "SOURCE", "ENGINE", "LOAD", "SCHEMA"];
        let mut section = Vec::new();
        print_table(&mut section, &heading, &rows, terminal::output_width())?;
        sections.push(section);
    } else if loaded.waiting.is_empty() && loaded.errors.is_empty() && loaded.extensions.is_empty() {
        sections.push(b"No tools found. `toolsmith new NAME` creates one.\n".to_vec());
    }
    sections.push(extensions(project, loaded)?);
    sections.push(waiting(project, loaded, &remote.configuration)?);
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
    sections.extend(library.sections()?);
    if !loaded.disabled.is_empty() {
        let heading = paint(HEADING, "Left out by `tools.disabled`");
        writeln!(section, "{heading}: {}", one_line(&loaded.disabled.join(", ")))?;
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
        writeln!(section, "{} {}", paint(DIM, "note:"), indented(&note.to_string()))?;
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
            writeln!(section, "    {label} {}", one_line(&names.join(", ")))?;
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
fn waiting(project: &Project, loaded: &LoadedTools, configuration: &Configuration) -> io::Result<Vec<u8>> {
    let mut section = Vec::new();
    let settings = &project.loaded.waiting;
    let count = loaded.waiting.len() + settings.len() + configuration.waiting.len();
    if count > 0 {
        writeln!(section, "{} ({count})", paint(WARNING, "Waiting for trust"))?;
        for module in &loaded.waiting {
            writeln!(section, "  {}  {}", project.show(&module.path), paint(DIM, &module.source))?;
        }
        for setting in settings {
            let file = project.show(&setting.file);
            let (key, value) = (one_line(&setting.key), one_line(&setting.value.to_string()));
            writeln!(section, "  {key} = {value}  {}", paint(DIM, file))?;
        }
        for server in &configuration.waiting {
            let file = project.show(&server.origin.file);
            writeln!(section, "  MCP server {}  {}", waiting_server(server), paint(DIM, file))?;
        }
        writeln!(section, "  {} {}", paint(HINT, "→"), failure::TRUST_HINT)?;
    }
    Ok(section)
}

fn remote_row(remote: &Remote, server: &str, tool: &dyn Tool) -> Vec<Cell> {
    let spec = tool.spec();
    vec![
        (spec.name.clone(), Some(NAME)),
        (spec.label.clone(), None),
        (remote.source(server), None),
        ("mcp".to_owned(), Some(DIM)),
        ("-".to_owned(), Some(DIM)),
        ("json".to_owned(), Some(DIM)),
    ]
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
