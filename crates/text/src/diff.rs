//! Differences: unified diffs as hunks, drawn with line numbers and marked words.

use std::{collections::BTreeMap, ops::Range, time::Duration};

use similar::{ChangeTag, TextDiff};

use crate::{
    row::{Row, clean},
    style::{Attributes, Style},
    theme::{Theme, Token},
    width::Breaks,
};

/// Pairs of lines longer than this are not compared word by word.
const MAX_WORD_BYTES: usize = 2 << 10;
/// After this the marked words are still right, but not the fewest.
const WORD_DEADLINE: Duration = Duration::from_millis(20);

/// Kind of a line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// It is the same on both sides.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HunkLine {
    /// Kind of the line.
    pub kind: LineKind,
    /// The line without its end. Parts that differ from its counterpart are marked with `true`.
    pub parts: Vec<(String, bool)>,
    /// Number in the old file.
    pub old: Option<usize>,
    /// Number in the new file.
    pub new: Option<usize>,
    /// It is the last line, and no line end follows.
    pub is_unended: bool,
}

/// A group of changed lines with some around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hunk {
    /// The `@@ … @@` line.
    pub header: String,
    /// The lines.
    pub lines: Vec<HunkLine>,
}

impl Hunk {
    /// Returns the number of lines of a kind.
    pub fn count(&self, kind: LineKind) -> usize {
        self.lines.iter().filter(|line| line.kind == kind).count()
    }
}

/// The difference of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileDiff {
    /// The file: the new name, or the old one if it is deleted.
    pub path: String,
    /// It does not exist yet.
    pub is_new: bool,
    /// It is deleted.
    pub is_deleted: bool,
    /// The hunks. Empty for a binary file.
    pub hunks: Vec<Hunk>,
}

impl FileDiff {
    /// Parses unified diffs. Lines that belong to no hunk are skipped.
    pub fn parse(text: &str) -> Vec<Self> {
        let mut parser = Parser::default();
        for line in text.split('\n') {
            parser.line(line);
        }
        let mut files = parser.files;
        for hunk in files.iter_mut().flat_map(|file| &mut file.hunks) {
            mark_words(&mut hunk.lines);
        }
        files
    }

    /// Computes the difference of two texts.
    pub fn between(path: &str, old: &str, new: &str) -> Self {
        let diff = TextDiff::configure().timeout(Duration::from_millis(500)).diff_lines(old, new);
        let text = diff.unified_diff().context_radius(3).to_string();
        let hunks =
            Self::parse(&format!("--- a\n+++ b\n{text}")).pop().map(|file| file.hunks).unwrap_or_default();
        Self { path: path.to_owned(), is_new: false, is_deleted: false, hunks }
    }

    /// Returns the number of added lines.
    pub fn added(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.count(LineKind::Added)).sum()
    }

    /// Returns the number of removed lines.
    pub fn removed(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.count(LineKind::Removed)).sum()
    }
}

#[derive(Default)]
struct Parser {
    files: Vec<FileDiff>,
    old_path: String,
    /// Lines left of the hunk, on the old and on the new side.
    left: (usize, usize),
    /// Next line numbers.
    at: (usize, usize),
}

impl Parser {
    fn line(&mut self, line: &str) {
        if line.starts_with('\\') {
            // "\ No newline at end of file"
            let hunk = self.files.last_mut().and_then(|file| file.hunks.last_mut());
            if let Some(last) = hunk.and_then(|hunk| hunk.lines.last_mut()) {
                last.is_unended = true;
            }
            return;
        }
        if self.left == (0, 0) {
            return self.header(line);
        }
        let body = || line.get(1..).unwrap_or_default().trim_end_matches('\r').to_owned();
        let (kind, old, new) = match line.bytes().next() {
            Some(b'+') => (LineKind::Added, None, Some(self.at.1)),
            Some(b'-') => (LineKind::Removed, Some(self.at.0), None),
            Some(b' ') | None => (LineKind::Context, Some(self.at.0), Some(self.at.1)),
            Some(_) => {
                self.left = (0, 0);
                return self.header(line);
            }
        };
        if old.is_some() {
            self.at.0 = self.at.0.saturating_add(1);
            self.left.0 = self.left.0.saturating_sub(1);
        }
        if new.is_some() {
            self.at.1 = self.at.1.saturating_add(1);
            self.left.1 = self.left.1.saturating_sub(1);
        }
        let hunk = self.files.last_mut().and_then(|file| file.hunks.last_mut());
        if let Some(hunk) = hunk {
            hunk.lines.push(HunkLine { kind, parts: vec![(body(), false)], old, new, is_unended: false });
        }
    }

    fn header(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix("--- ") {
            self.old_path = name(path, "a");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let new = name(path, "b");
            let (is_new, is_deleted) = (self.old_path == "/dev/null", new == "/dev/null");
            let path = if is_deleted { self.old_path.clone() } else { new };
            self.files.push(FileDiff { path, is_new, is_deleted, hunks: Vec::new() });
        } else if let Some((old, new)) = ranges(line) {
            if self.files.is_empty() {
                self.files.push(FileDiff::default());
            }
            self.at = (old.0, new.0);
            self.left = (old.1, new.1);
            if let Some(file) = self.files.last_mut() {
                file.hunks.push(Hunk { header: line.to_owned(), lines: Vec::new() });
            }
        }
    }
}

/// A path of a header, without the prefix that tells the sides apart and without a time stamp.
fn name(path: &str, side: &str) -> String {
    let path = path.split('\t').next().unwrap_or_default().trim_end_matches('\r');
    match path.strip_prefix(side) {
        Some(rest) if rest.starts_with('/') && side.len() == 1 => {
            // `a/src/x` is relative, `a/home/x` came from an absolute path; both read well without the prefix.
            rest.strip_prefix('/').unwrap_or(rest).to_owned()
        }
        _ => path.to_owned(),
    }
}

type LineRange = (usize, usize);

/// Reads `@@ -1,2 +3,4 @@`.
fn ranges(line: &str) -> Option<(LineRange, LineRange)> {
    let body = line.strip_prefix("@@ ")?;
    let mut parts = body.split(' ');
    let old = range(parts.next()?.strip_prefix('-')?)?;
    let new = range(parts.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

fn range(text: &str) -> Option<LineRange> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// Marks the words that differ between removed lines and the added lines that replace them.
fn mark_words(lines: &mut [HunkLine]) {
    let mut at = 0;
    while at < lines.len() {
        let count = |from: usize, kind: LineKind| {
            lines.iter().skip(from).take_while(|line| line.kind == kind).count()
        };
        let removed = count(at, LineKind::Removed);
        let added = count(at + removed, LineKind::Added);
        if removed == added {
            for pair in 0..removed {
                mark_pair(lines, at + pair, at + removed + pair);
            }
        }
        at += (removed + added).max(1);
    }
}

fn mark_pair(lines: &mut [HunkLine], old: usize, new: usize) {
    let text = |at: usize| lines.get(at).map(|line| joined(&line.parts)).unwrap_or_default();
    let (before, after) = (text(old), text(new));
    if before.len().max(after.len()) > MAX_WORD_BYTES {
        return;
    }
    let diff = TextDiff::configure().timeout(WORD_DEADLINE).diff_unicode_words(&before, &after);
    // Lines that have little in common are not versions of each other.
    if diff.ratio() < 0.4 {
        return;
    }
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                push_part(&mut removed, text, false);
                push_part(&mut added, text, false);
            }
            ChangeTag::Delete => push_part(&mut removed, text, true),
            ChangeTag::Insert => push_part(&mut added, text, true),
        }
    }
    for (at, parts) in [(old, removed), (new, added)] {
        if let Some(line) = lines.get_mut(at) {
            line.parts = parts;
        }
    }
}

fn joined(parts: &[(String, bool)]) -> String {
    parts.iter().map(|(text, _)| text.as_str()).collect()
}

fn push_part(parts: &mut Vec<(String, bool)>, text: &str, is_marked: bool) {
    match parts.last_mut() {
        Some((last, marked)) if *marked == is_marked => last.push_str(text),
        _ => parts.push((text.to_owned(), is_marked)),
    }
}

/// Draws the hunks of a file: line number, sign, text. Long lines wrap.
pub fn diff_rows(file: &FileDiff, columns: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, hunk) in file.hunks.iter().enumerate() {
        if at > 0 {
            rows.push(Row::styled("   ⋮", theme.style(Token::Dim)).cut(columns));
        }
        rows.extend(hunk_rows(hunk, columns, theme));
    }
    rows
}

/// Draws one hunk.
pub fn hunk_rows(hunk: &Hunk, columns: usize, theme: &Theme) -> Vec<Row> {
    let layout = HunkLayout::new(hunk, columns);
    layout.rows(hunk, 0..layout.len(), theme)
}

/// The rows of a hunk at one width, counted and not drawn: a hunk may have more rows than can be drawn for every key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkLayout {
    columns: usize,
    digits: usize,
    gutter: usize,
    has_numbers: bool,
    /// The first row behind each line.
    ends: Vec<usize>,
    /// Very long lines, by their number. Only their rows on the screen are drawn.
    long: BTreeMap<usize, LongLine>,
}

/// A line of so many rows that drawing all of them for each frame would be slow.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LongLine {
    /// Its text as rows have it.
    text: String,
    /// The bytes at which rows after the first one begin.
    breaks: Vec<usize>,
}

/// Rows of a line that are drawn at once.
const MANY_ROWS: usize = 256;

impl HunkLayout {
    /// Counts the rows of a hunk.
    pub fn new(hunk: &Hunk, columns: usize) -> Self {
        let last = hunk.lines.iter().filter_map(|line| line.new.or(line.old)).max().unwrap_or(0);
        let digits = last.to_string().len();
        let gutter = digits + 3;
        // In a very narrow place the numbers are left out.
        let (gutter, has_numbers) = if columns > gutter + 8 { (gutter, true) } else { (2, false) };
        let mut layout =
            Self { columns, digits, gutter, has_numbers, ends: Vec::new(), long: BTreeMap::new() };
        let (mut end, inner, mut long) = (0, layout.inner(), BTreeMap::new());
        layout.ends = hunk
            .lines
            .iter()
            .enumerate()
            .map(|(number, line)| {
                let mut breaks = Breaks::new(inner);
                let mut wrapped = 0;
                for (part, _) in &line.parts {
                    let text = clean(part);
                    let breaks = breaks.of(&text);
                    wrapped += breaks.len();
                    // Words of long lines are not marked, so they have one part.
                    if breaks.len() > MANY_ROWS && line.parts.len() == 1 {
                        long.insert(number, LongLine { text: text.into_owned(), breaks });
                    }
                }
                end += 1 + wrapped + usize::from(line.is_unended);
                end
            })
            .collect();
        layout.long = long;
        layout
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn inner(&self) -> usize {
        self.columns.saturating_sub(self.gutter).max(1)
    }

    /// Draws some rows of the hunk.
    pub fn rows(&self, hunk: &Hunk, range: Range<usize>, theme: &Theme) -> Vec<Row> {
        let first = self.ends.partition_point(|end| *end <= range.start);
        let mut begin = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut rows = Vec::new();
        for (number, line) in hunk.lines.iter().enumerate().skip(first) {
            if begin >= range.end {
                break;
            }
            let wanted = range.start.saturating_sub(begin)..range.end - begin;
            match self.long.get(&number) {
                Some(long) => self.push_rows_of(line, long, wanted, theme, &mut rows),
                None => {
                    let mut own = Vec::new();
                    self.push_line(line, theme, &mut own);
                    rows.extend(own.into_iter().skip(wanted.start).take(wanted.len()));
                }
            }
            begin = self.ends.get(number).copied().unwrap_or(range.end);
        }
        rows
    }

    /// Draws some rows of a long line.
    fn push_rows_of(
        &self,
        line: &HunkLine,
        long: &LongLine,
        range: Range<usize>,
        theme: &Theme,
        rows: &mut Vec<Row>,
    ) {
        let style = sign_and_style(line, theme).1;
        for at in range.start..range.end.min(long.breaks.len() + 1) {
            let begin = at.checked_sub(1).map_or(0, |before| long.breaks[before]);
            let end = long.breaks.get(at).copied().unwrap_or(long.text.len());
            let text = Row::styled(long.text.get(begin..end).unwrap_or_default(), style);
            rows.push(self.row(line, at == 0, text, theme));
        }
        if line.is_unended && range.end > long.breaks.len() + 1 {
            rows.push(self.unended(theme));
        }
    }

    fn row(&self, line: &HunkLine, is_first: bool, text: Row, theme: &Theme) -> Row {
        let (sign, style) = sign_and_style(line, theme);
        let number = if is_first { line.new.or(line.old) } else { None };
        let mut row = Row::new();
        if self.has_numbers {
            let (digits, number) = (self.digits, number.map(|number| number.to_string()).unwrap_or_default());
            row.push_text(format!("{number:>digits$} "), theme.style(Token::Dim));
        }
        row.push_text(if is_first { format!("{sign} ") } else { "  ".to_owned() }, style);
        row.append(text);
        row.cut(self.columns)
    }

    fn unended(&self, theme: &Theme) -> Row {
        let note = format!("{}\\ no newline at the end", " ".repeat(self.gutter));
        Row::styled(note, theme.style(Token::Dim)).cut(self.columns)
    }

    fn push_line(&self, line: &HunkLine, theme: &Theme, rows: &mut Vec<Row>) {
        let style = sign_and_style(line, theme).1;
        let mut text = Row::new();
        for (part, is_marked) in &line.parts {
            text.push_text(part, if *is_marked { marked(style) } else { style });
        }
        let wrapped = text.hard_wrap(self.inner()).into_iter().enumerate();
        rows.extend(wrapped.map(|(at, text)| self.row(line, at == 0, text, theme)));
        rows.extend(line.is_unended.then(|| self.unended(theme)));
    }
}

fn sign_and_style(line: &HunkLine, theme: &Theme) -> (&'static str, Style) {
    let (sign, token) = match line.kind {
        LineKind::Context => (" ", Token::ToolDiffContext),
        LineKind::Added => ("+", Token::ToolDiffAdded),
        LineKind::Removed => ("-", Token::ToolDiffRemoved),
    };
    (sign, theme.style(token))
}

fn marked(style: Style) -> Style {
    style.with(Attributes::INVERSE)
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
