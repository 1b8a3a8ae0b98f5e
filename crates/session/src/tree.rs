//! The entries of a session as a tree. Opening reads the file once for ids, parents and kinds; lines are read again and
//! parsed on demand, so that a long session costs no memory for what nobody looks at.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs::File,
    hash::{BuildHasher as _, RandomState},
    io::{BufRead, BufReader},
    path::Path,
};

use serde_json::{Map, Value, json};
use toolsmith_llm::Usage;

use super::{
    entry::{Entry, EntryKind, Header},
    error::SessionError,
    files::read_failed,
    format::{EntryLine, FORMAT_VERSION, MESSAGE, Origin, read_entry, read_header},
    ids,
    live::LEFT_OUT,
    stored_lines::{LineRange, StoredLines},
};

/// Position of an entry, in the order of appending.
pub(crate) type Position = usize;

#[derive(Debug)]
struct Node {
    id: Box<str>,
    /// Always an earlier position, so walking up terminates.
    parent: Option<Position>,
    kind: NodeKind,
    line: Line,
}

/// The kinds of entries that are told apart without parsing their lines again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    Message,
    /// Changes what the model receives of earlier entries.
    ChangesOthers,
    Other,
}

#[derive(Debug)]
enum Line {
    /// Part of the content when the session was opened.
    Stored(LineRange),
    /// Appended since opening.
    Appended(Box<str>),
}

/// Positions by id. Only hashes are kept, because the ids are in the nodes.
#[derive(Debug, Default)]
struct Ids {
    hasher: RandomState,
    by_hash: HashMap<u64, Position>,
    /// Entries whose hash another one had already.
    others: Vec<Position>,
}

impl Ids {
    fn find(&self, id: &str, nodes: &[Node]) -> Option<Position> {
        let is_it = |at: &Position| nodes.get(*at).is_some_and(|node| *node.id == *id);
        let first = self.by_hash.get(&self.hasher.hash_one(id)).copied()?;
        Some(first).filter(is_it).or_else(|| self.others.iter().copied().find(is_it))
    }

    /// Adds an id that is not there yet.
    fn add(&mut self, id: &str, position: Position) {
        match self.by_hash.entry(self.hasher.hash_one(id)) {
            std::collections::hash_map::Entry::Vacant(entry) => _ = entry.insert(position),
            std::collections::hash_map::Entry::Occupied(_) => self.others.push(position),
        }
    }
}

/// The entries of a session.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) header: Header,
    header_line: Value,
    stored: StoredLines,
    nodes: Vec<Node>,
    ids: Ids,
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
            stored: StoredLines::Memory(Vec::new()),
            nodes: Vec::new(),
            ids: Ids::default(),
            labels: HashMap::new(),
            leaf: None,
            problems: Vec::new(),
            counted: (0, Usage::default()),
        }
    }

    /// Reads the content of one of our files from memory.
    pub(crate) fn read(bytes: Vec<u8>, path: &Path) -> Result<Self, SessionError> {
        let mut tree = Self::scan(bytes.as_slice(), path)?;
        tree.stored = StoredLines::Memory(bytes);
        Ok(tree)
    }

    /// Reads one of our files, and entries from it when they are needed.
    pub(crate) fn open(file: File, path: &Path) -> Result<Self, SessionError> {
        let mut tree = Self::scan(BufReader::with_capacity(1 << 18, &file), path)?;
        tree.stored = StoredLines::in_file(file);
        Ok(tree)
    }

    /// Reads the lines once. Those that are not entries are left in place and reported.
    fn scan(mut content: impl BufRead, path: &Path) -> Result<Self, SessionError> {
        let (mut line, mut start, mut number) = (Vec::new(), 0, 0);
        let mut tree = None;
        loop {
            line.clear();
            let length = content.read_until(b'\n', &mut line).map_err(read_failed(path))?;
            if length == 0 {
                break;
            }
            number += 1;
            let is_torn = line.pop_if(|last| *last == b'\n').is_none();
            if !line.trim_ascii().is_empty() {
                match &mut tree {
                    None => tree = Some(Self::begin(&line, path)?),
                    Some(tree) => tree.read_line(&line, start, number, is_torn),
                }
            }
            start += length as u64;
        }
        let mut tree = tree.ok_or_else(|| not_a_session(path, b""))?;
        tree.leaf = tree.nodes.len().checked_sub(1);
        Ok(tree)
    }

    /// Reads the header.
    fn begin(line: &[u8], path: &Path) -> Result<Self, SessionError> {
        let head = read_header(line).ok_or_else(|| not_a_session(path, line))?;
        match head.origin() {
            Origin::Own(version) if version > FORMAT_VERSION => {
                return Err(SessionError::TooNew { path: path.to_path_buf(), version });
            }
            Origin::Own(_) => {}
            Origin::Foreign(_) => return Err(not_a_session(path, b"a session of another program")),
        }
        let mut tree = Self::empty(head.into(), "");
        tree.header_line = serde_json::from_slice(line).unwrap_or_default();
        Ok(tree)
    }

    fn read_line(&mut self, text: &[u8], start: u64, number: usize, is_torn: bool) {
        let head: EntryLine<'_> = match serde_json::from_slice(text) {
            Ok(head) => head,
            // Torn by a kill, or being written by another process.
            Err(_) if is_torn => return,
            Err(error) => return self.problems.push(format!("line {number} is not an entry: {error}")),
        };
        let Some(id) = head.id.filter(|id| !id.is_empty()) else {
            if head.kind != "title" {
                self.problems.push(format!("line {number} has no id"));
            }
            return;
        };
        let parent = head.parent_id.as_deref().and_then(|parent| self.position(parent));
        if let (None, Some(missing)) = (parent, &head.parent_id) {
            self.problems.push(format!("entry {id} has a missing parent \"{missing}\"; treated as a root"));
        }
        if matches!(&*head.kind, "label" | "title_change")
            && let Ok(Value::Object(fields)) = serde_json::from_slice(text)
        {
            self.note(&read_entry(fields).kind);
        }
        let position = self.nodes.len();
        if self.position(&id).is_some() {
            self.problems.push(format!("entry {id} occurs twice; the first one is used"));
        } else {
            self.ids.add(&id, position);
        }
        let kind = match &*head.kind {
            MESSAGE => NodeKind::Message,
            "compaction" => NodeKind::ChangesOthers,
            "custom" if memchr::memmem::find(text, LEFT_OUT.as_bytes()).is_some() => NodeKind::ChangesOthers,
            _ => NodeKind::Other,
        };
        let line = Line::Stored(LineRange { start, length: text.len() });
        self.nodes.push(Node { id: id.as_ref().into(), parent, kind, line });
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
            id: ids::entry_id(|id| self.position(id).is_some()),
            parent_id: self.leaf_id().map(str::to_owned),
            timestamp: ids::now(),
            kind,
        }
    }

    /// Makes an entry the new leaf. `line` is its stored form.
    pub(crate) fn push(&mut self, id: &str, kind: &EntryKind, line: &str) {
        self.note(kind);
        let position = self.nodes.len();
        self.ids.add(id, position);
        let kind = match kind {
            EntryKind::Message(_) => NodeKind::Message,
            EntryKind::Compaction(_) => NodeKind::ChangesOthers,
            EntryKind::Custom { custom_type, .. } if custom_type == LEFT_OUT => NodeKind::ChangesOthers,
            _ => NodeKind::Other,
        };
        let line = Line::Appended(line.into());
        self.nodes.push(Node { id: id.into(), parent: self.leaf, kind, line });
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
        self.ids.find(id, &self.nodes)
    }
    pub(crate) fn id(&self, position: Position) -> &str {
        self.nodes.get(position).map_or("", |node| &node.id)
    }
    pub(crate) fn parent(&self, position: Position) -> Option<Position> {
        self.nodes.get(position).and_then(|node| node.parent)
    }

    /// Returns whether an entry is a message.
    pub(crate) fn is_message(&self, position: Position) -> bool {
        self.nodes.get(position).is_some_and(|node| node.kind == NodeKind::Message)
    }

    /// Returns whether an entry may change what the model receives of earlier ones.
    pub(crate) fn changes_others(&self, position: Position) -> bool {
        self.nodes.get(position).is_some_and(|node| node.kind == NodeKind::ChangesOthers)
    }

    /// Returns the stored line of an entry.
    pub(crate) fn line(&self, position: Position) -> Cow<'_, str> {
        match self.nodes.get(position).map(|node| &node.line) {
            Some(Line::Stored(range)) => self.stored.line(*range),
            Some(Line::Appended(line)) => Cow::Borrowed(line),
            None => Cow::Borrowed(""),
        }
    }

    /// Returns the stored object of an entry.
    pub(crate) fn value(&self, position: Position) -> Map<String, Value> {
        serde_json::from_str(&self.line(position)).unwrap_or_default()
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
            if let Some(usage) = usage_of(&line) {
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
