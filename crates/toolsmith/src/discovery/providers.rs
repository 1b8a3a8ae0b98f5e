//! The capability providers (CONTRACT 2.2): folders of tools, ours and those of relatives.

use std::path::{Path, PathBuf};

use super::{Scope, ToolSource, found::Finder, marketplace, scan::scan};
use crate::home::Home;

/// A provider and its folders.
pub(super) struct Provider {
    /// What settings call it.
    pub(super) id: &'static str,
    /// What people call it.
    pub(super) name: &'static str,
    /// Its folder in the working folder and in the home, with `tools` and `rules` in it; `None` for installed plugins, which
    /// are listed elsewhere.
    pub(super) folders: Option<(&'static str, &'static str)>,
}

/// Highest first.
pub(super) const PROVIDERS: &[Provider] = &[
    Provider { id: "toolsmith", name: "Toolsmith", folders: Some((".toolsmith", ".toolsmith/agent")) },
    Provider { id: "omp", name: "OMP", folders: Some((".omp", ".omp/agent")) },
    Provider { id: "xcsh", name: "xcsh", folders: Some((".xcsh", ".xcsh/agent")) },
    Provider { id: "claude", name: "Claude Code", folders: Some((".claude", ".claude")) },
    Provider { id: "claude-plugins", name: "Claude Code Marketplace", folders: None },
    Provider { id: "codex", name: "OpenAI Codex", folders: Some((".codex", ".codex")) },
];

/// A path below the home, with our own folder where it really is.
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
        // When the working folder is the home, the user's own folder is not the project's.
        let is_own =
            project.canonicalize().is_ok_and(|real| user.canonicalize().is_ok_and(|own| own == real));
        if !is_own {
            scan(finder, &project, &source(Scope::Project));
        }
        scan(finder, &user, &source(Scope::User));
    }
}
