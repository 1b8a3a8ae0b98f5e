//! The settings layers: defaults, the user's file, the project's file, variables, flags.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use serde_json::{Map, Value, json};
use thiserror::Error;
use toolsmith_llm::KeySource;
use toolsmith_tool::{ApprovalPolicy, closest_names};

use super::{
    file::{self, FileContents, closest_key, show},
    keys::{self, Key},
    origin::SettingOrigin,
    secrets, units,
    values::Settings,
};
use crate::{
    discovery::{ConfiguredFrom, ConfiguredPath, FoundOverrides, OVERRIDES},
    home::Home,
    project_root::find_project,
    trust::TrustDecision,
    warning::Warning,
};

/// Prefix of environment variables.
const PREFIX: &str = "TOOLSMITH_";
/// Variables with the prefix that are not settings.
const OTHER_VARIABLES: &[&str] = &["TOOLSMITH_HOME", "TOOLSMITH_TRUST", "TOOLSMITH_LOG"];

/// Sources of settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SettingsSources {
    /// The user's directories.
    pub home: Home,
    /// The project, which has the file `.toolsmith/config.toml`.
    pub project: PathBuf,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Keys and values from the command line.
    pub flags: Vec<(String, String)>,
    /// The trust decision.
    pub trust: TrustDecision,
}

impl SettingsSources {
    /// Uses the files of `home` and of the project of `cwd`, without variables and flags, and without trust.
    pub fn new(home: Home, cwd: impl Into<PathBuf>) -> Self {
        Self {
            project: find_project(&cwd.into(), &home),
            home,
            environment: Vec::new(),
            flags: Vec::new(),
            trust: TrustDecision::default(),
        }
    }

    /// Sets the environment variables.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.environment = variables.into_iter().collect();
        self
    }

    /// Sets the keys and values from the command line.
    #[must_use]
    pub fn flags(mut self, flags: Vec<(String, String)>) -> Self {
        self.flags = flags;
        self
    }

    /// Sets the trust decision.
    #[must_use]
    pub fn trust(mut self, trust: TrustDecision) -> Self {
        self.trust = trust;
        self
    }
}

/// An invalid flag, which stops the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Unknown setting.
    #[error("unknown setting `{key}`{}", .closest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    Unknown {
        /// The name as written.
        key: String,
        /// The most similar setting.
        closest: Option<String>,
    },
    /// Invalid value.
    #[error("`{key}`: {problem}")]
    Value {
        /// The setting.
        key: String,
        /// Error message.
        problem: String,
    },
}

/// An effective value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SettingEntry {
    /// Name of the setting, with the user's own names in it.
    pub key: String,
    /// Value; null if there is none.
    pub value: Value,
    /// Origin.
    pub origin: SettingOrigin,
}

/// A value of the project's file that takes effect once the project is trusted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WaitingSetting {
    /// Name of the setting.
    pub key: String,
    /// The value.
    pub value: Value,
    /// The command whose output is the value.
    pub command: Option<String>,
    /// The file.
    pub file: PathBuf,
}

impl WaitingSetting {
    /// Returns the line of a question about trust: the name with the value, or with the command that gives it.
    pub fn summary(&self) -> String {
        match &self.command {
            Some(command) => format!("{}, the output of: {command}", self.key),
            None => format!("{} = {}", self.key, self.value),
        }
    }
}

/// State of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// Missing.
    Missing,
    /// Read.
    Read,
    /// Not valid TOML, or unreadable; the valid rest is used.
    Broken,
}

/// A settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsFile {
    /// Path.
    pub path: PathBuf,
    /// State.
    pub state: FileState,
}

/// The effective settings and their origins.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedSettings {
    /// The settings.
    pub settings: Settings,
    /// All settings with a value or a fixed name, in table order.
    pub entries: Vec<SettingEntry>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Values that wait for trust.
    pub waiting: Vec<WaitingSetting>,
    /// The files, the user's first.
    pub files: Vec<SettingsFile>,
}

/// Reads the settings.
///
/// # Errors
/// When a flag names no setting or its value does not fit. What is wrong in files and variables is a warning.
pub fn load_settings(sources: &SettingsSources) -> Result<LoadedSettings, SettingsError> {
    let mut layers = Layers::with_defaults();
    let user_file = sources.home.toolsmith().join("config.toml");
    let project_file = sources.project.join(".toolsmith/config.toml");
    layers.file(&user_file, SettingOrigin::User(user_file.clone()), None);
    // At home the two are one.
    let is_same = toolsmith_host::real_path(&project_file)
        .is_ok_and(|real| toolsmith_host::real_path(&user_file).is_ok_and(|own| own == real));
    if !is_same {
        // Trust in the project does not cover a link that leads out of it.
        let is_trusted = sources.trust.allows(&sources.project) && sources.trust.allows(&project_file);
        let untrusted = (!is_trusted).then_some(sources.project.as_path());
        layers.file(&project_file, SettingOrigin::Project(project_file.clone()), untrusted);
    }
    layers.plugin_overrides(sources);
    layers.environment(&sources.environment);
    for (written, text) in &sources.flags {
        layers.flag(written, text)?;
    }
    Ok(layers.finish())
}

impl Default for Settings {
    fn default() -> Self {
        // Every command needs them several times, and reading the table takes longer than the rest of its start.
        static DEFAULTS: LazyLock<Settings> = LazyLock::new(|| Layers::with_defaults().finish().settings);
        DEFAULTS.clone()
    }
}

struct Held {
    key: &'static Key,
    value: Value,
    origin: SettingOrigin,
}

#[derive(Default)]
struct Layers {
    held: BTreeMap<Vec<String>, Held>,
    paths: Vec<ConfiguredPath>,
    extension_paths: Vec<ConfiguredPath>,
    warnings: Vec<Warning>,
    waiting: Vec<WaitingSetting>,
    files: Vec<SettingsFile>,
}

/// Returns whether a setting names modules, each of which waits for trust by itself.
fn is_module_list(key: &Key) -> bool {
    matches!(key.name, "tools.paths" | "extensions.paths")
}

impl Layers {
    fn with_defaults() -> Self {
        let mut layers = Self::default();
        for key in keys::keys() {
            if let Some(value) = key.default_value() {
                let path = key.name.split('.').map(str::to_owned).collect();
                layers.put(path, key, value, SettingOrigin::Default);
            }
        }
        layers
    }

    fn put(&mut self, path: Vec<String>, key: &'static Key, value: Value, origin: SettingOrigin) {
        if is_module_list(key) {
            let from = match &origin {
                SettingOrigin::User(file) => ConfiguredFrom::UserSettings(file.clone()),
                SettingOrigin::Project(file) => ConfiguredFrom::ProjectSettings(file.clone()),
                SettingOrigin::Environment(name) => ConfiguredFrom::Environment(name.clone()),
                _ => ConfiguredFrom::CommandLine,
            };
            let named = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            match key.name {
                "tools.paths" => {
                    self.paths.extend(named.map(|path| ConfiguredPath::new(path, from.clone())));
                }
                _ => {
                    let named = named.map(|path| ConfiguredPath::extension(path, from.clone()));
                    self.extension_paths.extend(named);
                }
            }
        }
        // Deny always wins (CONTRACT 5.4), so no later layer takes it back.
        if keys::is_policy(key)
            && let Some(held) = self.held.get(&path)
            && held.value == "deny"
        {
            return;
        }
        let mut value = value;
        if key.kind.adds_up()
            && let Some(earlier) = self.held.get(&path).and_then(|held| held.value.as_array())
        {
            let added = value.as_array().cloned().unwrap_or_default();
            value = Value::Array(earlier.iter().cloned().chain(added).collect());
        }
        self.held.insert(path, Held { key, value, origin });
    }

    /// Adds a file. `untrusted` is the folder of a project that is not trusted.
    fn file(&mut self, file: &Path, origin: SettingOrigin, untrusted: Option<&Path>) {
        let FileContents { values, warnings, exists, is_broken } = file::read(file, untrusted);
        let state = match (exists, is_broken) {
            (false, _) => FileState::Missing,
            (true, false) => FileState::Read,
            (true, true) => FileState::Broken,
        };
        self.files.push(SettingsFile { path: file.to_path_buf(), state });
        self.warnings.extend(warnings);
        for value in values {
            if untrusted.is_some() && value.key.waits_for_trust {
                self.waiting.push(WaitingSetting {
                    key: show(&value.path),
                    value: secrets::shown(value.key, value.value.clone()),
                    command: value.value.as_str().and_then(KeySource::command).map(str::to_owned),
                    file: file.to_path_buf(),
                });
                // The modules themselves wait, each under its own name.
                if !is_module_list(value.key) {
                    continue;
                }
            }
            // An untrusted project cannot give more than the user did.
            let loosens = untrusted.is_some() && keys::is_budget(value.key) && self.is_tighter(&value);
            if !loosens {
                self.put(value.path, value.key, value.value, origin.clone());
            }
        }
    }

    /// Notes overrides of plugins that wait for trust. Those in effect are not settings: discovery reads them.
    fn plugin_overrides(&mut self, sources: &SettingsSources) {
        let found = FoundOverrides::read(&sources.project, &sources.home, &sources.trust);
        let Some((file, overrides)) = found.waiting() else { return };
        for (key, value) in overrides.entries() {
            self.waiting.push(WaitingSetting {
                key: format!("{OVERRIDES}.{key}"),
                value,
                command: None,
                file: file.to_path_buf(),
            });
        }
    }

    /// Returns whether the limit that is set already is tighter than this one.
    fn is_tighter(&self, value: &file::FileValue) -> bool {
        let limit = |path: &Vec<String>| units::amount(value.key.kind, &self.held.get(path)?.value);
        // The limit of one tool takes the place of the limit for all.
        let held = limit(&value.path).or_else(|| {
            let at = value.path.iter().position(|part| part == "tools").filter(|at| *at <= 2)?;
            let mut all = value.path.clone();
            all.splice(at..(at + 2).min(all.len()), ["call".to_owned()]);
            limit(&all)
        });
        let given = units::amount(value.key.kind, &value.value);
        held.is_some_and(|held| given.is_none_or(|given| held <= given))
    }

    fn environment(&mut self, variables: &[(String, String)]) {
        let known: Vec<(String, &Key)> =
            keys::keys().iter().filter_map(|key| Some((key.variable()?, key))).collect();
        for (name, text) in variables {
            let looks_ours = name.starts_with(PREFIX) && !OTHER_VARIABLES.contains(&name.as_str());
            if !looks_ours || text.is_empty() {
                continue;
            }
            let Some((_, key)) = known.iter().find(|(variable, _)| variable == name) else {
                // Other programs may have variables with the same prefix; only a likely misspelling is reported.
                let bare = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_owned();
                let names: Vec<String> = known.iter().map(|(name, _)| bare(name)).collect();
                if let Some(closest) = closest_names(&bare(name), names.iter().map(String::as_str)).first() {
                    let warning = Warning::new(format!("the variable {name} is not a setting"))
                        .hint(format!("Did you mean {PREFIX}{closest}?"));
                    self.warnings.push(warning);
                }
                continue;
            };
            match key.kind.parse(text) {
                Ok(value) => {
                    let path = key.name.split('.').map(str::to_owned).collect();
                    self.put(path, key, value, SettingOrigin::Environment(name.clone()));
                }
                Err(problem) => match keys::strictest(key) {
                    Some(strict) => {
                        let path = key.name.split('.').map(str::to_owned).collect();
                        self.put(path, key, strict.into(), SettingOrigin::Environment(name.clone()));
                        let message = format!("the variable {name} counts as \"{strict}\": {problem}");
                        self.warnings.push(Warning::new(message));
                    }
                    None => {
                        self.warnings
                            .push(Warning::new(format!("the variable {name} is ignored: {problem}")));
                    }
                },
            }
        }
    }

    fn flag(&mut self, written: &str, text: &str) -> Result<(), SettingsError> {
        let path = file::split(written);
        let Some(key) = keys::find(&path) else {
            let closest = closest_key(&path);
            return Err(SettingsError::Unknown { key: written.to_owned(), closest });
        };
        let value = key
            .kind
            .parse(text)
            .map_err(|problem| SettingsError::Value { key: written.to_owned(), problem })?;
        self.put(path, key, value, SettingOrigin::Flag);
        Ok(())
    }

    fn finish(self) -> LoadedSettings {
        let mut nested = json!({ "tools": { "each": {} } });
        for (path, held) in &self.held {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            match path.as_slice() {
                // An alternative spelling; if both exist, deny wins.
                ["tools", "approval", name] => {
                    let first = nested["approval"]["tools"].get(name);
                    if first.is_none_or(|policy| policy != "deny") {
                        insert(&mut nested, &["approval", "tools", name], &held.value);
                    }
                }
                ["tools", name, field] => insert(&mut nested, &["tools", "each", name, field], &held.value),
                path => insert(&mut nested, path, &held.value),
            }
        }
        #[expect(
            clippy::expect_used,
            reason = "the table of settings and its types agree; a test reads every key"
        )]
        let mut settings: Settings =
            serde_json::from_value(nested).expect("settings that were checked can be read");
        settings.tools.paths = self.paths;
        settings.extensions.paths = self.extension_paths;
        for (name, tool) in &settings.tools.each {
            // If set in two places, deny wins.
            if let Some(policy) = tool.approval
                && settings.approval.tools.get(name) != Some(&ApprovalPolicy::Deny)
            {
                settings.approval.tools.insert(name.clone(), policy);
            }
        }
        let entries = entries(&self.held);
        let mut shown = json!({});
        for (path, held) in &self.held {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            insert(&mut shown, &path, &secrets::shown(held.key, held.value.clone()));
        }
        settings.shown = shown;
        LoadedSettings {
            settings,
            entries,
            warnings: self.warnings,
            waiting: self.waiting,
            files: self.files,
        }
    }
}

fn entries(held: &BTreeMap<Vec<String>, Held>) -> Vec<SettingEntry> {
    let mut entries = Vec::new();
    for key in keys::keys() {
        let values = held.iter().filter(|(_, held)| held.key.name == key.name);
        let before = entries.len();
        entries.extend(values.map(|(path, held)| SettingEntry {
            key: show(path),
            value: secrets::shown(key, held.value.clone()),
            origin: held.origin.clone(),
        }));
        if entries.len() == before && !key.name.contains('<') {
            let (value, origin) = (Value::Null, SettingOrigin::Default);
            entries.push(SettingEntry { key: key.name.to_owned(), value, origin });
        }
    }
    entries
}

fn insert(into: &mut Value, path: &[&str], value: &Value) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if !into.is_object() {
        *into = Value::Object(Map::new());
    }
    if let Some(object) = into.as_object_mut() {
        if rest.is_empty() {
            object.insert((*first).to_owned(), value.clone());
        } else {
            insert(object.entry((*first).to_owned()).or_insert(Value::Null), rest, value);
        }
    }
}
