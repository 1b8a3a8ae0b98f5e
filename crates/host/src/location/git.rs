//! Files that decide what git runs, beyond their names: bare repositories, and everything that git's own settings point to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    commands::{Missing, files_in_text},
    lexical,
};

/// Maximum size of a settings file of git that is read.
const MAX_CONFIG: usize = 256 << 10;
/// Maximum number of settings files read, includes among them.
const MAX_CONFIGS: usize = 32;
/// Entries that make a directory a git repository.
const REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];
/// Settings whose value is a file or directory that git runs or reads.
const POINTERS: [&str; 5] = ["hookspath", "path", "fsmonitor", "attributesfile", "templatedir"];
/// Settings whose values are names and addresses. The value of any other setting may be a command, and every existing file
/// that one of its words names may be run or read by it.
const NAMES: [&str; 12] = [
    "defaultbranch",
    "email",
    "excludesfile",
    "fetch",
    "filemode",
    "merge",
    "name",
    "push",
    "rebase",
    "remote",
    "repositoryformatversion",
    "signingkey",
];
/// Returns whether the file is in a bare repository below `root`, or would create one. `exists` tells which paths exist, or
/// will once all files of the same change are written.
pub(super) fn is_in_bare_repository(real: &Path, root: &Path, exists: &dyn Fn(&Path) -> bool) -> bool {
    real.ancestors().skip(1).take_while(|folder| folder.starts_with(root)).any(|folder| {
        let first = real.strip_prefix(folder).ok().and_then(|below| below.components().next());
        let is_first = |name: &str| first.is_some_and(|first| first.as_os_str() == name);
        REPOSITORY.iter().all(|name| is_first(name) || exists(&folder.join(name)))
    })
}

/// Returns the directories and files outside `.git` that the repository of `root` uses: what a `.git` file points to, and
/// what its settings and those of the user name.
pub(super) fn pointed_to(root: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let repository =
        root.ancestors().map(|folder| (folder, folder.join(".git"))).find(|(_, git)| git.exists());
    let top = repository.as_ref().map_or(root, |(top, _)| top);
    let mut found = Vec::new();
    let mut configs: Vec<PathBuf> = user_configs(home);
    if let Some((top, git)) = &repository {
        configs.extend([git.join("config"), git.join("config.worktree")]);
        if let Some(target) = small_text(git).and_then(|text| pointer(&text, "gitdir:", top)) {
            let common = small_text(&target.join("commondir")).map(|text| target.join(text.trim()));
            for folder in [Some(target), common].into_iter().flatten() {
                configs.extend([folder.join("config"), folder.join("config.worktree")]);
                found.push(folder);
            }
        }
    }
    for (key, value) in environment_settings() {
        if POINTERS.contains(&key.as_str()) && !value.is_empty() {
            found.push(lexical(&top.join(value)));
        }
    }
    if let Some(folder) = std::env::var_os("GIT_DIR").filter(|folder| !folder.is_empty()) {
        let folder = root.join(folder);
        configs.push(folder.join("config"));
        found.push(folder);
    }
    let mut read = 0;
    while let Some(config) = configs.pop() {
        read += 1;
        if read > MAX_CONFIGS {
            break;
        }
        let Some(text) = small_text(&config) else { continue };
        for (key, value) in settings(&text) {
            let beside = config.parent().unwrap_or(top);
            let is_name = NAMES.contains(&key.as_str()) && !value.contains("::");
            if !is_name || value.starts_with('!') {
                let named = files_in_text(&value, &[top, beside], home, Missing::Paths);
                found.extend(named.iter().cloned());
            }
            if !POINTERS.contains(&key.as_str()) || value.is_empty() {
                continue;
            }
            for base in [top, beside] {
                let path = match (value.strip_prefix("~/"), home) {
                    (Some(rest), Some(home)) => home.join(rest),
                    _ => base.join(&value),
                };
                // An included file has settings of its own.
                if key == "path" {
                    configs.push(path.clone());
                }
                // Git resolves `x/..` even if `x` does not exist.
                found.push(lexical(&path));
                found.push(path);
            }
        }
    }
    found
}

/// Returns the settings files of the user and the system.
fn user_configs(home: Option<&Path>) -> Vec<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let mut configs: Vec<PathBuf> =
        ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(from).collect();
    configs.extend(from("XDG_CONFIG_HOME").map(|folder| folder.join("git/config")));
    if let Some(home) = home {
        configs.extend([home.join(".gitconfig"), home.join(".config/git/config")]);
    }
    configs.push(PathBuf::from("/etc/gitconfig"));
    configs
}

/// Returns the settings that `GIT_CONFIG_KEY_0` and the like give, with keys as [`settings`] has them.
fn environment_settings() -> Vec<(String, String)> {
    let count: usize =
        std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or_default();
    let setting = |at: usize| {
        let key = std::env::var(format!("GIT_CONFIG_KEY_{at}")).ok()?;
        let value = std::env::var(format!("GIT_CONFIG_VALUE_{at}")).ok()?;
        Some((key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase(), value))
    };
    (0..count.min(MAX_CONFIG)).map_while(setting).collect()
}

/// Returns the keys, in lower case and without their section, and the values of a settings file: comments, quotes,
/// escapes and continued lines are understood as git does.
fn settings(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        // `[include] path = x` may be on one line.
        let line = match line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((section, rest)) => {
                // `[url "ext::./x"] insteadOf = …` names a command too.
                let named = section.split('"').nth(1).filter(|name| name.contains("::"));
                found.extend(named.map(|name| ("section".to_owned(), name.to_owned())));
                rest
            }
            None => line,
        };
        let Some((key, first)) = line.split_once('=') else { continue };
        let (mut value, mut quoted, mut rest) = (String::new(), false, first.trim_start().to_owned());
        loop {
            let mut continued = false;
            let mut characters = rest.chars();
            while let Some(c) = characters.next() {
                match c {
                    '"' => quoted = !quoted,
                    '\\' => match characters.next() {
                        None => continued = true,
                        Some('n') => value.push('\n'),
                        Some('t') => value.push('\t'),
                        Some(c) => value.push(c),
                    },
                    '#' | ';' if !quoted => break,
                    c => value.push(c),
                }
            }
            match if continued { lines.next() } else { None } {
                Some(next) => next.clone_into(&mut rest),
                None => break,
            }
        }
        found.push((key.trim().to_ascii_lowercase(), value.trim_end().to_owned()));
    }
    found
}

fn pointer(text: &str, key: &str, base: &Path) -> Option<PathBuf> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(|value| base.join(value.trim()))
}

pub(super) fn small_text(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok().filter(|found| found.is_file())?;
    let fits = usize::try_from(found.len()).is_ok_and(|size| size <= MAX_CONFIG);
    fits.then(|| fs::read_to_string(path).ok()).flatten()
}
