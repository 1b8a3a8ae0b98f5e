//! Where files that decide what runs really are, when they, or entries of their folders, are links: `~/.bashrc` that
//! leads into a folder of dotfiles, `.husky` that leads to `scripts`, `.toolsmith/tools` that leads to `src/tools`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    rules::real,
    table::{ANYWHERE, IN_HOME, OWN_STATE, plain_names},
};
use crate::real_path;

/// Category of the folders that are also searched in the home and above the working folder.
const AGENTS: &str = "tools and settings of coding agents";
/// Categories whose folders are not searched: they are large, and their links lead to ordinary code of the project, such
/// as the packages of a workspace.
const NOT_SEARCHED: [&str; 4] =
    ["git", "package managers", "toolchains and build tools", "keys and remote access"];
/// Folders below those of an agent that hold data or copies of projects.
const DATA: &[&str] =
    &["node_modules", "worktrees", "projects", "sessions", "cache", "logs", "changes", "file-history", "debug"];
/// Entries that are looked at in one folder with everything in it, and how deep.
const MAX_ENTRIES: usize = 4000;
const MAX_DEPTH: usize = 5;

/// Returns the targets of links, each with its category. A target need not exist.
pub(super) fn targets(
    root: Option<&Path>,
    user_home: Option<&Path>,
    own_home: Option<&Path>,
) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    let mut add = |base: &Path, name: &str, what, searches: bool| {
        let path = base.join(name);
        if fs::symlink_metadata(&path).is_err() {
            return;
        }
        let place = real(&path);
        if place != path {
            found.push((place, what));
        }
        if searches {
            found.extend(inside(&path).into_iter().map(|target| (target, what)));
        }
    };
    for (name, what) in plain_names(ANYWHERE) {
        let searches = !NOT_SEARCHED.contains(&what);
        if let Some(root) = root {
            add(root, name, what, searches);
        }
        if let Some(home) = user_home {
            add(home, name, what, what == AGENTS);
        }
        if what == AGENTS {
            // Settings of agents are also found above the working folder.
            for base in root.into_iter().flat_map(|root| root.ancestors().skip(1)) {
                if Some(base) != user_home {
                    add(base, name, what, true);
                }
            }
        }
    }
    if let Some(root) = root {
        add(root, ".git/hooks", "git", true);
    }
    for (name, what) in plain_names(IN_HOME) {
        if let Some(home) = user_home {
            add(home, name, what, false);
        }
    }
    if let Some(home) = own_home {
        add(home, "", AGENTS, true);
    }
    found
}

/// Returns where the links in a folder lead, at any depth, also those in the folders they lead to.
pub(super) fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MAX_ENTRIES;
    let mut seen = BTreeSet::new();
    let mut open = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        // A folder that was reached by two links is searched once; so a loop ends.
        let Ok(place) = real_path(&folder) else { continue };
        if !seen.insert(place.clone()) {
            continue;
        }
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let (name, path) = (entry.file_name(), entry.path());
            let is_data = name.to_str().is_some_and(|name| {
                DATA.contains(&name) || OWN_STATE.iter().any(|(own, _)| own.trim_end_matches('*') == name)
            });
            let Ok(kind) = entry.file_type() else { continue };
            if is_data {
                continue;
            }
            let is_link = kind.is_symlink();
            if is_link {
                found.push(real(&path));
            }
            if depth < MAX_DEPTH && (kind.is_dir() || (is_link && path.is_dir())) {
                open.push((path, depth + 1));
            }
        }
    }
    found
}
