//! The programs that Toolsmith itself runs because a configuration names them: those of MCP servers, hooks, keys and other values.
//! Their files are protected (CONTRACT 5.7).

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use serde_json::Value;
use toolsmith_host::location::{
    Protected, leads_to, named_anywhere, named_files, quoted_word, with_variables,
};
use toolsmith_llm::KeySource;
use toolsmith_mcp::config::{Expander, ServerConfig, Transport};

use crate::{
    discovery::{DiscoveryOptions, expand_path, plugin_lists},
    home::Home,
    hooks::protect_hooks,
    loading::LoadedTools,
    mcp::all_mcp_servers,
    plugins::installed_plugins,
    project_root::{find_project, projects_of},
    seen::Seen,
    settings::{Settings, commands_in},
};

/// A command line of a configuration, and the directories it may run in.
struct Command {
    /// The line as it is, and with the values of its variables.
    lines: [String; 2],
    folders: Vec<PathBuf>,
    /// It may run in directories that are not listed.
    runs_anywhere: bool,
}

/// Protects programs of the project that MCP servers and keys are configured with, as this session uses them.
pub(crate) fn protect_programs(
    protected: &Protected,
    settings: &Settings,
    servers: &[ServerConfig],
    cwd: &Path,
    home: &Home,
) {
    // Servers, and commands that give values, run in the project.
    let project = find_project(cwd, home);
    let place = Place { project: &project, cwd, home };
    place.protect_servers(protected, servers);
    let keys = settings.providers.values().filter_map(|provider| provider.api_key.as_deref());
    place.protect_lines(protected, keys.filter_map(KeySource::command));
    // Commands in them run shell commands, and count as the user's.
    settings.commands.paths.iter().for_each(|path| protected.add(&expand_path(path, cwd, home)));
}

/// Protects the program that gives the key of a provider which an extension registers.
pub(crate) fn protect_provider(protected: &Protected, config: &Value, cwd: &Path, home: &Home) {
    let Some(command) = config["apiKey"].as_str().and_then(KeySource::command) else { return };
    let project = find_project(cwd, home);
    Place { project: &project, cwd, home }.protect_lines(protected, [command]);
}

/// Protects the programs that give keys of providers which loaded extensions register.
pub(crate) fn protect_providers(protected: &Protected, loaded: &LoadedTools, cwd: &Path, home: &Home) {
    let specs = loaded.extensions.iter().flat_map(|found| found.extension.registrations().providers);
    specs.for_each(|spec| protect_provider(protected, &spec.config, cwd, home));
}

/// Protects, before each decision about a write, what the files of the configuration name then: programs of MCP servers, keys and
/// hooks. Entries that wait for trust count, because the files they name run once it is given. All of it is read as text.
pub(crate) fn follow_programs(protected: &Protected, cwd: &Path, home: &Home) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    protect_search_path(protected, std::env::split_paths(&path), cwd);
    let (cwd, home) = (cwd.to_path_buf(), home.clone());
    let known: Mutex<Option<Known>> = Mutex::default();
    protected.follow(move |protected| {
        // Whoever asks meanwhile waits until everything is protected.
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let projects = projects_of(&cwd, &home);
        if known.as_ref().is_some_and(|known| known.is_current(&projects)) {
            return;
        }
        let begun = SystemTime::now();
        let mut read = BTreeSet::new();
        for project in &projects {
            Place { project, cwd: &cwd, home: &home }.protect_configured(protected, &mut read);
        }
        let files = read.into_iter().map(|file| (Seen::at(&file, begun), file)).collect();
        *known = Some(Known { projects, files });
    });
}

/// Protects the directories below `cwd` in which programs are found by name: whatever is put there may be started in place of
/// another program. The working directory itself is left out, or every file in it would count; what commands name there
/// always counts.
fn protect_search_path(protected: &Protected, entries: impl Iterator<Item = PathBuf>, cwd: &Path) {
    let real = |path: &Path| leads_to(path).unwrap_or_else(|| path.to_path_buf());
    let root = real(cwd);
    for entry in entries.filter(|entry| !entry.as_os_str().is_empty()) {
        let place = real(&cwd.join(entry));
        if place.starts_with(&root) && place != root {
            protected.add(&place);
        }
    }
}

/// The configuration as it was last read.
struct Known {
    projects: Vec<PathBuf>,
    files: Vec<(Seen, PathBuf)>,
}

impl Known {
    fn is_current(&self, projects: &[PathBuf]) -> bool {
        let now = SystemTime::now();
        self.projects == projects && !self.files.iter().any(|(seen, file)| seen.is_changed(file, now))
    }
}

/// Where commands run.
struct Place<'a> {
    project: &'a Path,
    cwd: &'a Path,
    home: &'a Home,
}

impl Place<'_> {
    /// Protects what the configuration of the project and of the user names. Adds the files and directories that were read.
    fn protect_configured(&self, protected: &Protected, read: &mut BTreeSet<PathBuf>) {
        let Self { project, home, .. } = self;
        let mut options = DiscoveryOptions::new(self.cwd, (*home).clone());
        options.project = project.to_path_buf();
        let plugins = installed_plugins(&options);
        read.extend(plugin_lists(project, home));
        for plugin in &plugins.list {
            read.extend(plugin.folder.parent().map(Path::to_path_buf));
            read.extend([plugin.folder.clone(), plugin.folder.join(".mcp.json")]);
            if let Some(file) = &plugin.manifest.file {
                protected.add_file(file);
                read.insert(file.clone());
            }
        }
        let (servers, files) = all_mcp_servers(project, home, &plugins);
        self.protect_servers(protected, &servers);
        read.extend(files);
        let user = home.toolsmith().join("config.toml");
        let own = project.join(".toolsmith/config.toml");
        let commands = [commands_in(&user, None), commands_in(&own, Some(project))].concat();
        self.protect_lines(protected, commands.iter().map(String::as_str));
        read.extend([user, own]);
        read.extend(protect_hooks(protected, project, home));
    }

    fn protect_servers(&self, protected: &Protected, servers: &[ServerConfig]) {
        for server in servers {
            if let Some(command) = server_command(server, self.project, self.home) {
                self.protect_command(protected, &command);
            }
            self.protect_lines(protected, server.value_commands().iter().map(String::as_str));
        }
    }

    /// Protects the programs of commands that run in the project.
    fn protect_lines<'a>(&self, protected: &Protected, lines: impl IntoIterator<Item = &'a str>) {
        for line in lines {
            let folders = vec![self.project.to_path_buf()];
            let command =
                Command { lines: [line.to_owned(), with_variables(line)], folders, runs_anywhere: false };
            self.protect_command(protected, &command);
        }
    }

    fn protect_command(&self, protected: &Protected, command: &Command) {
        let Command { lines, folders, runs_anywhere } = command;
        let home = Some(self.home.user());
        for line in lines {
            for folder in folders {
                protected.add_named(&named_files(line, &[folder, self.cwd], home));
            }
            if *runs_anywhere {
                protected.add_named_anywhere(&named_anywhere(line, self.project, home));
            }
        }
    }
}

/// Returns the command of a server. A command that gives its directory is not run to find the directory out.
fn server_command(server: &ServerConfig, project: &Path, home: &Home) -> Option<Command> {
    let Transport::Stdio { command, args, env, cwd, .. } = &server.transport else { return None };
    // Variables such as `NODE_OPTIONS` and `PYTHONPATH` select code too.
    let variables = env.iter().map(|(name, value)| format!("{name}={value}"));
    let words: Vec<String> = variables.chain(std::iter::once(command).chain(args).cloned()).collect();
    // A word is one argument, whatever characters it has.
    let line = |word: fn(&str) -> String| {
        words.iter().map(|own| quoted_word(&word(own)).into_owned()).collect::<Vec<_>>().join(" ")
    };
    let lines = [line(str::to_owned), line(with_variables)];
    let expander = Expander::new(project, server.expands);
    let (values, is_known) = match cwd {
        Some(cwd) => expander.possible_values(&cwd.to_string_lossy()),
        None => (Vec::new(), true),
    };
    let in_project = |value: &String| match value.strip_prefix("~/") {
        Some(rest) => home.user().join(rest),
        None => project.join(value),
    };
    let folders = values.iter().map(in_project).chain([project.to_path_buf()]).collect();
    // Nor is a command run to find out where programs are looked for.
    let finds_anywhere = env.iter().any(|(name, value)| name == "PATH" && value.starts_with('!'));
    Some(Command { lines, folders, runs_anywhere: !is_known || finds_anywhere })
}

#[cfg(test)]
#[path = "configured_programs_tests.rs"]
mod tests;
