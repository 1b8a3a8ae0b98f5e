//! Context files: what a project and its user want every agent to know.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use super::git::git_root;

/// At each depth the first of these that is there.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// The user's own, below the home folder.
const USER: &str = ".toolsmith/agent/AGENTS.md";
/// What is read of one file. More would crowd out the work.
const MAX_BYTES: u64 = 40 * 1024;
/// How far imports of imports are followed.
const MAX_HOPS: usize = 5;
/// How many files there may be in all.
const MAX_FILES: usize = 50;

/// A context file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

impl ContextFile {
    /// A file with this text.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }
}

/// The user's own file, then those from the repository's root (else from the home folder) down to `cwd`. Outside both,
/// only the working folder's own counts: what lies above belongs to others. A file that says `@other/file.md` brings that
/// file along.
pub fn find_context_files(cwd: &Path, home: Option<&Path>) -> Vec<ContextFile> {
    let top = git_root(cwd).or_else(|| home.filter(|home| cwd.starts_with(home))).unwrap_or(cwd);
    let mut folders: Vec<&Path> = cwd.ancestors().take_while(|folder| folder.starts_with(top)).collect();
    folders.reverse();
    let mut found = Found { files: Vec::new(), seen: Vec::new() };
    if let Some(home) = home {
        found.add(&home.join(USER), home, 0);
    }
    for folder in folders {
        let _ = NAMES.iter().any(|name| found.add(&folder.join(name), top, 0));
    }
    found.files
}

struct Found {
    files: Vec<ContextFile>,
    /// Real paths: a link, or an import of what is there already, is no second file.
    seen: Vec<PathBuf>,
}

impl Found {
    /// Adds a file and what it imports; gives whether there is such a file.
    fn add(&mut self, path: &Path, within: &Path, hops: usize) -> bool {
        let (Ok(real), Some(file)) = (fs::canonicalize(path), read(path)) else {
            return false;
        };
        if self.files.len() >= MAX_FILES || self.seen.contains(&real) {
            return true;
        }
        self.seen.push(real);
        let folder = path.parent().unwrap_or(within);
        let wanted: Vec<PathBuf> = match hops {
            MAX_HOPS.. => Vec::new(),
            _ => imports(&file.text).into_iter().map(|import| folder.join(import)).collect(),
        };
        self.files.push(file);
        for import in wanted {
            // A project's file must not send what lies outside the project to a provider: keys, for example.
            let inside = fs::canonicalize(&import)
                .is_ok_and(|real| fs::canonicalize(within).is_ok_and(|within| real.starts_with(within)));
            if inside {
                self.add(&import, within, hops + 1);
            }
        }
        true
    }
}

/// What a text imports: each `@path` that is a word of its own and not in code.
fn imports(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every second part between backticks is code.
            let prose = line.split('`').step_by(2).flat_map(str::split_whitespace);
            let named = prose.filter_map(|word| word.strip_prefix('@'));
            found.extend(
                named.map(|path| path.trim_end_matches([',', ';', ':', ')'])).filter(|path| !path.is_empty()),
            );
        }
    }
    found
}

/// Only plain files: a pipe by that name would be waited for.
fn read(path: &Path) -> Option<ContextFile> {
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let mut text = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned();
    if text.trim().is_empty() {
        return None;
    }
    if found.len() > MAX_BYTES {
        text.push_str(&format!("\n[cut: the file has {} bytes; read it for the rest]", found.len()));
    }
    Some(ContextFile { path: path.to_path_buf(), text })
}
