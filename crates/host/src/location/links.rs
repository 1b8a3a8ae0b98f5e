//! Where files that decide what runs really are, when they, or entries of their folders, are links: `~/.bashrc` that
//! leads into a folder of dotfiles, `.husky` that leads to `scripts`, `.toolsmith/tools` that leads to `src/tools`.

use std::{
    collections::{BTreeSet, VecDeque},
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
};

use super::{
    git, lexical,
    rules::real,
    subfolders::{is_skipped, subfolders},
    table::{ANYWHERE, IN_HOME, first, plain_names},
};
use crate::{real_path, spelling::fold};

/// Category of the folders that are also searched above the working folder.
const AGENTS: &str = "tools and settings of coding agents";
/// Category of what starts with a dot in the home.
const SETTINGS: &str = "settings of the user";
/// Not searched: its links lead to ordinary code of the project, such as the packages of a workspace.
const PACKAGES: &str = "node_modules";
/// Folders that hold data or copies of projects.
const DATA: &[&str] = &[
    PACKAGES,
    "worktrees",
    "projects",
    "sessions",
    "cache",
    "logs",
    "changes",
    "file-history",
    "debug",
    "objects",
    "refs",
    "lfs",
];
/// How deep folders are searched: those of agents, those of other programs in the working folder, and those in the home.
const DEPTH_OF_AGENTS: usize = 5;
const DEPTH_IN_PROJECT: usize = 3;
const DEPTH_IN_HOME: usize = 2;
/// The same for everything in the home that starts with a dot: links in it, not in its subfolders.
const DEPTH_OF_SETTINGS: usize = 0;
/// Most places in subfolders of the working folder.
const NESTED_PLACES: usize = 200;
/// Entries that are looked at in one folder with everything in it, and in all.
const MAX_ENTRIES: usize = 4000;
const MAX_ALL_ENTRIES: usize = 20_000;

/// Returns the places in subfolders of the working folder, each with its category: repositories of their own, such as
/// submodules, and settings of packages.
pub(super) fn nested_places(root: &Path) -> Vec<(PathBuf, &'static str)> {
    let category = |name: &OsStr| first(ANYWHERE, &[fold(&name.to_string_lossy())]);
    let mut found = Vec::new();
    for folder in subfolders(root.to_path_buf(), |name| category(name).is_none()) {
        if found.len() > NESTED_PLACES {
            break;
        }
        if folder.depth > 0 && git::is_repository(&folder.path) {
            found.push((folder.path.clone(), "git"));
        }
        for entry in folder.entries.iter().filter(|_| folder.depth > 0) {
            let name = entry.file_name();
            let what = category(&name).filter(|_| !is_skipped(&name));
            found.extend(what.map(|what| (entry.path(), what)));
            // Places with a name of several parts, such as `.github/workflows`.
            let folded = fold(&name.to_string_lossy());
            let longer = plain_names(ANYWHERE).filter(|(pattern, _)| {
                pattern.split_once('/').is_some_and(|(first, _)| what.is_none() && first == folded)
            });
            let places = longer.filter_map(|(pattern, what)| {
                let (_, rest) = pattern.split_once('/')?;
                Some((entry.path().join(rest), what))
            });
            // A link may lead to a directory that does not exist yet.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            found.extend(places.filter(|(place, _)| is_link || place.parent().is_some_and(Path::is_dir)));
        }
    }
    found
}

/// Returns the targets of links, each with its category. A target need not exist.
pub(super) fn targets(
    root: Option<&Path>,
    user_home: Option<&Path>,
    own_home: Option<&Path>,
    nested: &[(PathBuf, &'static str)],
) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    let mut left = MAX_ALL_ENTRIES;
    let mut add = |base: &Path, name: &str, what, depth: usize| {
        // A separator at its end would make the system follow a link.
        let path = if name.is_empty() { base.to_path_buf() } else { base.join(name) };
        let Ok(metadata) = fs::symlink_metadata(&path) else { return };
        let place = real(&path);
        if place != path {
            found.push((place, what));
        }
        if metadata.is_symlink() {
            found.extend(written_target(&path).map(|target| (target, what)));
        }
        if name != PACKAGES {
            let most = left.min(MAX_ENTRIES);
            let (linked, seen) = search(&path, depth, most);
            left -= seen;
            found.extend(linked.into_iter().map(|target| (target, what)));
        }
    };
    if let Some(home) = own_home {
        add(home, "", AGENTS, DEPTH_OF_AGENTS);
    }
    for (name, what) in plain_names(ANYWHERE) {
        let is_agent = what == AGENTS;
        if let Some(root) = root {
            add(root, name, what, if is_agent { DEPTH_OF_AGENTS } else { DEPTH_IN_PROJECT });
        }
        // Settings of agents, and the repository, are also found above the working folder.
        let is_above = is_agent || name == ".git";
        for base in root.into_iter().flat_map(|root| root.ancestors().skip(1)).filter(|_| is_above) {
            if Some(base) != user_home {
                add(base, name, what, DEPTH_OF_AGENTS);
            }
        }
        if let Some(home) = user_home {
            add(home, name, what, if is_agent { DEPTH_OF_AGENTS } else { DEPTH_IN_HOME });
        }
    }
    for (name, what) in plain_names(IN_HOME) {
        if let Some(home) = user_home {
            add(home, name, what, DEPTH_IN_HOME);
        }
    }
    for (place, what) in nested {
        add(place, "", what, DEPTH_IN_PROJECT);
    }
    // Everything in the home that starts with a dot is somebody's settings, and people keep those in a directory of dotfiles.
    // The home itself may be behind a link, which does not make a project in it somebody's settings.
    if let Some(home) = user_home.map(real) {
        for name in hidden_names(&home) {
            add(&home, &name, SETTINGS, DEPTH_OF_SETTINGS);
        }
    }
    // A directory above the last name of a place may be a link, whether the place exists or not.
    for (place, what) in nested.iter().filter(|(place, _)| !place.exists()) {
        found.extend(Some(real(place)).filter(|real| real != place).map(|real| (real, *what)));
    }
    found
}

/// Returns the names in the home that start with a dot.
fn hidden_names(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.starts_with('.')).collect()
}

/// Returns where the links in a folder that git uses lead.
pub(super) fn in_git_folder(folder: &Path) -> Vec<PathBuf> {
    search(folder, 1, MAX_ENTRIES).0
}

/// Returns where the links in a folder lead, at any depth, also those in the folders they lead to.
pub(super) fn inside(folder: &Path) -> Vec<PathBuf> {
    search(folder, DEPTH_OF_AGENTS, MAX_ENTRIES).0
}

/// Returns where a link leads by its text alone: there it leads once directories exist that it passes through.
fn written_target(link: &Path) -> Option<PathBuf> {
    let target = fs::read_link(link)
        .ok()
        .filter(|target| target.components().any(|part| part == Component::ParentDir))?;
    let folder = link.parent().and_then(|folder| real_path(folder).ok())?;
    Some(lexical(&folder.join(target)))
}

/// Searches a folder for links; returns where they lead, and how many entries were looked at.
fn search(folder: &Path, max_depth: usize, max_entries: usize) -> (Vec<PathBuf>, usize) {
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut seen = BTreeSet::new();
    let mut open = VecDeque::from([(folder.to_path_buf(), 0)]);
    // Upper folders first: there people put links.
    while let Some((folder, depth)) = open.pop_front() {
        // A folder that was reached by two links is searched once; so a loop ends.
        let Ok(place) = real_path(&folder) else { continue };
        if !seen.insert(place.clone()) {
            continue;
        }
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            if looked_at == max_entries {
                return (found, looked_at);
            }
            looked_at += 1;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let is_link = kind.is_symlink();
            if is_link {
                found.push(real(&path));
                found.extend(written_target(&path));
            }
            let is_data = entry.file_name().to_str().is_some_and(|name| DATA.contains(&name));
            if depth < max_depth && !is_data && (kind.is_dir() || (is_link && path.is_dir())) {
                open.push_back((path, depth + 1));
            }
        }
    }
    (found, looked_at)
}
