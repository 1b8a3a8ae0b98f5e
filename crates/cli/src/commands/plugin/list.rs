//! `toolsmith plugin list`.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;
use toolsmith::{InstalledPlugin, LockedPlugin, installed_plugins};
use toolsmith_tool::{CancelToken, visible_line};

use super::{show_parts, store};
use crate::{
    arguments::Shared,
    failure,
    output::{print_json, print_page, source_json},
    project::Project,
    terminal::{DIM, NAME, WARNING, paint},
};

/// Arguments of `plugin list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArguments {}

pub(super) fn run(shared: &Shared, _own: &ListArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let found = installed_plugins(&project.discovery_options());
    let store = store(&project, CancelToken::new());
    let lock = store.lock()?;
    let locked = |plugin: &InstalledPlugin| -> Option<&LockedPlugin> {
        lock.plugins.get(&plugin.name).filter(|_| plugin.folder == store.folder(&plugin.name))
    };
    if shared.json {
        let one = |plugin: &InstalledPlugin| {
            let locked = locked(plugin);
            json!({
                "name": plugin.name,
                "version": plugin.manifest.version,
                "description": plugin.manifest.description,
                "folder": plugin.folder.to_string_lossy(),
                "source": source_json(&plugin.source),
                "from": locked.and_then(|locked| locked.source.clone()),
                "commit": locked.and_then(|locked| locked.commit.clone()),
                "integrity": locked.and_then(|locked| locked.integrity.clone()),
                "enabled": plugin.is_enabled,
                "disabled": plugin.disabled,
                "parts": plugin.parts(),
                "problems": plugin.manifest.problems,
            })
        };
        print_json(&json!({
            "plugins": found.list.iter().map(one).collect::<Vec<_>>(),
            "marketplaces": lock.marketplaces.iter().map(|(name, known)| json!({
                "name": name, "source": known.source, "plugins": known.plugins,
            })).collect::<Vec<_>>(),
            "warnings": found.warnings.iter().map(failure::warning_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    if found.list.is_empty() {
        writeln!(page, "No plugins are installed. `toolsmith plugin add SOURCE` installs one.")?;
    }
    for plugin in &found.list {
        let version = visible_line(plugin.manifest.version.as_deref().unwrap_or_default());
        let from = locked(plugin).and_then(|locked| locked.source.clone());
        let from = from.unwrap_or_else(|| plugin.source.to_string());
        let state = if plugin.is_enabled { String::new() } else { paint(WARNING, " (disabled)") };
        writeln!(
            page,
            "{} {version}{state}  {}",
            paint(NAME, visible_line(&plugin.name)),
            paint(DIM, visible_line(&from))
        )?;
        show_parts(&mut page, &plugin.parts(), "")?;
        if !plugin.disabled.is_empty() {
            let disabled = plugin.disabled.join(", ");
            writeln!(page, "  {} {}", paint(WARNING, "disabled:"), visible_line(&disabled))?;
        }
    }
    for (name, known) in &lock.marketplaces {
        writeln!(
            page,
            "marketplace {}  {}",
            paint(NAME, visible_line(name)),
            paint(DIM, visible_line(&known.source))
        )?;
    }
    for warning in &found.warnings {
        failure::show_warning(&mut page, warning)?;
    }
    print_page(&page)?;
    Ok(ExitCode::SUCCESS)
}
