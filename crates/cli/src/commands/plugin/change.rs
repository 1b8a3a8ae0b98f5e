//! `toolsmith plugin remove`, `disable` and `enable`.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith_tool::{CancelToken, closest_names, visible_line};

use super::store;
use crate::{arguments::Shared, failure::Problem, output::print_json, project::Project};

/// Kinds of parts that can be disabled.
const KINDS: [&str; 4] = ["tools", "extensions", "skills", "commands"];

/// Arguments of `plugin remove`.
#[derive(Debug, clap::Args)]
pub(super) struct RemoveArguments {
    /// Name of the plugin.
    name: String,
}

/// Arguments of `plugin disable` and `plugin enable`.
#[derive(Debug, clap::Args)]
pub(super) struct SwitchArguments {
    /// Name of the plugin.
    name: String,
    /// Part of it: tools/NAME, extensions/NAME, skills/NAME, commands/NAME or mcp/NAME.
    #[arg(value_name = "PART")]
    part: Option<String>,
}

pub(super) fn remove(shared: &Shared, own: &RemoveArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let store = store(&project, CancelToken::new());
    if !store.remove(&own.name)? {
        let lock = store.lock()?;
        let closest = closest_names(&own.name, lock.plugins.keys().map(String::as_str));
        let hint = match closest.first() {
            Some(closest) => format!("Did you mean \"{closest}\"?"),
            None => "`toolsmith plugin list` shows the plugins.".to_owned(),
        };
        let what = format!("the plugin \"{}\" is not installed", own.name);
        return Err(Problem::failed(what).hint(hint).into());
    }
    if shared.json {
        print_json(&json!({ "removed": own.name }))?;
    } else {
        writeln!(crate::streams::stdout(), "Removed {}", visible_line(&own.name))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn switch(shared: &Shared, own: &SwitchArguments, is_enabled: bool) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let store = store(&project, CancelToken::new());
    if let Some(part) = &own.part {
        let kind = part.split_once('/').filter(|(_, name)| !name.is_empty()).map(|(kind, _)| kind);
        if !kind.is_some_and(|kind| KINDS.contains(&kind) || kind == "mcp") {
            let what = format!("\"{part}\" is not a part of a plugin (expected KIND/NAME)");
            return Err(Problem::wrong_use(what).hint(format!("Kinds: {}, mcp.", KINDS.join(", "))).into());
        }
    }
    store.set_enabled(&own.name, own.part.as_deref(), is_enabled)?;
    let word = if is_enabled { "Enabled" } else { "Disabled" };
    if shared.json {
        print_json(&json!({ "name": own.name, "part": own.part, "enabled": is_enabled }))?;
    } else {
        let part = own.part.as_deref().map(|part| format!(" {part} of")).unwrap_or_default();
        let line = format!("{word}{part} {}", own.name);
        writeln!(crate::streams::stdout(), "{}", visible_line(&line))?;
    }
    Ok(ExitCode::SUCCESS)
}
