//! Installed marketplace plugins: reads `installed_plugins.json` files and uses the `tools` directories of the plugins. The list
//! of an untrusted project is read too, so that its plugins are listed as waiting, but it takes the place of nothing.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::Value;

use super::{
    Scope, ToolSource, found::Finder, plugin_folders::marketplace_plugins, plugins::take_plugin,
    providers::in_home,
};
use crate::{home::Home, small_file};

/// The files in the home directory; later ones take precedence.
const USER_LISTS: &[&str] = &[
    ".claude/plugins/installed_plugins.json",
    ".xcsh/plugins/installed_plugins.json",
    ".omp/plugins/installed_plugins.json",
    ".toolsmith/plugins/installed_plugins.json",
];
/// The files in the project, in the same order.
const PROJECT_LISTS: &[&str] = &[
    ".xcsh/plugins/installed_plugins.json",
    ".omp/plugins/installed_plugins.json",
    ".toolsmith/plugins/installed_plugins.json",
];

#[derive(Deserialize)]
struct Registry {
    #[serde(default)]
    plugins: BTreeMap<String, Value>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Installed {
    scope: Option<String>,
    install_path: Option<String>,
    project_path: Option<String>,
    enabled: Option<bool>,
}

/// A plugin and the file that listed it.
struct Entry {
    installed: Vec<Installed>,
    list: PathBuf,
    scope: Scope,
}

pub(super) fn find(finder: &mut Finder<'_>, source: &dyn Fn(Scope) -> ToolSource) {
    for plugin in marketplace_plugins(finder, source) {
        take_plugin(finder, &plugin);
    }
}

/// Returns the files that list plugins, with their scopes; later ones take precedence.
pub(super) fn lists(project: &Path, home: &Home) -> Vec<(PathBuf, Scope)> {
    let mut lists: Vec<(PathBuf, Scope)> = Vec::new();
    lists.extend(USER_LISTS.iter().map(|list| (in_home(home, list), Scope::User)));
    for list in PROJECT_LISTS {
        let list = project.join(list);
        // In the home directory both are the same.
        if !lists.iter().any(|(known, _)| *known == list) {
            lists.push((list, Scope::Project));
        }
    }
    lists
}

/// Returns the enabled plugins: id, scope of the file that lists it, and directory.
pub(super) fn installed(finder: &mut Finder<'_>) -> Vec<(String, Scope, PathBuf)> {
    let options = finder.options;
    // Plugins by whether they wait for trust, and by id: what waits neither replaces nor disables the user's (CONTRACT 2.8).
    let mut entries: BTreeMap<(bool, String), Entry> = BTreeMap::new();
    for (list, scope) in lists(&options.project, &options.home) {
        let plugins = read(finder, &list, scope);
        let waits = scope == Scope::Project && !plugins.is_empty() && !finder.file_counts(&list);
        for (id, installed) in plugins {
            entries.insert((waits, id), Entry { installed, list: list.clone(), scope });
        }
    }
    for id in disabled_in_claude(finder) {
        entries.remove(&(false, id.clone()));
        entries.remove(&(true, id));
    }
    // The project's plugins come before the user's (CONTRACT 2.2), unless they wait.
    let mut found: Vec<(bool, Scope, String, Scope, PathBuf)> = Vec::new();
    for ((waits, id), entry) in entries {
        if !id.contains('@') {
            finder.warn(&entry.list, format!("Invalid plugin ID format (missing @marketplace): {id}"));
            continue;
        }
        for installed in entry.installed {
            if installed.enabled == Some(false) || !is_for(&installed, &options.cwd) {
                continue;
            }
            let Some(path) = installed.install_path.as_deref().filter(|path| !path.is_empty()) else {
                finder.warn(&entry.list, format!("Plugin {id} entry has no installPath"));
                continue;
            };
            let is_project = matches!(installed.scope.as_deref(), Some("project" | "local"));
            let level = if is_project { Scope::Project } else { entry.scope };
            let base = entry.list.parent().unwrap_or(&options.project);
            // Trust depends on which file listed the plugin, not on the content of that file.
            let folder = super::expand_path(path, base, &options.home);
            found.push((waits, level, id.clone(), entry.scope, folder));
        }
    }
    found.sort();
    found.into_iter().map(|(_, _, id, scope, folder)| (id, scope, folder)).collect()
}

/// Returns the plugins that the user disabled in Claude Code.
fn disabled_in_claude(finder: &Finder<'_>) -> Vec<String> {
    let file = in_home(&finder.options.home, ".claude/settings.json");
    let settings: Option<Value> =
        small_file::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let plugins = settings.as_ref().and_then(|settings| settings.get("enabledPlugins")?.as_object());
    let off = plugins.into_iter().flatten().filter(|(_, value)| **value == Value::Bool(false));
    off.map(|(id, _)| id.clone()).collect()
}

/// Returns whether a plugin was installed for every directory or for this one.
fn is_for(installed: &Installed, cwd: &Path) -> bool {
    let Some(project) = &installed.project_path else {
        return true;
    };
    let real = |path: &Path| toolsmith_host::real_path(path).unwrap_or_else(|_| path.to_path_buf());
    real(cwd).starts_with(real(Path::new(project)))
}

fn read(finder: &mut Finder<'_>, list: &Path, scope: Scope) -> BTreeMap<String, Vec<Installed>> {
    let read = match scope {
        Scope::Project => finder.read_project(list),
        _ => small_file::read(list),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return BTreeMap::new();
        }
        Err(error) => {
            finder.warn(list, format!("cannot be read: {error}"));
            return BTreeMap::new();
        }
    };
    let registry: Registry = match serde_json::from_slice(&bytes) {
        Ok(registry) => registry,
        Err(error) => {
            finder.warn(list, format!("Failed to parse plugin registry: {error}"));
            return BTreeMap::new();
        }
    };
    let mut plugins = BTreeMap::new();
    for (id, value) in registry.plugins {
        // Older files have one installation instead of a list.
        let value = if value.is_object() { Value::Array(vec![value]) } else { value };
        match serde_json::from_value::<Vec<Installed>>(value) {
            Ok(installed) => {
                plugins.insert(id, installed);
            }
            Err(error) => finder.warn(list, format!("Plugin {id} cannot be read: {error}")),
        }
    }
    plugins
}
