//! What is said of a session in a list: only the head and the tail of its file are read.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::Deserialize;
use serde_json::Value;
use toolsmith_llm::{ContentBlock, Message};

use super::format::{read_header, read_message};

/// How much is read at each end.
const HEAD: u64 = 64 << 10;
const TAIL: u64 = 16 << 10;
/// How many characters of a message are shown.
const SHOWN: usize = 200;

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// The folder it belongs to.
    pub cwd: PathBuf,
    /// When it began: RFC 3339, UTC.
    pub created: String,
    /// When its file was last written.
    pub modified: SystemTime,
    /// The size of its file.
    pub bytes: u64,
    /// The name a person gave.
    pub name: Option<String>,
    /// The file it was forked, branched or imported from.
    pub parent_session: Option<String>,
    /// The beginning of what was said first.
    pub first_message: Option<String>,
    /// The beginning of what was said last, where it is near the end of the file.
    pub last_message: Option<String>,
}

/// Reads a file's ends; `None` when it is no session.
pub(crate) fn summarize(path: &Path) -> Option<SessionSummary> {
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let head = read_at(&mut file, 0, HEAD)?;
    let tail_from = metadata.size().saturating_sub(TAIL);
    let tail = if metadata.size() <= HEAD { Vec::new() } else { read_at(&mut file, tail_from, TAIL)? };

    let mut lines = whole_lines(&head);
    let mut title = None;
    let mut header = None;
    for line in lines.by_ref() {
        header = read_header(line);
        if header.is_some() {
            break;
        }
        // A relative's title line comes before its header.
        title = Some(title_of(line)?);
    }
    let header = header?;
    let mut first_message = None;
    let mut last_message = None;
    for line in lines {
        if let Some(named) = title_of(line) {
            title = Some(named);
        } else if let Some((is_user, text)) = said(line) {
            if is_user && first_message.is_none() {
                first_message = Some(text.clone());
            }
            last_message = Some(text);
        }
    }
    // The first line of the tail is the end of one, unless a line happens to begin there: it is not missed much.
    for line in whole_lines(&tail).skip(1) {
        if let Some(named) = title_of(line) {
            title = Some(named);
        } else if let Some((_, text)) = said(line) {
            last_message = Some(text);
        }
    }
    Some(SessionSummary {
        path: path.to_path_buf(),
        modified: metadata.modified().ok()?,
        bytes: metadata.size(),
        name: title.or(header.title).filter(|name| !name.is_empty()),
        id: header.id,
        cwd: PathBuf::from(header.cwd),
        created: header.timestamp,
        parent_session: header.parent_session,
        first_message,
        last_message,
    })
}

fn read_at(file: &mut File, from: u64, length: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from)).ok()?;
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    bytes[..end].split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[derive(Deserialize)]
struct Probe {
    #[serde(rename = "type")]
    kind: String,
    title: Option<String>,
    name: Option<String>,
    message: Option<Value>,
}

/// The name in a title line or an entry that names the session.
fn title_of(line: &[u8]) -> Option<String> {
    let probe: Probe = serde_json::from_slice(line).ok()?;
    match probe.kind.as_str() {
        "title" | "title_change" => Some(probe.title.unwrap_or_default()),
        "session_info" => Some(probe.name.unwrap_or_default()),
        _ => None,
    }
}

/// The beginning of what the person or the model said in an entry, and whether it was the person.
fn said(line: &[u8]) -> Option<(bool, String)> {
    let probe: Probe = serde_json::from_slice(line).ok()?;
    let (is_user, text) = match read_message(probe.message?)? {
        Message::User(said) => {
            (true, said.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join(" "))
        }
        Message::Assistant(said) => (false, said.text()),
        _ => return None,
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    (!shown.is_empty()).then_some((is_user, shown))
}
