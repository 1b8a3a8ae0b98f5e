//! A file change as plain data: the content it was computed from and the new content. The host reads, compares and
//! writes.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::approval::Tier;

/// SHA-256 of a file's content. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

/// The text is not a content hash.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is not a content hash; expected the SHA-256 of the content as 64 hexadecimal digits")]
pub struct BadContentHash {
    /// The received text, truncated.
    pub text: String,
}

impl ContentHash {
    /// Creates a hash from bytes computed elsewhere.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ContentHash {
    type Err = BadContentHash;

    fn from_str(text: &str) -> Result<Self, BadContentHash> {
        let bad = || BadContentHash { text: text.chars().take(80).collect() };
        // Checked first: `from_str_radix` accepts a sign, and slices must not split a character.
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).map_err(|_| bad())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A change of one file, bound to the bytes it was computed from (CONTRACT 8.7).
#[derive(Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The requested path, made absolute.
    pub path: PathBuf,
    /// The file after following symlinks. The change is void if the path later leads elsewhere.
    pub target: PathBuf,
    /// Hash of the old content; `None` if the file did not exist.
    pub base: Option<ContentHash>,
    /// New content; `None` deletes the file.
    pub content: Option<Vec<u8>>,
    /// Mode of a new file. An existing file keeps its own.
    pub mode: Option<u32>,
}

impl fmt::Debug for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileChange")
            .field("path", &self.path)
            .field("base", &self.base)
            .field("bytes", &self.content.as_ref().map(Vec::len))
            .finish_non_exhaustive()
    }
}

/// A part of a file's change by lines, as a preview shows it: the lines `old` of the old content become the lines `new`
/// of the new content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkRange {
    /// Lines of the old content, counted from zero.
    pub old: Range<usize>,
    /// Lines of the new content, counted from zero.
    pub new: Range<usize>,
}

/// A file of an action that is applied in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSelection {
    /// The file, as the action names it or where it really is.
    pub path: PathBuf,
    /// The parts to apply; `None` applies the whole change of the file.
    pub hunks: Option<Vec<HunkRange>>,
}

impl FileSelection {
    /// Selects the whole change of a file.
    pub fn whole(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), hunks: None }
    }
}

/// Notified before a call changes files, so that their content can be saved. Paths are absolute. It may read files, so
/// it is called where blocking is allowed.
pub trait FileWatch: fmt::Debug + Send + Sync {
    /// Called before `path`, or anything below it, is created, changed or removed.
    fn before_change(&self, path: &Path);

    /// Called before the directory is created, if it does not exist.
    fn before_folder(&self, path: &Path);
}

/// Decides the tier of a change by where its file lies (CONTRACT 5.7). The host implements it; it may look at the file
/// system.
pub trait FileTiers: fmt::Debug + Send + Sync {
    /// The tier of changing each of these files, the highest of all.
    ///
    /// # Errors
    /// When tools may not change one of the files at all, with the reason.
    fn tier_of(&self, files: &[FileChange]) -> Result<Tier, String>;
}

#[cfg(test)]
#[path = "file_change_tests.rs"]
mod tests;
