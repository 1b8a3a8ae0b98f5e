//! The programs that Toolsmith itself runs because a configuration names them: those of MCP servers, keys and other values. Their
//! files are protected (CONTRACT 5.7).

use std::path::{Path, PathBuf};

use toolsmith_host::location::{Protected, named_anywhere, named_files, with_variables};
use toolsmith_mcp::config::{Expander, ServerConfig, Transport};

use crate::{home::Home, project_root::find_project, settings::Settings};

/// A command line of a configuration, and the directories it may run in.
struct Command {
    line: String,
    folders: Vec<PathBuf>,
    /// It may run in directories that are not listed.
    runs_anywhere: bool,
}

/// Protects programs of the project that MCP servers and keys are configured with.
pub(crate) fn protect_programs(
    protected: &Protected,
    settings: &Settings,
    servers: &[ServerConfig],
    cwd: &Path,
    home: &Home,
) {
    // Servers, and commands that give values, run in the project.
    let project = find_project(cwd, home);
    let value = |text: &str| {
        // A value that starts with `!` is the output of a command.
        let line = text.strip_prefix('!')?.to_owned();
        Some(Command { line, folders: vec![project.clone()], runs_anywhere: false })
    };
    let mut commands = Vec::new();
    for server in servers {
        commands.extend(server_command(server, &project, home));
        commands.extend(values(server).iter().filter_map(|text| value(text)));
    }
    let keys = settings.providers.values().filter_map(|provider| provider.api_key.as_deref());
    commands.extend(keys.filter_map(value));
    for Command { line, folders, runs_anywhere } in commands {
        for line in [with_variables(&line), line] {
            for folder in &folders {
                protected.add_named(&named_files(&line, &[folder, cwd], Some(home.user())));
            }
            if runs_anywhere {
                protected.add_named_anywhere(&named_anywhere(&line, &project, Some(home.user())));
            }
        }
    }
}

/// Returns the command of a server. A command that gives its directory is not run to find the directory out.
fn server_command(server: &ServerConfig, project: &Path, home: &Home) -> Option<Command> {
    let Transport::Stdio { command, args, env, cwd, .. } = &server.transport else { return None };
    // Variables such as `NODE_OPTIONS` and `PYTHONPATH` select code too.
    let variables = env.iter().map(|(name, value)| format!("{name}={value}"));
    let words = variables.chain(std::iter::once(command).chain(args).cloned());
    let line = words.collect::<Vec<_>>().join(" ");
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
    Some(Command { line, folders, runs_anywhere: !is_known || finds_anywhere })
}

/// Returns the values of a server's entry that may be commands.
fn values(server: &ServerConfig) -> Vec<String> {
    let mut values: Vec<String> = match &server.transport {
        Transport::Stdio { env, cwd, .. } => {
            let cwd = cwd.iter().map(|folder| folder.to_string_lossy().into_owned());
            env.values().cloned().chain(cwd).collect()
        }
        Transport::Http { url, headers } => headers.values().chain([url]).cloned().collect(),
        _ => Vec::new(),
    };
    values.extend(server.oauth.client_id.iter().chain(&server.oauth.client_secret).cloned());
    values
}
