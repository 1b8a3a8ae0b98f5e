//! The capability providers (CONTRACT 2.2): tool directories of Toolsmith and compatible agents.

use std::path::{Path, PathBuf};

use super::{Scope, ToolSource, found::Finder, marketplace, scan::scan};
use crate::home::Home;

/// A provider and its directories.
pub(super) struct Provider {
    /// Name in settings.
    pub(super) id: &'static str,
    /// Display name.
    pub(super) name: &'static str,
    /// Its directory in the working directory and in the home, which contains `tools` and `rules`; `None` for installed
    /// plugins, which are listed elsewhere.
    pub(super) folders: Option<(&'static str, &'static str)>,
}

/// All providers, highest precedence first.
pub(super) const PROVIDERS: &[Provider] = &[
    Provider { id: "toolsmith", name: "Toolsmith", folders: Some((".toolsmith", ".toolsmith/agent")) },
    Provider { id: "omp", name: "OMP", folders: Some((".omp", ".omp/agent")) },
    Provider { id: "xcsh", name: "xcsh", folders: Some((".xcsh", ".xcsh/agent")) },
    Provider { id: "claude", name: "Claude Code", folders: Some((".claude", ".claude")) },
    Provider { id: "claude-plugins", name: "Claude Code Marketplace", folders: None },
    Provider { id: "codex", name: "OpenAI Codex", folders: Some((".codex", ".codex")) },
];

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
        let project = finder.options.cwd.join(project).join("tools");
        let user = in_home(&finder.options.home, user).join("tools");
        // If the working directory is the home, the user's own directory does not belong to the project.
        let is_own =
            project.canonicalize().is_ok_and(|real| user.canonicalize().is_ok_and(|own| own == real));
        if !is_own {
            scan(finder, &project, &source(Scope::Project));
        }
        scan(finder, &user, &source(Scope::User));
    }
}
