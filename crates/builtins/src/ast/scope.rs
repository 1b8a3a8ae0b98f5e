//! The files selected by `path` and `glob`.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use toolsmith_host::location::leads_to;
use toolsmith_tool::{FileChange, Place, Places, ToolError};

const NODE_MODULES: &str = "node_modules";

/// One root to search.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) base: PathBuf,
    /// Where `base` leads: files are opened there, without following links on the way.
    real: PathBuf,
    /// The glob within the path, below `base`.
    pattern: Option<GlobMatcher>,
    pub(super) is_file: bool,
}

impl Root {
    fn new(base: PathBuf, is_file: bool) -> Self {
        let real = leads_to(&base).unwrap_or_else(|| base.clone());
        Self { base, real, pattern: None, is_file }
    }

    /// Returns where a file below the root really is.
    pub(super) fn real_path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.base) {
            Ok(below) if below.as_os_str().is_empty() => self.real.clone(),
            Ok(below) => self.real.join(below),
            Err(_) => path.to_path_buf(),
        }
    }
}

/// All roots to search.
#[derive(Debug)]
pub(super) struct Scope {
    /// The requested path, for display.
    pub(super) display: String,
    pub(super) cwd: PathBuf,
    pub(super) roots: Vec<Root>,
    glob: Option<GlobMatcher>,
    /// Dependencies are searched only when named.
    pub(super) with_node_modules: bool,
}

impl Scope {
    pub(super) fn new(cwd: &Path, path: Option<&str>, glob: Option<&str>) -> Result<Self, String> {
        let path = unquoted(path.unwrap_or_default());
        let glob = glob.map(unquoted).filter(|glob| !glob.is_empty());
        if path.contains("://") {
            return Err(match has_glob(path) || glob.is_some() {
                true => format!("Glob patterns are not supported for internal URLs: {path}"),
                false => format!("Cannot rewrite internal URL without backing file: {path}"),
            });
        }
        let with_node_modules =
            path.contains(NODE_MODULES) || glob.is_some_and(|glob| glob.contains(NODE_MODULES));
        Ok(Self {
            display: if matches!(path, "" | "/") { ".".to_owned() } else { path.to_owned() },
            cwd: cwd.to_path_buf(),
            roots: roots(cwd, path)?,
            glob: glob.map(compile).transpose()?,
            with_node_modules,
        })
    }

    /// Selects one file found before. `named` means that it was the only one and so takes any language.
    pub(super) fn file(cwd: &Path, file: &FileChange, named: bool) -> Self {
        let (base, real) = (file.path.clone(), file.target.clone());
        Self {
            display: String::new(),
            cwd: cwd.to_path_buf(),
            roots: vec![Root { base, real, pattern: None, is_file: named }],
            glob: None,
            with_node_modules: true,
        }
    }

    /// Returns whether a file below a root is selected.
    pub(super) fn includes(&self, root: &Root, path: &Path) -> bool {
        let below = match path.strip_prefix(&root.base) {
            Ok(below) if !below.as_os_str().is_empty() => below,
            // The root is the file itself.
            _ => Path::new(path.file_name().unwrap_or_default()),
        };
        let matches = |glob: &Option<GlobMatcher>| glob.as_ref().is_none_or(|glob| glob.is_match(below));
        matches(&root.pattern) && matches(&self.glob)
    }

    /// Returns where the roots lead.
    pub(super) fn places(&self) -> Vec<Place> {
        self.roots
            .iter()
            .map(|root| Place::new(root.base.to_string_lossy(), Some(root.real.clone())))
            .collect()
    }

    /// Refuses roots that lead elsewhere than the gates of the call saw.
    pub(super) fn check(&self, places: &Places) -> Result<(), ToolError> {
        let moved = |root: &&Root| {
            let key = root.base.to_string_lossy();
            !places.agree_with(&Place::new(key, leads_to(&root.base).or_else(|| Some(root.base.clone()))))
        };
        match self.roots.iter().find(moved) {
            Some(root) => Err(ToolError::reply(format!(
                "{} leads elsewhere than when the call was checked. Try again.",
                self.shown(&root.base).display()
            ))),
            None => Ok(()),
        }
    }

    /// Returns whether exactly one file was named.
    pub(super) fn is_single_file(&self) -> bool {
        matches!(self.roots.as_slice(), [root] if root.is_file)
    }

    /// Returns a path for display.
    pub(super) fn shown<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.cwd).unwrap_or(path)
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim()
}

fn has_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// `*` stays within a directory; `**` does not.
fn compile(glob: &str) -> Result<GlobMatcher, String> {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("Bad glob pattern: {error}"))
}

fn roots(cwd: &Path, path: &str) -> Result<Vec<Root>, String> {
    if matches!(path, "" | "/") {
        return Ok(vec![Root::new(cwd.to_path_buf(), false)]);
    }
    if let Some(root) = plain(cwd, path) {
        return Ok(vec![root]);
    }
    let parts: Vec<&str> = path
        .split(|c: char| c == ',' || c.is_whitespace())
        .map(unquoted)
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > 1
        && let Some(all) =
            parts.iter().map(|part| plain(cwd, part).or_else(|| pattern(cwd, part)?.ok())).collect()
    {
        return Ok(all);
    }
    pattern(cwd, path).unwrap_or_else(|| Err(format!("Path not found: {path}"))).map(|root| vec![root])
}

/// Returns a root for an existing file or directory.
fn plain(cwd: &Path, path: &str) -> Option<Root> {
    let base = if path == "/" { cwd.to_path_buf() } else { cwd.join(path) };
    let found = base.metadata().ok()?;
    // Displayed and compared without `.` and `..` where possible.
    let base = if path.contains("..") {
        toolsmith_host::real_path(&base).unwrap_or(base)
    } else {
        base.components().collect()
    };
    Some(Root::new(base, found.is_file()))
}

/// Splits a path into an existing directory and a glob below it. Returns `None` if it is not a glob or there is no such
/// directory.
fn pattern(cwd: &Path, path: &str) -> Option<Result<Root, String>> {
    if !has_glob(path) {
        return None;
    }
    let fixed: usize = path.split_inclusive('/').take_while(|part| !has_glob(part)).map(str::len).sum();
    let (folder, rest) = path.split_at(fixed);
    let root = plain(cwd, if folder.is_empty() { "." } else { folder }).filter(|root| !root.is_file)?;
    Some(compile(rest).map(|pattern| Root { pattern: Some(pattern), ..root }))
}
