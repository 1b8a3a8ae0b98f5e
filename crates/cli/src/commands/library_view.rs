//! Skills, Markdown commands and plugins as `list` shows them.

use std::io::{self, Write as _};

use serde_json::{Map, Value, json};
use toolsmith::{
    InstalledPlugins, MarkdownCommands, Skills, Warning, discover_commands, discover_skills,
    installed_plugins,
};

use crate::{
    output::{one_line, source_json},
    project::Project,
    terminal::{DIM, HEADING, WARNING, paint},
};

/// Entries of one kind that are printed.
const MAX_SHOWN: usize = 100;

/// Skills, commands and plugins of a project.
pub(crate) struct LibraryView {
    skills: Skills,
    commands: MarkdownCommands,
    plugins: InstalledPlugins,
}

impl LibraryView {
    pub(crate) fn of(project: &Project) -> Self {
        let options = project.discovery_options();
        Self {
            skills: discover_skills(&options),
            commands: discover_commands(&options),
            plugins: installed_plugins(&options),
        }
    }

    pub(crate) fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.skills.warnings.iter().chain(&self.commands.warnings).chain(&self.plugins.warnings)
    }

    pub(crate) fn add_json(&self, all: &mut Map<String, Value>) {
        let skill = |skill: &toolsmith::Skill| {
            json!({
                "name": skill.name, "path": skill.file.to_string_lossy(), "source": source_json(&skill.source),
            })
        };
        let command = |command: &toolsmith::MarkdownCommand| {
            json!({
                "name": command.name,
                "description": command.description,
                "path": command.file.to_string_lossy(),
                "source": source_json(&command.source),
                "trusted": command.is_trusted(),
            })
        };
        let plugin = |plugin: &toolsmith::InstalledPlugin| {
            json!({
                "name": plugin.name,
                "path": plugin.folder.to_string_lossy(),
                "source": source_json(&plugin.source),
                "enabled": plugin.is_enabled,
                "disabled": plugin.disabled,
            })
        };
        all.insert("skills".to_owned(), self.skills.list.iter().map(skill).collect());
        all.insert("commands".to_owned(), self.commands.list.iter().map(command).collect());
        all.insert("plugins".to_owned(), self.plugins.list.iter().map(plugin).collect());
    }

    /// Returns one section for each kind of which there is something.
    pub(crate) fn sections(&self) -> io::Result<Vec<Vec<u8>>> {
        let skills = self.skills.list.iter().map(|skill| (skill.name.clone(), skill.source.to_string()));
        let commands = self.commands.list.iter().map(|command| {
            let waits = if command.is_trusted() { "" } else { ", not trusted" };
            (format!("/{}", command.name), format!("{}{waits}", command.source))
        });
        let mut sections =
            vec![section("Skills", skills.collect())?, section("Commands", commands.collect())?];
        let mut plugins = Vec::new();
        for plugin in &self.plugins.list {
            if plugins.is_empty() {
                writeln!(plugins, "{} ({})", paint(HEADING, "Plugins"), self.plugins.list.len())?;
            }
            let state = if plugin.is_enabled { String::new() } else { paint(WARNING, " (disabled)") };
            let version = plugin.manifest.version.as_deref().unwrap_or_default();
            let name = one_line(&format!("{} {version}", plugin.name));
            writeln!(plugins, "  {}{state}  {}", name.trim_end(), paint(DIM, &plugin.source))?;
        }
        sections.push(plugins);
        Ok(sections)
    }
}

fn section(title: &str, rows: Vec<(String, String)>) -> io::Result<Vec<u8>> {
    let mut section = Vec::new();
    if rows.is_empty() {
        return Ok(section);
    }
    writeln!(section, "{} ({})", paint(HEADING, title), rows.len())?;
    for (name, source) in rows.iter().take(MAX_SHOWN) {
        writeln!(section, "  {}  {}", one_line(name), paint(DIM, one_line(source)))?;
    }
    if rows.len() > MAX_SHOWN {
        writeln!(section, "  and {} more", rows.len() - MAX_SHOWN)?;
    }
    Ok(section)
}
