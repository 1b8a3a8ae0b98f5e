//! Installed plugin packages (CONTRACT 2.4): npm packages whose manifest names their tools.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    ModuleKind, ToolSource, configured::take_named, found::Finder, providers::in_home, scan::scan_some,
};
use crate::{
    load_error::ToolLoadError,
    plugins::{NotInside, expand_patterns, inside, read_plugin},
    small_file,
};

/// The plugin roots with their lock files, highest precedence first.
pub(super) const ROOTS: &[(&str, &str)] = &[
    (".toolsmith/plugins", "toolsmith-plugins.lock.json"),
    (".omp/plugins", "omp-plugins.lock.json"),
    (".pi/plugins", "pi-plugins.lock.json"),
    (".xcsh/plugins", "xcsh-plugins.lock.json"),
];
/// Manifest fields; the first one present is used.
pub(crate) const MANIFEST_FIELDS: &[&str] = &["toolsmith", "omp", "xcsh", "pi"];
/// Project files that select plugins; the first readable one is used.
const OVERRIDES: &[&str] = &[".toolsmith", ".omp", ".xcsh", ".claude", ".codex", ".gemini"];

/// `tools` of a manifest: one path or several.
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

#[derive(Deserialize)]
struct Manifest {
    tools: Option<OneOrMany>,
    extensions: Option<OneOrMany>,
    #[serde(default)]
    features: BTreeMap<String, Feature>,
}

#[derive(Deserialize)]
struct Feature {
    #[serde(default)]
    default: bool,
    tools: Option<OneOrMany>,
    extensions: Option<OneOrMany>,
}

#[derive(Default, Deserialize)]
pub(super) struct Lock {
    #[serde(default)]
    pub(super) plugins: BTreeMap<String, LockEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LockEntry {
    /// `None` means those that are enabled by default.
    enabled_features: Option<Vec<String>>,
    pub(super) enabled: Option<bool>,
    /// Disabled parts, such as `tools/NAME`.
    #[serde(default)]
    pub(super) disabled: Vec<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct Overrides {
    #[serde(default)]
    pub(super) disabled: BTreeSet<String>,
    #[serde(default)]
    features: BTreeMap<String, Vec<String>>,
}

pub(super) fn find(finder: &mut Finder<'_>) {
    if !finder.options.settings.discovery.is_on("plugins") {
        return;
    }
    let overrides = read_overrides(finder);
    let mut winners: HashMap<String, PathBuf> = HashMap::new();
    for (root, lock) in ROOTS {
        let root = in_home(&finder.options.home, root);
        let packages = packages(finder, &root.join("node_modules"));
        if packages.is_empty() {
            continue;
        }
        let lock_file = root.join(lock);
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
            if take_package(finder, &name, &folder, entry, &overrides) {
                winners.insert(name, folder);
            }
        }
    }
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

/// Adds a package's tools; `false` if it has no manifest and so is not a plugin.
fn take_package(
    finder: &mut Finder<'_>,
    name: &str,
    folder: &Path,
    lock: Option<&LockEntry>,
    overrides: &Overrides,
) -> bool {
    let source = ToolSource::plugin(name);
    let file = folder.join("package.json");
    let package = match read_json::<BTreeMap<String, Value>>(&file) {
        Ok(package) => package.unwrap_or_default(),
        Err(message) => {
            finder.error(ToolLoadError::new(&file, &source, message));
            return false;
        }
    };
    let field = MANIFEST_FIELDS.iter().find_map(|field| Some((field, package.get(*field)?)));
    let Some((field, manifest)) = field else {
        return take_other(finder, folder, lock, overrides.disabled.contains(name), &source);
    };
    if lock.is_some_and(|entry| entry.enabled == Some(false)) || overrides.disabled.contains(name) {
        return true;
    }
    let manifest: Manifest = match serde_json::from_value(manifest.clone()) {
        Ok(manifest) => manifest,
        Err(error) => {
            let message = format!("Field \"{field}\" of {} cannot be read: {error}", file.display());
            finder.error(ToolLoadError::new(&file, &source, message));
            return true;
        }
    };
    let project = overrides.features.get(name).filter(|_| finder.project_is_trusted());
    let chosen = project.or_else(|| lock.and_then(|entry| entry.enabled_features.as_ref()));
    if let Some(chosen) = chosen {
        for unknown in chosen.iter().filter(|name| *name != "*" && !manifest.features.contains_key(*name)) {
            finder.warn(&file, format!("plugin {name} has no feature \"{unknown}\""));
        }
    }
    let wanted = finder.looking_for;
    let pick = |tools: Option<OneOrMany>, extensions: Option<OneOrMany>| match wanted {
        ModuleKind::Extension => extensions.map(OneOrMany::into_vec).unwrap_or_default(),
        _ => tools.map(OneOrMany::into_vec).unwrap_or_default(),
    };
    let mut paths = pick(manifest.tools, manifest.extensions);
    for (feature, contents) in manifest.features {
        let is_on = match chosen {
            Some(chosen) => chosen.iter().any(|name| *name == feature || name == "*"),
            None => contents.default,
        };
        if is_on {
            paths.extend(pick(contents.tools, contents.extensions));
        }
    }
    for path in expand_patterns(folder, paths) {
        if !is_disabled(lock, finder.looking_for, &path) {
            take_tool(finder, folder, &file, &path, &source);
        }
    }
    true
}

/// Returns whether the lock file disables one of the modules, by the name of its file.
fn is_disabled(lock: Option<&LockEntry>, kind: ModuleKind, path: &str) -> bool {
    let kind = match kind {
        ModuleKind::Extension => "extensions",
        ModuleKind::Tool => "tools",
    };
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    lock.is_some_and(|entry| entry.disabled.contains(&format!("{kind}/{stem}")))
}

/// Adds the modules of a plugin whose manifest is not a field of `package.json`; `false` if it is not a plugin.
fn take_other(
    finder: &mut Finder<'_>,
    folder: &Path,
    lock: Option<&LockEntry>,
    is_overridden: bool,
    source: &ToolSource,
) -> bool {
    // Without an entry in the lock file nobody chose it: it may be a package that another one needs.
    if lock.is_none() {
        return false;
    }
    let manifest = match read_plugin(folder) {
        Ok(Some(manifest)) if manifest.file.is_some() => manifest,
        Ok(_) => return false,
        Err(message) => {
            finder.error(ToolLoadError::new(folder, source, message));
            return false;
        }
    };
    if is_overridden || lock.is_some_and(|entry| entry.enabled == Some(false)) {
        return true;
    }
    let paths = match finder.looking_for {
        ModuleKind::Extension => &manifest.contents.extensions,
        ModuleKind::Tool => &manifest.contents.tools,
    };
    for path in paths {
        match path.is_dir() {
            true => drop(scan_some(finder, path, source, |name| {
                let is_off = is_disabled(lock, ModuleKind::Tool, name);
                !is_off && !is_disabled(lock, ModuleKind::Extension, name)
            })),
            false if !is_disabled(lock, finder.looking_for, &path.to_string_lossy()) => {
                take_named(finder, path, source);
            }
            false => {}
        }
    }
    true
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
        Err(NotInside::Missing) => finder.warn(manifest, format!("names \"{path}\", which does not exist")),
        Err(NotInside::Outside) => {
            let message = format!("The manifest names \"{path}\", which is outside the package");
            let hint = "A plugin's tools must be files of the plugin itself.";
            finder.error(ToolLoadError::new(manifest, source, message).hint(hint));
        }
    }
}

pub(super) fn read_overrides(finder: &mut Finder<'_>) -> Overrides {
    for folder in OVERRIDES {
        let file = finder.options.project.join(folder).join("plugin-overrides.json");
        match read_json_with::<Overrides>(&file, finder.read_project(&file)) {
            Ok(Some(overrides)) => return overrides,
            Ok(None) => {}
            Err(message) => finder.warn(&file, message),
        }
    }
    Overrides::default()
}

/// Reads a JSON file; `None` if it does not exist. The error is a sentence about the file.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, String> {
    read_json_with(file, small_file::read(file))
}

fn read_json_with<T: DeserializeOwned>(file: &Path, read: io::Result<Vec<u8>>) -> Result<Option<T>, String> {
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
