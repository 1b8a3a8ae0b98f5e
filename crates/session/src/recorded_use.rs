//! What sessions recorded of their use: the figures of tool calls and the usage of responses, read from the files without
//! their contents.

use std::{
    collections::HashSet,
    fs::File,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{self, BufRead as _, BufReader, Read as _},
    path::Path,
};

use jiff::{Timestamp, tz::TimeZone};
use serde::Deserialize;
use serde_json::Value;
use toolsmith_llm::Usage;
use toolsmith_tool::CallMetrics;

/// Longer lines are passed over: what they hold is not a record of this program.
const MAX_LINE: u64 = 64 << 20;

/// A tool call of a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedCall {
    /// Name of the tool.
    pub tool: String,
    /// Set if it failed.
    pub is_error: bool,
    /// Its use; `None` in sessions of other programs and of older versions.
    pub metrics: Option<CallMetrics>,
    /// Day of the call in local time, as `2026-11-17`; empty if the file does not tell.
    pub day: String,
}

/// A response of a model in a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedResponse {
    /// Token usage and cost.
    pub usage: Usage,
    /// Day of the response in local time; empty if the file does not tell.
    pub day: String,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RecordedUse {
    /// A tool call.
    Call(RecordedCall),
    /// A response of the model.
    Response(RecordedResponse),
}

/// Reads the records of several sessions. Entries that a fork or a branch copied from another file count once, for the file
/// that is read first.
#[derive(Debug)]
pub struct UseReader {
    seen: HashSet<u64>,
    zone: TimeZone,
}

impl Default for UseReader {
    fn default() -> Self {
        Self { seen: HashSet::new(), zone: toolsmith_host::local_time_zone() }
    }
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    timestamp: String,
    message: Option<Said>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    role: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    is_error: bool,
    metrics: Option<Value>,
    usage: Option<Value>,
}

impl UseReader {
    /// Reads the records of one file, oldest first. Lines that are torn or unknown are passed over.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(&mut self, path: &Path, mut take: impl FnMut(RecordedUse)) -> io::Result<()> {
        let mut lines = BufReader::with_capacity(1 << 16, File::open(path)?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let count = lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
            if count == 0 {
                return Ok(());
            }
            if line.last() != Some(&b'\n') && count as u64 == MAX_LINE {
                skip_line(&mut lines)?;
                continue;
            }
            if let Some(record) = self.record(&line) {
                take(record);
            }
        }
    }

    fn record(&mut self, line: &[u8]) -> Option<RecordedUse> {
        // Most of a file are other lines, and lines of long texts.
        let may_be = |text: &str| memchr::memmem::find(line, text.as_bytes()).is_some();
        if !may_be("\"toolResult\"") && !may_be("\"assistant\"") {
            return None;
        }
        let line: Line = serde_json::from_slice(line).ok()?;
        let said = line.message.filter(|_| line.kind == "message")?;
        let day = || {
            let time = line.timestamp.parse::<Timestamp>().ok();
            time.map(|time| time.to_zoned(self.zone.clone()).date().to_string()).unwrap_or_default()
        };
        let record = match said.role.as_str() {
            "toolResult" => RecordedUse::Call(RecordedCall {
                tool: said.tool_name,
                is_error: said.is_error,
                metrics: said.metrics.and_then(|metrics| CallMetrics::deserialize(metrics).ok()),
                day: day(),
            }),
            "assistant" => RecordedUse::Response(RecordedResponse {
                usage: said.usage.and_then(|usage| Usage::deserialize(usage).ok()).unwrap_or_default(),
                day: day(),
            }),
            _ => return None,
        };
        let mut hasher = DefaultHasher::new();
        (&line.id, &line.timestamp, &said.role).hash(&mut hasher);
        self.seen.insert(hasher.finish()).then_some(record)
    }
}

/// Passes over the rest of a line.
fn skip_line(lines: &mut impl io::BufRead) -> io::Result<()> {
    loop {
        let part = lines.fill_buf()?;
        let (used, is_end) = match memchr::memchr(b'\n', part) {
            Some(at) => (at + 1, true),
            None => (part.len(), part.is_empty()),
        };
        lines.consume(used);
        if is_end {
            return Ok(());
        }
    }
}
