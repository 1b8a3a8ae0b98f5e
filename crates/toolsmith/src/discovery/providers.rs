//! The capability providers (CONTRACT 2.2): tool directories of Toolsmith and compatible agents.

use std::path::{Path, PathBuf};

use super::{
    DiscoveryOptions, Scope, ToolSource, extensions::EXTENSIONS, found::Finder, marketplace, scan::scan,
};
use crate::home::Home;

/// A provider and its directories.
pub(super) struct Provider {
    /// Name in settings.
    pub(super) id: &'static str,
    /// Display name.
    pub(super) name: &'static str,
    /// Its directory in the project and in the home, which contains `tools` and `rules`; `None` for installed
    /// plugins, which are listed elsewhere.
    pub(super) folders: Option<(&'static str, &'static str)>,
    /// Names of its directories with tools.
    pub(super) tools: &'static [&'static str],
    /// It has a directory `extensions`.
    pub(super) extensions: bool,
}

const TOOLS: &[&str] = &["tools"];

/// All providers, highest precedence first.
pub(super) const PROVIDERS: &[Provider] = &[
    extensible("toolsmith", "Toolsmith", (".toolsmith", ".toolsmith/agent")),
    extensible("omp", "OMP", (".omp", ".omp/agent")),
    extensible("pi", "pi", (".pi", ".pi/agent")),
    extensible("xcsh", "xcsh", (".xcsh", ".xcsh/agent")),
    provider("claude", "Claude Code", Some((".claude", ".claude"))),
    provider("claude-plugins", "Claude Code Marketplace", None),
    provider("codex", "OpenAI Codex", Some((".codex", ".codex"))),
    Provider {
        tools: &["tool", "tools"],
        ..provider("opencode", "opencode", Some((".opencode", ".config/opencode")))
    },
];

const fn provider(
    id: &'static str,
    name: &'static str,
    folders: Option<(&'static str, &'static str)>,
) -> Provider {
    Provider { id, name, folders, tools: TOOLS, extensions: false }
}

const fn extensible(id: &'static str, name: &'static str, folders: (&'static str, &'static str)) -> Provider {
    Provider { extensions: true, ..provider(id, name, Some(folders)) }
}

/// Resolves a path below the home, with our own directory at its actual location.
pub(super) fn in_home(home: &Home, relative: &str) -> PathBuf {
    match Path::new(relative).strip_prefix(".toolsmith") {
        Ok(rest) => home.toolsmith().join(rest),
        Err(_) => home.user().join(relative),
    }
}

pub(super) fn find(finder: &mut Finder<'_>) {
    for provider in PROVIDERS {
        if !finder.options.settings.discovery.is_on(provider.id) {
            continue;
        }
        let source = |scope| ToolSource::new(provider.id, provider.name, scope);
        let Some((project, user)) = provider.folders else {
            marketplace::find(finder, &source);
            continue;
        };
        for folder in provider.tools {
            let (project, user) = places(finder, project, user, folder);
            if let Some(project) = project {
                scan(finder, &project, &source(Scope::Project));
            }
            scan(finder, &user, &source(Scope::User));
        }
    }
}

/// Returns the directories of enabled providers in which modules are searched for, existing or not.
pub(crate) fn tool_folders(options: &DiscoveryOptions) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for provider in PROVIDERS.iter().filter(|provider| options.settings.discovery.is_on(provider.id)) {
        let Some((project, user)) = provider.folders else { continue };
        let extensions = (provider.extensions && options.settings.extensions.enabled).then_some(&EXTENSIONS);
        for name in provider.tools.iter().chain(extensions) {
            folders.push(options.project.join(project).join(name));
            folders.push(in_home(&options.home, user).join(name));
        }
    }
    folders
}

/// Returns a directory of the project and of the user. If the project is the home, the user's own directory does not
/// belong to the project.
pub(super) fn places(
    finder: &Finder<'_>,
    project: &str,
    user: &str,
    folder: &str,
) -> (Option<PathBuf>, PathBuf) {
    let project = finder.options.project.join(project).join(folder);
    let user = in_home(&finder.options.home, user).join(folder);
    let is_own = toolsmith_host::real_path(&project)
        .is_ok_and(|real| toolsmith_host::real_path(&user).is_ok_and(|own| own == real));
    ((!is_own).then_some(project), user)
}

#[cfg(test)]
#[path = "providers_tests.rs"]
mod tests;
