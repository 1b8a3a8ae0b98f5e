//! Scan of a tools directory (CONTRACT 2.3): one level, modules and `<sub>/index.*`, by name.

use std::{
    ffi::OsString,
    fs::{self, FileType},
    io,
    path::{Path, PathBuf},
};

use super::{ModuleKind, ToolSource, extensions::package_extensions, found::Finder};

/// Module extensions.
pub(super) const MODULE_EXTENSIONS: &[&str] = &["ts", "mts", "cts", "js", "mjs", "cjs"];
/// Names of index files; the first one that exists is used.
const INDEX_FILES: &[&str] = &["index.ts", "index.mts", "index.js", "index.mjs", "index.cjs"];

/// Classification of a name in a tools directory.
enum NameKind {
    Module,
    Metadata,
    Other,
}

fn kind_of(name: &str) -> NameKind {
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.rsplit('.');
    let extension = parts.next().unwrap_or_default();
    // The part between the first dot and the extension.
    let inner: Vec<&str> = parts.collect();
    let inner = inner.split_last().map_or(&[][..], |(_, inner)| inner);
    let is_declaration = matches!(extension, "ts" | "mts" | "cts") && inner.first() == Some(&"d");
    if name.starts_with('.') || is_declaration || inner.contains(&"test") {
        return NameKind::Other;
    }
    match extension {
        "md" | "json" if lower.contains('.') => NameKind::Metadata,
        extension if MODULE_EXTENSIONS.contains(&extension) && lower.contains('.') => NameKind::Module,
        _ => NameKind::Other,
    }
}

/// Returns the index module of a directory.
pub(super) fn index_file(folder: &Path) -> Option<PathBuf> {
    INDEX_FILES.iter().map(|name| folder.join(name)).find(|file| file.is_file())
}

/// Adds the modules and metadata of one directory. A missing directory counts as empty; returns the number of modules.
pub(super) fn scan(finder: &mut Finder<'_>, folder: &Path, source: &ToolSource) -> usize {
    scan_some(finder, folder, source, |_| true)
}

/// Adds those whose name is wanted.
pub(super) fn scan_some(
    finder: &mut Finder<'_>,
    folder: &Path,
    source: &ToolSource,
    is_wanted: impl Fn(&str) -> bool,
) -> usize {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return 0,
        Err(error) => {
            let what = match error.kind() {
                io::ErrorKind::NotADirectory => {
                    "is a file, but a tools directory is expected here".to_owned()
                }
                _ => format!("cannot be searched for tools: {error}"),
            };
            finder.warn(folder, what);
            return 0;
        }
    };
    // The directory entry has the file type, so unrelated files are not opened.
    let mut entries: Vec<(OsString, FileType)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| Some((entry.file_name(), entry.file_type().ok()?)))
        .collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let mut modules = 0;
    for (name, entry) in entries {
        let path = folder.join(&name);
        let Some(text) = name.to_str() else {
            finder.warn(&path, "is skipped because its name is not UTF-8");
            continue;
        };
        if text.starts_with('.') || text == "node_modules" || !is_wanted(text) {
            continue;
        }
        let kind = kind_of(text);
        if entry.is_dir() {
            modules += take_index(finder, &path, &kind, source);
            continue;
        }
        if matches!(kind, NameKind::Other) && !entry.is_symlink() {
            continue;
        }
        // A directory may have many modules, so what the entry says is not looked up again.
        if entry.is_file() {
            match kind {
                NameKind::Module => {
                    modules += 1;
                    finder.regular_file(path, source.clone());
                }
                NameKind::Metadata => finder.metadata(path, source.clone()),
                NameKind::Other => {}
            }
            continue;
        }
        match fs::metadata(&path) {
            Ok(target) if target.is_dir() => {
                if index_file(&path).is_some() {
                    finder.warn(
                        &path,
                        "is a symbolic link to a directory, which is not searched; link the file instead",
                    );
                }
            }
            Ok(target) if target.is_file() => match kind {
                NameKind::Module => {
                    modules += 1;
                    finder.module(path, source.clone());
                }
                NameKind::Metadata => finder.metadata(path, source.clone()),
                NameKind::Other => {}
            },
            Ok(_) => finder.warn(&path, "is skipped because it is not a regular file"),
            // A dangling link or a loop.
            Err(error) if !matches!(kind, NameKind::Other) => {
                finder.warn(&path, format!("cannot be read: {error}"));
            }
            Err(_) => {}
        }
    }
    modules
}

fn take_index(finder: &mut Finder<'_>, folder: &Path, kind: &NameKind, source: &ToolSource) -> usize {
    if let Err(error) = fs::read_dir(folder) {
        finder.warn(folder, format!("cannot be searched for tools: {error}"));
        return 0;
    }
    // An extension may be a package whose manifest names its modules.
    if finder.looking_for == ModuleKind::Extension
        && let Some(modules) = package_extensions(finder, folder, source)
    {
        return modules;
    }
    match index_file(folder) {
        Some(file) => {
            finder.module(file, source.clone());
            1
        }
        None => {
            if matches!(kind, NameKind::Module) {
                finder.warn(folder, "is a directory without an index file, but a module is expected here");
            }
            0
        }
    }
}
