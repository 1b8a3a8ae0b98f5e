//! Context files: what a project and its user want every agent to know.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use toolsmith_host::regular_file;

use super::git::git_root;

/// Names of context files; in each directory the first one that exists is used.
pub const CONTEXT_FILE_NAMES: [&str; 3] = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];
/// Name of a file that is always used, besides the context file.
const RULES: &str = "RULES.md";
/// Files of the user for other agents, below the home. The first one is used if the user has none for Toolsmith.
const OTHERS: [&str; 4] =
    [".omp/agent/AGENTS.md", ".pi/agent/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md"];
/// Directories of a project that may contain [`RULES`].
const RULE_FOLDERS: [&str; 2] = [".toolsmith", ".omp"];
/// Maximum size of one file. More would displace the actual work.
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
    /// Text of the file.
    pub text: String,
}

impl ContextFile {
    /// A file with this text.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }
}

/// A context file that is not sent to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedFile {
    /// The file.
    pub path: PathBuf,
    /// The reason, as the end of a sentence that begins with the file.
    pub reason: String,
}

/// Finds the user's own file, then those from the repository's root (else from the home) down to `cwd`. Outside both, only
/// the working directory's own counts: what lies above belongs to others. A file that says `@other/file.md` brings that
/// file along. `RULES.md` of the user and of the project come last.
pub fn find_context_files(cwd: &Path, home: Option<&Path>) -> Vec<ContextFile> {
    let own = home.map(|home| home.join(".toolsmith"));
    look_for_context_files(cwd, home, own.as_deref()).0
}

/// As [`find_context_files`], with the files that were skipped. A file of a project must really lie in the project: otherwise
/// a link would send a file of the user's to a provider.
pub(super) fn look_for_context_files(
    cwd: &Path,
    home: Option<&Path>,
    own: Option<&Path>,
) -> (Vec<ContextFile>, Vec<SkippedFile>) {
    let top = git_root(cwd).or_else(|| home.filter(|home| cwd.starts_with(home))).unwrap_or(cwd);
    let mut folders: Vec<&Path> = cwd.ancestors().take_while(|folder| folder.starts_with(top)).collect();
    folders.reverse();
    let mut found = Found { files: Vec::new(), seen: Vec::new(), skipped: Vec::new() };
    if let Some(home) = home {
        // The user's own file may be a link to wherever they keep it.
        let own = CONTEXT_FILE_NAMES.iter().filter_map(|name| Some(own?.join("agent").join(name)));
        let others = OTHERS.iter().map(|name| home.join(name));
        let mut all = own.chain(others);
        let _ = all.any(|user| found.take(&user, regular_file::open_regular(&user), home, 0));
    }
    let project = project_root(cwd, home);
    for folder in folders {
        // Above the project each folder is on its own.
        let within = if folder.starts_with(project) { project } else { folder };
        let _ = CONTEXT_FILE_NAMES.iter().any(|name| found.add(&folder.join(name), within, 0));
    }
    if let (Some(home), Some(own)) = (home, own) {
        let user = own.join("agent").join(RULES);
        found.take(&user, regular_file::open_regular(&user), home, 0);
    }
    for folder in cwd.ancestors().take_while(|folder| folder.starts_with(project)) {
        for name in RULE_FOLDERS {
            found.add(&folder.join(name).join(RULES), project, 0);
        }
    }
    (found.files, found.skipped)
}

/// The folder that files of the project may not lead out of: the repository, unless that is the user's home, else the working
/// folder.
fn project_root<'a>(cwd: &'a Path, home: Option<&Path>) -> &'a Path {
    let holds_home = |root: &Path| {
        let real = |path: &Path| toolsmith_host::real_path(path).unwrap_or_else(|_| path.to_path_buf());
        home.is_some_and(|home| real(home).starts_with(real(root)))
    };
    git_root(cwd).filter(|root| !holds_home(root)).unwrap_or(cwd)
}

struct Found {
    files: Vec<ContextFile>,
    /// Real paths, so that a link or an import of a known file is not read twice.
    seen: Vec<PathBuf>,
    skipped: Vec<SkippedFile>,
}

impl Found {
    /// Adds a file that lies in `within`, and what it imports; gives whether there is such a file.
    fn add(&mut self, path: &Path, within: &Path, hops: usize) -> bool {
        self.take(path, regular_file::open_within(path, within), within, hops)
    }

    fn take(&mut self, path: &Path, opened: io::Result<File>, within: &Path, hops: usize) -> bool {
        let read = opened.and_then(|file| read(path, file));
        let (Ok(real), Some(file)) = (toolsmith_host::real_path(path), self.unless_skipped(path, read))
        else {
            return false;
        };
        if self.files.len() >= MAX_FILES || self.seen.contains(&real) {
            return true;
        }
        self.seen.push(real);
        let folder = path.parent().unwrap_or(within);
        let wanted: Vec<PathBuf> = match hops {
            MAX_HOPS.. => Vec::new(),
            _ => imports(&file.text).into_iter().take(MAX_FILES).map(|import| folder.join(import)).collect(),
        };
        self.files.push(file);
        for import in wanted {
            self.add(&import, within, hops + 1);
        }
        true
    }

    /// The file, or a note of why it is skipped. What is not there needs none.
    fn unless_skipped(&mut self, path: &Path, read: io::Result<Option<ContextFile>>) -> Option<ContextFile> {
        let error = match read {
            Ok(file) => return file,
            Err(error) => error,
        };
        let is_missing = matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
        );
        let is_known = self.skipped.iter().any(|skipped| skipped.path == path);
        if !is_missing && !is_known && self.skipped.len() < MAX_FILES {
            let reason = format!("is not sent to the model: {error}");
            self.skipped.push(SkippedFile { path: path.to_path_buf(), reason });
        }
        None
    }
}

/// Returns the imports of a text: each `@path` that is a separate word and not in code.
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

/// Reads the beginning of a file; an empty one says nothing.
fn read(path: &Path, file: File) -> io::Result<Option<ContextFile>> {
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned();
    if text.trim().is_empty() {
        return Ok(None);
    }
    if size > MAX_BYTES {
        text.push_str(&format!("\n[cut: the file has {size} bytes; read it for the rest]"));
    }
    Ok(Some(ContextFile { path: path.to_path_buf(), text }))
}
