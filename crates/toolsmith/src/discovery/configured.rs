//! Paths somebody named: in settings, on the command line, or in an embedding program (CONTRACT 2.5).

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::{
    Scope, ToolSource,
    found::Finder,
    scan::{MODULE_EXTENSIONS, index_file, scan},
};
use crate::{home::Home, load_error::ToolLoadError};

/// Who named a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfiguredFrom {
    /// The command line; needs no trust.
    CommandLine,
    /// The embedding program; needs no trust.
    Program,
    /// The user's settings.
    UserSettings(PathBuf),
    /// The project's settings; waits with the project.
    ProjectSettings(PathBuf),
}

/// A path somebody named.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfiguredPath {
    /// As it was written.
    pub path: String,
    /// Who named it.
    pub from: ConfiguredFrom,
}

impl ConfiguredPath {
    /// A path and who named it.
    pub fn new(path: impl Into<String>, from: ConfiguredFrom) -> Self {
        Self { path: path.into(), from }
    }

    fn source(&self) -> ToolSource {
        let source = |scope| ToolSource::new("config", "Config", scope);
        match &self.from {
            ConfiguredFrom::CommandLine => source(Scope::Given).detail("--tool"),
            ConfiguredFrom::Program => source(Scope::Given),
            ConfiguredFrom::UserSettings(file) => source(Scope::User).detail(file.to_string_lossy()),
            ConfiguredFrom::ProjectSettings(file) => source(Scope::Project).detail(file.to_string_lossy()),
        }
    }
}

/// The path meant by what a person wrote: `~` and `~/x` are in the home, `file://` and an `@` before a path are dropped,
/// the rest is seen from `base`.
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

/// Joins without the `.` parts, which nobody wants to read.
pub(super) fn join(base: &Path, path: &str) -> PathBuf {
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    base.join(parts.collect::<PathBuf>())
}

pub(super) fn find(finder: &mut Finder<'_>) {
    let options = finder.options;
    let settings = options.settings.tools.paths.iter();
    for configured in settings.chain(&options.configured) {
        let path = expand_path(&configured.path, &options.cwd, &options.home);
        finder.configured(&path);
        take_named(finder, &path, &configured.source());
    }
}

/// Whether the loader knows what to do with a file of this name: modules are run, and metadata is refused in words of its
/// own (CONTRACT 2.3).
fn is_loadable(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    MODULE_EXTENSIONS.iter().chain(&["md", "json"]).any(|known| *known == extension)
}

/// Takes a file or folder that was named. A folder stands for its index file, or else for the tools in it.
pub(super) fn take_named(finder: &mut Finder<'_>, path: &Path, source: &ToolSource) {
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) => {
            let message = match error.kind() {
                std::io::ErrorKind::NotFound => format!("Tool file not found: {}", path.display()),
                _ => format!("{} cannot be read: {error}", path.display()),
            };
            let hint = "Relative paths are seen from the working folder; correct the path or remove it.";
            finder.error(ToolLoadError::new(path, source, message).hint(hint));
            return;
        }
    };
    if about.is_file() && !is_loadable(path) {
        let hint =
            "Modules end in .ts, .mts, .cts, .js, .mjs or .cjs; name one of those, or a folder with one.";
        let message = format!("{} is no module: its name does not end like one", path.display());
        finder.error(ToolLoadError::new(path, source, message).hint(hint));
    } else if about.is_file() {
        finder.module(path.to_path_buf(), source.clone());
    } else if !about.is_dir() {
        finder.error(ToolLoadError::new(path, source, format!("{} is not a file", path.display())));
    } else if let Some(index) = index_file(path) {
        finder.module(index, source.clone());
    } else if scan(finder, path, source) == 0 {
        let message = format!("{} is a folder without an index file or modules", path.display());
        finder.error(ToolLoadError::new(path, source, message).hint("Name the module file."));
    }
}
