//! Session summaries for listings: only the head and the tail of the file are read.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::Deserialize;
use serde_json::Value;
use toolsmith_llm::{ContentBlock, Message};

use super::{
    export::plain,
    format::{read_header, read_message},
};

/// Number of bytes read at each end.
const HEAD: u64 = 64 << 10;
const TAIL: u64 = 16 << 10;
/// Maximum characters of a message shown.
const SHOWN: usize = 200;

/// A session in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// Id.
    pub id: String,
    /// File.
    pub path: PathBuf,
    /// Working directory.
    pub cwd: PathBuf,
    /// Creation time: RFC 3339, UTC.
    pub created: String,
    /// Time of the last write.
    pub modified: SystemTime,
    /// Size of the file.
    pub bytes: u64,
    /// Name given by the user.
    pub name: Option<String>,
    /// File it was forked, branched or imported from.
    pub parent_session: Option<String>,
    /// Beginning of the first message.
    pub first_message: Option<String>,
    /// Beginning of the last message, if it is near the end of the file.
    pub last_message: Option<String>,
}

/// Reads the ends of a file; `None` if it is not a session.
pub(crate) fn summarize(path: &Path) -> Option<SessionSummary> {
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let head = read_at(&mut file, 0, HEAD)?;
    let tail_from = metadata.len().saturating_sub(TAIL);
    let tail = if metadata.len() <= HEAD { Vec::new() } else { read_at(&mut file, tail_from, TAIL)? };

    let mut found = Found::default();
    let mut header = None;
    for line in whole_lines(&head) {
        match &header {
            Some(_) => found.look_at(line),
            None => match read_header(line) {
                Some(read) => header = Some(read),
                // Only the title line of a compatible agent may precede its header.
                None if found.title_line.is_none() => {
                    found.look_at(line);
                    found.title_line.as_ref()?;
                }
                None => return None,
            },
        }
    }
    let header = header?;
    // The first line of the tail is probably incomplete.
    whole_lines(&tail).skip(1).for_each(|line| found.look_at(line));
    Some(SessionSummary {
        path: path.to_path_buf(),
        modified: metadata.modified().ok()?,
        bytes: metadata.len(),
        // The title line is kept up to date; entries are used if there is none.
        name: found.title_line.or(found.title_entry).or(header.title).and_then(|name| beginning(&name)),
        id: header.id,
        cwd: PathBuf::from(header.cwd),
        created: header.timestamp,
        parent_session: header.parent_session,
        first_message: found.first_message,
        last_message: found.last_message,
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

/// Collects the values found so far.
#[derive(Default)]
struct Found {
    title_line: Option<String>,
    title_entry: Option<String>,
    first_message: Option<String>,
    last_message: Option<String>,
}

impl Found {
    fn look_at(&mut self, line: &[u8]) {
        let Ok(probe) = serde_json::from_slice::<Probe>(line) else {
            return;
        };
        match probe.kind.as_str() {
            "title" => self.title_line = Some(probe.title.unwrap_or_default()),
            "title_change" => self.title_entry = Some(probe.title.unwrap_or_default()),
            "session_info" => self.title_entry = Some(probe.name.unwrap_or_default()),
            "message" => match probe.message.and_then(read_message) {
                Some(Message::User(said)) => {
                    let text: Vec<_> = said.content.iter().filter_map(ContentBlock::as_text).collect();
                    self.last_message = beginning(&text.join(" ")).or(self.last_message.take());
                    self.first_message = self.first_message.take().or_else(|| self.last_message.clone());
                }
                Some(Message::Assistant(said)) => {
                    self.last_message = beginning(&said.text()).or(self.last_message.take());
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Returns the beginning of a text on one line without control characters; nothing if it is empty.
pub(super) fn beginning(text: &str) -> Option<String> {
    let text = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    (!shown.is_empty()).then_some(shown)
}
