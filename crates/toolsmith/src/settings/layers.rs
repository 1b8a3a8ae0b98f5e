//! Puts the layers of settings on top of each other: defaults, the user's file, the project's, variables, flags.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use thiserror::Error;
use toolsmith_tool::{ApprovalPolicy, closest_names};

use super::{
    file::{self, FileContents, closest_key, show},
    keys::{self, Key},
    origin::SettingOrigin,
    secrets,
    values::Settings,
};
use crate::{
    discovery::{ConfiguredFrom, ConfiguredPath},
    home::Home,
    trust::TrustDecision,
    warning::Warning,
};

/// How variables begin.
const PREFIX: &str = "TOOLSMITH_";
/// Variables that begin like settings and are none.
const OTHER_VARIABLES: &[&str] = &["TOOLSMITH_HOME", "TOOLSMITH_TRUST", "TOOLSMITH_LOG"];

/// Where settings come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SettingsSources {
    /// The user's folders.
    pub home: Home,
    /// The working folder.
    pub cwd: PathBuf,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
    /// Keys and values of the command line.
    pub flags: Vec<(String, String)>,
    /// Whether the project may say what only the user may otherwise.
    pub trust: TrustDecision,
}

impl SettingsSources {
    /// The files of `home` and `cwd`, without variables or flags, trusting nothing.
    pub fn new(home: Home, cwd: impl Into<PathBuf>) -> Self {
        Self {
            home,
            cwd: cwd.into(),
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

    /// Sets the keys and values of the command line.
    #[must_use]
    pub fn flags(mut self, flags: Vec<(String, String)>) -> Self {
        self.flags = flags;
        self
    }

    /// Sets what is trusted.
    #[must_use]
    pub fn trust(mut self, trust: TrustDecision) -> Self {
        self.trust = trust;
        self
    }
}

/// A flag that cannot be taken: wrong use, so nothing goes on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There is no such setting.
    #[error("`{key}` is no setting{}", .closest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    Unknown {
        /// What was written.
        key: String,
        /// The setting most like it.
        closest: Option<String>,
    },
    /// The value does not fit.
    #[error("`{key}`: {problem}")]
    Value {
        /// The setting.
        key: String,
        /// What is wrong.
        problem: String,
    },
}

/// A value in force.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SettingEntry {
    /// The setting, with the user's own words in it.
    pub key: String,
    /// The value; null when there is none.
    pub value: Value,
    /// Where it came from.
    pub origin: SettingOrigin,
}

/// A value of the project's file that counts once the project is trusted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WaitingSetting {
    /// The setting.
    pub key: String,
    /// The value it would have.
    pub value: Value,
    /// The file.
    pub file: PathBuf,
}

/// How a file of settings is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// Not there.
    Missing,
    /// Read.
    Read,
    /// Not TOML, or not readable; what is left of it counts.
    Broken,
}

/// A file of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsFile {
    /// The file.
    pub path: PathBuf,
    /// How it is.
    pub state: FileState,
}

/// The settings in force, and how they came about.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedSettings {
    /// The settings.
    pub settings: Settings,
    /// Every setting that has a value or is known by a fixed name, in the order of the table.
    pub entries: Vec<SettingEntry>,
    /// What looked wrong.
    pub warnings: Vec<Warning>,
    /// What waits for trust.
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
    let project_file = sources.cwd.join(".toolsmith/config.toml");
    layers.file(&user_file, SettingOrigin::User(user_file.clone()), None);
    // At home the two are one.
    let is_same =
        project_file.canonicalize().is_ok_and(|real| user_file.canonicalize().is_ok_and(|own| own == real));
    if !is_same {
        let untrusted = (!sources.trust.allows(&sources.cwd)).then_some(sources.cwd.as_path());
        layers.file(&project_file, SettingOrigin::Project(project_file.clone()), untrusted);
    }
    layers.environment(&sources.environment);
    for (written, text) in &sources.flags {
        layers.flag(written, text)?;
    }
    Ok(layers.finish())
}

impl Default for Settings {
    fn default() -> Self {
        Layers::with_defaults().finish().settings
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
    warnings: Vec<Warning>,
    waiting: Vec<WaitingSetting>,
    files: Vec<SettingsFile>,
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
        if key.name == "tools.paths" {
            let from = match &origin {
                SettingOrigin::User(file) => ConfiguredFrom::UserSettings(file.clone()),
                SettingOrigin::Project(file) => ConfiguredFrom::ProjectSettings(file.clone()),
                _ => ConfiguredFrom::CommandLine,
            };
            let named = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            self.paths.extend(named.map(|path| ConfiguredPath::new(path, from.clone())));
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
                    file: file.to_path_buf(),
                });
                // The modules themselves wait, each under its own name.
                if value.key.name != "tools.paths" {
                    continue;
                }
            }
            self.put(value.path, value.key, value.value, origin.clone());
        }
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
                // Other programs may have variables that begin like ours; only a misspelling is worth a word.
                let bare = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_owned();
                let names: Vec<String> = known.iter().map(|(name, _)| bare(name)).collect();
                if let Some(closest) = closest_names(&bare(name), names.iter().map(String::as_str)).first() {
                    let warning = Warning::new(format!("The variable {name} is no setting"))
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
                Err(problem) => {
                    self.warnings.push(Warning::new(format!("The variable {name} is ignored: {problem}")));
                }
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
                // Spelled the other way; where both are, deny wins.
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
        for (name, tool) in &settings.tools.each {
            // Said in two places, deny wins.
            if let Some(policy) = tool.approval
                && settings.approval.tools.get(name) != Some(&ApprovalPolicy::Deny)
            {
                settings.approval.tools.insert(name.clone(), policy);
            }
        }
        let entries = entries(&self.held);
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
