//! The installed plugins with their manifests, and what lock files and project overrides say about them. Everything that uses
//! a plugin, or lists what it contains, starts here.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{
    DiscoveryOptions, Scope, ToolSource,
    found::Finder,
    marketplace,
    overrides::FoundOverrides,
    plugins::{packages, read_json},
    providers::{PROVIDERS, in_home},
};
use crate::{
    home::Home,
    load_error::ToolLoadError,
    plugins::{PluginManifest, package_manifest, read_package, read_plugin},
    warning::Warning,
};

/// A directory of plugins.
pub(super) struct Root {
    pub(super) folder: &'static str,
    lock: &'static str,
    /// It belongs to another agent, which reads `package.json`. In ours the documented order of manifests holds.
    is_foreign: bool,
}

/// The plugin directories with their lock files, highest precedence first.
pub(super) const ROOTS: &[Root] = &[
    Root { folder: ".toolsmith/plugins", lock: "toolsmith-plugins.lock.json", is_foreign: false },
    Root { folder: ".omp/plugins", lock: "omp-plugins.lock.json", is_foreign: true },
    Root { folder: ".pi/plugins", lock: "pi-plugins.lock.json", is_foreign: true },
    Root { folder: ".xcsh/plugins", lock: "xcsh-plugins.lock.json", is_foreign: true },
];

#[derive(Default, Deserialize)]
struct Lock {
    #[serde(default)]
    plugins: BTreeMap<String, LockEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LockEntry {
    /// `None` means those that are enabled by default.
    enabled_features: Option<Vec<String>>,
    enabled: Option<bool>,
    /// Disabled parts, such as `tools/NAME`.
    #[serde(default)]
    disabled: Vec<String>,
}

/// An installed plugin.
pub(crate) struct PluginFolder {
    /// Name without the marketplace.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) source: ToolSource,
    pub(crate) manifest: PluginManifest,
    pub(crate) is_enabled: bool,
    /// Disabled parts.
    pub(crate) disabled: Vec<String>,
    /// The features in use; `None` means those that are enabled by default.
    pub(super) features: Option<Vec<String>>,
}

/// Returns the files and directories that decide which plugins are installed, whether they exist or not.
pub(crate) fn plugin_lists(project: &Path, home: &Home) -> Vec<PathBuf> {
    let roots = ROOTS.iter().flat_map(|root| {
        let folder = in_home(home, root.folder);
        [folder.join("node_modules"), folder.join(root.lock)]
    });
    roots.chain(marketplace::lists(project, home).into_iter().map(|(list, _)| list)).collect()
}

/// Finds the plugins. One whose lock file or manifest cannot be read is left out: it may be disabled there.
pub(crate) fn plugin_folders(options: &DiscoveryOptions) -> (Vec<PluginFolder>, Vec<Warning>) {
    let mut finder = Finder::new(options);
    let mut found = match options.settings.discovery.is_on("plugins") {
        true => packaged_plugins(&mut finder),
        false => Vec::new(),
    };
    let mut names: HashSet<String> = found.iter().map(|plugin| plugin.name.clone()).collect();
    if let Some(provider) = PROVIDERS.iter().find(|provider| provider.folders.is_none())
        && options.settings.discovery.is_on(provider.id)
    {
        let source = |scope| ToolSource::new(provider.id, provider.name, scope);
        for plugin in marketplace_plugins(&mut finder, &source) {
            if names.insert(plugin.name.clone()) {
                found.push(plugin);
            }
        }
    }
    let found_faults = finder.finish();
    let errors = found_faults.errors.into_iter().map(|error| {
        let warning = Warning::about(&error.path, format!("hides a plugin: {}", error.message));
        match error.hint {
            Some(hint) => warning.hint(hint),
            None => warning,
        }
    });
    (found, found_faults.warnings.into_iter().chain(errors).collect())
}

/// Finds the plugins in the plugin directories of Toolsmith and compatible agents (CONTRACT 2.4).
pub(super) fn packaged_plugins(finder: &mut Finder<'_>) -> Vec<PluginFolder> {
    let options = finder.options;
    let overrides = FoundOverrides::read(&options.project, &options.home, &options.trust);
    for (file, problem) in &overrides.problems {
        finder.warn(file, problem);
    }
    let overrides = overrides.in_effect();
    let mut found = Vec::new();
    let mut winners: HashMap<String, PathBuf> = HashMap::new();
    for root in ROOTS {
        let folder = in_home(&options.home, root.folder);
        let packages = packages(finder, &folder.join("node_modules"));
        if packages.is_empty() {
            continue;
        }
        let lock_file = folder.join(root.lock);
        let lock = match read_json::<Lock>(&lock_file) {
            Ok(lock) => lock.unwrap_or_default(),
            Err(message) => {
                // It is unknown which plugins are disabled, so none of them is run.
                let error = ToolLoadError::new(&lock_file, &ToolSource::plugin("lock file"), message)
                    .hint("Correct or remove the file. Until then its plugins are not loaded.");
                finder.error(error);
                continue;
            }
        };
        for (name, folder) in packages {
            if let Some(winner) = winners.get(&name) {
                let winner = winner.display().to_string();
                finder.warn(&folder, format!("plugin {name} is skipped: {winner} has the same name"));
                continue;
            }
            let entry = lock.plugins.get(&name);
            let source = ToolSource::plugin(&name);
            let manifest = match manifest_of(&folder, entry.is_some(), root.is_foreign) {
                Ok(Some(manifest)) => manifest,
                Ok(None) => continue,
                Err(message) => {
                    finder.error(ToolLoadError::new(&folder, &source, message));
                    continue;
                }
            };
            winners.insert(name.clone(), folder.clone());
            let features = overrides.features.get(&name);
            found.push(PluginFolder {
                is_enabled: entry.is_none_or(|entry| entry.enabled != Some(false))
                    && !overrides.disabled.contains(&name),
                disabled: entry.map(|entry| entry.disabled.clone()).unwrap_or_default(),
                features: features.or_else(|| entry?.enabled_features.as_ref()).cloned(),
                source,
                name,
                folder,
                manifest,
            });
        }
    }
    found
}

/// Reads the manifest of a package; `None` if it is not a plugin.
fn manifest_of(folder: &Path, is_listed: bool, is_foreign: bool) -> Result<Option<PluginManifest>, String> {
    // Without an entry in the lock file it may be a package that only another one needs. Then `package.json` says whether it is
    // a plugin, and no code in the usual directories counts.
    if !is_listed {
        match package_manifest(folder)? {
            None => return Ok(None),
            Some(manifest) if !manifest.is_field() => return Ok(Some(manifest.without_modules())),
            Some(manifest) if is_foreign => return Ok(Some(manifest)),
            Some(_) => {}
        }
    }
    match is_foreign {
        true => read_package(folder),
        false => read_plugin(folder),
    }
}

/// Finds the plugins that lists of marketplaces have. Their modules are those in `tools` (CONTRACT 2.2).
pub(super) fn marketplace_plugins(
    finder: &mut Finder<'_>,
    source: &dyn Fn(Scope) -> ToolSource,
) -> Vec<PluginFolder> {
    let mut found = Vec::new();
    for (id, scope, folder) in marketplace::installed(finder) {
        let name = id.split('@').next().unwrap_or(&id).to_owned();
        let source = source(scope).detail(id);
        let manifest = match read_plugin(&folder) {
            Ok(manifest) => manifest.unwrap_or_default().with_tools_of(&folder),
            Err(message) => {
                finder.error(ToolLoadError::new(&folder, &source, message));
                continue;
            }
        };
        if manifest.file.is_none() && manifest.contents.is_empty() {
            continue;
        }
        let (is_enabled, disabled, features) = (true, Vec::new(), None);
        found.push(PluginFolder { name, folder, source, manifest, is_enabled, disabled, features });
    }
    found
}
