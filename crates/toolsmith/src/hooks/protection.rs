//! Protects the files of hooks as the configuration is now, whether or not the hooks run in this session (CONTRACT 5.7).

use std::path::{Path, PathBuf};

use toolsmith_host::location::Protected;

use super::{
    files::hook_files,
    folders::EVENTS,
    found::{HookOptions, discover_hooks, folders},
};
use crate::{home::Home, settings::Settings};

/// Protects the files that the hooks of a project and of the user run, also hooks that wait for trust or a confirmation. Returns the
/// files and directories that decide which hooks there are. Nothing is run.
pub(crate) fn protect_hooks(protected: &Protected, project: &Path, home: &Home) -> Vec<PathBuf> {
    let mut settings = Settings::default();
    // Settings of the project may import them once it is trusted.
    settings.hooks.import = ["claude", "codex"].map(str::to_owned).to_vec();
    let mut read: Vec<PathBuf> =
        hook_files(project, home, &settings).into_iter().map(|file| file.path).collect();
    for (folder, _) in folders(project, home) {
        read.extend(EVENTS.iter().map(|(name, _)| folder.join(name)));
    }
    let found = discover_hooks(&HookOptions::new(project, home.clone()).settings(settings));
    found.protect(protected);
    read.extend(found.hooks.iter().map(|found| found.hook.source.clone()));
    read
}
