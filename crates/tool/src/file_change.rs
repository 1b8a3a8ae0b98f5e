//! A change of one file as plain data: what it was computed from, and what it makes of it. Reading, comparing and
//! writing belong to the host.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::approval::Tier;

/// SHA-256 of a file's content. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

/// A text that is no content hash.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is no content hash; expected the SHA-256 of the content as 64 hexadecimal digits")]
pub struct BadContentHash {
    /// What came, cut short.
    pub text: String,
}

impl ContentHash {
    /// A hash that was computed elsewhere.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
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
        // Checked first: `from_str_radix` takes a sign, and slices must not cut a character.
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

/// One file of a change, bound to the bytes it was computed from (CONTRACT 8.7).
#[derive(Clone, PartialEq, Eq)]
pub struct FileChange {
    /// As it was asked for, made absolute.
    pub path: PathBuf,
    /// The file behind it once symlinks are followed. The change is void when the path leads elsewhere later.
    pub target: PathBuf,
    /// What the content was; `None` when there was no file.
    pub base: Option<ContentHash>,
    /// What the content will be; `None` deletes the file.
    pub content: Option<Vec<u8>>,
    /// The mode a new file gets. A file that exists keeps its own.
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

/// Hears of files before a call changes them, so that what they were can be kept. Paths are absolute. May read files, so
/// it is called where blocking is allowed.
pub trait FileWatch: fmt::Debug + Send + Sync {
    /// The content of `path` is about to be changed, or it is about to appear or to be gone; with it, what is below it.
    fn before_change(&self, path: &Path);

    /// The folder is about to be made, if it is not there.
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
