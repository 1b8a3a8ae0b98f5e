//! The configured servers of a working directory, and a client for them.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_mcp::{
    ClientOptions, McpError, Permit, Servers,
    auth::TokenFile,
    config::{
        ConfigOrigin, ConfigScope, ConfigSources, Configuration, ServerConfig, parse_servers,
        read_all_servers, read_configuration,
    },
    tool_name_prefix,
};
use toolsmith_tool::{Tool, UiHandle};

use crate::{
    discovery::{DiscoveryOptions, Scope},
    home::Home,
    plugins::{InstalledPlugin, InstalledPlugins, PluginServer, installed_plugins, with_plugin_root},
    project_root::find_project,
    settings::Settings,
    trust::TrustDecision,
};

/// Origin of the servers of plugins.
const PLUGIN: &str = "plugin";

/// Reads which servers are configured for the project of `cwd` (CONTRACT 12.1). Those of a project that is not trusted wait.
pub fn mcp_configuration(
    cwd: &Path,
    home: &Home,
    settings: &Settings,
    trust: &TrustDecision,
) -> Configuration {
    let project = find_project(cwd, home);
    let is_trusted = |file: &Path| is_file_trusted(file, &project, trust);
    let mut configuration = read_configuration(&sources(&project, home, settings), is_trusted);
    add_plugin_servers(&mut configuration, cwd, home, settings, trust);
    configuration
}

/// Returns whether a file of the project may choose servers. As for modules: an untrusted project cannot choose a trusted file
/// elsewhere through a link, and trust in a project does not cover what its links lead to (CONTRACT 2.8).
fn is_file_trusted(file: &Path, project: &Path, trust: &TrustDecision) -> bool {
    let real_project = toolsmith_host::real_path(project).unwrap_or_else(|_| project.to_path_buf());
    let is_inside = toolsmith_host::real_path(file).is_ok_and(|real| real.starts_with(&real_project));
    match is_inside {
        true => trust.allows(project) || trust.allows(file),
        false => trust.allows(project) && trust.allows(file),
    }
}

/// Permits servers of a project as long as it is trusted. Those that it does not cover now are the choice of the embedding program.
pub(crate) fn trusted_servers(
    servers: &[ServerConfig],
    cwd: &Path,
    home: &Home,
    settings: &Settings,
    trust: &TrustDecision,
) -> Permit {
    let project = find_project(cwd, home);
    let mut files: HashSet<PathBuf> = HashSet::new();
    let mut folders: HashMap<PathBuf, PathBuf> = HashMap::new();
    for origin in servers.iter().map(|server| &server.origin) {
        if origin.scope == ConfigScope::Project && is_file_trusted(&origin.file, &project, trust) {
            files.insert(origin.file.clone());
        }
    }
    if servers.iter().any(|server| server.origin.provider == PLUGIN) {
        let options =
            DiscoveryOptions::new(cwd, home.clone()).settings(settings.clone()).trust(trust.clone());
        for plugin in installed_plugins(&options).enabled() {
            if plugin.source.scope != Scope::User && trust.allows(&plugin.folder) {
                folders.insert(plugin_file(plugin).to_path_buf(), plugin.folder.clone());
            }
        }
    }
    let trust = trust.clone();
    Permit::new(move |server| {
        let file = &server.origin.file;
        match server.origin.provider {
            PLUGIN => folders.get(file).is_none_or(|folder| trust.allows_now(folder)),
            _ => !files.contains(file) || is_file_trusted(file, &project, &trust.renewed()),
        }
    })
}

/// Returns the file that names the servers of a plugin.
fn plugin_file(plugin: &InstalledPlugin) -> &Path {
    plugin.manifest.file.as_ref().unwrap_or(&plugin.folder)
}

fn parse_plugin_server(
    plugin: &InstalledPlugin,
    server: &PluginServer,
) -> Vec<Result<ServerConfig, (String, String)>> {
    let root = serde_json::json!(plugin.folder).as_str().unwrap_or_default().to_owned();
    let entry = with_plugin_root(server.entry.clone(), &root);
    let table = serde_json::Map::from_iter([(server.name.clone(), entry)]);
    let origin = ConfigOrigin::file(PLUGIN, ConfigScope::Plugin, plugin_file(plugin));
    parse_servers(&table, &origin)
}

/// Returns the servers that any file or plugin names for the project, and the files that name them: also servers that wait for
/// trust, are disabled or replaced. Nothing is run.
pub(crate) fn all_mcp_servers(
    project: &Path,
    home: &Home,
    plugins: &InstalledPlugins,
) -> (Vec<ServerConfig>, Vec<PathBuf>) {
    let sources = ConfigSources::new(project, home.user(), home.toolsmith());
    let mut servers = read_all_servers(&sources);
    for plugin in &plugins.list {
        let own = plugin.contents().mcp_servers.iter();
        servers.extend(own.flat_map(|server| parse_plugin_server(plugin, server)).filter_map(Result::ok));
    }
    (servers, sources.paths())
}

/// Adds the servers of installed plugins. Those that are configured by the same name take precedence.
fn add_plugin_servers(
    configuration: &mut Configuration,
    cwd: &Path,
    home: &Home,
    settings: &Settings,
    trust: &TrustDecision,
) {
    let options = DiscoveryOptions::new(cwd, home.clone()).settings(settings.clone()).trust(trust.clone());
    for plugin in installed_plugins(&options).enabled() {
        // A plugin that a project lists is code of the project.
        let is_allowed = plugin.source.scope == Scope::User || trust.allows(&plugin.folder);
        let servers = plugin.contents().mcp_servers.iter();
        for server in servers.filter(|server| is_allowed && !plugin.is_disabled("mcp", &server.name)) {
            for parsed in parse_plugin_server(plugin, server) {
                match parsed {
                    Ok(server) if configuration.servers.iter().all(|known| known.key() != server.key()) => {
                        configuration.servers.push(server);
                    }
                    Ok(_) => {}
                    Err((name, problem)) => {
                        tracing::warn!(
                            plugin = plugin.name,
                            server = name,
                            problem,
                            "An MCP server of a plugin is not used"
                        );
                    }
                }
            }
        }
    }
}

fn sources(project: &Path, home: &Home, settings: &Settings) -> ConfigSources {
    let mut sources = ConfigSources::new(project, home.user(), home.toolsmith());
    let all = ["toolsmith", "claude", "omp", "pi", "xcsh", "codex"];
    sources.disabled =
        all.iter().filter(|name| !settings.discovery.is_on(name)).map(|name| (*name).to_owned()).collect();
    sources
}

/// Creates a client for servers, which run in the project of `cwd`. Nothing is started. Programs of a project that
/// is not trusted are not found by name; see [`crate::guard_programs`].
pub fn mcp_servers(servers: Vec<ServerConfig>, cwd: &Path, home: &Home, ui: UiHandle) -> Servers {
    permitted_servers(servers, cwd, home, ui, Permit::default())
}

/// Creates a client for servers that may be used while `permit` says so.
pub(crate) fn permitted_servers(
    servers: Vec<ServerConfig>,
    cwd: &Path,
    home: &Home,
    ui: UiHandle,
    permit: Permit,
) -> Servers {
    let tokens = TokenFile::at(home.toolsmith().join("mcp-auth.json"));
    let options = ClientOptions::new(find_project(cwd, home), tokens)
        .permit(permit)
        .cache(home.toolsmith().join("cache/mcp"))
        .ui(ui);
    Servers::new(servers, &options)
}

/// Finds a tool of a configured server by its name, starting only the server the name belongs to. `None` if the name is not
/// that of an MCP tool here.
///
/// # Errors
/// Fails if the server cannot be started.
pub async fn find_mcp_tool(servers: &Servers, name: &str) -> Result<Option<Arc<dyn Tool>>, McpError> {
    let mut matching: Vec<String> = servers
        .list()
        .into_iter()
        .map(|server| server.config.name)
        .filter(|server| {
            let prefix = tool_name_prefix(server);
            name.starts_with(prefix.trim_end_matches('_')) || name.starts_with(&prefix.replace('-', "_"))
        })
        .collect();
    // The longest name first: `git` is the beginning of `git-hub`.
    matching.sort_by_key(|server| std::cmp::Reverse(server.len()));
    for server in matching {
        servers.start(&server).await?;
        if let Some(tool) = servers.tools_of(&server).into_iter().find(|tool| tool.spec().name == name) {
            return Ok(Some(tool));
        }
    }
    Ok(None)
}
