//! Discovery of Markdown commands: `commands` and `prompts` in the directories of Toolsmith and compatible agents, in installed
//! plugins and in configured paths. If two have the same name, the first one is used.
//!
//! The text of a command needs no trust, because the user invokes it by name. Its shell commands do.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::MarkdownCommand;
use crate::{
    discovery::{DiscoveryOptions, Scope, ToolSource, expand_path},
    plugins::{InstalledPlugin, installed_plugins},
    project_root::project_folders,
    small_file,
    warning::Warning,
};

/// Maximum depth of directories, and maximum number of files.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 1000;
const MAX_BYTES: usize = 1 << 20;

/// Providers, their names, their directories in a project and in the home, and which directories in these have commands.
const PLACES: &[(&str, &str, &str, &str, &[&str])] = &[
    ("toolsmith", "Toolsmith", ".toolsmith", ".toolsmith/agent", &["commands", "prompts"]),
    ("omp", "OMP", ".omp", ".omp/agent", &["commands", "prompts"]),
    ("pi", "pi", ".pi", ".pi/agent", &["prompts", "commands"]),
    ("xcsh", "xcsh", ".xcsh", ".xcsh/agent", &["commands", "prompts"]),
    ("claude", "Claude Code", ".claude", ".claude", &["commands"]),
    ("codex", "OpenAI Codex", ".codex", ".codex", &["prompts"]),
];

/// Markdown commands with unique names.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MarkdownCommands {
    /// The commands, in order of precedence.
    pub list: Vec<MarkdownCommand>,
    /// Files that are not used, and faults.
    pub warnings: Vec<Warning>,
}

impl MarkdownCommands {
    /// Returns a command by its name.
    pub fn get(&self, name: &str) -> Option<&MarkdownCommand> {
        self.list.iter().find(|command| command.name == name)
    }
}

impl MarkdownCommands {
    /// Adds the commands at paths that extensions of the session named.
    pub(crate) fn with_paths(&self, paths: &[PathBuf]) -> Self {
        let names = self.list.iter().map(|command| command.name.clone()).collect();
        let mut search = Search { disabled: &[], names, files: self.list.len(), found: self.clone() };
        for path in paths {
            let source = ToolSource::new("extension", "Extension", Scope::Given);
            search.root(&Root { folder: path.clone(), source, within: None, bounds: None, plugin: None });
        }
        search.found
    }
}

struct Root<'a> {
    folder: PathBuf,
    source: ToolSource,
    /// Bounds of what an untrusted command includes.
    within: Option<PathBuf>,
    /// Bounds of the files: a link must not bring in what lies elsewhere.
    bounds: Option<PathBuf>,
    plugin: Option<&'a InstalledPlugin>,
}

/// Finds the Markdown commands of a working directory.
pub fn discover_commands(options: &DiscoveryOptions) -> MarkdownCommands {
    let disabled = &options.settings.commands.disabled;
    let mut search = Search { disabled, names: HashSet::new(), files: 0, found: MarkdownCommands::default() };
    let is_on = |provider: &str| options.settings.discovery.is_on(provider);
    let places = || PLACES.iter().filter(|(provider, ..)| is_on(provider));
    let folders: Vec<&Path> = project_folders(&options.cwd, &options.home).collect();
    let top = folders.last().copied().unwrap_or(&options.cwd);
    let mut roots: Vec<Root<'_>> = Vec::new();
    let mut own: Vec<Root<'_>> = Vec::new();
    for (provider, name, _, user, kinds) in places() {
        let base = match Path::new(user).strip_prefix(".toolsmith") {
            Ok(rest) => options.home.toolsmith().join(rest),
            Err(_) => options.home.user().join(user),
        };
        let source = ToolSource::new(provider, name, Scope::User);
        own.extend(kinds.iter().map(|kind| Root {
            folder: base.join(kind),
            source: source.clone(),
            within: None,
            bounds: None,
            plugin: None,
        }));
    }
    let is_own = |folder: &Path| {
        let real = toolsmith_host::real_path(folder);
        real.is_ok_and(|real| {
            own.iter().any(|root| toolsmith_host::real_path(&root.folder).is_ok_and(|own| own == real))
        })
    };
    for folder in &folders {
        for (provider, name, project, _, kinds) in places() {
            for kind in *kinds {
                let folder = folder.join(project).join(kind);
                if folder.exists() && !is_own(&folder) {
                    let source = ToolSource::new(provider, name, Scope::Project);
                    let within = (!options.trust.allows(&folder)).then(|| top.to_path_buf());
                    let bounds = Some(top.to_path_buf());
                    roots.push(Root { folder, source, within, bounds, plugin: None });
                }
            }
        }
    }
    roots.extend(own);
    let plugins = installed_plugins(options);
    for plugin in plugins.enabled() {
        // Trust in a plugin depends on who listed it.
        let is_users = plugin.source.scope == Scope::User || options.trust.allows(&plugin.folder);
        roots.extend(roots_of_plugin(plugin, is_users));
    }
    for path in &options.settings.commands.paths {
        let folder = expand_path(path, &options.cwd, &options.home);
        // A setting of the user may lead into whatever project is worked in.
        let within = options.untrusted_bounds(&folder, top);
        let scope = if within.is_some() { Scope::Project } else { Scope::Given };
        let source = ToolSource::new("config", "Config", scope).detail("commands.paths");
        roots.push(Root { folder, source, bounds: within.clone(), within, plugin: None });
    }
    // An untrusted project must not replace a command of the user.
    roots.sort_by_key(|root| root.source.scope == Scope::Project && root.within.is_some());
    for root in &roots {
        search.root(root);
    }
    search.found
}

fn roots_of_plugin(plugin: &InstalledPlugin, is_users: bool) -> impl Iterator<Item = Root<'_>> {
    plugin.contents().commands.iter().map(move |folder| Root {
        folder: folder.clone(),
        source: plugin.source.clone(),
        within: (!is_users).then(|| plugin.folder.clone()),
        bounds: Some(plugin.folder.clone()),
        plugin: Some(plugin),
    })
}

/// Finds the commands of one plugin.
pub(crate) fn commands_of_plugin(plugin: &InstalledPlugin) -> MarkdownCommands {
    let mut search =
        Search { disabled: &[], names: HashSet::new(), files: 0, found: MarkdownCommands::default() };
    for root in roots_of_plugin(plugin, true) {
        search.root(&root);
    }
    search.found
}

struct Search<'a> {
    disabled: &'a [String],
    names: HashSet<String>,
    files: usize,
    found: MarkdownCommands,
}

impl Search<'_> {
    fn root(&mut self, root: &Root<'_>) {
        if root.folder.is_file() {
            let name = stem(&root.folder);
            return self.take(&root.folder, &[], &name, root);
        }
        let mut open = vec![(root.folder.clone(), Vec::<String>::new())];
        while let Some((folder, above)) = open.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    let is_missing =
                        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                    if !is_missing || root.source.is_configured() {
                        self.warn(&folder, format!("cannot be searched for commands: {error}"));
                    }
                    continue;
                }
            };
            let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            entries.sort();
            for path in entries {
                let Some(name) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
                    continue;
                };
                if name.starts_with('.') || name == "node_modules" {
                    continue;
                }
                // Directories that are links are not searched: they may lead anywhere, or to themselves.
                let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
                if is_folder && above.len() < MAX_DEPTH {
                    open.push((path, above.iter().cloned().chain([name]).collect()));
                } else if name.to_ascii_lowercase().ends_with(".md") && !is_folder {
                    let name = stem(&path);
                    self.take(&path, &above, &name, root);
                }
            }
        }
    }

    fn take(&mut self, file: &Path, above: &[String], name: &str, root: &Root<'_>) {
        self.files += 1;
        if self.files > MAX_FILES {
            if self.files == MAX_FILES + 1 {
                self.warn(file, format!("is skipped because there are more than {MAX_FILES} commands"));
            }
            return;
        }
        if matches!(name.to_ascii_uppercase().as_str(), "README" | "AGENTS" | "CLAUDE") {
            return;
        }
        let read = match &root.bounds {
            Some(bounds) => small_file::read_within(file, bounds),
            None => small_file::read(file),
        };
        let text = read.map_err(|error| error.to_string()).and_then(|bytes| match bytes.len() > MAX_BYTES {
            true => Err(format!("it is larger than {} MB", MAX_BYTES >> 20)),
            false => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
        });
        let text = match text {
            Ok(text) => text,
            Err(problem) => return self.warn(file, format!("is not a valid command: {problem}")),
        };
        let own: Vec<&str> = above.iter().map(String::as_str).chain([name]).collect();
        let own = own.join(":");
        let name = match root.plugin {
            Some(plugin) if plugin.is_disabled("commands", &own) => return,
            Some(plugin) => format!("{}:{own}", plugin.prefix()),
            None => own,
        };
        if name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '/') {
            return self.warn(file, "is not a valid command: its name contains spaces or slashes");
        }
        if self.disabled.contains(&name) {
            return;
        }
        let (mut command, faults) = MarkdownCommand::parse(name, file, &text, &root.source);
        command.within = root.within.clone();
        command.plugin = root.plugin.map(|plugin| plugin.folder.clone());
        for fault in faults {
            self.warn(file, format!("has a fault: {fault}"));
        }
        if self.names.insert(command.name.clone()) {
            self.found.list.push(command);
        }
    }

    fn warn(&mut self, path: &Path, message: impl Into<String>) {
        if self.found.warnings.len() < 50 {
            self.found.warnings.push(Warning::about(path, message));
        }
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
