//! The installed plugins: packages in the plugin directories of Toolsmith and compatible agents, and plugins of marketplaces.

use std::path::PathBuf;

use serde_json::Value;

use super::{contents::PluginContents, manifest::PluginManifest};
use crate::{
    discovery::{DiscoveryOptions, ToolSource, plugin_folders},
    warning::Warning,
};

/// An installed plugin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InstalledPlugin {
    /// Name.
    pub name: String,
    /// Directory.
    pub folder: PathBuf,
    /// Origin.
    pub source: ToolSource,
    /// Manifest.
    pub manifest: PluginManifest,
    /// It is not disabled as a whole.
    pub is_enabled: bool,
    /// Disabled parts, such as `skills/NAME`.
    pub disabled: Vec<String>,
}

impl InstalledPlugin {
    /// Returns its contents.
    pub fn contents(&self) -> &PluginContents {
        &self.manifest.contents
    }

    /// Returns the name in front of those of its skills and commands: without the scope of an npm package.
    pub fn prefix(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Returns whether a part is disabled: its kind and its name.
    pub fn is_disabled(&self, kind: &str, name: &str) -> bool {
        self.disabled
            .iter()
            .any(|part| part.strip_prefix(kind).and_then(|rest| rest.strip_prefix('/')) == Some(name))
    }
}

/// The installed plugins.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct InstalledPlugins {
    /// The plugins, in order of precedence.
    pub list: Vec<InstalledPlugin>,
    /// Plugins that cannot be read, and faults of manifests.
    pub warnings: Vec<Warning>,
}

impl InstalledPlugins {
    /// Returns the plugins that are used.
    pub fn enabled(&self) -> impl Iterator<Item = &InstalledPlugin> {
        self.list.iter().filter(|plugin| plugin.is_enabled)
    }
}

/// Replaces the variable that stands for the directory of a plugin.
pub(crate) fn with_plugin_root(value: Value, root: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("${CLAUDE_PLUGIN_ROOT}", root)),
        Value::Array(items) => items.into_iter().map(|item| with_plugin_root(item, root)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_plugin_root(value, root))).collect()
        }
        other => other,
    }
}

/// Finds the installed plugins. Nothing of them is run.
pub fn installed_plugins(options: &DiscoveryOptions) -> InstalledPlugins {
    let (folders, warnings) = plugin_folders(options);
    let mut found = InstalledPlugins { list: Vec::new(), warnings };
    for plugin in folders {
        for problem in &plugin.manifest.problems {
            let warning = Warning::about(&plugin.folder, format!("has a fault in its manifest: {problem}"));
            if !found.warnings.contains(&warning) {
                found.warnings.push(warning);
            }
        }
        found.list.push(InstalledPlugin {
            name: plugin.name,
            folder: plugin.folder,
            source: plugin.source,
            manifest: plugin.manifest,
            is_enabled: plugin.is_enabled,
            disabled: plugin.disabled,
        });
    }
    found
}
