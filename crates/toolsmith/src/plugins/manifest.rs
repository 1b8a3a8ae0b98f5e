//! Manifests of plugins, in all their forms: the vendor-neutral `plugin.json`, those of Claude Code and Codex, and the fields of
//! `package.json`. The first one that exists is used.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    contents::{PluginContents, PluginFeature, PluginServer},
    inside::{NotInside, expand_patterns, inside},
};
use crate::discovery::{MANIFEST_FIELDS, read_json};

/// Most servers, files and other entries of one kind.
const MAX_ENTRIES: usize = 200;

/// A plugin as its manifest describes it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PluginManifest {
    /// Name in the manifest; that of the directory if there is none.
    pub name: String,
    /// Version.
    pub version: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// File of the manifest; `None` if the plugin has only the usual directories.
    pub file: Option<PathBuf>,
    /// Its contents.
    pub contents: PluginContents,
    /// Parts of the manifest that are not used, as sentences.
    pub problems: Vec<String>,
    /// Those of them that would name modules.
    pub(crate) faults: Vec<ManifestFault>,
    form: Form,
}

/// A part of a manifest that would name modules and is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ManifestFault {
    /// A path that leads out of the plugin.
    Outside(String),
    /// A path of nothing.
    Missing(String),
    /// Something else than paths, as a sentence.
    Malformed(String),
}

impl PluginManifest {
    /// Returns whether it is a field of `package.json`.
    pub(crate) fn is_field(&self) -> bool {
        self.form == Form::Field
    }

    /// Leaves out all code that would be loaded.
    pub(crate) fn without_modules(mut self) -> Self {
        self.faults.clear();
        self.contents.tools.clear();
        self.contents.extensions.clear();
        self.contents.features.clear();
        self
    }

    /// Uses the directory `tools` as the only place with modules.
    pub(crate) fn with_tools_of(self, folder: &Path) -> Self {
        let mut manifest = Self { form: Form::Plugin, ..self.without_modules() };
        manifest.contents.tools = usual_folder(folder, "tools");
        manifest
    }
}

/// The forms of a manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// `plugin.json` of some kind, or none.
    #[default]
    Plugin,
    /// A field of `package.json`.
    Field,
    /// A keyword of `package.json`.
    Keyword,
}

/// Reads the plugin in a directory; `None` if nothing in it is part of a plugin.
///
/// # Errors
/// Fails if the manifest cannot be read.
pub fn read_plugin(folder: &Path) -> Result<Option<PluginManifest>, String> {
    match plugin_manifest(folder)? {
        Some(manifest) => Ok(Some(manifest)),
        None => match package_manifest(folder)? {
            Some(manifest) => Ok(Some(manifest)),
            None => without_manifest(folder),
        },
    }
}

/// Reads a plugin that another agent installed, which reads `package.json`: its fields come first.
pub(crate) fn read_package(folder: &Path) -> Result<Option<PluginManifest>, String> {
    match package_manifest(folder)? {
        Some(manifest) if manifest.is_field() => Ok(Some(manifest)),
        _ => read_plugin(folder),
    }
}

/// Reads `plugin.json` of some kind.
fn plugin_manifest(folder: &Path) -> Result<Option<PluginManifest>, String> {
    for file in ["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json"] {
        let path = folder.join(file);
        let Some(manifest) = read_json::<Map<String, Value>>(&path)? else { continue };
        // Other programs have a file of this name, too.
        let schema = manifest.get("$schema").and_then(Value::as_str).unwrap_or_default();
        if file == "plugin.json" && !schema.contains("agent-plugins") {
            continue;
        }
        let mut found = Reader::new(folder, &path, &manifest, Form::Plugin).read(&manifest);
        let package = read_json::<Map<String, Value>>(&folder.join("package.json")).ok().flatten();
        let names_modules =
            |field: &Value| ["tools", "extensions", "features"].iter().any(|name| field.get(*name).is_some());
        for field in MANIFEST_FIELDS {
            if package.as_ref().and_then(|package| package.get(*field)).is_some_and(names_modules) {
                let sentence =
                    format!("`{field}` in package.json is not used, because {file} is its manifest");
                found.problems.push(sentence);
            }
        }
        return Ok(Some(found));
    }
    Ok(None)
}

/// Reads the field of `package.json`, or a plugin that a keyword marks.
pub(crate) fn package_manifest(folder: &Path) -> Result<Option<PluginManifest>, String> {
    let path = folder.join("package.json");
    let Some(package) = read_json::<Map<String, Value>>(&path)? else { return Ok(None) };
    let empty = Map::new();
    let Some((name, field)) = MANIFEST_FIELDS.iter().find_map(|name| Some((name, package.get(*name)?)))
    else {
        let words = package.get("keywords").and_then(Value::as_array).into_iter().flatten();
        let is_tagged =
            words.into_iter().any(|word| matches!(word.as_str(), Some("pi-package" | "toolsmith-plugin")));
        let reader = Reader::new(folder, &path, &package, Form::Keyword);
        return Ok(is_tagged.then(|| reader.read(&empty)));
    };
    let mut reader = Reader::new(folder, &path, &package, Form::Field);
    let field = match field.as_object() {
        Some(field) => field,
        None => {
            reader.malformed(name, "must be an object");
            &empty
        }
    };
    Ok(Some(reader.read(field)))
}

/// Reads a directory with skills or commands, which can be installed, too. Nothing else counts without a manifest: any npm
/// package may have a directory `tools`.
fn without_manifest(folder: &Path) -> Result<Option<PluginManifest>, String> {
    let path = folder.join("package.json");
    let package = read_json::<Map<String, Value>>(&path)?.unwrap_or_default();
    let mut reader = Reader::new(folder, &path, &package, Form::Plugin);
    reader.read_defaults();
    let PluginContents { skills, commands, .. } = std::mem::take(&mut reader.found.contents);
    reader.found.contents = PluginContents { skills, commands, ..PluginContents::default() };
    reader.found.file = None;
    Ok((!reader.found.contents.is_empty()).then_some(reader.found))
}

/// Returns a usual directory of a plugin, if it is there.
fn usual_folder(folder: &Path, name: &str) -> Vec<PathBuf> {
    inside(folder, name).ok().filter(|path| path.is_dir()).into_iter().collect()
}

struct Reader<'a> {
    folder: &'a Path,
    found: PluginManifest,
}

impl<'a> Reader<'a> {
    fn new(folder: &'a Path, file: &Path, about: &Map<String, Value>, form: Form) -> Self {
        let text = |name: &str| about.get(name).and_then(Value::as_str).map(str::to_owned);
        let folder_name = || folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = PluginManifest {
            name: text("name").filter(|name| !name.trim().is_empty()).unwrap_or_else(folder_name),
            version: text("version"),
            description: text("description"),
            file: Some(file.to_path_buf()),
            form,
            ..PluginManifest::default()
        };
        Self { folder, found }
    }

    fn read(mut self, manifest: &Map<String, Value>) -> PluginManifest {
        self.read_defaults();
        // In package.json named paths replace the usual directory; elsewhere they are added to it.
        let replaces = self.found.form != Form::Plugin;
        for (name, pick) in KINDS {
            let Some(value) = manifest.get(*name) else { continue };
            if replaces {
                pick(&mut self.found.contents).clear();
            }
            for path in self.paths(name, value) {
                let list = pick(&mut self.found.contents);
                if !list.contains(&path) {
                    list.push(path);
                }
            }
        }
        if let Some(features) = manifest.get("features") {
            self.features(features);
        }
        match manifest.get("hooks") {
            Some(Value::Object(_)) => {
                self.found.contents.has_inline_hooks = true;
                self.found
                    .problems
                    .push("`hooks` must name a file; hooks in a manifest do not run".to_owned());
            }
            Some(value) => {
                let paths = self.paths("hooks", value);
                let hooks = &mut self.found.contents.hooks;
                for path in paths {
                    if !hooks.contains(&path) {
                        hooks.push(path);
                    }
                }
            }
            None => {}
        }
        match manifest.get("mcpServers") {
            Some(Value::Object(servers)) => self.servers(servers),
            Some(value) => {
                for path in self.paths("mcpServers", value) {
                    self.server_file(&path);
                }
            }
            None => {}
        }
        for unused in ["lspServers", "outputStyles", "apps"] {
            if manifest.contains_key(unused) {
                self.found.problems.push(format!("`{unused}` is not used by Toolsmith"));
            }
        }
        self.found.contents.dependencies = self.dependencies();
        self.found
    }

    /// Adds the usual directories.
    fn read_defaults(&mut self) {
        let folder = |name: &str| usual_folder(self.folder, name);
        let mut contents = PluginContents {
            skills: folder("skills"),
            commands: folder("commands"),
            agents: folder("agents"),
            ..PluginContents::default()
        };
        match self.found.form {
            Form::Plugin => contents.tools = folder("tools"),
            Form::Field | Form::Keyword => {
                contents.commands.extend(folder("prompts"));
                contents.themes = folder("themes");
            }
        }
        // Compatible agents load a directory of extensions only if no field says what the package contains.
        if self.found.form == Form::Keyword {
            contents.extensions = folder("extensions");
        }
        // A skill may lie in the root of the plugin itself.
        if contents.skills.is_empty() && self.folder.join(crate::skills::SKILL_FILE).is_file() {
            contents.skills.push(self.folder.to_path_buf());
        }
        if let Ok(hooks) = inside(self.folder, "hooks/hooks.json") {
            contents.hooks.push(hooks);
        }
        self.found.contents = contents;
        if let Ok(servers) = inside(self.folder, ".mcp.json") {
            self.server_file(&servers);
        }
    }

    /// Adds the features: modules that are used if their feature is.
    fn features(&mut self, value: &Value) {
        if self.found.form != Form::Field {
            return self.found.problems.push("`features` is used only in package.json".to_owned());
        }
        let Some(features) = value.as_object() else {
            return self.malformed("features", "must be an object");
        };
        for (name, value) in features.iter().take(MAX_ENTRIES) {
            let field = format!("features.{name}");
            let Some(entry) = value.as_object() else {
                self.malformed(&field, "must be an object");
                continue;
            };
            let mut feature = PluginFeature::default();
            match entry.get("default") {
                None | Some(Value::Null) => {}
                Some(Value::Bool(is_default)) => feature.is_default = *is_default,
                Some(_) => self.malformed(&format!("{field}.default"), "must be true or false"),
            }
            if let Some(tools) = entry.get("tools") {
                feature.tools = self.module_paths(&format!("{field}.tools"), tools);
            }
            if let Some(extensions) = entry.get("extensions") {
                feature.extensions = self.module_paths(&format!("{field}.extensions"), extensions);
            }
            for unused in ["skills", "commands", "prompts", "hooks", "mcpServers", "rules", "themes"] {
                if entry.contains_key(unused) {
                    self.found.problems.push(format!("`{field}.{unused}` is not used by Toolsmith"));
                }
            }
            self.found.contents.features.insert(name.clone(), feature);
        }
        if features.len() > MAX_ENTRIES {
            self.malformed("features", &format!("has more than {MAX_ENTRIES} entries; the rest is not used"));
        }
    }

    /// Notes a part that would name modules.
    fn malformed(&mut self, field: &str, problem: &str) {
        let sentence = format!("`{field}` {problem}");
        self.found.problems.push(sentence.clone());
        self.found.faults.push(ManifestFault::Malformed(sentence));
    }

    /// Resolves the paths of a field.
    fn paths(&mut self, field: &str, value: &Value) -> Vec<PathBuf> {
        match matches!(field, "tools" | "extensions") {
            true => self.module_paths(field, value),
            false => self.resolved(field, value).0,
        }
    }

    /// Resolves the paths of a field that names modules.
    fn module_paths(&mut self, field: &str, value: &Value) -> Vec<PathBuf> {
        let (paths, faults) = self.resolved(field, value);
        self.found.faults.extend(faults);
        paths
    }

    /// Resolves one path or several, which must stay in the plugin.
    fn resolved(&mut self, field: &str, value: &Value) -> (Vec<PathBuf>, Vec<ManifestFault>) {
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        let problems = &mut self.found.problems;
        let mut note = |fault: ManifestFault| {
            problems.push(match &fault {
                ManifestFault::Outside(path) => {
                    format!("`{field}` names \"{path}\", which is outside the plugin")
                }
                ManifestFault::Missing(path) => {
                    format!("`{field}` names \"{path}\", which does not exist")
                }
                ManifestFault::Malformed(sentence) => sentence.clone(),
            });
            faults.push(fault);
        };
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        if values.len() > MAX_ENTRIES {
            let sentence = format!("`{field}` has more than {MAX_ENTRIES} entries; the rest is not used");
            note(ManifestFault::Malformed(sentence));
        }
        let values = values.get(..MAX_ENTRIES).unwrap_or(values);
        if !values.iter().all(Value::is_string) {
            let sentence = format!("`{field}` must be a path or a list of paths");
            note(ManifestFault::Malformed(sentence));
        }
        let written = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        for path in expand_patterns(self.folder, written) {
            match inside(self.folder, &path) {
                Ok(path) => found.push(path),
                Err(NotInside::Outside) => note(ManifestFault::Outside(path)),
                Err(NotInside::Missing) => note(ManifestFault::Missing(path)),
            }
        }
        (found, faults)
    }

    fn server_file(&mut self, file: &Path) {
        match read_json::<Map<String, Value>>(file) {
            Ok(Some(content)) => {
                let servers = content.get("mcpServers").and_then(Value::as_object);
                self.servers(servers.unwrap_or(&content));
            }
            Ok(None) => {}
            Err(problem) => self.found.problems.push(problem),
        }
    }

    fn servers(&mut self, servers: &Map<String, Value>) {
        for (name, entry) in servers.iter().take(MAX_ENTRIES) {
            let text = |name: &str| entry.get(name).and_then(Value::as_str);
            let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
            let command: Vec<&str> =
                text("command").into_iter().chain(arguments.filter_map(Value::as_str)).collect();
            let target = match command.is_empty() {
                true => text("url").unwrap_or_default().to_owned(),
                false => command.join(" "),
            };
            let server = PluginServer { name: name.clone(), target, entry: entry.clone() };
            self.found.contents.mcp_servers.push(server);
        }
    }

    /// Returns the names of npm packages that are installed with it.
    fn dependencies(&self) -> Vec<String> {
        let package = read_json::<Map<String, Value>>(&self.folder.join("package.json")).ok().flatten();
        let fields = ["dependencies", "optionalDependencies"];
        let tables = fields.iter().filter_map(|field| package.as_ref()?.get(*field)?.as_object());
        tables.flatten().map(|(name, _)| name.clone()).collect()
    }
}

type Pick = fn(&mut PluginContents) -> &mut Vec<PathBuf>;

/// The fields that name files or directories.
const KINDS: &[(&str, Pick)] = &[
    ("tools", |contents| &mut contents.tools),
    ("extensions", |contents| &mut contents.extensions),
    ("skills", |contents| &mut contents.skills),
    ("commands", |contents| &mut contents.commands),
    ("prompts", |contents| &mut contents.commands),
    ("agents", |contents| &mut contents.agents),
    ("themes", |contents| &mut contents.themes),
    ("rules", |contents| &mut contents.rules),
];

/// Returns whether a directory holds a list of plugins for others to install.
pub(crate) fn marketplace_file(folder: &Path) -> Option<PathBuf> {
    let files = [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"];
    files
        .iter()
        .map(|file| folder.join(file))
        .find(|file| fs::metadata(file).is_ok_and(|about| about.is_file()))
}
