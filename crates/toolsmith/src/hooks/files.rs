//! Hook files of Toolsmith, Claude Code and Codex: where they are, and their content as JSON.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolsmith_middleware::hooks::Dialect;

use crate::{
    discovery::{DiscoveryOptions, Scope},
    home::Home,
    plugins::{InstalledPlugin, installed_plugins, with_plugin_root},
    settings::Settings,
    small_file,
};

/// Components of a hook file's path that belong to its agent: the file and its directory.
const HOOK_FILE_DEPTH: usize = 2;

/// A file that may have hooks.
#[derive(Clone, Debug)]
pub(super) struct HookFile {
    pub(super) path: PathBuf,
    pub(super) scope: Scope,
    pub(super) dialect: Dialect,
    /// Has settings besides hooks, which are under a key of their own.
    is_settings: bool,
    /// Directory of the plugin it belongs to.
    plugin: Option<PathBuf>,
}

impl HookFile {
    /// Returns whether it is a file of ours.
    pub(super) fn is_own(&self) -> bool {
        self.dialect == Dialect::Toolsmith
    }

    /// Returns whether the file, or a directory on the way to it, is a link that leads nowhere. Somebody put it there: it does not
    /// count as a file that is gone.
    fn is_link_to_nothing(&self) -> bool {
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        self.path.ancestors().take(HOOK_FILE_DEPTH).any(|path| is_link(path) && path.metadata().is_err())
    }

    /// Reads the hooks of the file; `None` if there is no file, or it has no hooks.
    ///
    /// # Errors
    /// Fails with the reason if the file cannot be read, leads out of the project, or is not valid.
    pub(super) fn read(&self, within: Option<&Path>) -> Result<Option<Value>, String> {
        let read = match within {
            Some(project) => small_file::read_within(&self.path, project),
            None => small_file::read(&self.path),
        };
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if is_gone(&error) && !self.is_link_to_nothing() => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let text = text.trim_start_matches('\u{feff}');
        let whole: Value = match self.path.extension().is_some_and(|extension| extension == "toml") {
            true => toml::from_str(text).map_err(|error| error.message().to_owned())?,
            false => serde_json::from_str(text).map_err(|error| error.to_string())?,
        };
        if whole["disableAllHooks"] == true {
            return Ok(None);
        }
        let hooks = match whole.get("hooks") {
            Some(hooks) => hooks.clone(),
            None if self.is_settings => return Ok(None),
            None => whole,
        };
        Ok(Some(match &self.plugin {
            Some(folder) => with_plugin_root(hooks, &folder.to_string_lossy()),
            None => hooks,
        }))
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the hook files of installed plugins.
pub(super) fn plugin_files(options: &DiscoveryOptions) -> Vec<HookFile> {
    let installed = installed_plugins(options);
    installed.enabled().flat_map(|plugin| files_of_plugin(plugin, Some(&plugin.folder))).collect()
}

/// Returns the hook files of a plugin. Those of one that the user installed count as the user's. `root` replaces the variable
/// for the directory of the plugin.
pub(super) fn files_of_plugin(plugin: &InstalledPlugin, root: Option<&Path>) -> Vec<HookFile> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let is_used = |path: &&PathBuf| !name(path).is_some_and(|name| plugin.is_disabled("hooks", &name));
    let files = plugin.contents().hooks.iter().filter(is_used).map(|path| HookFile {
        path: path.clone(),
        scope: match plugin.source.scope {
            Scope::User => Scope::User,
            _ => Scope::Project,
        },
        dialect: Dialect::Claude,
        is_settings: false,
        plugin: root.map(Path::to_path_buf),
    });
    files.collect()
}

/// Returns all places of hook files: the user's first, then the project's.
pub(super) fn hook_files(cwd: &Path, home: &Home, settings: &Settings) -> Vec<HookFile> {
    let file = |path: PathBuf, scope, dialect, is_settings| HookFile {
        path,
        scope,
        dialect,
        is_settings,
        plugin: None,
    };
    let imports = |agent: &str| settings.hooks.import.iter().any(|name| name == agent);
    let mut files =
        vec![file(home.toolsmith().join("agent/hooks.json"), Scope::User, Dialect::Toolsmith, false)];
    let claude = home.user().join(".claude/settings.json");
    let codex = ["hooks.json", "config.toml"].map(|name| home.user().join(".codex").join(name));
    if imports("claude") {
        files.push(file(claude.clone(), Scope::User, Dialect::Claude, true));
    }
    if imports("codex") {
        for path in &codex {
            files.push(file(path.clone(), Scope::User, Dialect::Codex, path.ends_with("config.toml")));
        }
    }
    let project = [
        (".toolsmith/hooks.json", Dialect::Toolsmith, false),
        (".claude/settings.json", Dialect::Claude, true),
        (".claude/settings.local.json", Dialect::Claude, true),
        (".codex/hooks.json", Dialect::Codex, false),
        (".codex/config.toml", Dialect::Codex, true),
    ];
    // If the working directory is the home, its files are the user's.
    let own: Vec<PathBuf> = std::iter::once(claude)
        .chain(codex)
        .filter_map(|path| toolsmith_host::real_path(path).ok())
        .collect();
    for (name, dialect, is_settings) in project {
        let path = cwd.join(name);
        if !toolsmith_host::real_path(&path).is_ok_and(|real| own.contains(&real)) {
            files.push(file(path, Scope::Project, dialect, is_settings));
        }
    }
    files
}
