//! The directories of installed plugins, with what lock files and project overrides say about them.

use std::{collections::HashSet, path::PathBuf};

use super::{
    DiscoveryOptions, ToolSource,
    found::Finder,
    marketplace,
    plugins::{Lock, ROOTS, packages, read_json, read_overrides},
    providers::{PROVIDERS, in_home},
};
use crate::warning::Warning;

/// The directory of an installed plugin.
pub(crate) struct PluginFolder {
    /// Name without the marketplace.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) source: ToolSource,
    pub(crate) is_enabled: bool,
    /// Disabled parts.
    pub(crate) disabled: Vec<String>,
    /// Somebody installed it as a plugin; it is not only needed by another package.
    pub(crate) is_listed: bool,
}

/// Finds the directories. A plugin whose lock file cannot be read is left out, because it may be disabled there.
pub(crate) fn plugin_folders(options: &DiscoveryOptions) -> (Vec<PluginFolder>, Vec<Warning>) {
    let mut finder = Finder::new(options);
    let mut found: Vec<PluginFolder> = Vec::new();
    let mut names = HashSet::new();
    if options.settings.discovery.is_on("plugins") {
        let overrides = read_overrides(&mut finder);
        for (root, lock) in ROOTS {
            let root = in_home(&options.home, root);
            let packages = packages(&mut finder, &root.join("node_modules"));
            if packages.is_empty() {
                continue;
            }
            let lock_file = root.join(lock);
            let lock = match read_json::<Lock>(&lock_file) {
                Ok(lock) => lock.unwrap_or_default(),
                Err(message) => {
                    finder.warn(&lock_file, format!("hides its plugins: {message}"));
                    continue;
                }
            };
            for (name, folder) in packages {
                if !names.insert(name.clone()) {
                    continue;
                }
                let entry = lock.plugins.get(&name);
                found.push(PluginFolder {
                    is_enabled: entry.is_none_or(|entry| entry.enabled != Some(false))
                        && !overrides.disabled.contains(&name),
                    disabled: entry.map(|entry| entry.disabled.clone()).unwrap_or_default(),
                    is_listed: entry.is_some(),
                    source: ToolSource::plugin(&name),
                    name,
                    folder,
                });
            }
        }
    }
    if let Some(provider) = PROVIDERS.iter().find(|provider| provider.folders.is_none())
        && options.settings.discovery.is_on(provider.id)
    {
        for (id, scope, folder) in marketplace::installed(&mut finder) {
            let name = id.split('@').next().unwrap_or(&id).to_owned();
            if names.insert(name.clone()) {
                let source = ToolSource::new(provider.id, provider.name, scope).detail(id);
                found.push(PluginFolder {
                    name,
                    folder,
                    source,
                    is_enabled: true,
                    disabled: Vec::new(),
                    is_listed: true,
                });
            }
        }
    }
    (found, finder.finish().warnings)
}
