//! File-system requests from JavaScript, and the state an operation needs.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::{Value, json};

use toolsmith_host::posix::{errno, name_to_bytes, path_from_bytes};
use toolsmith_tool::{FileWatch, Meter};

use super::error::FsError;
use crate::instance::SharedState;

/// A path as given: text, or bytes each written as one character, for names that are not text.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum GivenPath {
    Text(String),
    Bytes { bytes: String },
}

impl Default for GivenPath {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl GivenPath {
    pub(super) fn to_os(&self) -> OsString {
        match self {
            Self::Text(text) => OsString::from(text),
            Self::Bytes { bytes } => {
                path_from_bytes(bytes.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect())
            }
        }
    }

    /// Formats the path for messages.
    pub(super) fn shown(&self) -> String {
        self.to_os().to_string_lossy().into_owned()
    }
}

/// The arguments of all operations; each reads its own.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) path: GivenPath,
    pub(super) dest: GivenPath,
    pub(super) fd: Option<i32>,
    pub(super) flags: i32,
    pub(super) mode: u32,
    pub(super) position: Option<i64>,
    pub(super) length: u64,
    pub(super) recursive: bool,
    pub(super) force: bool,
    pub(super) retries: u32,
    pub(super) retry_delay: u64,
    pub(super) flush: bool,
    pub(super) native: bool,
    /// Numbers are returned as text, because they may exceed JavaScript's range.
    pub(super) big: bool,
    /// Content is returned as text.
    pub(super) text: bool,
    /// Names are returned as bytes.
    pub(super) raw: bool,
    pub(super) types: bool,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) accessed: f64,
    pub(super) modified: f64,
    /// Name of the operation in messages, if different.
    pub(super) syscall: Option<String>,
}

/// The environment of an operation.
pub(super) struct Scene {
    pub(super) cwd: PathBuf,
    pub(super) shared: Arc<SharedState>,
    /// Remaining memory of the tool in bytes.
    pub(super) room: usize,
    pub(super) stopped: Box<dyn Fn() -> bool + Send>,
    /// Notified before files are changed.
    pub(super) watch: Option<Arc<dyn FileWatch>>,
    /// Counts what is read and written.
    pub(super) meter: Meter,
}

impl Scene {
    pub(super) fn path(&self, given: &GivenPath) -> PathBuf {
        let given = given.to_os();
        // For an empty path the system reports that the file does not exist.
        if given.is_empty() { PathBuf::new() } else { self.cwd.join(given) }
    }

    /// Fails if the requester no longer waits.
    pub(super) fn go_on(&self, syscall: &'static str) -> Result<(), FsError> {
        if (self.stopped)() { Err(FsError::number(errno::ECANCELED, syscall)) } else { Ok(()) }
    }
}

/// Converts a name for JavaScript: text with replacement characters, or bytes.
pub(super) fn name(path: &Path, raw: bool) -> Value {
    if raw {
        let letters: String = name_to_bytes(path).into_iter().map(char::from).collect();
        json!({ "bytes": letters })
    } else {
        json!(path.to_string_lossy())
    }
}
