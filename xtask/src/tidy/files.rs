//! Rules for files: one subject, stated at the top; not too long; no machine-specific paths.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::phrases;

/// Maximum number of lines of a source file. Most have half.
const MAX_LINES: usize = 800;
/// File names that do not name a subject.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "manager", "managers", "helper", "helpers", "misc", "core", "shared"];
/// Ways to print that nothing filters (CONTRACT 9.1).
const PRINTING: &[&str] = &["io::stdout()", "io::stderr()", "anstream::stdout()", "anstream::stderr()"];
/// Files that may use them in the command line: the filtered streams, terminal queries, and the JSON protocol.
const WRITERS: &[&str] = &[
    "crates/cli/src/streams.rs",
    "crates/cli/src/terminal.rs",
    "crates/cli/src/commands/mcp/standard_streams.rs",
    "crates/cli/src/commands/rpc",
];
/// Folders that are not ours or not code.
const SKIPPED_FOLDERS: &[&str] = &["target", "node_modules", ".git", "generated"];
/// Test inputs are written as their authors would, so the rules for sources do not apply.
const FIXTURES: &str = "fixtures";

pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    list(root, &mut files)?;
    files.sort();
    let mut broken = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
        // Images have no lines.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        broken.extend(check_file(&name, &text).into_iter().map(|rule| format!("{}: {rule}", name.display())));
    }
    Ok(broken)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            if !SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
                list(&entry.path(), files)?;
            }
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn check_file(path: &Path, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_fixture = path.iter().any(|part| part == FIXTURES);
    if matches!(extension, "rs" | "ts" | "mts" | "js" | "mjs") && !is_fixture {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            broken.push(format!("has {lines} lines; one subject fits in {MAX_LINES}"));
        }
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let opens = if extension == "rs" {
            first.starts_with("//!")
        } else {
            first.starts_with("//") || first.starts_with("/*")
        };
        if !opens {
            broken.push("does not open by saying what it owns".to_owned());
        }
        let stems = path.with_extension("");
        // These files are named after Node's modules and package files, so their names are fixed.
        let is_named_elsewhere = path.parent().is_some_and(|folder| folder.ends_with("js/node"))
            || path.starts_with("crates/js/npm/lazy");
        let empty = stems
            .iter()
            .filter(|_| !is_named_elsewhere)
            .filter_map(|part| part.to_str())
            .find(|part| EMPTY_NAMES.contains(part));
        if let Some(name) = empty {
            broken.push(format!("\"{name}\" names no subject"));
        }
    }
    let is_printing =
        path.starts_with("crates/cli/src") && !WRITERS.iter().any(|writer| path.starts_with(writer));
    if !is_fixture {
        broken.extend(phrases::check(path, text));
    }
    for (number, line) in text.lines().enumerate() {
        if is_printing && PRINTING.iter().any(|way| line.contains(way)) {
            broken.push(format!(
                "line {}: print through streams.rs, which filters escape sequences",
                number + 1
            ));
        }
        if let Some(found) = machine_path(line) {
            broken.push(format!("line {}: \"{found}\" is a path of one machine", number + 1));
        }
    }
    if path.ends_with("package-lock.json") && text.contains("\"resolved\"") {
        broken.push("names a registry; run npm with --omit-lockfile-registry-resolved".to_owned());
    }
    broken
}

/// Absolute home and temporary directories. The list is split so that this file passes its own rule.
fn machine_path(line: &str) -> Option<String> {
    ["home", "root", "Users", "tmp", "var/tmp"].into_iter().map(|name| format!("/{name}/")).find(|path| {
        line.match_indices(path.as_str()).any(|(at, _)| {
            // Within a longer path or a URL it is something else.
            !line[..at].ends_with(|before: char| {
                before.is_alphanumeric() || matches!(before, '.' | '~' | '/' | '*' | '}' | '-' | '_')
            })
        })
    })
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
