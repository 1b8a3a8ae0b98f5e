//! Paths in manifests, which must stay in their plugin.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Errors of a path in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotInside {
    /// It leads out of the plugin, by its name or by a link.
    Outside,
    /// Nothing is there.
    Missing,
}

/// Resolves a path of a manifest.
///
/// # Errors
/// Fails if it leads out of `folder` or does not exist.
pub(crate) fn inside(folder: &Path, written: &str) -> Result<PathBuf, NotInside> {
    let mut depth = 0_i32;
    let escapes = Path::new(written).components().any(|part| {
        depth += match part {
            Component::Normal(_) => 1,
            Component::ParentDir => -1,
            Component::CurDir => 0,
            Component::RootDir | Component::Prefix(_) => i32::MIN / 2,
        };
        depth < 0
    });
    if escapes {
        return Err(NotInside::Outside);
    }
    let parts = Path::new(written).components().filter(|part| *part != Component::CurDir);
    let target = folder.join(parts.collect::<PathBuf>());
    let real = toolsmith_host::real_path(&target).map_err(|_| NotInside::Missing)?;
    let is_inside = toolsmith_host::real_path(folder).is_ok_and(|folder| real.starts_with(folder));
    if is_inside { Ok(target) } else { Err(NotInside::Outside) }
}

/// Most files that one pattern stands for.
const MAX_MATCHES: usize = 500;

/// Replaces patterns such as `./extensions/*.ts` by the files of the plugin that match. A path after `!` is left out. Patterns
/// are allowed in the last component only.
pub(crate) fn expand_patterns(folder: &Path, written: Vec<String>) -> Vec<String> {
    let bare = |path: &str| path.trim_start_matches("./").to_owned();
    let excluded: Vec<String> = written.iter().filter_map(|path| path.strip_prefix('!')).map(bare).collect();
    let mut found = Vec::new();
    for path in written.into_iter().filter(|path| !path.starts_with('!')) {
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path.as_str()));
        if !name.contains('*') || parent.contains('*') {
            found.push(path);
            continue;
        }
        let entries = inside(folder, parent).ok().and_then(|parent| fs::read_dir(parent).ok());
        let names =
            entries.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut matching: Vec<String> =
            names.filter(|found| !found.starts_with('.') && matches(name, found)).collect();
        // Sorted first: the order of a directory is not the same in every copy of it.
        matching.sort();
        matching.truncate(MAX_MATCHES);
        found.extend(matching.into_iter().map(|name| format!("{parent}/{name}")));
    }
    found.retain(|path| {
        let path = bare(path);
        !excluded.iter().any(|pattern| match (pattern.rsplit_once('/'), path.rsplit_once('/')) {
            (Some((one, pattern)), Some((other, name))) => one == other && matches(pattern, name),
            (None, None) => matches(pattern, &path),
            _ => false,
        })
    });
    found
}

/// Matches a name against a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;
