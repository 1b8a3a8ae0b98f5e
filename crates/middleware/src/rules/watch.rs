//! Matching of rules against one response while it streams.
//!
//! A condition is matched against new text and the [`WINDOW`] before it, whenever a line ends, [`STEP`] bytes have
//! arrived, or a block is complete. So the work is linear in the length of a response, memory is bounded, and a match
//! longer than the window is not found.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use regex::Regex;
use toolsmith_llm::StreamEvent;

use super::{rule::Rule, scope::Place};

/// How far back a match may start.
pub(super) const WINDOW: usize = 8 * 1024;
const STEP: usize = 64;
/// Maximum number of paths per call.
const MAX_PATHS: usize = 64;
/// A longer string in arguments is neither a path nor a name.
const MAX_PATH: usize = 4096;
/// Maximum number of blocks that are watched.
const MAX_PIECES: usize = 1000;

/// A broken rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Index in the list of rules.
    pub(super) rule: usize,
    pub(super) in_tool: bool,
}

/// A response as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct Watch {
    pieces: BTreeMap<usize, Piece>,
    /// Set for each rule that is still active.
    looked_for: Vec<bool>,
}

impl Watch {
    /// Starts watching a response for these rules.
    pub(super) fn begin(looked_for: Vec<bool>) -> Self {
        Self { pieces: BTreeMap::new(), looked_for }
    }

    /// Processes the next event; returns the rules it broke. Each is reported once.
    pub(super) fn step(&mut self, rules: &[Rule], event: &StreamEvent) -> Vec<Hit> {
        if !self.looked_for.contains(&true) {
            return Vec::new();
        }
        let (index, due) = match event {
            StreamEvent::TextDelta { content_index, delta } => {
                (*content_index, self.piece(*content_index, || Kind::Text).map(|piece| piece.push(delta)))
            }
            StreamEvent::ThinkingDelta { content_index, delta } => {
                (*content_index, self.piece(*content_index, || Kind::Thinking).map(|piece| piece.push(delta)))
            }
            StreamEvent::ToolCallStart { content_index, name, .. } => {
                (*content_index, self.piece(*content_index, || Kind::call(name)).map(|_| true))
            }
            StreamEvent::ToolCallDelta { content_index, delta } => {
                (*content_index, self.pieces.get_mut(content_index).map(|piece| piece.push(delta)))
            }
            StreamEvent::TextEnd { content_index, .. } | StreamEvent::ThinkingEnd { content_index, .. } => {
                (*content_index, Some(true))
            }
            StreamEvent::ToolCallEnd { content_index, tool_call } => {
                if let Some(piece) = self.piece(*content_index, || Kind::call(&tool_call.name)) {
                    piece.end(&tool_call.arguments_text());
                }
                (*content_index, Some(true))
            }
            _ => return Vec::new(),
        };
        match (due, self.pieces.get_mut(&index)) {
            (Some(true), Some(piece)) => piece.look(rules, &mut self.looked_for),
            _ => Vec::new(),
        }
    }

    fn piece(&mut self, index: usize, kind: impl FnOnce() -> Kind) -> Option<&mut Piece> {
        if self.pieces.len() >= MAX_PIECES && !self.pieces.contains_key(&index) {
            return None;
        }
        Some(self.pieces.entry(index).or_insert_with(|| Piece::new(kind())))
    }
}

#[derive(Debug)]
enum Kind {
    Text,
    Thinking,
    Call { tool: String, arguments: ArgumentReader },
}

impl Kind {
    fn call(tool: &str) -> Self {
        Self::Call { tool: tool.to_owned(), arguments: ArgumentReader::default() }
    }
}

/// A text, thinking, or the arguments of a call.
#[derive(Debug)]
struct Piece {
    kind: Kind,
    /// As received.
    raw: Window,
    /// For a call, the same with JSON escapes decoded: what the file will contain.
    plain: Window,
    /// Matches of each condition of each rule. The files of a call may become known later.
    found: BTreeSet<(usize, usize)>,
    /// Number of paths at the last match.
    paths_seen: usize,
}

impl Piece {
    fn new(kind: Kind) -> Self {
        Self { kind, raw: Window::default(), plain: Window::default(), found: BTreeSet::new(), paths_seen: 0 }
    }

    /// Returns whether to match now.
    fn push(&mut self, delta: &str) -> bool {
        self.raw.text.push_str(delta);
        let mut due = self.raw.is_due(delta);
        if let Kind::Call { arguments, .. } = &mut self.kind {
            let before = self.plain.text.len();
            arguments.read(delta, &mut self.plain.text);
            due |= self.plain.text[before..].contains('\n') || arguments.paths.len() != self.paths_seen;
        }
        due
    }

    fn end(&mut self, whole: &str) {
        if self.raw.text.is_empty() {
            self.push(whole);
        }
        if let Kind::Call { arguments, .. } = &mut self.kind {
            arguments.settle();
        }
    }

    fn look(&mut self, rules: &[Rule], looked_for: &mut [bool]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let (place, paths): (Place<'_>, &[String]) = match &self.kind {
            Kind::Text => (Place::Text, &[]),
            Kind::Thinking => (Place::Thinking, &[]),
            Kind::Call { tool, arguments } => (Place::Tool(tool), &arguments.paths),
        };
        self.paths_seen = paths.len();
        let wanted = rules.iter().enumerate().zip(looked_for.iter_mut()).filter(|(_, wanted)| **wanted);
        for ((at, rule), wanted) in wanted {
            let about_its_files = |rule: &Rule| {
                !place.is_tool()
                    || rule.files.is_empty()
                    || rule.files.iter().any(|files| files.matches_any(paths))
            };
            let is_broken = rule.conditions.iter().enumerate().any(|(number, condition)| {
                let mut scopes = condition.scopes.iter().filter(|scope| scope.admits(place)).peekable();
                if scopes.peek().is_none() {
                    return false;
                }
                let found = self.found.contains(&(at, number))
                    || condition.expression.as_ref().is_none_or(|expression| {
                        self.raw.has(expression) || (place.is_tool() && self.plain.has(expression))
                    });
                if found {
                    self.found.insert((at, number));
                }
                found && about_its_files(rule) && scopes.any(|scope| scope.admits_files(paths))
            });
            if is_broken {
                *wanted = false;
                hits.push(Hit { rule: at, in_tool: place.is_tool() });
            }
        }
        self.raw.looked();
        self.plain.looked();
        hits
    }
}

/// The end of a growing text.
#[derive(Debug, Default)]
struct Window {
    text: String,
    /// Length already matched.
    looked: usize,
}

impl Window {
    fn is_due(&self, delta: &str) -> bool {
        delta.contains('\n') || self.text.len() - self.looked >= STEP
    }

    /// Matches new text and the window before it. Text before the window only serves as context, so that `^` still
    /// means the beginning of everything and not of the window.
    fn has(&self, expression: &Regex) -> bool {
        let from = self.text.floor_char_boundary(self.looked.saturating_sub(WINDOW));
        expression.is_match_at(&self.text, from)
    }

    fn looked(&mut self) {
        if self.text.len() > 4 * WINDOW {
            // One character before the window is kept to show that the text does not start there.
            let keep_from = self.text.floor_char_boundary(self.text.len() - WINDOW - 1);
            self.text.drain(..keep_from);
        }
        self.looked = self.text.len();
    }
}

/// Streaming reader of arguments: their text without JSON escapes, and the files they name.
#[derive(Debug, Default)]
pub(super) struct ArgumentReader {
    pub(super) paths: Vec<String>,
    in_string: bool,
    escape: Escape,
    /// The first half of a surrogate pair.
    surrogate: Option<u32>,
    string: String,
    /// A complete string that may be a key or a value.
    ended: Option<String>,
    name: String,
}

#[derive(Clone, Copy, Debug, Default)]
enum Escape {
    #[default]
    None,
    Begun,
    Code {
        digits: u32,
        value: u32,
    },
}

impl ArgumentReader {
    pub(super) fn read(&mut self, delta: &str, plain: &mut String) {
        for c in delta.chars() {
            if !self.in_string {
                plain.push(c);
                match c {
                    '"' => {
                        self.settle();
                        self.in_string = true;
                    }
                    ':' => self.name = self.ended.take().unwrap_or_default(),
                    ',' | '}' | ']' => self.settle(),
                    _ => {}
                }
                continue;
            }
            if let Some(c) = self.unescape(c) {
                plain.push(c);
                if self.string.len() <= MAX_PATH {
                    self.string.push(c);
                }
            } else if !self.in_string {
                plain.push('"');
                self.ended = Some(mem::take(&mut self.string));
            }
        }
    }

    /// Returns the next character of a string once it is complete. Ends the string at its quote.
    fn unescape(&mut self, c: char) -> Option<char> {
        match self.escape {
            Escape::None if c == '\\' => self.escape = Escape::Begun,
            Escape::None if c == '"' => self.in_string = false,
            Escape::None => return Some(c),
            Escape::Begun if c == 'u' => self.escape = Escape::Code { digits: 0, value: 0 },
            Escape::Begun => {
                self.escape = Escape::None;
                return Some(match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    other => other,
                });
            }
            Escape::Code { digits, value } => {
                let value = value * 16 + c.to_digit(16).unwrap_or_default();
                if digits < 3 {
                    self.escape = Escape::Code { digits: digits + 1, value };
                    return None;
                }
                self.escape = Escape::None;
                return self.code(value);
            }
        }
        None
    }

    fn code(&mut self, value: u32) -> Option<char> {
        match (self.surrogate.take(), value) {
            (_, 0xD800..=0xDBFF) => {
                self.surrogate = Some(value);
                None
            }
            (Some(high), 0xDC00..=0xDFFF) => {
                char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (value - 0xDC00))
            }
            _ => Some(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    /// The string was a value.
    pub(super) fn settle(&mut self) {
        let Some(value) = self.ended.take() else {
            return;
        };
        let name = self.name.to_ascii_lowercase();
        let names_a_path = name.ends_with("path") || name.ends_with("paths");
        if names_a_path && !value.is_empty() && value.len() <= MAX_PATH && self.paths.len() < MAX_PATHS {
            self.paths.push(value);
        }
    }
}
