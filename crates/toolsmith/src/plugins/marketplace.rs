//! Marketplaces: lists of plugins in the form of Claude Code.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{error::PluginError, inside::inside, manifest::marketplace_file, source::PluginSource};
use crate::discovery::read_json;

/// Most plugins that are read.
const MAX_PLUGINS: usize = 2000;
/// Fields of an entry that describe the contents of a plugin without a manifest of its own.
const COMPONENTS: [&str; 6] = ["skills", "commands", "agents", "hooks", "mcpServers", "tools"];

/// A list of plugins.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Marketplace {
    /// Name.
    pub name: String,
    /// Names and descriptions of its plugins.
    pub plugins: BTreeMap<String, String>,
    entries: BTreeMap<String, Map<String, Value>>,
    /// Directory that relative sources start from.
    root: PathBuf,
}

#[derive(Deserialize)]
struct Stored {
    name: String,
    #[serde(default)]
    plugins: Vec<Map<String, Value>>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

/// Location of a plugin of a marketplace.
pub(super) enum Place {
    /// In the marketplace itself.
    Folder(PathBuf),
    /// Elsewhere.
    Source(PluginSource),
}

impl Marketplace {
    /// Reads the marketplace in a directory; `None` if there is none.
    ///
    /// # Errors
    /// Fails if its file cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, PluginError> {
        let Some(file) = marketplace_file(folder) else { return Ok(None) };
        let stored = read_json::<Stored>(&file).map_err(PluginError::Invalid)?;
        let Some(stored) = stored else { return Ok(None) };
        let root = stored.metadata.get("pluginRoot").and_then(Value::as_str);
        let root = root.and_then(|root| inside(folder, root).ok()).unwrap_or_else(|| folder.to_path_buf());
        let mut found = Self { name: stored.name, root, ..Self::default() };
        for entry in stored.plugins.into_iter().take(MAX_PLUGINS) {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let name = text("name");
            if !name.is_empty() {
                found.plugins.insert(name.clone(), text("description"));
                found.entries.insert(name, entry);
            }
        }
        Ok(Some(found))
    }

    /// Returns where a plugin is.
    pub(super) fn place(&self, plugin: &str) -> Result<Place, PluginError> {
        let entry = self.entries.get(plugin).ok_or_else(|| self.missing(plugin))?;
        let unknown = || PluginError::Invalid(format!("the source of \"{plugin}\" is not supported"));
        match entry.get("source") {
            None => Ok(Place::Folder(self.root.clone())),
            Some(Value::String(path)) => inside(&self.root, path).map(Place::Folder).map_err(|_| {
                PluginError::Invalid(format!(
                    "\"{path}\" of the plugin \"{plugin}\" is outside the marketplace"
                ))
            }),
            Some(source) => {
                let text = |name: &str| source.get(name).and_then(Value::as_str);
                let kind = text("source").or_else(|| text("type")).unwrap_or_default();
                let written = match kind {
                    "github" => format!("github:{}", text("repo").ok_or_else(unknown)?),
                    "url" | "git" | "git-subdir" => format!("git:{}", text("url").ok_or_else(unknown)?),
                    "npm" => {
                        let version =
                            text("version").map(|version| format!("@{version}")).unwrap_or_default();
                        format!("npm:{}{version}", text("package").ok_or_else(unknown)?)
                    }
                    _ => return Err(unknown()),
                };
                let mut parsed = PluginSource::parse(&written, |path| self.root.join(path))?;
                if let PluginSource::Git { reference, folder, .. } = &mut parsed {
                    let wanted = text("sha").or_else(|| text("commit")).or_else(|| text("ref"));
                    if let Some(wanted) = wanted.filter(|wanted| !wanted.starts_with('-')) {
                        *reference = Some(wanted.to_owned());
                    }
                    *folder = text("path").map(str::to_owned);
                }
                Ok(Place::Source(parsed))
            }
        }
    }

    /// Gives a plugin without a manifest the one that its entry describes.
    pub(super) fn complete(&self, plugin: &str, folder: &Path) -> Result<(), PluginError> {
        let Some(entry) = self.entries.get(plugin) else { return Ok(()) };
        let has_manifest = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json"]
            .iter()
            .any(|name| folder.join(name).exists());
        if has_manifest || !COMPONENTS.iter().any(|name| entry.contains_key(*name)) {
            return Ok(());
        }
        let parts: Map<String, Value> = COMPONENTS
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), entry.get(*name)?.clone())))
            .collect();
        let mut manifest = json!({ "name": plugin, "toolsmith": parts });
        for name in ["version", "description"] {
            if let Some(value) = entry.get(name) {
                manifest[name] = value.clone();
            }
        }
        let file = folder.join("package.json");
        fs::write(&file, manifest.to_string()).map_err(PluginError::io(&file))
    }

    fn missing(&self, plugin: &str) -> PluginError {
        let closest = toolsmith_tool::closest_names(plugin, self.plugins.keys().map(String::as_str));
        let hint = match closest.as_slice() {
            [] => {
                format!("; it has {}", self.plugins.keys().take(20).cloned().collect::<Vec<_>>().join(", "))
            }
            names => format!("; did you mean {}?", names.join(" or ")),
        };
        PluginError::NotFound(format!("the marketplace {} has no plugin \"{plugin}\"{hint}", self.name))
    }
}
