//! The entries of a session as a tree in memory. Lines are kept as stored and parsed on demand: opening reads only ids
//! and parents.

use std::{collections::HashMap, ops::Range, path::Path};

use serde_json::{Map, Value, json};
use toolsmith_llm::Usage;

use super::{
    entry::{Entry, EntryKind, Header},
    error::SessionError,
    format::{EntryLine, FORMAT_VERSION, MESSAGE, Origin, read_entry, read_header},
    ids,
};

/// Position of an entry, in the order of appending.
pub(crate) type Position = usize;

#[derive(Debug)]
struct Node {
    id: Box<str>,
    /// Always an earlier position, so walking up terminates.
    parent: Option<Position>,
    is_message: bool,
    line: Line,
}

#[derive(Debug)]
enum Line {
    /// Range within the file's content.
    Read(Range<usize>),
    /// Appended since opening.
    Appended(Box<str>),
}

/// The entries of a session.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) header: Header,
    header_line: Value,
    bytes: Vec<u8>,
    nodes: Vec<Node>,
    by_id: HashMap<Box<str>, Position>,
    labels: HashMap<String, String>,
    name: Option<String>,
    leaf: Option<Position>,
    problems: Vec<String>,
    /// Tokens and cost of the first entries, with their number.
    counted: (usize, Usage),
}

impl Tree {
    /// Creates an empty tree.
    pub(crate) fn empty(header: Header, header_line: &str) -> Self {
        Self {
            name: header.title.clone(),
            header,
            header_line: serde_json::from_str(header_line).unwrap_or_default(),
            bytes: Vec::new(),
            nodes: Vec::new(),
            by_id: HashMap::new(),
            labels: HashMap::new(),
            leaf: None,
            problems: Vec::new(),
            counted: (0, Usage::default()),
        }
    }

    /// Reads one of our files. Lines that are not entries are left in place and reported.
    pub(crate) fn read(bytes: Vec<u8>, path: &Path) -> Result<Self, SessionError> {
        let mut lines = Lines { bytes: &bytes, at: 0 };
        let first = lines.next().unwrap_or(0..0);
        let head =
            read_header(&bytes[first.clone()]).ok_or_else(|| not_a_session(path, &bytes[first.clone()]))?;
        match head.origin() {
            Origin::Own(version) if version > FORMAT_VERSION => {
                return Err(SessionError::TooNew { path: path.to_path_buf(), version });
            }
            Origin::Own(_) => {}
            Origin::Foreign(_) => return Err(not_a_session(path, b"a session of another program")),
        }
        let header_line = serde_json::from_slice(&bytes[first]).unwrap_or_default();
        let mut tree = Self::empty(head.into(), "");
        tree.header_line = header_line;
        let torn_from = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
        for (number, line) in lines.enumerate() {
            tree.read_line(&bytes, line, number + 2, torn_from);
        }
        tree.bytes = bytes;
        tree.leaf = tree.nodes.len().checked_sub(1);
        Ok(tree)
    }

    fn read_line(&mut self, bytes: &[u8], line: Range<usize>, number: usize, torn_from: usize) {
        let text = &bytes[line.clone()];
        let head: EntryLine<'_> = match serde_json::from_slice(text) {
            Ok(head) => head,
            // Torn by a kill, or being written by another process.
            Err(_) if line.start >= torn_from => return,
            Err(error) => return self.problems.push(format!("line {number} is not an entry: {error}")),
        };
        let Some(id) = head.id.filter(|id| !id.is_empty()) else {
            if head.kind != "title" {
                self.problems.push(format!("line {number} has no id"));
            }
            return;
        };
        let parent = head.parent_id.as_deref().and_then(|parent| self.by_id.get(parent).copied());
        if let (None, Some(missing)) = (parent, &head.parent_id) {
            self.problems.push(format!("entry {id} has a missing parent \"{missing}\"; treated as a root"));
        }
        if matches!(&*head.kind, "label" | "title_change")
            && let Ok(Value::Object(fields)) = serde_json::from_slice(text)
        {
            self.note(&read_entry(fields).kind);
        }
        let position = self.nodes.len();
        if self.by_id.contains_key(&*id) {
            self.problems.push(format!("entry {id} occurs twice; the first one is used"));
        } else {
            self.by_id.insert(id.as_ref().into(), position);
        }
        let is_message = head.kind == MESSAGE;
        self.nodes.push(Node { id: id.as_ref().into(), parent, is_message, line: Line::Read(line) });
    }

    /// Applies what an entry says about other entries or the session.
    fn note(&mut self, kind: &EntryKind) {
        match kind {
            EntryKind::Label { target_id, label: Some(label) } => {
                self.labels.insert(target_id.clone(), label.clone());
            }
            EntryKind::Label { target_id, label: None } => {
                self.labels.remove(target_id);
            }
            EntryKind::Title { title } => self.name = Some(title.clone()).filter(|title| !title.is_empty()),
            _ => {}
        }
    }

    /// Creates an entry that follows the leaf but is not part of the tree yet.
    pub(crate) fn next_entry(&self, kind: EntryKind) -> Entry {
        Entry {
            id: ids::entry_id(|id| self.by_id.contains_key(id)),
            parent_id: self.leaf_id().map(str::to_owned),
            timestamp: ids::now(),
            kind,
        }
    }

    /// Makes an entry the new leaf. `line` is its stored form.
    pub(crate) fn push(&mut self, id: &str, kind: &EntryKind, line: &str) {
        self.note(kind);
        let position = self.nodes.len();
        self.by_id.insert(id.into(), position);
        let is_message = matches!(kind, EntryKind::Message(_));
        let line = Line::Appended(line.into());
        self.nodes.push(Node { id: id.into(), parent: self.leaf, is_message, line });
        self.leaf = Some(position);
    }

    pub(crate) fn header_line(&self) -> &Value {
        &self.header_line
    }
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
    pub(crate) fn label(&self, id: &str) -> Option<&str> {
        self.labels.get(id).map(String::as_str)
    }
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
    pub(crate) fn leaf(&self) -> Option<Position> {
        self.leaf
    }
    pub(crate) fn set_leaf(&mut self, leaf: Option<Position>) {
        self.leaf = leaf.filter(|leaf| *leaf < self.nodes.len());
    }
    pub(crate) fn leaf_id(&self) -> Option<&str> {
        self.leaf.map(|leaf| self.id(leaf))
    }
    pub(crate) fn position(&self, id: &str) -> Option<Position> {
        self.by_id.get(id).copied()
    }
    pub(crate) fn id(&self, position: Position) -> &str {
        self.nodes.get(position).map_or("", |node| &node.id)
    }
    pub(crate) fn parent(&self, position: Position) -> Option<Position> {
        self.nodes.get(position).and_then(|node| node.parent)
    }

    /// Returns whether an entry is a message.
    pub(crate) fn is_message(&self, position: Position) -> bool {
        self.nodes.get(position).is_some_and(|node| node.is_message)
    }

    /// Returns the stored line of an entry.
    pub(crate) fn line(&self, position: Position) -> &str {
        match self.nodes.get(position).map(|node| &node.line) {
            // It was parsed as JSON once, so it is text.
            Some(Line::Read(range)) => std::str::from_utf8(&self.bytes[range.clone()]).unwrap_or_default(),
            Some(Line::Appended(line)) => line,
            None => "",
        }
    }

    /// Returns the stored object of an entry.
    pub(crate) fn value(&self, position: Position) -> Map<String, Value> {
        serde_json::from_str(self.line(position)).unwrap_or_default()
    }

    /// Returns the path from the root to an entry.
    pub(crate) fn path_to(&self, position: Option<Position>) -> Vec<Position> {
        let mut path: Vec<_> = std::iter::successors(position, |at| self.parent(*at)).collect();
        path.reverse();
        path
    }

    /// Returns tokens and cost of all responses in this session, on every branch.
    pub(crate) fn usage(&mut self) -> Usage {
        let (from, mut sum) = self.counted;
        for position in from..self.nodes.len() {
            let line = self.line(position);
            if let Some(usage) = usage_of(line) {
                sum.input += usage.input;
                sum.output += usage.output;
                sum.cache_read += usage.cache_read;
                sum.cache_write += usage.cache_write;
                sum.total_tokens += usage.total_tokens;
                sum.cost.input += usage.cost.input;
                sum.cost.output += usage.cost.output;
                sum.cost.cache_read += usage.cost.cache_read;
                sum.cost.cache_write += usage.cost.cache_write;
                sum.cost.total += usage.cost.total;
            }
        }
        self.counted = (self.nodes.len(), sum);
        sum
    }

    /// Returns the tree as rows, each with its object, the index of its parent's row, and its label. The form is flat
    /// because a conversation is as deep as it is long, and readers of nested JSON do not survive that.
    pub(crate) fn rows(&self) -> Vec<Value> {
        (0..self.len())
            .map(|at| json!({ "entry": self.value(at), "parent": self.parent(at), "label": self.label(self.id(at)) }))
            .collect()
    }
}

/// Reads only the cost fields of the line.
fn usage_of(line: &str) -> Option<Usage> {
    #[derive(serde::Deserialize)]
    struct Said {
        message: Cost,
    }
    #[derive(serde::Deserialize)]
    struct Cost {
        usage: Usage,
    }
    let said: Said = line.contains("\"usage\"").then(|| serde_json::from_str(line).ok())??;
    Some(said.message.usage)
}

fn not_a_session(path: &Path, found: &[u8]) -> SessionError {
    let start = String::from_utf8_lossy(&found[..found.len().min(60)]).into_owned();
    let reason = if start.trim().is_empty() {
        "it is empty".to_owned()
    } else {
        format!("its first line is not a header: {start}")
    };
    SessionError::NotASession { path: path.to_path_buf(), reason }
}

/// Returns the lines of a file, without line ends and empty lines.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while self.at < self.bytes.len() {
            let start = self.at;
            let end = memchr::memchr(b'\n', &self.bytes[start..]).map_or(self.bytes.len(), |end| start + end);
            self.at = end + 1;
            if !self.bytes[start..end].trim_ascii().is_empty() {
                return Some(start..end);
            }
        }
        None
    }
}
