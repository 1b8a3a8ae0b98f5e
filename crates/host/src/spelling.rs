//! Spellings of one path. File systems that ignore case, or the form of Unicode that a name is written in, find one file by
//! several names.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use unicode_normalization::UnicodeNormalization as _;

/// Returns one component of a path as it is compared: equal for all names that some file system takes for the same.
pub(crate) fn fold(component: &str) -> String {
    let folded: String = match component.is_ascii() {
        true => component.to_ascii_lowercase(),
        // Lower case can consist of several characters, in any order that is not normal.
        false => component.nfd().filter(|c| !is_ignored(*c)).flat_map(char::to_lowercase).nfd().collect(),
    };
    // Windows ignores these at the end of a name. A name of nothing else, such as `...`, must not become that of its directory.
    match folded.trim_end_matches(['.', ' ']) {
        "" => folded,
        trimmed => trimmed.to_owned(),
    }
}

/// Returns the folded components of a path.
pub(crate) fn fold_components(path: &Path) -> Vec<String> {
    path.components().map(|part| fold(&part.as_os_str().to_string_lossy())).collect()
}

/// Returns a path as it is compared. It does not lead to a file.
pub fn fold_path(path: &Path) -> PathBuf {
    match path.to_str() {
        // Most paths, and a session folds those of all its modules.
        Some(text) if folds_to_lower_case(text) => PathBuf::from(text.to_ascii_lowercase()),
        _ => fold_components(path).iter().collect(),
    }
}

/// Returns whether folding a path changes nothing but the case of letters.
fn folds_to_lower_case(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let mut parts = path.strip_prefix('/').unwrap_or(path).split('/');
    parts.all(|part| !part.is_empty() && !part.ends_with('.') && part.bytes().all(is_plain))
}

/// Returns whether two real paths are spellings of the same place: one file or directory, found by names that some file system
/// takes for the same. `one` may have been stored long ago, so it must still be a real path.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    one == other || (fold_path(one) == fold_path(other) && is_same_file(one, other).unwrap_or(false))
}

fn is_same_file(one: &Path, other: &Path) -> io::Result<bool> {
    // A link that took the place of the stored path leads elsewhere, whatever it is called.
    if one.canonicalize()? != one {
        return Ok(false);
    }
    // A hard link in another directory is the same file at another place.
    for (one, other) in one.ancestors().zip(other.ancestors()) {
        if one != other && identity(one)? != identity(other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Canonical paths have the spelling of the file system.
#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Characters that HFS+ ignores in names.
fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
#[path = "spelling_tests.rs"]
mod tests;
