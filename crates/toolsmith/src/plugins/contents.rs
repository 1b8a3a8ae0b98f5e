//! The contents of a plugin, and what they may do, for people who decide about it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use crate::{
    commands::MarkdownCommand,
    discovery::{Scope, ToolSource, read_json},
    skills::{SKILL_FILE, Skill},
    small_file,
};

/// Most entries of one kind that are described.
const MAX_SHOWN: usize = 200;
/// Maximum depth of skills and commands.
const MAX_DEPTH: usize = 4;

/// An MCP server of a plugin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PluginServer {
    /// Name.
    pub name: String,
    /// Command line or URL.
    pub target: String,
    /// The entry as written.
    pub entry: Value,
}

/// Files and directories of a plugin by what they are for. All of them lie in the plugin.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PluginContents {
    /// Tools: modules, or directories of them.
    pub tools: Vec<PathBuf>,
    /// Extensions: modules, or directories of them.
    pub extensions: Vec<PathBuf>,
    /// Directories with skills.
    pub skills: Vec<PathBuf>,
    /// Markdown commands, or directories of them.
    pub commands: Vec<PathBuf>,
    /// Files with hooks.
    pub hooks: Vec<PathBuf>,
    /// The manifest itself has hooks.
    pub has_inline_hooks: bool,
    /// MCP servers.
    pub mcp_servers: Vec<PluginServer>,
    /// Themes.
    pub themes: Vec<PathBuf>,
    /// Subagents, which are not used.
    pub agents: Vec<PathBuf>,
    /// Rules.
    pub rules: Vec<PathBuf>,
    /// Names of npm packages it depends on.
    pub dependencies: Vec<String>,
}

impl PluginContents {
    /// Returns whether there is nothing.
    pub fn is_empty(&self) -> bool {
        Self { dependencies: Vec::new(), ..self.clone() } == Self::default()
    }

    /// Describes every part in a line that begins with its kind: what a person reads before installing the plugin, and what
    /// an update is compared by.
    pub fn describe(&self, folder: &Path) -> BTreeSet<String> {
        let shown = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
        let mut lines = BTreeSet::new();
        for path in files_of(&self.tools) {
            lines.insert(format!("tool {} (code)", shown(&path)));
        }
        for path in files_of(&self.extensions) {
            lines.insert(format!("extension {} (code)", shown(&path)));
        }
        for path in markdown(&self.skills, |name| name == SKILL_FILE) {
            let Some(text) = read_text(&path) else { continue };
            let source = ToolSource::new("plugin", "Plugin", Scope::User);
            lines.insert(match Skill::parse(&path, &text, &source) {
                Ok((skill, _)) if skill.allowed_tools.is_empty() => format!("skill {}", skill.name),
                Ok((skill, _)) => {
                    format!("skill {} (asks for {})", skill.name, skill.allowed_tools.join(" "))
                }
                Err(problem) => format!("skill {} (not usable: {problem})", shown(&path)),
            });
        }
        for path in markdown(&self.commands, |name| name.ends_with(".md")) {
            let Some(text) = read_text(&path) else { continue };
            let shell = MarkdownCommand::shell_commands(&text);
            lines.insert(match shell.as_slice() {
                [] => format!("command {}", shown(&path)),
                shell => format!("command {} (runs {})", shown(&path), shell.join("; ")),
            });
        }
        for file in &self.hooks {
            lines.extend(hooks(file).unwrap_or_else(|| vec![format!("hooks {}", shown(file))]));
        }
        if self.has_inline_hooks {
            lines.insert("hooks in its manifest".to_owned());
        }
        lines.extend(self.mcp_servers.iter().map(server));
        lines.extend(self.themes.iter().map(|path| format!("themes {}", shown(path))));
        lines.extend(self.rules.iter().map(|path| format!("rules {}", shown(path))));
        lines.extend(self.agents.iter().map(|path| format!("agents {} (not used)", shown(path))));
        lines.extend(self.dependencies.iter().map(|name| format!("npm package {name} (code)")));
        lines
    }
}

/// Describes a server: its command line or URL, and everything else that decides what is run for it. A value that starts with
/// `!` is a command, and variables select code too.
fn server(server: &PluginServer) -> String {
    let mut line = format!("MCP server {}: {}", server.name, server.target);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for group in ["env", "headers", "http_headers", "oauth"] {
        for (name, value) in server.entry.get(group).and_then(Value::as_object).into_iter().flatten() {
            line.push_str(&format!("; {group} {name}={}", text(value)));
        }
    }
    if let Some(folder) = server.entry.get("cwd") {
        line.push_str(&format!("; cwd {}", text(folder)));
    }
    line
}

/// Describes a file of hooks: each event with the commands it runs.
fn hooks(file: &Path) -> Option<Vec<String>> {
    let content = read_json::<Map<String, Value>>(file).ok().flatten()?;
    let events = content.get("hooks").and_then(Value::as_object).unwrap_or(&content);
    let mut lines = Vec::new();
    for (event, groups) in events {
        for handler in groups.as_array()?.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten()
        {
            let what = ["command", "url", "prompt"].iter().find_map(|name| handler.get(*name)?.as_str());
            let args = handler.get("args").and_then(Value::as_array).into_iter().flatten();
            let words = [what.unwrap_or("?")].into_iter().chain(args.filter_map(Value::as_str));
            lines.push(format!("hook {event}: {}", words.collect::<Vec<_>>().join(" ")));
        }
    }
    Some(lines)
}

fn read_text(path: &Path) -> Option<String> {
    small_file::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns files, and those directly in directories.
fn files_of(paths: &[PathBuf]) -> Vec<PathBuf> {
    let below = |path: &PathBuf| match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).take(MAX_SHOWN).collect(),
        Err(_) => vec![path.clone()],
    };
    paths.iter().flat_map(below).collect()
}

/// Returns Markdown files in directories, without following links.
fn markdown(paths: &[PathBuf], is_wanted: fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, usize)> = paths.iter().map(|path| (path.clone(), 0)).collect();
    while let Some((path, depth)) = open.pop() {
        let Ok(entries) = fs::read_dir(&path) else {
            found.push(path);
            continue;
        };
        for entry in entries.flatten().take(MAX_SHOWN) {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || name == "node_modules" {
                continue;
            }
            if kind.is_dir() && depth < MAX_DEPTH {
                open.push((entry.path(), depth + 1));
            } else if kind.is_file() && is_wanted(&name) {
                found.push(entry.path());
            }
        }
        if found.len() > MAX_SHOWN {
            break;
        }
    }
    found.sort();
    found
}
