//! Explicitly configured paths: from settings, the command line, or an embedding program (CONTRACT 2.5).

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use toolsmith_tool::Name;

use super::{
    DiscoveryOptions, Scope, ToolSource,
    found::Finder,
    scan::{MODULE_EXTENSIONS, index_file, scan},
};
use crate::{home::Home, load_error::ToolLoadError};

/// Origin of a configured path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfiguredFrom {
    /// The command line; needs no trust.
    CommandLine,
    /// The embedding program; needs no trust.
    Program,
    /// The user's settings.
    UserSettings(PathBuf),
    /// A variable of the environment, which counts as the user's settings.
    Environment(String),
    /// The project's settings; waits for trust in the project.
    ProjectSettings(PathBuf),
}

/// A configured path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfiguredPath {
    /// The path as written.
    pub path: String,
    /// Its origin.
    pub from: ConfiguredFrom,
    /// Option that names it on the command line.
    flag: &'static str,
}

impl ConfiguredPath {
    /// Creates a configured path.
    pub fn new(path: impl Into<String>, from: ConfiguredFrom) -> Self {
        Self { path: path.into(), from, flag: "--tool" }
    }

    /// Creates the configured path of an extension.
    pub fn extension(path: impl Into<String>, from: ConfiguredFrom) -> Self {
        Self { flag: "--extension", ..Self::new(path, from) }
    }

    /// Resolves the path: from the project if the project's settings name it, else from the working directory.
    pub(super) fn resolve(&self, options: &DiscoveryOptions) -> PathBuf {
        let base = match &self.from {
            ConfiguredFrom::ProjectSettings(_) => &options.project,
            _ => &options.cwd,
        };
        expand_path(&self.path, base, &options.home)
    }

    pub(super) fn source(&self) -> ToolSource {
        let source = |scope| ToolSource::new("config", "Config", scope);
        match &self.from {
            ConfiguredFrom::CommandLine => source(Scope::Given).detail(self.flag),
            ConfiguredFrom::Program => source(Scope::Given),
            ConfiguredFrom::UserSettings(file) => source(Scope::User).detail(file.to_string_lossy()),
            ConfiguredFrom::Environment(name) => source(Scope::User).detail(name),
            ConfiguredFrom::ProjectSettings(file) => source(Scope::Project).detail(file.to_string_lossy()),
        }
    }
}

/// Resolves a written path: `~` and `~/x` are in the home directory, `file://` and a leading `@` are dropped, the rest
/// is relative to `base`.
pub fn expand_path(written: &str, base: &Path, home: &Home) -> PathBuf {
    let written = written.strip_prefix("file://").unwrap_or(written);
    let written = match written.strip_prefix('@') {
        Some(rest) if rest.starts_with(['/', '~']) => rest,
        _ => written,
    };
    match written.strip_prefix('~') {
        Some(rest) => join(home.user(), rest.trim_start_matches('/')),
        None => join(base, written),
    }
}

/// Joins without `.` components.
fn join(base: &Path, path: &str) -> PathBuf {
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    base.join(parts.collect::<PathBuf>())
}

pub(super) fn find(finder: &mut Finder<'_>) {
    let options = finder.options;
    let settings = options.settings.tools.paths.iter();
    for configured in settings.chain(&options.configured) {
        let path = configured.resolve(options);
        finder.configured(&path);
        take_named(finder, &path, &configured.source());
    }
}

/// Returns whether the loader handles a file of this name: modules are run, and metadata is refused with its own
/// message (CONTRACT 2.3).
fn is_loadable(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    MODULE_EXTENSIONS.iter().chain(&["md", "json"]).any(|known| *known == extension)
}

/// Adds a configured file or directory. A directory stands for its index file, or else for the tools in it.
pub(super) fn take_named(finder: &mut Finder<'_>, path: &Path, source: &ToolSource) {
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) => {
            let message = match error.kind() {
                std::io::ErrorKind::NotFound => format!("Tool file not found: {}", Name(path.display())),
                _ => format!("{} cannot be read: {error}", Name(path.display())),
            };
            let hint =
                "Relative paths are resolved from the working directory. Correct the path or remove it.";
            finder.error(ToolLoadError::new(path, source, message).hint(hint));
            return;
        }
    };
    if about.is_file() && !is_loadable(path) {
        let hint = "Give a .ts, .mts, .cts, .js, .mjs or .cjs file, or a directory that contains one.";
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let message = format!("{} has the unsupported file extension \".{extension}\"", Name(path.display()));
        finder.error(ToolLoadError::new(path, source, message).hint(hint));
    } else if about.is_file() {
        finder.module(path.to_path_buf(), source.clone());
    } else if !about.is_dir() {
        finder.error(ToolLoadError::new(path, source, format!("{} is not a file", Name(path.display()))));
    } else if let Some(index) = index_file(path) {
        finder.module(index, source.clone());
    } else if scan(finder, path, source) == 0 {
        let message = format!("{} is a directory without an index file or modules", Name(path.display()));
        finder.error(ToolLoadError::new(path, source, message).hint("Give the path of the module file."));
    }
}
