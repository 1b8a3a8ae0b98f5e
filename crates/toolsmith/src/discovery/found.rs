//! Collects discovered modules. This is the only place that decides whether a file is a duplicate and whether it waits
//! for trust.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use toolsmith_host::spelling::is_same_place;
use toolsmith_js::{ImportGate, ModuleRequest};

use super::{DiscoveryOptions, FoundRule, Scope, ToolSource, overrides::counts};
use crate::{load_error::ToolLoadError, small_file, trust::TrustedFiles, warning::Warning};

/// Kind of a module by where it was found. Every module may have tools and registrations; only an extension may replace a built-in
/// tool (CONTRACT 2.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModuleKind {
    /// A custom tool.
    #[default]
    Tool,
    /// An extension.
    Extension,
}

/// A module file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundModule {
    /// Absolute path as found.
    pub path: PathBuf,
    /// Real path.
    pub real_path: PathBuf,
    /// Origin.
    pub source: ToolSource,
    /// Kind, by where it was found.
    pub kind: ModuleKind,
    /// Belongs to an untrusted project, so nothing of it may run (CONTRACT 2.8).
    pub waiting_for_trust: bool,
    /// Which files it may import. Set for a module of a project that is not trusted: trusting one file, or a folder below
    /// the project, does not cover what else the module imports.
    pub imports: Option<ImportGate>,
}

impl FoundModule {
    /// Returns the load request for the engine.
    pub fn request(&self) -> ModuleRequest {
        let request = ModuleRequest::new(&self.path);
        match &self.imports {
            Some(gate) => request.imports(gate.clone()),
            None => request,
        }
    }

    /// Returns the name derived from the file: its stem, or the directory of an `index` file.
    pub fn name(&self) -> String {
        module_name(&self.path)
    }
}

fn module_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().and_then(Path::file_name);
    match folder {
        Some(folder) if stem == "index" => folder.to_string_lossy().into_owned(),
        _ => stem,
    }
}

/// A `.md` or `.json` file in a tools directory: listed, never run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundMetadata {
    /// Path.
    pub path: PathBuf,
    /// Origin.
    pub source: ToolSource,
}

/// Result of discovery.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Discovered {
    /// Modules, in load order.
    pub modules: Vec<FoundModule>,
    /// Metadata files.
    pub metadata: Vec<FoundMetadata>,
    /// Rules with unique names.
    pub rules: Vec<FoundRule>,
    /// Files and folders somebody named, whatever is in them.
    pub configured: Vec<PathBuf>,
    /// Configured paths that cannot be used.
    pub errors: Vec<ToolLoadError>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Options of a complete discovery, with which skills and commands can be found too; `None` if only configured paths were
    /// looked at.
    pub searched: Option<Arc<DiscoveryOptions>>,
    /// The project if it is not trusted as a whole, without symbolic links. No program in it may run.
    pub untrusted_folder: Option<PathBuf>,
    /// The time at which it began.
    pub begun: Option<SystemTime>,
}

impl Discovered {
    /// Returns the modules that may run.
    pub fn ready(&self) -> impl Iterator<Item = &FoundModule> {
        self.modules.iter().filter(|module| !module.waiting_for_trust)
    }

    /// Returns the modules that wait for trust.
    pub fn waiting(&self) -> impl Iterator<Item = &FoundModule> {
        self.modules.iter().filter(|module| module.waiting_for_trust)
    }
}

/// Collects results during discovery.
pub(super) struct Finder<'a> {
    pub(super) options: &'a DiscoveryOptions,
    /// Real path of the project.
    pub(super) real_project: PathBuf,
    project_trusted: bool,
    trusted: TrustedFiles,
    /// Allowed imports of modules in an untrusted project.
    gate: ImportGate,
    by_real_path: HashMap<PathBuf, usize>,
    /// Real paths of directories, by their given path.
    real_folders: HashMap<PathBuf, PathBuf>,
    discovered: Discovered,
    /// Kind of the modules being searched.
    pub(super) looking_for: ModuleKind,
    /// Real path of the plugin being searched, whose modules must lie in it.
    pub(super) plugin: Option<PathBuf>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(options: &'a DiscoveryOptions) -> Self {
        let trusted = TrustedFiles::new(&options.trust, &options.home, &options.project);
        Self {
            gate: trusted.gate(),
            trusted,
            real_project: toolsmith_host::real_path(&options.project)
                .unwrap_or_else(|_| options.project.clone()),
            project_trusted: options.trust.allows(&options.project),
            options,
            by_real_path: HashMap::new(),
            real_folders: HashMap::new(),
            discovered: Discovered { begun: Some(SystemTime::now()), ..Discovered::default() },
            looking_for: ModuleKind::default(),
            plugin: None,
        }
    }

    /// Adds a module. One that belongs to the project waits unless the directory or the file itself is trusted.
    pub(super) fn module(&mut self, path: PathBuf, source: ToolSource) {
        let real_path = path.symlink_metadata().and_then(|found| self.real_path(&path, found.is_symlink()));
        self.take(path, real_path, source);
    }

    /// Adds a module like [`Finder::module`] whose directory entry says that it is a regular file, not a link.
    pub(super) fn regular_file(&mut self, path: PathBuf, source: ToolSource) {
        let real_path = self.real_path(&path, false);
        self.take(path, real_path, source);
    }

    fn take(&mut self, path: PathBuf, real_path: io::Result<PathBuf>, source: ToolSource) {
        let kind = self.looking_for;
        if kind == ModuleKind::Extension && self.is_disabled(&path) {
            return;
        }
        let real_path = match real_path {
            Ok(real) => real,
            Err(error) => {
                self.warn(&path, format!("cannot be read: {error}"));
                return;
            }
        };
        if path.to_str().is_none() || real_path.to_str().is_none() {
            self.warn(&path, "is skipped because its name is not UTF-8");
            return;
        }
        if self.plugin.as_ref().is_some_and(|plugin| !real_path.starts_with(plugin)) {
            self.warn(&path, "is skipped because it is a link that leads out of its plugin");
            return;
        }
        let is_project = match source.scope {
            Scope::Project => true,
            Scope::User => self.is_in_project(&real_path),
            Scope::Given => false,
        };
        let is_restricted = is_project && !self.project_trusted;
        // A link out of the project is not covered by trust in the project (CONTRACT 2.8).
        let leads_out = source.scope == Scope::Project
            && !real_path.starts_with(&self.real_project)
            && !self.trusted.is_own(&real_path);
        let is_allowed = self.options.trust.allows(&real_path);
        // A project that is not trusted chooses nothing that runs, not even among trusted files elsewhere: only its own files
        // that are trusted one by one run, and none that its settings name (CONTRACT 2.8).
        let is_own_choice = source.is_configured() || !real_path.starts_with(&self.real_project);
        let waits = match is_restricted {
            true => !is_allowed || (source.scope == Scope::Project && is_own_choice),
            false => leads_out && !is_allowed,
        };
        let imports = is_restricted.then(|| self.gate.clone());
        let known = self.position(&real_path, &source);
        match known.and_then(|at| self.discovered.modules.get_mut(at)) {
            // The user reaches the same file in a way that needs no trust.
            Some(first) => {
                first.waiting_for_trust &= waits;
                if !is_restricted {
                    first.imports = None;
                }
            }
            None => {
                self.by_real_path.insert(real_path.clone(), self.discovered.modules.len());
                let found = FoundModule { path, real_path, source, kind, waiting_for_trust: waits, imports };
                self.discovered.modules.push(found);
            }
        }
    }

    /// Returns which module a real path is. A configured path can be another spelling of one, where file systems ignore case
    /// (CONTRACT 2.5); names from a directory cannot.
    fn position(&self, real_path: &Path, source: &ToolSource) -> Option<usize> {
        self.by_real_path.get(real_path).copied().or_else(|| {
            let mut modules = self.discovered.modules.iter();
            let is_same = |found: &FoundModule| is_same_place(&found.real_path, real_path);
            source.is_configured().then(|| modules.position(is_same)).flatten()
        })
    }

    /// Returns the real path of a file. Its directory is resolved once for all files in it.
    fn real_path(&mut self, file: &Path, is_link: bool) -> io::Result<PathBuf> {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return toolsmith_host::real_path(file);
        };
        if is_link {
            return toolsmith_host::real_path(file);
        }
        if let Some(real) = self.real_folders.get(folder) {
            return Ok(real.join(name));
        }
        let real = toolsmith_host::real_path(folder)?;
        let file = real.join(name);
        self.real_folders.insert(folder.to_path_buf(), real);
        Ok(file)
    }

    /// Returns whether the settings disable an extension, by its name or its path.
    fn is_disabled(&self, path: &Path) -> bool {
        let settings = &self.options.settings.extensions;
        let name = module_name(path);
        settings.disabled.iter().any(|disabled| {
            let disabled = disabled.strip_prefix("extension-module:").unwrap_or(disabled);
            disabled == name || Path::new(disabled) == path
        })
    }

    /// Notes a file or folder somebody named.
    pub(super) fn configured(&mut self, path: &Path) {
        self.discovered.configured.push(path.to_path_buf());
    }

    pub(super) fn metadata(&mut self, path: PathBuf, source: ToolSource) {
        self.discovered.metadata.push(FoundMetadata { path, source });
    }

    pub(super) fn rule(&mut self, rule: FoundRule) {
        self.discovered.rules.push(rule);
    }

    /// Returns the number of rules so far.
    pub(super) fn rules(&self) -> usize {
        self.discovered.rules.len()
    }

    pub(super) fn warn(&mut self, path: &Path, message: impl Into<String>) {
        let warning = Warning::about(path, message);
        // Plugins are read once for tools and once for extensions.
        if !self.discovered.warnings.contains(&warning) {
            self.discovered.warnings.push(warning);
        }
    }

    pub(super) fn error(&mut self, error: ToolLoadError) {
        let is_known = |known: &ToolLoadError| known.path == error.path && known.message == error.message;
        if !self.discovered.errors.iter().any(is_known) {
            self.discovered.errors.push(error);
        }
    }

    /// Reads a file of the project, which must lie in it unless the file itself is trusted.
    pub(super) fn read_project(&self, file: &Path) -> io::Result<Vec<u8>> {
        match self.options.trust.allows(file) {
            true => small_file::read(file),
            false => small_file::read_within(file, &self.options.project),
        }
    }

    /// Returns whether the project is trusted.
    pub(super) fn project_is_trusted(&self) -> bool {
        self.project_trusted
    }

    /// Returns whether a file of the project may decide about what the user installed.
    pub(super) fn file_counts(&self, file: &Path) -> bool {
        counts(file, &self.options.project, &self.options.home, &self.options.trust)
    }

    /// Returns whether a real path lies in the project but not in the user's own directories, which may be below it if the
    /// project is the home.
    fn is_in_project(&self, real: &Path) -> bool {
        real.starts_with(&self.real_project) && !self.trusted.is_own(real)
    }

    pub(super) fn finish(self) -> Discovered {
        let untrusted_folder = (!self.project_trusted).then_some(self.real_project);
        Discovered { untrusted_folder, ..self.discovered }
    }
}
