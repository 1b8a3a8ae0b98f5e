//! Packages of the same workspace, which are imported by their names without being installed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

/// Maximum number of directories that are searched for a package.
const MAX_FOLDERS: usize = 500;

/// Returns the directory of a package of the workspace that a file belongs to.
pub(super) fn package_folder(file: &Path, name: &str) -> Option<PathBuf> {
    file.ancestors().skip(1).find_map(|root| {
        let patterns = patterns(root);
        let mut folders = patterns.iter().flat_map(|pattern| expand(root, pattern)).take(MAX_FOLDERS);
        folders.find(|folder| manifest(folder).is_some_and(|own| own["name"] == name))
    })
}

fn manifest(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(folder.join("package.json")).ok()?).ok()
}

/// Returns the patterns of a workspace's packages; none for a directory that is not the root of one.
fn patterns(root: &Path) -> Vec<String> {
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    if let Some(own) = manifest(root) {
        let workspaces = &own["workspaces"];
        let listed = if workspaces.is_array() { texts(workspaces) } else { texts(&workspaces["packages"]) };
        if !listed.is_empty() {
            return listed;
        }
    }
    // Only the list of packages is read of this file, one on each line.
    let Ok(text) = fs::read_to_string(root.join("pnpm-workspace.yaml")) else { return Vec::new() };
    let lines = text.lines().skip_while(|line| line.trim() != "packages:").skip(1);
    lines
        .map_while(|line| line.trim().strip_prefix("- "))
        .map(|pattern| pattern.trim().trim_matches(['"', '\'']).to_owned())
        .collect()
}

/// Returns the directories of a pattern. `*` stands for one name; `**` is read as `*`.
fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut folders = vec![root.to_path_buf()];
    for part in pattern.trim_start_matches("./").split('/').filter(|part| !part.is_empty()) {
        folders = match part {
            ".." => return Vec::new(),
            "*" | "**" => folders.iter().flat_map(|folder| children(folder)).take(MAX_FOLDERS).collect(),
            name => folders.iter().map(|folder| folder.join(name)).collect(),
        };
    }
    folders
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !path.ends_with("node_modules"))
        .collect();
    folders.sort();
    folders
}
