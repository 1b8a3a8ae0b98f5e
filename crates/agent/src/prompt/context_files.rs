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
/// only the working folder's own counts: what lies above belongs to others.
pub fn find_context_files(cwd: &Path, home: Option<&Path>) -> Vec<ContextFile> {
    let top = git_root(cwd).or_else(|| home.filter(|home| cwd.starts_with(home))).unwrap_or(cwd);
    let mut folders: Vec<&Path> = cwd.ancestors().take_while(|folder| folder.starts_with(top)).collect();
    folders.reverse();
    let user = home.and_then(|home| read(&home.join(USER)));
    let projects =
        folders.into_iter().filter_map(|folder| NAMES.iter().find_map(|name| read(&folder.join(name))));
    user.into_iter().chain(projects).collect()
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
