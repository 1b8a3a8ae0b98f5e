//! The project that a working directory belongs to: the nearest directory with a directory of an agent, up to the root of
//! the repository.

use std::path::{Path, PathBuf};

use toolsmith_agent::git_root;

use crate::home::Home;

/// Entries that mark the root of a project.
const MARKERS: &[&str] =
    &[".toolsmith", ".omp", ".pi", ".xcsh", ".agents", ".claude", ".codex", ".opencode", ".mcp.json"];

/// Finds the project of a working directory. Without a marker the working directory itself is the project.
pub fn find_project(cwd: &Path, home: &Home) -> PathBuf {
    project_folders(cwd, home).find(has_marker).unwrap_or(cwd).to_path_buf()
}

/// Returns the projects that have the working directory in them, the nearest first. A session that is started above the working
/// directory is one of another project.
pub(crate) fn projects_of(cwd: &Path, home: &Home) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        project_folders(cwd, home).filter(has_marker).map(Path::to_path_buf).collect();
    if found.is_empty() {
        found.push(cwd.to_path_buf());
    }
    found
}

fn has_marker(folder: &&Path) -> bool {
    MARKERS.iter().any(|name| folder.join(name).exists())
}

/// Returns the working directory and the directories above it that belong to the same repository. Outside a repository, these
/// are the directories below the home. The home itself is never a project of a directory below it: the directories in it are
/// the user's own.
pub(crate) fn project_folders<'a>(cwd: &'a Path, home: &Home) -> impl Iterator<Item = &'a Path> + use<'a> {
    let real = |path: &Path| toolsmith_host::real_path(path).unwrap_or_else(|_| path.to_path_buf());
    let home = real(home.user());
    let top = git_root(cwd).map(Path::to_path_buf);
    let is_below_home = real(cwd).starts_with(&home);
    let is_cwd = move |folder: &Path| folder == cwd;
    cwd.ancestors().take_while(move |folder| {
        if is_cwd(folder) {
            return true;
        }
        let is_inside = match &top {
            Some(top) => folder.starts_with(top),
            None => is_below_home,
        };
        is_inside && !home.starts_with(real(folder))
    })
}

#[cfg(test)]
#[path = "project_root_tests.rs"]
mod tests;
