//! Modules of installed plugins (CONTRACT 2.4): those that their manifests name, as [`read_plugin`](crate::plugins::read_plugin)
//! reads them. What `toolsmith plugin add` shows is found by the same functions.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};

use super::{
    DiscoveryOptions, ModuleKind, ToolSource,
    configured::take_named,
    found::Finder,
    plugin_folders::{PluginFolder, packaged_plugins},
    scan::{index_file, scan_some},
};
use crate::{
    home::Home,
    load_error::ToolLoadError,
    plugins::{ManifestFault, NotInside, PluginManifest, inside},
    settings::Settings,
    small_file,
    trust::TrustDecision,
};

/// Manifest fields; the first one present is used.
pub(crate) const MANIFEST_FIELDS: &[&str] = &["toolsmith", "omp", "xcsh", "pi"];

/// A field of a manifest that has one path or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(path) => vec![path],
            Self::Many(paths) => paths,
        }
    }
}

pub(super) fn find(finder: &mut Finder<'_>) {
    if !finder.options.settings.discovery.is_on("plugins") {
        return;
    }
    for plugin in packaged_plugins(finder).into_iter().filter(|plugin| plugin.is_enabled) {
        take_plugin(finder, &plugin);
    }
}

/// Adds the modules of a plugin: those of the plugin itself and those of the features in use.
pub(super) fn take_plugin(finder: &mut Finder<'_>, plugin: &PluginFolder) {
    let manifest = &plugin.manifest;
    let file = manifest.file.as_deref().unwrap_or(&plugin.folder);
    for fault in &manifest.faults {
        report(finder, file, fault, &plugin.source);
    }
    let contents = &manifest.contents;
    for unknown in plugin.features.iter().flatten() {
        if unknown != "*" && !contents.features.contains_key(unknown) {
            finder.warn(file, format!("plugin {} has no feature \"{unknown}\"", plugin.name));
        }
    }
    let pick = |tools: &[PathBuf], extensions: &[PathBuf]| match finder.looking_for {
        ModuleKind::Extension => extensions.to_vec(),
        ModuleKind::Tool => tools.to_vec(),
    };
    let mut paths = pick(&contents.tools, &contents.extensions);
    for (name, feature) in &contents.features {
        let is_on = match &plugin.features {
            Some(chosen) => chosen.iter().any(|chosen| chosen == name || chosen == "*"),
            None => feature.is_default,
        };
        if is_on {
            paths.extend(pick(&feature.tools, &feature.extensions));
        }
    }
    take_paths(finder, manifest, &plugin.folder, &paths, &plugin.disabled, &plugin.source);
}

fn take_paths(
    finder: &mut Finder<'_>,
    manifest: &PluginManifest,
    folder: &Path,
    paths: &[PathBuf],
    disabled: &[String],
    source: &ToolSource,
) {
    finder.plugin = toolsmith_host::real_path(folder).ok();
    let kind = match finder.looking_for {
        ModuleKind::Extension => "extensions",
        ModuleKind::Tool => "tools",
    };
    // A part is named after its file.
    let is_disabled = |path: &Path| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        disabled.contains(&format!("{kind}/{stem}"))
    };
    for path in paths.iter().filter(|path| !is_disabled(path)) {
        // A directory that `package.json` names stands for its index file, if it has one.
        let is_searched =
            path.is_dir() && (!manifest.is_field() || (!disabled.is_empty() && index_file(path).is_none()));
        match is_searched {
            true => drop(scan_some(finder, path, source, |name| !is_disabled(Path::new(name)))),
            false => take_named(finder, path, source),
        }
    }
    finder.plugin = None;
}

/// A module as the manifest of its plugin names it.
pub(crate) struct PluginModule {
    pub(crate) path: PathBuf,
    pub(crate) kind: ModuleKind,
    /// The feature it belongs to, and whether that is used by default.
    pub(crate) feature: Option<(String, bool)>,
}

/// Returns all modules that a plugin may load, with those of features that are not in use.
pub(crate) fn plugin_modules(manifest: &PluginManifest, folder: &Path) -> Vec<PluginModule> {
    let options = DiscoveryOptions {
        cwd: folder.to_path_buf(),
        project: folder.to_path_buf(),
        home: Home::at(folder),
        configured: Vec::new(),
        extensions: Vec::new(),
        settings: Settings::default(),
        trust: TrustDecision::default(),
    };
    let contents = &manifest.contents;
    let own = (None, &contents.tools, &contents.extensions);
    let features = contents.features.iter().map(|(name, feature)| {
        (Some((name.clone(), feature.is_default)), &feature.tools, &feature.extensions)
    });
    let mut found = Vec::new();
    for (feature, tools, extensions) in std::iter::once(own).chain(features) {
        for (kind, paths) in [(ModuleKind::Tool, tools), (ModuleKind::Extension, extensions)] {
            let mut finder = Finder::new(&options);
            finder.looking_for = kind;
            take_paths(&mut finder, manifest, folder, paths, &[], &ToolSource::plugin(&manifest.name));
            let modules = finder.finish().modules.into_iter();
            found.extend(modules.map(|module| PluginModule {
                path: module.path,
                kind,
                feature: feature.clone(),
            }));
        }
    }
    found
}

/// Returns the packages of a `node_modules` directory by name, including scoped ones.
pub(super) fn packages(finder: &mut Finder<'_>, modules: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for (name, path) in folders(finder, modules) {
        if name.starts_with('@') {
            let scoped = folders(finder, &path);
            found.extend(scoped.into_iter().map(|(inner, path)| (format!("{name}/{inner}"), path)));
        } else {
            found.push((name, path));
        }
    }
    found
}

fn folders(finder: &mut Finder<'_>, folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                finder.warn(folder, format!("cannot be searched for plugins: {error}"));
            }
            return Vec::new();
        }
    };
    let mut found: Vec<(String, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, path)| !name.starts_with('.') && path.is_dir())
        .collect();
    found.sort();
    found
}

/// Adds one path of a manifest, which must stay in its package.
pub(super) fn take_tool(
    finder: &mut Finder<'_>,
    folder: &Path,
    manifest: &Path,
    path: &str,
    source: &ToolSource,
) {
    match inside(folder, path) {
        Ok(target) => take_named(finder, &target, source),
        Err(NotInside::Missing) => report(finder, manifest, &ManifestFault::Missing(path.to_owned()), source),
        Err(NotInside::Outside) => report(finder, manifest, &ManifestFault::Outside(path.to_owned()), source),
    }
}

/// Reports a part of a manifest that would name modules and is not used.
fn report(finder: &mut Finder<'_>, manifest: &Path, fault: &ManifestFault, source: &ToolSource) {
    match fault {
        ManifestFault::Missing(path) => {
            finder.warn(manifest, format!("names \"{path}\", which does not exist"));
        }
        ManifestFault::Outside(path) => {
            let message = format!("The manifest names \"{path}\", which is outside the package");
            let hint = "A plugin's tools must be files of the plugin itself.";
            finder.error(ToolLoadError::new(manifest, source, message).hint(hint));
        }
        ManifestFault::Malformed(problem) => {
            let message = format!("{}: {problem}", manifest.display());
            finder.error(ToolLoadError::new(manifest, source, message));
        }
    }
}

/// Reads a JSON file; `None` if it does not exist. The error is a sentence about the file.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, String> {
    read_json_with(file, small_file::read(file))
}

pub(super) fn read_json_with<T: DeserializeOwned>(
    file: &Path,
    read: io::Result<Vec<u8>>,
) -> Result<Option<T>, String> {
    match read {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| format!("{} cannot be read: {error}", file.display())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(format!("{} cannot be read: {error}", file.display())),
    }
}
