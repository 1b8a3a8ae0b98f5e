//! The configured servers of a working directory, and a client for them.

use std::{path::Path, sync::Arc};

use toolsmith_mcp::{
    ClientOptions, McpError, Servers,
    auth::TokenFile,
    config::{
        ConfigOrigin, ConfigScope, ConfigSources, Configuration, ServerConfig, parse_servers,
        read_configuration,
    },
    tool_name,
};
use toolsmith_tool::{Tool, UiHandle};

use crate::{
    discovery::{DiscoveryOptions, Scope},
    home::Home,
    plugins::{installed_plugins, with_plugin_root},
    project_root::find_project,
    settings::Settings,
    trust::TrustDecision,
};

/// Reads which servers are configured for the project of `cwd` (CONTRACT 12.1). Those of a project that is not trusted wait.
pub fn mcp_configuration(
    cwd: &Path,
    home: &Home,
    settings: &Settings,
    trust: &TrustDecision,
) -> Configuration {
    let project = find_project(cwd, home);
    let real_project = toolsmith_host::real_path(&project).unwrap_or_else(|_| project.clone());
    let is_inside =
        |file: &Path| toolsmith_host::real_path(file).is_ok_and(|real| real.starts_with(&real_project));
    // As for modules: an untrusted project cannot choose a trusted file elsewhere through a link, and trust in a project does
    // not cover what its links lead to (CONTRACT 2.8).
    let mut configuration =
        read_configuration(&sources(&project, home, settings), |file| match is_inside(file) {
            true => trust.allows(&project) || trust.allows(file),
            false => trust.allows(&project) && trust.allows(file),
        });
    add_plugin_servers(&mut configuration, cwd, home, settings, trust);
    configuration
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
            let root = serde_json::json!(plugin.folder).as_str().unwrap_or_default().to_owned();
            let entry = with_plugin_root(server.entry.clone(), &root);
            let table = serde_json::Map::from_iter([(server.name.clone(), entry)]);
            let file = plugin.manifest.file.as_ref().unwrap_or(&plugin.folder);
            let origin = ConfigOrigin::file("plugin", ConfigScope::Plugin, file);
            for parsed in parse_servers(&table, &origin) {
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

/// Creates a client for servers, which run in the project of `cwd`. Nothing is started. `untrusted` is the project if it is not
/// trusted: programs in it are not found by name.
pub fn mcp_servers(
    servers: Vec<ServerConfig>,
    cwd: &Path,
    home: &Home,
    untrusted: Option<&Path>,
    ui: UiHandle,
) -> Servers {
    let tokens = TokenFile::at(home.toolsmith().join("mcp-auth.json"));
    let options = ClientOptions::new(find_project(cwd, home), tokens)
        .search_path(crate::trust::program_folders(untrusted))
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
            let prefix = tool_name(server, "");
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
