//! The first lines of a file: the header, and the title line for listings.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FORMAT_VERSION;
use crate::{entry::Header, ids};

/// Marks a file as ours. The headers of compatible agents have no such field.
const FORMAT: &str = "toolsmith";

/// Length of the title line in bytes; constant, so that it can be overwritten in place.
const TITLE_BYTES: usize = 256;

/// A header as stored, ours or a compatible agent's.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeadLine {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<u64>,
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) timestamp: String,
    #[serde(default)]
    pub(crate) cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_session: Option<String>,
}

/// Format of a session file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Ours, with its version.
    Own(u64),
    /// A compatible agent's, with its version.
    Foreign(u64),
}

impl HeadLine {
    pub(crate) fn origin(&self) -> Origin {
        match self.format.as_deref() {
            Some(FORMAT) => Origin::Own(self.version.unwrap_or(FORMAT_VERSION)),
            _ => Origin::Foreign(self.version.unwrap_or(1)),
        }
    }
}

impl From<HeadLine> for Header {
    fn from(line: HeadLine) -> Self {
        Self {
            id: line.id,
            timestamp: line.timestamp,
            cwd: PathBuf::from(line.cwd),
            title: line.title.filter(|title| !title.is_empty()),
            parent_session: line.parent_session,
        }
    }
}

impl Header {
    /// Creates a header for a new session in `cwd`.
    pub(crate) fn new(cwd: PathBuf) -> Self {
        Self { id: ids::session_id(), timestamp: ids::now(), cwd, title: None, parent_session: None }
    }
}

/// Parses a line as a header, if it is one.
pub(crate) fn read_header(line: &[u8]) -> Option<HeadLine> {
    let line: HeadLine = serde_json::from_slice(line).ok()?;
    (line.kind == "session" && !line.id.is_empty()).then_some(line)
}

/// Returns the header as a line without its line end.
pub(crate) fn write_header(header: &Header) -> String {
    let line = HeadLine {
        kind: "session".to_owned(),
        format: Some(FORMAT.to_owned()),
        version: Some(FORMAT_VERSION),
        id: header.id.clone(),
        timestamp: header.timestamp.clone(),
        cwd: header.cwd.to_string_lossy().into_owned(),
        title: header.title.clone(),
        parent_session: header.parent_session.clone(),
    };
    // A struct of strings always serialises.
    serde_json::to_string(&line).unwrap_or_default()
}

/// Returns the title line with its line end, always of the same length. A long title is truncated; its entry has all of
/// it.
pub(crate) fn title_line(title: &str) -> String {
    let write = |title: &str, pad: usize| {
        let (title, pad) = (Value::from(title), " ".repeat(pad));
        format!("{{\"type\":\"title\",\"title\":{title},\"pad\":\"{pad}\"}}\n")
    };
    let mut kept = title.to_owned();
    loop {
        let length = write(&kept, 0).len();
        if let Some(pad) = TITLE_BYTES.checked_sub(length) {
            return write(&kept, pad);
        }
        kept.pop();
    }
}
