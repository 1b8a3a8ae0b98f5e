//! `toolsmith config`: shows the effective settings and their origins.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::settings::{FileState, LoadedSettings, SettingEntry, SettingOrigin, keys};
use toolsmith_tool::closest_names;

use super::config_edit::{self, ConfigAction};
use crate::{
    arguments::Shared,
    failure::{self, Problem},
    output::{Cell, one_line, print_json, print_page, print_table},
    project::Project,
    terminal::{self, DIM, HINT, NAME, WARNING, paint},
};

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArguments {
    /// Show only this setting, or those below it.
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// List all settings with their descriptions.
    #[arg(long, conflicts_with = "key")]
    keys: bool,
    #[command(subcommand)]
    action: Option<ConfigAction>,
}

pub(crate) fn run(shared: &Shared, own: &ConfigArguments) -> Result<ExitCode> {
    if own.keys {
        show_keys(shared.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let project = Project::open(shared)?;
    if let Some(action) = &own.action {
        return config_edit::run(&project, action);
    }
    let loaded = &project.loaded;
    let entries = match &own.key {
        None => loaded.entries.iter().collect(),
        Some(wanted) => chosen(loaded, wanted)?,
    };
    if shared.json {
        print_json(&to_json(loaded, &entries, &project))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = Vec::new();
    let rows: Vec<Vec<Cell>> = entries.iter().map(|entry| row(entry, &project)).collect();
    print_table(&mut out, &["SETTING", "VALUE", "FROM"], &rows, terminal::output_width())?;
    if !loaded.waiting.is_empty() {
        writeln!(out, "\n{} ({})", paint(WARNING, "Waiting for trust"), loaded.waiting.len())?;
        for setting in &loaded.waiting {
            let file = paint(DIM, project.show(&setting.file));
            let (key, value) = (one_line(&setting.key), one_line(&show_value(&setting.value)));
            writeln!(out, "  {key} = {value}  {file}")?;
        }
        writeln!(out, "  {} {}", paint(HINT, "→"), failure::TRUST_HINT)?;
    }
    print_page(&out)?;
    project.warn();
    Ok(ExitCode::SUCCESS)
}

fn chosen<'a>(loaded: &'a LoadedSettings, wanted: &str) -> Result<Vec<&'a SettingEntry>> {
    let below = format!("{wanted}.");
    let found: Vec<&SettingEntry> =
        loaded.entries.iter().filter(|entry| entry.key == wanted || entry.key.starts_with(&below)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let closest = closest_names(wanted, keys().iter().map(|key| key.name));
    let problem = Problem::wrong_use(format!("unknown setting `{wanted}`, or it has no value"));
    Err(match closest.first() {
        Some(closest) => problem.hint(format!("Did you mean `{closest}`?")),
        None => problem.hint("`toolsmith config --keys` lists all settings."),
    }
    .into())
}

fn show_value(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn row(entry: &SettingEntry, project: &Project) -> Vec<Cell> {
    let from = match &entry.origin {
        SettingOrigin::User(file) | SettingOrigin::Project(file) => {
            format!("{}, {}", entry.origin.kind(), project.show(file))
        }
        origin => origin.to_string(),
    };
    let style = if entry.origin == SettingOrigin::Default { Some(DIM) } else { None };
    vec![(entry.key.clone(), Some(NAME)), (show_value(&entry.value), style), (from, Some(DIM))]
}

fn to_json(loaded: &LoadedSettings, entries: &[&SettingEntry], project: &Project) -> Value {
    json!({
        "settings": entries.iter().map(|entry| json!({
            "key": entry.key,
            "value": entry.value,
            "origin": entry.origin.kind(),
            "place": entry.origin.place(),
        })).collect::<Vec<_>>(),
        "waiting": loaded.waiting.iter().map(|setting| json!({
            "key": setting.key, "value": setting.value, "path": setting.file.to_string_lossy(),
        })).collect::<Vec<_>>(),
        "files": loaded.files.iter().map(|file| json!({
            "path": file.path.to_string_lossy(), "state": state_word(file.state),
        })).collect::<Vec<_>>(),
        "warnings": project.warnings.iter().map(failure::warning_json).collect::<Vec<_>>(),
    })
}

/// Returns the state of a settings file as one word.
pub(crate) fn state_word(state: FileState) -> &'static str {
    match state {
        FileState::Missing => "missing",
        FileState::Read => "read",
        _ => "broken",
    }
}

fn show_keys(as_json: bool) -> Result<()> {
    if as_json {
        let all = keys().iter().map(|key| {
            json!({
                "key": key.name,
                "kind": key.kind.describe(),
                "default": key.default,
                "variable": key.variable(),
                "waitsForTrust": key.waits_for_trust,
                "doc": key.doc,
            })
        });
        print_json(&json!({ "keys": all.collect::<Vec<_>>() }))?;
        return Ok(());
    }
    let mut out = Vec::new();
    for key in keys() {
        let default = key.default.filter(|text| !text.is_empty()).map(|text| format!(", default {text}"));
        let kind = format!("{}{}", key.kind.describe(), default.unwrap_or_default());
        writeln!(out, "{}  {}\n  {}", paint(NAME, key.name), paint(DIM, kind), key.doc)?;
    }
    print_page(&out)?;
    Ok(())
}
