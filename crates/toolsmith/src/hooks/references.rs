//! The files a command names. A hook is confirmed with everything it runs, as far as its command says what that is: scripts,
//! the code beside them, files it would run if they existed, and programs of the project that `PATH` leads to.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use serde_json::Value;
use toolsmith_host::location::{self, named_files, quoted_word};
use toolsmith_host::regular_file::read_regular;
use toolsmith_middleware::hooks::Handler;

/// Programs that decide by files of the project what they run.
const RUNNERS: [&str; 30] = [
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "deno",
    "make",
    "gmake",
    "just",
    "task",
    "rake",
    "bundle",
    "cargo",
    "go",
    "uv",
    "uvx",
    "poetry",
    "pipenv",
    "tox",
    "nox",
    "hatch",
    "pre-commit",
    "composer",
    "mvn",
    "gradle",
    "mix",
    "dotnet",
    "lefthook",
    "mise",
];
/// Folders of the system, whose programs change with updates.
const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap"];
/// Folders of agents in a project. Code beside a script in them belongs to the script.
const AGENT_FOLDERS: [&str; 8] =
    [".claude", ".codex", ".toolsmith", ".omp", ".pi", ".xcsh", ".agents", ".github"];

/// Maximum size of a `package.json` that is read.
const MAX_MANIFEST: u64 = 1 << 20;

/// Where commands run.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    pub(super) cwd: PathBuf,
    /// Real path of the working directory.
    pub(super) project: PathBuf,
    pub(super) home: PathBuf,
}

/// Files and programs that a command names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct References {
    pub(super) files: BTreeSet<PathBuf>,
    /// Folders whose code belongs to the hook.
    pub(super) folders: BTreeSet<PathBuf>,
    /// Paths in the project at which there is nothing.
    pub(super) missing: BTreeSet<PathBuf>,
    /// Paths in the project at which there is no file, and which count only as files.
    pub(super) missing_files: BTreeSet<PathBuf>,
    pub(super) uncovered: BTreeSet<String>,
    /// Types of modules that packages give scripts.
    pub(super) package_types: BTreeSet<(PathBuf, String)>,
}

/// Returns the words of what a hook runs. Words of a shell command are found without running the shell: quotes are taken off,
/// and operators separate.
pub(super) fn words(handler: &Handler) -> Vec<String> {
    match handler {
        Handler::Shell { command } => shell_words(command),
        // An argument may be a command line again.
        Handler::Program { program, args } => {
            let inner = args.iter().flat_map(|arg| shell_words(arg));
            std::iter::once(program.clone()).chain(args.iter().cloned()).chain(inner).collect()
        }
        Handler::File { path, interpreter } => {
            interpreter.iter().cloned().chain(path.to_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the words of a shell command, and the parts of those that are lists.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = location::shell_words(command);
    let lists = words.iter().filter(|word| word.contains(','));
    let listed: Vec<String> = lists.flat_map(|word| word.split(',')).map(str::to_owned).collect();
    words.extend(listed);
    words.retain(|word| !word.is_empty());
    words
}

/// Finds what the words name.
pub(super) fn find(words: &[String], around: &Surroundings) -> References {
    let mut found = References::default();
    for (at, word) in words.iter().enumerate() {
        let name = word.rsplit('/').next().unwrap_or(word);
        // `-m`, also after other options in one word (`-um`).
        let is_module =
            word.strip_prefix('-').is_some_and(|letters| letters.ends_with('m') && !letters.starts_with('-'));
        if RUNNERS.contains(&name) || (is_module && at > 0 && words[at - 1].contains("python")) {
            let program = if is_module { &words[at - 1] } else { word };
            found.uncovered.insert(program.clone());
        }
        look_at(&expand(word, around), around, &mut found);
        // `@file` and `--option:file` of some programs.
        for part in word.split([':', '@', '+']).skip(1).filter(|part| part.contains('/')) {
            look_at(&expand(part, around), around, &mut found);
        }
        if !word.contains('/') {
            found.files.extend(program_of_project(word, around));
        }
    }
    let line = words.iter().map(|word| quoted_word(word)).collect::<Vec<_>>().join(" ");
    let named = named_files(&line, &[&around.cwd], Some(&around.home));
    for path in named.files.into_iter().filter(|path| is_in_project(path, around)) {
        match path.is_file() {
            true => found.files.insert(path),
            false => found.missing_files.insert(path),
        };
    }
    for path in named.trees.into_iter().filter(|path| is_in_project(path, around)) {
        match (path.is_file(), path.is_dir()) {
            (true, _) => found.files.insert(path),
            (_, true) => found.folders.insert(path),
            _ => found.missing.insert(path),
        };
    }
    found.package_types = found.files.iter().filter_map(|file| package_type(file, around)).collect();
    found
}

/// Returns the type of modules that the nearest `package.json` gives a script. Another type lets Node refuse the script, and
/// a hook that fails may be ignored.
fn package_type(script: &Path, around: &Surroundings) -> Option<(PathBuf, String)> {
    let extension = script.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, None | Some("js" | "ts" | "jsx" | "tsx")) {
        return None;
    }
    let folders = script.ancestors().skip(1).take_while(|folder| is_in_project(folder, around));
    let manifest = folders.map(|folder| folder.join("package.json")).find(|file| file.is_file())?;
    let value: Value = serde_json::from_slice(&read_regular(&manifest, MAX_MANIFEST).ok()?).ok()?;
    Some((script.to_path_buf(), value.get("type")?.to_string()))
}

/// Replaces the variables whose value is known.
fn expand(word: &str, around: &Surroundings) -> String {
    let cwd = around.cwd.to_string_lossy();
    let home = around.home.to_string_lossy();
    let mut text = word.to_owned();
    let known = [("CLAUDE_PROJECT_DIR", &cwd), ("TOOLSMITH_CWD", &cwd), ("PWD", &cwd), ("HOME", &home)];
    for (name, value) in known {
        text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        // `${NAME:-default}`
        if let Some((before, rest)) = text.split_once(&format!("${{{name}:-"))
            && let Some((_, after)) = rest.split_once('}')
        {
            text = format!("{before}{value}{after}");
        }
    }
    match text.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => text,
    }
}

fn look_at(word: &str, around: &Surroundings, found: &mut References) {
    if word.is_empty() || word.len() > 4096 || word.contains('\0') {
        return;
    }
    // A pattern stands for everything in its folder.
    let range = word.find('{').filter(|_| word.contains("..") && !word.contains("${"));
    if let Some(at) = word.find(['*', '?', '[']).or(range) {
        if !word.contains('/') {
            found.files.extend(beside(word, around));
        }
        let folder = word[..at].rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = around.cwd.join(folder);
        if word[..at].contains('/') && is_in_project(&folder, around) && folder.is_dir() {
            found.folders.insert(folder);
        }
        return;
    }
    let path = around.cwd.join(word);
    match std::fs::metadata(&path) {
        Ok(about) if about.is_file() => {
            if let Ok(real) = toolsmith_host::real_path(&path)
                && !SYSTEM.iter().any(|system| real.starts_with(system))
            {
                if is_of_agent(&real, around) {
                    found.folders.extend(code_folder(&real));
                }
                found.files.insert(path);
            }
        }
        Ok(about) if about.is_dir() => {
            if toolsmith_host::real_path(&path).is_ok_and(|real| is_of_agent(&real.join("x"), around)) {
                found.folders.insert(path);
            }
        }
        Ok(_) => {}
        Err(_) if word.contains('/') && is_in_project(&path, around) => {
            found.missing.insert(path);
        }
        // What stands before it may be a substitution that gives the project: `$(git rev-parse --show-toplevel)/x.sh`.
        Err(_) if word.starts_with('/') => {
            let inside = around.cwd.join(word.trim_start_matches('/'));
            if inside.is_file() {
                found.files.insert(inside);
            }
        }
        Err(_) => {}
    }
}

/// Returns the files of the working directory that have the extension of a pattern such as `*.sh`.
fn beside(pattern: &str, around: &Surroundings) -> Vec<PathBuf> {
    let extension = pattern.rsplit_once('.').map_or("", |(_, extension)| extension);
    if extension.is_empty() || !extension.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Vec::new();
    }
    let entries = around.cwd.read_dir().into_iter().flatten().flatten();
    let is_meant = |path: &PathBuf| path.extension().is_some_and(|own| own == extension) && path.is_file();
    entries.map(|entry| entry.path()).filter(is_meant).collect()
}

/// Returns the folder whose code belongs to a script: its own. Beside a file hook are other hooks, so for these it is `hooks/lib`.
fn code_folder(script: &Path) -> Option<PathBuf> {
    let folder = script.parent()?;
    let hooks = folder.parent().filter(|hooks| hooks.ends_with(".toolsmith/hooks"));
    match hooks {
        Some(hooks) => Some(hooks.join("lib")).filter(|lib| lib.is_dir()),
        None => Some(folder.to_path_buf()),
    }
}

/// Returns whether a path lies in the project by its name.
fn is_in_project(path: &Path, around: &Surroundings) -> bool {
    let has_parent = path.components().any(|part| part == Component::ParentDir);
    !has_parent && (path.starts_with(&around.cwd) || path.starts_with(&around.project))
}

/// Returns whether a file lies in a folder of an agent in the project.
fn is_of_agent(real: &Path, around: &Surroundings) -> bool {
    let Ok(inside) = real.strip_prefix(&around.project) else { return false };
    let first = inside.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    first.is_some_and(|first| AGENT_FOLDERS.contains(&first.as_str()))
}

/// Returns the file that a program's name leads to, if it is found in the project.
fn program_of_project(name: &str, around: &Surroundings) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let first = folders.map(|folder| folder.join(name)).find(|file| file.is_file())?;
    toolsmith_host::real_path(&first).is_ok_and(|real| real.starts_with(&around.project)).then_some(first)
}

#[cfg(test)]
#[path = "references_tests.rs"]
mod tests;
