//! The files of the working directory for `@`, as ignore files leave them.

use std::path::Path;

use ignore::WalkBuilder;
use toolsmith_host::ignore_files;

use super::{fuzzy, menu::Candidate};

/// Files listed at most; a larger tree is completed as far as it was read.
pub const MAX_FILES: usize = 200_000;
/// Candidates offered.
const MAX_OFFERED: usize = 50;

/// The files and directories of a project, relative to it.
#[derive(Clone, Debug, Default)]
pub struct FileIndex {
    paths: Vec<String>,
}

impl FileIndex {
    /// Lists a directory. This reads the disk: call it on a thread that may wait.
    pub fn read(root: &Path) -> Self {
        let has_rules = ignore_files::are_readable_above(root);
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .parents(has_rules)
            .ignore(has_rules)
            .git_ignore(has_rules)
            .git_exclude(has_rules)
            .filter_entry(move |entry| {
                let is_folder = || entry.file_type().is_some_and(|kind| kind.is_dir());
                entry.file_name() != ".git"
                    && (!has_rules || !is_folder() || ignore_files::are_readable(entry.path()))
            })
            .sort_by_file_name(std::cmp::Ord::cmp)
            .build();
        let mut paths = Vec::new();
        for entry in walk.flatten().skip(1) {
            let Ok(path) = entry.path().strip_prefix(root) else { continue };
            // A name that is not text cannot be typed, and one with control characters is not shown.
            let Some(path) = path.to_str().filter(|path| !path.chars().any(char::is_control)) else {
                continue;
            };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            paths.push(if is_folder { format!("{path}/") } else { path.to_owned() });
            if paths.len() >= MAX_FILES {
                break;
            }
        }
        Self { paths }
    }

    /// Returns the paths that match, best first.
    pub fn matching(&self, query: &str) -> Vec<Candidate> {
        let found: Vec<&String> = match query.is_empty() {
            // Without a query, the top level.
            true => self
                .paths
                .iter()
                .filter(|path| !path.trim_end_matches('/').contains('/'))
                .take(MAX_OFFERED)
                .collect(),
            false => fuzzy::filter(query, &self.paths, |path| path, MAX_OFFERED),
        };
        found
            .into_iter()
            .map(|path| {
                let text = if path.contains(char::is_whitespace) {
                    format!("@\"{path}\"")
                } else {
                    format!("@{path}")
                };
                let (folder, name) = match path.trim_end_matches('/').rsplit_once('/') {
                    Some((folder, _)) => (folder.to_owned(), path.get(folder.len() + 1..).unwrap_or(path)),
                    None => (String::new(), path.as_str()),
                };
                // A directory is completed further.
                let text = if path.ends_with('/') { text } else { format!("{text} ") };
                Candidate { label: name.to_owned(), detail: folder, text, submits: false }
            })
            .collect()
    }
}
