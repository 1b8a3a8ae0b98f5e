//! What JavaScript asks of the file system, and what an operation needs to know of the tool that asks.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::{Value, json};

use toolsmith_tool::FileWatch;

use super::error::FsError;
use crate::instance::SharedState;

/// A path as it was given: text, or bytes each written as one letter, for names that are not text.
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
                OsString::from_vec(bytes.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect())
            }
        }
    }

    /// For messages.
    pub(super) fn shown(&self) -> String {
        self.to_os().to_string_lossy().into_owned()
    }
}

/// The arguments of all operations; each reads those it knows.
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
    /// Numbers are given as text, because they may be larger than JavaScript's.
    pub(super) big: bool,
    /// Content is given as text.
    pub(super) text: bool,
    /// Names are given as bytes.
    pub(super) raw: bool,
    pub(super) types: bool,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) accessed: f64,
    pub(super) modified: f64,
    /// What the operation is called in messages, where that differs.
    pub(super) syscall: Option<String>,
}

/// Where an operation takes place.
pub(super) struct Scene {
    pub(super) cwd: PathBuf,
    pub(super) shared: Arc<SharedState>,
    /// Bytes the tool may still use.
    pub(super) room: usize,
    pub(super) stopped: Box<dyn Fn() -> bool + Send>,
    /// Who wants to hear of files before they are changed.
    pub(super) watch: Option<Arc<dyn FileWatch>>,
}

impl Scene {
    pub(super) fn path(&self, given: &GivenPath) -> PathBuf {
        let given = given.to_os();
        // The system's own answer for an empty path is that there is no such file.
        if given.is_empty() { PathBuf::new() } else { self.cwd.join(given) }
    }

    /// Fails when whoever asked no longer waits.
    pub(super) fn go_on(&self, syscall: &'static str) -> Result<(), FsError> {
        if (self.stopped)() { Err(FsError::number(libc::ECANCELED, syscall)) } else { Ok(()) }
    }
}

/// A name for JavaScript: text, with what is none replaced, or bytes.
pub(super) fn name(path: &Path, raw: bool) -> Value {
    if raw {
        let letters: String = path.as_os_str().as_bytes().iter().map(|byte| char::from(*byte)).collect();
        json!({ "bytes": letters })
    } else {
        json!(path.to_string_lossy())
    }
}
