//! The hash of everything a hook runs: its definition, and the content of the files it names.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolsmith_host::{changes::content_hash, regular_file::read_regular};

use super::references::{self, Surroundings};

/// Maximum number of files beside a script that belong to it.
const MAX_FILES: usize = 500;
/// Depth to which they are looked for.
const MAX_DEPTH: usize = 4;
/// Maximum size of a file that can be confirmed.
const MAX_BYTES: u64 = 16 << 20;
/// Extensions of files beside a script that are code. Others may be data that the script writes.
const CODE: [&str; 22] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "mts", "cts", "rb", "pl", "pm", "lua",
    "php", "awk", "sed", "jq", "ps1", "toml", "exe",
];

/// A hash, and what it covers.
pub(super) struct Fingerprint {
    pub(super) hash: String,
    pub(super) files: Vec<PathBuf>,
    pub(super) uncovered: Vec<String>,
}

impl Fingerprint {
    /// Takes the hash of a hook as it is now.
    ///
    /// # Errors
    /// Fails with the reason if a file cannot be read, is too large, or there are too many.
    pub(super) fn take(definition: &Value, words: &[String], around: &Surroundings) -> Result<Self, String> {
        let found = references::find(words, around);
        let mut files = found.files;
        for folder in &found.folders {
            let mut code = Vec::new();
            collect(folder, MAX_DEPTH, &mut code)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            files.extend(code);
            if files.len() > MAX_FILES {
                return Err(format!("it cannot be confirmed: {} has too many files", folder.display()));
            }
        }
        // Length before each part, so that no two lists of parts are the same bytes.
        let mut bytes = Vec::new();
        let mut add = |part: &[u8]| {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        };
        add(b"hook 1");
        add(definition.to_string().as_bytes());
        for file in &files {
            let failed = |error: io::Error| format!("{} cannot be confirmed: {error}", file.display());
            let real = toolsmith_host::real_path(file).map_err(failed)?;
            let content = read_regular(&real, MAX_BYTES).map_err(failed)?;
            add(file.as_os_str().as_encoded_bytes());
            // A link that leads elsewhere is another hook, whatever is there.
            add(real.as_os_str().as_encoded_bytes());
            add(content_hash(&content).as_bytes());
        }
        for path in &found.missing {
            add(b"missing");
            add(path.as_os_str().as_encoded_bytes());
        }
        for (script, kind) in &found.package_types {
            add(b"package type");
            add(script.as_os_str().as_encoded_bytes());
            add(kind.as_bytes());
        }
        Ok(Self {
            hash: content_hash(&bytes).to_string(),
            files: files.into_iter().collect(),
            uncovered: found.uncovered.into_iter().collect(),
        })
    }
}

/// Collects the code in a folder. Links to folders are not followed.
fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            let is_generated =
                matches!(name.as_str(), "__pycache__" | "node_modules" | ".git" | ".venv" | "logs");
            if depth > 1 && !is_generated {
                collect(&path, depth - 1, found)?;
            }
        } else if is_code(&path) && path.is_file() {
            found.push(path);
        }
        if found.len() > MAX_FILES {
            break;
        }
    }
    Ok(())
}

/// Returns whether a file may be run or imported. One without an extension may be a script.
fn is_code(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        None => true,
        Some(extension) => CODE.contains(&extension.to_ascii_lowercase().as_str()),
    }
}
