//! What a plugin contains and may do, for people who decide about it. Every part is found by the functions that load it, so that
//! nothing runs which was not shown.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{contents::PluginServer, installed::InstalledPlugin, manifest::PluginManifest};
use crate::{
    commands::{MarkdownCommand, commands_of_plugin},
    discovery::{ModuleKind, ToolSource, plugin_modules},
    hooks::{HookPart, hooks_of_plugin},
    skills::skills_of_plugin,
    small_file,
};

impl InstalledPlugin {
    /// Describes every part in a line that begins with its kind: what a person reads before installing the plugin, and what
    /// an update is compared by. Disabled parts are described too.
    pub fn parts(&self) -> BTreeSet<String> {
        let whole = Self { disabled: Vec::new(), ..self.clone() };
        let mut lines = BTreeSet::new();
        whole.describe_modules(&mut lines);
        whole.describe_texts(&mut lines);
        whole.describe_hooks(&mut lines);
        let contents = self.contents();
        let shown = |path: &PathBuf| self.shown(path);
        lines.extend(contents.mcp_servers.iter().map(server));
        lines.extend(contents.themes.iter().map(|path| format!("themes {}", shown(path))));
        lines.extend(contents.rules.iter().map(|path| format!("rules {}", shown(path))));
        lines.extend(contents.agents.iter().map(|path| format!("agents {} (not used)", shown(path))));
        lines.extend(contents.dependencies.iter().map(|name| format!("npm package {name} (code)")));
        lines
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).display().to_string()
    }

    fn describe_modules(&self, lines: &mut BTreeSet<String>) {
        for module in plugin_modules(&self.manifest, &self.folder) {
            let kind = match module.kind {
                ModuleKind::Extension => "extension",
                ModuleKind::Tool => "tool",
            };
            let feature = module.feature.map(|(name, is_default)| {
                let state = if is_default { "on" } else { "off" };
                format!("; feature {name}, {state} by default")
            });
            let path = self.shown(&module.path);
            lines.insert(format!("{kind} {path} (code{})", feature.unwrap_or_default()));
        }
    }

    /// Describes skills and commands.
    fn describe_texts(&self, lines: &mut BTreeSet<String>) {
        let prefix = format!("{}:", self.prefix());
        let skills = skills_of_plugin(self);
        for skill in &skills.list {
            let name = skill.name.strip_prefix(&prefix).unwrap_or(&skill.name);
            lines.insert(match skill.allowed_tools.as_slice() {
                [] => format!("skill {name}"),
                tools => format!("skill {name} (asks for {})", tools.join(" ")),
            });
        }
        for warning in &skills.warnings {
            let problem = warning.message.strip_prefix("is not a valid skill: ");
            if let (Some(path), Some(problem)) = (&warning.path, problem) {
                lines.insert(format!("skill {} (not usable: {problem})", self.shown(path)));
            }
        }
        for command in commands_of_plugin(self).list {
            let text = small_file::read_within(&command.file, &self.folder).unwrap_or_default();
            let shell = MarkdownCommand::shell_commands(&String::from_utf8_lossy(&text));
            let path = self.shown(&command.file);
            lines.insert(match shell.as_slice() {
                [] => format!("command {path}"),
                shell => format!("command {path} (runs {})", shell.join("; ")),
            });
        }
    }

    fn describe_hooks(&self, lines: &mut BTreeSet<String>) {
        for part in hooks_of_plugin(self) {
            lines.insert(match part {
                HookPart::Hook { event, what } => format!("hook {event}: {what}"),
                HookPart::NotUsable { file, problem } => {
                    format!("hooks {} (not usable: {problem})", self.shown(&file))
                }
            });
        }
        if self.contents().has_inline_hooks {
            lines.insert("hooks in its manifest (not used)".to_owned());
        }
    }
}

/// Describes the parts of a plugin in a directory, before it is installed or to compare it with another version.
pub(super) fn parts_of(name: &str, folder: &Path, manifest: &PluginManifest) -> BTreeSet<String> {
    let plugin = InstalledPlugin {
        name: name.to_owned(),
        folder: folder.to_path_buf(),
        source: ToolSource::plugin(name),
        manifest: manifest.clone(),
        is_enabled: true,
        disabled: Vec::new(),
    };
    plugin.parts()
}

/// Describes a server: its command line or URL, and everything else in its entry. A value that starts with `!` is a command,
/// and variables select code and are sent to servers.
fn server(server: &PluginServer) -> String {
    let mut line = format!("MCP server {}: {}", server.name, server.target);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_shown = |name: &str| matches!(name, "command" | "args" | "url" | "type" | "transport");
    for (name, value) in server.entry.as_object().into_iter().flatten().filter(|(name, _)| !is_shown(name)) {
        match value {
            Value::Object(group) => {
                for (key, value) in group {
                    line.push_str(&format!("; {name} {key}={}", text(value)));
                }
            }
            value => line.push_str(&format!("; {name} {}", text(value))),
        }
    }
    line
}
