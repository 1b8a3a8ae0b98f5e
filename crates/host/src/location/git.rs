//! What decides what git runs, beyond names: repositories without a working tree, and files that git's own settings
//! point to.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Settings of git are read up to here.
const MAX_CONFIG: usize = 256 << 10;
/// Entries that make a directory a git repository.
const REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];
/// Settings whose value is a file or folder that git runs or reads settings from.
const POINTERS: [&str; 3] = ["hookspath", "path", "fsmonitor"];

/// Returns whether the file is in a bare repository below `root`, or would create one.
pub(super) fn is_in_bare_repository(real: &Path, root: &Path) -> bool {
    real.ancestors().skip(1).take_while(|folder| folder.starts_with(root)).any(|folder| {
        let first = real.strip_prefix(folder).ok().and_then(|below| below.components().next());
        let is_first = |name: &str| first.is_some_and(|first| first.as_os_str() == name);
        REPOSITORY.iter().all(|name| is_first(name) || folder.join(name).exists())
    })
}

/// The folders and files outside `.git` that the repository of `root` uses: where a `.git` file points to, and what its
/// settings name.
pub(super) fn pointed_to(root: &Path) -> Vec<PathBuf> {
    let Some((top, git)) =
        root.ancestors().map(|folder| (folder, folder.join(".git"))).find(|(_, git)| git.exists())
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut configs = vec![git.join("config"), git.join("config.worktree")];
    if let Some(target) = small_text(&git).and_then(|text| pointer(&text, "gitdir:", top)) {
        let common = small_text(&target.join("commondir")).map(|text| target.join(text.trim()));
        for folder in [Some(target), common].into_iter().flatten() {
            configs.extend([folder.join("config"), folder.join("config.worktree")]);
            found.push(folder);
        }
    }
    for config in configs {
        let Some(text) = small_text(&config) else { continue };
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            // `[include] path = x` may be on one line.
            let key = key.rsplit(']').next().unwrap_or(key).trim().to_ascii_lowercase();
            let value = value.trim().trim_matches('"');
            if POINTERS.contains(&key.as_str()) && !value.is_empty() && !value.starts_with('~') {
                found.push(top.join(value));
                found.extend(config.parent().map(|folder| folder.join(value)));
            }
        }
    }
    found
}

fn pointer(text: &str, key: &str, base: &Path) -> Option<PathBuf> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(|value| base.join(value.trim()))
}

fn small_text(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok().filter(|found| found.is_file())?;
    let fits = usize::try_from(found.len()).is_ok_and(|size| size <= MAX_CONFIG);
    fits.then(|| fs::read_to_string(path).ok()).flatten()
}
