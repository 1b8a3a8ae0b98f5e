//! The files that configure servers, in order of precedence, merged into one table. Files of a project are only read here;
//! what they name waits until the project is trusted (CONTRACT 2.8).

use std::{
    collections::HashSet,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};
use toolsmith_host::regular_file;

use super::{
    entry::{Policy, ServerConfig, Transport, parse_servers},
    origin::{ConfigOrigin, ConfigScope},
};

/// More than any such file has; Claude Code keeps history in its own.
const MAX_BYTES: u64 = 32 << 20;
/// Maximum number of servers. Each may be a process.
const MAX_SERVERS: usize = 200;

/// Directories and files that are searched for configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfigSources {
    /// Working directory.
    pub cwd: PathBuf,
    /// The user's home directory.
    pub user_home: PathBuf,
    /// This program's own directory in it.
    pub own_home: PathBuf,
    /// Compatible agents whose files are not read.
    pub disabled: Vec<String>,
}

impl ConfigSources {
    /// Creates sources that read the files of every agent.
    pub fn new(cwd: impl Into<PathBuf>, user_home: impl Into<PathBuf>, own_home: impl Into<PathBuf>) -> Self {
        Self { cwd: cwd.into(), user_home: user_home.into(), own_home: own_home.into(), disabled: Vec::new() }
    }

    /// Returns the user's own file, which `toolsmith mcp add` changes.
    pub fn user_file(&self) -> PathBuf {
        self.own_home.join("agent/mcp.json")
    }

    /// Returns the project's own file.
    pub fn project_file(&self) -> PathBuf {
        self.cwd.join(".toolsmith/mcp.json")
    }

    /// Returns the paths of all files, whether they exist or not.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files().into_iter().map(|file| file.path).collect()
    }

    /// All files, highest precedence first.
    fn files(&self) -> Vec<ConfigFile> {
        use ConfigScope::{Project, User};
        let (cwd, user) = (&self.cwd, &self.user_home);
        let json = |provider, scope, path| ConfigFile { provider, scope, path, format: Format::Json };
        let mut files = vec![
            json("toolsmith", Project, self.project_file()),
            json("toolsmith", User, self.user_file()),
            json("claude", Project, cwd.join(".mcp.json")),
        ];
        for (provider, folder) in [("omp", ".omp"), ("pi", ".pi"), ("xcsh", ".xcsh")] {
            files.push(json(provider, Project, cwd.join(folder).join("mcp.json")));
            files.push(json(provider, User, user.join(folder).join("agent/mcp.json")));
        }
        let claude = user.join(".claude.json");
        files.push(ConfigFile { provider: "claude", scope: User, path: claude, format: Format::Claude });
        let codex = user.join(".codex/config.toml");
        files.push(ConfigFile { provider: "codex", scope: User, path: codex, format: Format::Codex });
        files.retain(|file| !self.disabled.iter().any(|disabled| disabled == file.provider));
        files
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `{mcpServers: …, disabledServers: […]}`
    Json,
    /// The same for all projects, and below `projects` for one.
    Claude,
    /// TOML with `[mcp_servers.NAME]`.
    Codex,
}

struct ConfigFile {
    provider: &'static str,
    scope: ConfigScope,
    path: PathBuf,
    format: Format,
}

/// A problem in a configuration file. The rest of the file is used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// The file.
    pub file: PathBuf,
    /// The server, if one entry is at fault.
    pub server: Option<String>,
    /// Message.
    pub message: String,
}

/// A server of a project that is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingServer {
    /// Name.
    pub name: String,
    /// Origin.
    pub origin: ConfigOrigin,
    /// The command line or URL.
    pub target: String,
    /// Commands whose output gives values of the entry.
    pub value_commands: Vec<String>,
    /// The entry in full, as the file has it: everything that trust lets run or selects what runs.
    pub full: String,
}

/// The configured servers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Configuration {
    /// Servers with unique names, including disabled ones.
    pub servers: Vec<ServerConfig>,
    /// Servers that wait for trust.
    pub waiting: Vec<WaitingServer>,
    /// Problems.
    pub problems: Vec<ConfigProblem>,
}

/// Reads all files. `is_trusted` decides about files of the project.
pub fn read_configuration(sources: &ConfigSources, is_trusted: impl Fn(&Path) -> bool) -> Configuration {
    let mut merged = Configuration::default();
    let mut disabled: Vec<String> = Vec::new();
    let mut partial: Vec<ServerConfig> = Vec::new();
    for file in sources.files() {
        let Some((tables, off)) = read_file(&file, sources, &mut merged.problems) else { continue };
        let origin = ConfigOrigin::file(file.provider, file.scope, &file.path);
        let waits = file.scope == ConfigScope::Project && !is_trusted(&file.path);
        if !waits {
            disabled.extend(off);
        }
        for parsed in tables.iter().flat_map(|table| parse_servers(table, &origin)) {
            match parsed {
                Err((server, message)) => {
                    let (file, server) = (file.path.clone(), Some(server));
                    merged.problems.push(ConfigProblem { file, server, message });
                }
                Ok(server) if waits => merged.waiting.push(WaitingServer {
                    target: server.target(),
                    value_commands: server.value_commands(),
                    full: server.full_text(),
                    name: server.name,
                    origin: server.origin,
                }),
                Ok(server) if server.transport == Transport::Inherited => partial.push(server),
                // `-` and `_` twins would have the same tool names.
                Ok(server) if merged.servers.iter().any(|known| known.key() == server.key()) => {
                    keep_denials(&mut merged.servers, &server);
                }
                Ok(server) if merged.servers.len() >= MAX_SERVERS => {
                    let message = format!("left out: more than {MAX_SERVERS} servers are configured");
                    let (file, server) = (file.path.clone(), Some(server.name));
                    merged.problems.push(ConfigProblem { file, server, message });
                }
                Ok(server) => merged.servers.push(server),
            }
        }
    }
    // The highest file comes first, so it is applied last.
    for change in partial.into_iter().rev() {
        apply_partial(&mut merged, change);
    }
    for server in &mut merged.servers {
        server.enabled &= !disabled.iter().any(|name| name.replace('-', "_") == server.key());
    }
    merged
}

/// Returns the servers that any file names: also those that wait for trust, are disabled, or that another file replaces. Their
/// programs may be started later. Nothing is run or expanded.
pub fn read_all_servers(sources: &ConfigSources) -> Vec<ServerConfig> {
    let mut found = Vec::new();
    for file in sources.files() {
        let Some((tables, _)) = read_file(&file, sources, &mut Vec::new()) else { continue };
        let origin = ConfigOrigin::file(file.provider, file.scope, &file.path);
        let mut keys = HashSet::new();
        let servers = tables.iter().flat_map(|table| parse_servers(table, &origin)).filter_map(Result::ok);
        // Twins in one file are never used. Of the others, files above may have as many as are used, and this one as many again.
        let servers = servers.filter(|server| keys.insert(server.key())).take(2 * MAX_SERVERS);
        found.extend(servers);
    }
    found
}

/// A deny holds whichever file has it: an entry that replaces another one does not take it back (CONTRACT 5.4).
fn keep_denials(servers: &mut [ServerConfig], replaced: &ServerConfig) {
    let Some(server) = servers.iter_mut().find(|known| known.key() == replaced.key()) else { return };
    if replaced.approval == Some(Policy::Deny) {
        server.approval = Some(Policy::Deny);
        server.tools.values_mut().for_each(|tool| tool.approval = Some(Policy::Deny));
    }
    for (name, own) in &replaced.tools {
        if own.approval == Some(Policy::Deny) {
            server.tools.entry(name.clone()).or_default().approval = Some(Policy::Deny);
        }
    }
}

/// An entry without a command or URL changes whether and how an existing server is used, and nothing else.
fn apply_partial(merged: &mut Configuration, change: ServerConfig) {
    let Some(server) = merged.servers.iter_mut().find(|known| known.key() == change.key()) else {
        merged.problems.push(ConfigProblem {
            file: change.origin.file,
            server: Some(change.name),
            message: "needs \"command\" for stdio or \"url\" for http".to_owned(),
        });
        return;
    };
    server.enabled = change.enabled;
    if change.exposure.is_some() {
        server.exposure = change.exposure;
    }
    for (tool, own) in change.tools {
        if own.exposure.is_some() {
            server.tools.entry(tool).or_default().exposure = own.exposure;
        }
    }
}

type Tables = (Vec<Map<String, Value>>, Vec<String>);

fn read_file(
    file: &ConfigFile,
    sources: &ConfigSources,
    problems: &mut Vec<ConfigProblem>,
) -> Option<Tables> {
    let mut problem = |message: String| {
        problems.push(ConfigProblem { file: file.path.clone(), server: None, message });
    };
    let text = match read_text(file, &sources.cwd) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => {
            problem(format!("cannot be read: {error}"));
            return None;
        }
    };
    let parsed: Result<Value, String> = match file.format {
        Format::Codex => toml::from_str(&text).map_err(|error| format!("is not TOML: {}", error.message())),
        _ if text.trim().is_empty() => return None,
        _ => serde_json::from_str(&text).map_err(|error| format!("is not JSON: {error}")),
    };
    let root = match parsed {
        Ok(Value::Object(root)) => root,
        Ok(_) => {
            problem("must contain an object".to_owned());
            return None;
        }
        Err(message) => {
            problem(message);
            return None;
        }
    };
    let key = if file.format == Format::Codex { "mcp_servers" } else { "mcpServers" };
    let mut tables = Vec::new();
    let mut take = |value: Option<&Value>| match value {
        None | Some(Value::Null) => {}
        Some(Value::Object(table)) => tables.push(table.clone()),
        Some(_) => problem(format!("\"{key}\" must be an object")),
    };
    if file.format == Format::Claude {
        let here = toolsmith_host::real_path(&sources.cwd).unwrap_or_else(|_| sources.cwd.clone());
        let project = root.get("projects").and_then(|projects| projects.get(here.to_string_lossy().as_ref()));
        take(project.and_then(|project| project.get(key)));
    }
    take(root.get(key));
    let off = root.get("disabledServers").and_then(Value::as_array);
    let off = off.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Some((tables, off))
}

fn read_text(file: &ConfigFile, cwd: &Path) -> io::Result<String> {
    let opened = match file.scope {
        ConfigScope::Project => regular_file::open_within(&file.path, cwd)?,
        _ => regular_file::open_regular(&file.path)?,
    };
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}
