//! Text of unknown origin for people to read: every character that a screen hides, reorders or obeys is written as an
//! escape (`\u{202e}`), and long text is cut in the middle with a note of what is missing (CONTRACT 5.8, 9.1).
//!
//! [`visible`], [`visible_line`] and [`Name`] are for text inside other output. [`VisibleBlock`] lays out one value of an approval
//! question, so that no part of the value can be mistaken for the question itself. Nothing here knows a terminal.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

/// Longer runs of spaces and tabs are replaced by their number.
const MAX_BLANKS: usize = 32;
/// Longer runs of empty lines are replaced by their number.
const MAX_EMPTY_LINES: usize = 3;
/// More combining marks than this on one letter are escaped.
const MAX_MARKS: usize = 2;

/// Returns the text with every hidden, reordering and control character written as an escape. Ends of lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// Returns the text as one line: as [`visible`] does, with ends of lines and tabs escaped too, and long runs of spaces replaced
/// by their number, because they would push what follows off the screen. This is the form of names: see [`Name`].
pub fn visible_line(text: &str) -> Cow<'_, str> {
    let shown = escape(text, |_| false);
    match has_long_blanks(&shown) {
        true => Cow::Owned(blanks_counted(&shown)),
        false => shown,
    }
}

/// A name of unknown origin (of a file, a server, an event, a tool) inside a message. Its display form is that of
/// [`visible_line`], so that a name cannot add lines to a warning or a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<T>(pub T);

impl<T: fmt::Display> fmt::Display for Name<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&visible_line(&self.0.to_string()))
    }
}

fn has_long_blanks(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if byte == b' ' { run + 1 } else { 0 };
        run > MAX_BLANKS
    })
}

fn escape(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut changed = false;
    // A mark before the first letter would be drawn on whatever stands before the text.
    let mut marks = MAX_MARKS;
    for c in text.chars() {
        let is_mark = is_combining(c);
        if keeps(c) || !(is_hidden(c) || is_mark && marks >= MAX_MARKS) {
            shown.push(c);
            marks = match (is_mark, c) {
                (true, _) => marks + 1,
                (false, ' ' | '\n' | '\t') => MAX_MARKS,
                _ => 0,
            };
        } else {
            changed = true;
            marks = MAX_MARKS;
            push_escape(&mut shown, c);
        }
    }
    if changed { Cow::Owned(shown) } else { Cow::Borrowed(text) }
}

fn push_escape(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        // Writing to a string cannot fail.
        c => {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// Returns whether a screen would obey the character, reorder its neighbours, show nothing, or show something that looks
/// like a plain space.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        // The ASCII space is the only one that looks like what it is.
        || c.is_whitespace() && c != ' '
        || matches!(c,
            // Invisible, or a format control: Default_Ignorable_Code_Point and general category Cf.
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            // Looks like a space.
            | '\u{2800}' | '\u{1d159}'
            // Strikes out or encloses what stands before it.
            | '\u{334}'..='\u{338}' | '\u{488}'..='\u{489}' | '\u{20d0}'..='\u{20ff}'
            // Means whatever the font says: private use.
            | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'
            | '\u{fdd0}'..='\u{fdef}')
        // Not characters at all.
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Marks that can be put on any letter. The vowels and accents of single scripts are part of their words.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Returns whether the text has letters that are written from right to left. A terminal may show such a line in another order
/// than the one it is used in.
pub fn has_right_to_left(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
            | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    })
}

/// How much of a value is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLimits {
    /// Columns of a row. Characters other than ASCII count as two.
    pub width: usize,
    /// Rows from the beginning.
    pub head: usize,
    /// Rows from the end.
    pub tail: usize,
}

impl BlockLimits {
    /// Everything, in rows of this width.
    pub fn whole(width: usize) -> Self {
        Self { width, head: usize::MAX, tail: 0 }
    }
}

/// One row of a value. UIs put different signs before the kinds, so that text cannot pass for a note.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockRow {
    /// The beginning of a value of several.
    Entry(String),
    /// The beginning of a line of the value.
    Line(String),
    /// The line goes on.
    Continued(String),
    /// Said about the value: what is not shown, or not shown as it stands.
    Note(String),
}

impl BlockRow {
    /// Returns the row with the sign of its kind before it.
    pub fn signed(&self) -> String {
        match self {
            Self::Entry(text) => format!("• {text}"),
            Self::Line(text) => format!("│ {text}"),
            Self::Continued(text) => format!("┊ {text}"),
            Self::Note(text) => format!("╞ {text}"),
        }
    }
}

/// A value laid out in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VisibleBlock {
    /// The rows.
    pub rows: Vec<BlockRow>,
    /// Characters of the value.
    pub chars: usize,
    /// Lines of the value.
    pub lines: usize,
    /// Set if rows were omitted.
    pub is_cut: bool,
}

impl VisibleBlock {
    /// Lays out a value.
    pub fn new(text: &str, limits: BlockLimits) -> Self {
        let (rows, lines) = (rows(text, limits.width), text.split('\n').count());
        Self::cut(rows, text.chars().count(), lines, has_right_to_left(text), limits)
    }

    /// Lays out several values in one block. Each begins with a sign that no line of a value has.
    pub fn entries(texts: &[String], limits: BlockLimits) -> Self {
        let mut laid_out = Vec::new();
        let (mut chars, mut lines) = (0, 0);
        for text in texts {
            let mut entry = rows(text, limits.width);
            match entry.first_mut() {
                Some(BlockRow::Line(first)) => entry[0] = BlockRow::Entry(std::mem::take(first)),
                _ => entry.insert(0, BlockRow::Entry(String::new())),
            }
            laid_out.append(&mut entry);
            chars += text.chars().count();
            lines += text.split('\n').count();
        }
        Self::cut(laid_out, chars, lines, texts.iter().any(|text| has_right_to_left(text)), limits)
    }

    fn cut(mut rows: Vec<BlockRow>, chars: usize, lines: usize, rtl: bool, limits: BlockLimits) -> Self {
        let is_cut = rows.len() > limits.head.saturating_add(limits.tail).saturating_add(1);
        if is_cut {
            leave_out_middle(&mut rows, limits);
        }
        if rtl {
            rows.push(BlockRow::Note(
                "contains right-to-left letters: the order on the screen may differ from the real one"
                    .to_owned(),
            ));
        }
        Self { rows, chars, lines, is_cut }
    }
}

fn rows(text: &str, width: usize) -> Vec<BlockRow> {
    let mut rows = Vec::new();
    let mut empty = 0;
    for line in text.split('\n') {
        if line.chars().all(|c| matches!(c, ' ' | '\t')) && line.chars().count() <= MAX_BLANKS {
            empty += 1;
            continue;
        }
        push_empty(&mut rows, &mut empty);
        push_wrapped(&mut rows, &end_shown(line), width.max(8));
    }
    push_empty(&mut rows, &mut empty);
    rows
}

fn push_empty(rows: &mut Vec<BlockRow>, empty: &mut usize) {
    if *empty > MAX_EMPTY_LINES {
        rows.push(BlockRow::Note(format!("{empty} empty lines")));
    } else {
        rows.extend((0..*empty).map(|_| BlockRow::Line(String::new())));
    }
    *empty = 0;
}

fn push_wrapped(rows: &mut Vec<BlockRow>, line: &str, width: usize) {
    let mut row = String::new();
    let mut used = 0;
    let mut is_first = true;
    let mut push = |row: String| {
        rows.push(if std::mem::take(&mut is_first) { BlockRow::Line(row) } else { BlockRow::Continued(row) });
    };
    for c in line.chars() {
        let columns = if c.is_ascii() { 1 } else { 2 };
        // A mark belongs to the letter before it.
        if used + columns > width && !is_combining(c) {
            push(std::mem::take(&mut row));
            used = 0;
        }
        row.push(c);
        used += columns;
    }
    push(row);
}

/// Returns the line like [`blanks_counted`], with the blanks at its end as their number: they cannot be seen otherwise.
fn end_shown(line: &str) -> String {
    let text = line.trim_end_matches([' ', '\t']);
    let mut shown = blanks_counted(text);
    let blanks = &line[text.len()..];
    let _ = match (blanks.len(), blanks.contains('\t')) {
        (0, _) => Ok(()),
        (1, false) => write!(shown, "⟨1 space⟩"),
        (1, true) => write!(shown, "⟨1 tab⟩"),
        (count, false) => write!(shown, "⟨{count} spaces⟩"),
        (count, true) => write!(shown, "⟨{count} spaces and tabs⟩"),
    };
    shown
}

/// Replaces long runs of blanks by their number, tabs by an arrow, and escapes the rest.
fn blanks_counted(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let text_end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let (text, blanks) = rest.split_at(text_end);
        shown.push_str(&escape(text, |_| false));
        let blanks_end = blanks.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(blanks.len());
        let (blanks, after) = blanks.split_at(blanks_end);
        if blanks.len() > MAX_BLANKS {
            let what = if blanks.contains('\t') { "spaces and tabs" } else { "spaces" };
            let _ = write!(shown, "⟨{} {what}⟩", blanks.len());
        } else {
            for blank in blanks.chars() {
                shown.push_str(if blank == '\t' { "→   " } else { " " });
            }
        }
        rest = after;
    }
    shown
}

fn leave_out_middle(rows: &mut Vec<BlockRow>, limits: BlockLimits) {
    let tail = rows.split_off(rows.len() - limits.tail);
    let hidden = rows.split_off(limits.head);
    let chars: usize = hidden
        .iter()
        .map(|row| match row {
            BlockRow::Entry(text)
            | BlockRow::Line(text)
            | BlockRow::Continued(text)
            | BlockRow::Note(text) => text.chars().count(),
        })
        .sum();
    rows.push(BlockRow::Note(format!("NOT SHOWN HERE: {} rows with {chars} characters", hidden.len())));
    rows.extend(tail);
}

#[cfg(test)]
#[path = "visible_text_tests.rs"]
mod tests;
