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
const POINTERS: [&str; 5] = [HOOKS, "path", "fsmonitor", "attributesfile", TEMPLATE];
/// Setting that names the directory of hooks.
const HOOKS: &str = "hookspath";
/// Setting that names a directory whose content is copied into new repositories.
const TEMPLATE: &str = "templatedir";
/// Names of the hooks that git runs, those of its mail and Perforce commands included.
const HOOK_NAMES: [&str; 28] = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-prepare-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "post-index-change",
];
/// Entries of a repository, or of a template for one, that decide what git runs.
const REPOSITORY_CODE: [&str; 3] = ["hooks", "config", "info/attributes"];
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

/// The use that git makes of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The directory of hooks.
    Hooks,
    /// The data of a repository, or a template for it.
    Repository,
    /// A file, or a directory as a whole.
    Other,
}

impl Use {
    fn of(key: &str) -> Self {
        match key {
            HOOKS => Self::Hooks,
            TEMPLATE => Self::Repository,
            _ => Self::Other,
        }
    }
}

/// A directory or file outside `.git` that git uses.
pub(super) struct Pointed {
    pub(super) path: PathBuf,
    used: Use,
}

impl Pointed {
    fn new(path: impl Into<PathBuf>, used: Use) -> Self {
        Self { path: path.into(), used }
    }

    /// Returns the files and directories in the directory that git runs or reads. Where the directory is a whole project, the
    /// rest of it is not git's.
    pub(super) fn code(&self) -> Vec<PathBuf> {
        match self.used {
            Use::Hooks => {
                // Git for Windows finds programs too.
                let names = HOOK_NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("{name}.exe")]);
                names.map(|name| self.path.join(name)).filter(|file| !file.is_dir()).collect()
            }
            Use::Repository => REPOSITORY_CODE.iter().map(|name| self.path.join(name)).collect(),
            Use::Other => Vec::new(),
        }
    }
}

/// Returns whether a directory is the data of a repository: a bare one, which git finds by itself.
pub(super) fn is_repository(folder: &Path) -> bool {
    REPOSITORY.iter().all(|name| folder.join(name).exists())
}

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
pub(super) fn pointed_to(root: &Path, home: Option<&Path>) -> Vec<Pointed> {
    let repository =
        root.ancestors().map(|folder| (folder, folder.join(".git"))).find(|(_, git)| git.exists());
    let top = repository.as_ref().map_or(root, |(top, _)| top);
    let mut found = Vec::new();
    let mut configs: Vec<PathBuf> = user_configs(home);
    if is_repository(root) {
        configs.extend([root.join("config"), root.join("config.worktree")]);
    }
    if let Some((top, git)) = &repository {
        configs.extend([git.join("config"), git.join("config.worktree")]);
        if let Some(target) = small_text(git).and_then(|text| pointer(&text, "gitdir:", top)) {
            let common = small_text(&target.join("commondir")).map(|text| target.join(text.trim()));
            for folder in [Some(target), common].into_iter().flatten() {
                configs.extend([folder.join("config"), folder.join("config.worktree")]);
                found.push(Pointed::new(folder, Use::Repository));
            }
        }
    }
    for (key, value) in environment_settings() {
        if POINTERS.contains(&key.as_str()) && !value.is_empty() {
            found.push(Pointed::new(lexical(&top.join(value)), Use::of(&key)));
        }
    }
    if let Some(folder) = std::env::var_os("GIT_DIR").filter(|folder| !folder.is_empty()) {
        let folder = root.join(folder);
        configs.push(folder.join("config"));
        found.push(Pointed::new(folder, Use::Repository));
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
                found.extend(named.iter().map(|path| Pointed::new(path, Use::Other)));
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
                found.extend([lexical(&path), path].map(|path| Pointed::new(path, Use::of(&key))));
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

/// Returns the settings that `GIT_CONFIG_KEY_0` and the like and `GIT_CONFIG_PARAMETERS` give, with keys as [`settings`] has them.
fn environment_settings() -> Vec<(String, String)> {
    let count: usize =
        std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or_default();
    let setting = |at: usize| {
        let key = std::env::var(format!("GIT_CONFIG_KEY_{at}")).ok()?;
        let value = std::env::var(format!("GIT_CONFIG_VALUE_{at}")).ok()?;
        Some((plain_key(&key), value))
    };
    let mut found: Vec<(String, String)> = (0..count.min(MAX_CONFIG)).map_while(setting).collect();
    // Git's own form of `-c key=value`: `'key=value'`, or `'key'='value'` since version 2.31.
    let parameters = std::env::var("GIT_CONFIG_PARAMETERS").unwrap_or_default();
    let unquoted = parameters.replace("'='", "=");
    let words = unquoted.split('\'').filter_map(|word| word.split_once('='));
    found.extend(words.take(MAX_CONFIG).map(|(key, value)| (plain_key(key), value.to_owned())));
    found
}

/// Returns a key without its section, in lower case.
fn plain_key(key: &str) -> String {
    key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase()
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
