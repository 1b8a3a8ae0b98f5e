//! Manifests of plugins, in all their forms: the vendor-neutral `plugin.json`, those of Claude Code and Codex, and the fields of
//! `package.json`. The first one that exists is used.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    contents::{PluginContents, PluginServer},
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
}

impl PluginManifest {
    /// Returns whether `package.json` has a field that makes the package a plugin.
    pub(crate) fn is_package(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.ends_with("package.json"))
    }
}

/// The forms of a manifest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `plugin.json` of some kind.
    Plugin,
    /// A field of `package.json`.
    Package,
}

/// Reads the plugin in a directory; `None` if nothing in it is part of a plugin.
///
/// # Errors
/// Fails if the manifest cannot be read.
pub fn read_plugin(folder: &Path) -> Result<Option<PluginManifest>, String> {
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for file in ["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json"] {
        let path = folder.join(file);
        let Some(manifest) = read_json::<Map<String, Value>>(&path)? else { continue };
        // Other programs have a file of this name, too.
        let schema = manifest.get("$schema").and_then(Value::as_str).unwrap_or_default();
        if file == "plugin.json" && !schema.contains("agent-plugins") {
            continue;
        }
        let about = &manifest;
        return Ok(Some(Reader::new(folder, &path, about, &folder_name).read(&manifest, Form::Plugin)));
    }
    let path = folder.join("package.json");
    let package = read_json::<Map<String, Value>>(&path)?;
    if let Some(package) = &package {
        let field = MANIFEST_FIELDS.iter().find_map(|field| package.get(*field));
        let is_tagged = package.get("keywords").and_then(Value::as_array).is_some_and(|words| {
            words.iter().any(|word| matches!(word.as_str(), Some("pi-package" | "toolsmith-plugin")))
        });
        if field.is_some() || is_tagged {
            let empty = Map::new();
            let manifest = field.and_then(Value::as_object).unwrap_or(&empty);
            return Ok(Some(Reader::new(folder, &path, package, &folder_name).read(manifest, Form::Package)));
        }
    }
    // A directory with skills or commands can be installed, too. Nothing else counts without a manifest: any npm package may
    // have a directory `tools`.
    let mut reader = Reader::new(folder, &path, package.as_ref().unwrap_or(&Map::new()), &folder_name);
    reader.read_defaults(Form::Plugin);
    let PluginContents { skills, commands, .. } = std::mem::take(&mut reader.found.contents);
    reader.found.contents = PluginContents { skills, commands, ..PluginContents::default() };
    reader.found.file = None;
    Ok((!reader.found.contents.is_empty()).then_some(reader.found))
}

struct Reader<'a> {
    folder: &'a Path,
    found: PluginManifest,
}

impl<'a> Reader<'a> {
    fn new(folder: &'a Path, file: &Path, about: &Map<String, Value>, folder_name: &str) -> Self {
        let text = |name: &str| about.get(name).and_then(Value::as_str).map(str::to_owned);
        let found = PluginManifest {
            name: text("name")
                .filter(|name| !name.trim().is_empty())
                .unwrap_or_else(|| folder_name.to_owned()),
            version: text("version"),
            description: text("description"),
            file: Some(file.to_path_buf()),
            ..PluginManifest::default()
        };
        Self { folder, found }
    }

    fn read(mut self, manifest: &Map<String, Value>, form: Form) -> PluginManifest {
        self.read_defaults(form);
        // In package.json named paths replace the usual directory; elsewhere they are added to it.
        let replaces = form == Form::Package;
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
        match manifest.get("hooks") {
            Some(Value::Object(_)) => self.found.contents.has_inline_hooks = true,
            Some(value) => {
                let paths = self.paths("hooks", value);
                self.found.contents.hooks.extend(paths);
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
    fn read_defaults(&mut self, form: Form) {
        let folder = |name: &str| {
            let is_inside = inside(self.folder, name).ok().filter(|path| path.is_dir());
            is_inside.into_iter().collect::<Vec<PathBuf>>()
        };
        let mut contents = PluginContents {
            skills: folder("skills"),
            commands: folder("commands"),
            agents: folder("agents"),
            ..PluginContents::default()
        };
        match form {
            Form::Plugin => contents.tools = folder("tools"),
            Form::Package => {
                contents.extensions = folder("extensions");
                contents.commands.extend(folder("prompts"));
                contents.themes = folder("themes");
            }
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

    /// Resolves one path or several, which must stay in the plugin.
    fn paths(&mut self, field: &str, value: &Value) -> Vec<PathBuf> {
        let written: Vec<String> = match value {
            Value::String(path) => vec![path.clone()],
            Value::Array(paths) => {
                paths.iter().filter_map(Value::as_str).take(MAX_ENTRIES).map(str::to_owned).collect()
            }
            _ => {
                self.found.problems.push(format!("`{field}` must be a path or a list of paths"));
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for path in expand_patterns(self.folder, written) {
            match inside(self.folder, &path) {
                Ok(path) => found.push(path),
                Err(NotInside::Outside) => self
                    .found
                    .problems
                    .push(format!("`{field}` names \"{path}\", which is outside the plugin")),
                Err(NotInside::Missing) => {
                    self.found.problems.push(format!("`{field}` names \"{path}\", which does not exist"));
                }
            }
        }
        found
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

    /// Returns the names of npm packages it depends on.
    fn dependencies(&self) -> Vec<String> {
        let package = read_json::<Map<String, Value>>(&self.folder.join("package.json")).ok().flatten();
        let dependencies = package.as_ref().and_then(|package| package.get("dependencies")?.as_object());
        dependencies.into_iter().flatten().map(|(name, _)| name.clone()).collect()
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
