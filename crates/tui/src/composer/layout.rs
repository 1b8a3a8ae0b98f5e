//! Text as rows of a given width, and the caret in them.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::attachments::{Attachments, is_token};
use crate::text::{Row, Style, grapheme_width, width};

/// Bytes of a block. A text of more than three is laid out only around the cursor: the block of the cursor and its neighbours,
/// which are more than a screen, so that a key costs the same in a text of any length.
const BLOCK: usize = 8 << 10;

/// One row: where it starts and ends in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    start: usize,
    end: usize,
}

/// Wrapped text.
#[derive(Clone, Debug)]
pub struct Layout {
    lines: Vec<Line>,
    columns: usize,
}

impl Layout {
    pub(super) fn new(text: &str, columns: usize, attachments: &Attachments) -> Self {
        Self::part(text, 0..text.len(), columns, attachments)
    }

    /// Lays out the rows around an offset. Their number is that of the whole text only if it is short.
    pub(super) fn around(text: &str, offset: usize, columns: usize, attachments: &Attachments) -> Self {
        if text.len() <= 3 * BLOCK {
            return Self::new(text, columns, attachments);
        }
        // By blocks, so that rows do not wrap anew with every movement.
        let block = offset / BLOCK;
        let start = text.floor_char_boundary(block.saturating_sub(1) * BLOCK);
        let end = text.floor_char_boundary((block + 2) * BLOCK);
        // A row begins where a line does, if one begins soon.
        let soon = text.get(start..text.floor_char_boundary(start + BLOCK / 2)).filter(|_| start > 0);
        let skipped = soon.and_then(|text| text.find('\n')).map_or(0, |at| at + 1);
        Self::part(text, start + skipped..end, columns, attachments)
    }

    fn part(text: &str, range: Range<usize>, columns: usize, attachments: &Attachments) -> Self {
        let columns = columns.max(1);
        let mut lines = Vec::new();
        let mut start = range.start;
        for line in text.get(range).unwrap_or_default().split('\n') {
            wrap(line, start, columns, attachments, &mut lines);
            start += line.len() + 1;
        }
        Self { lines, columns }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    /// Returns row and column of an offset.
    pub(super) fn place(&self, text: &str, offset: usize, attachments: &Attachments) -> (usize, usize) {
        let row = self.lines.iter().rposition(|line| line.start <= offset).unwrap_or(0);
        let start = self.lines.get(row).map_or(0, |line| line.start);
        let column = text.get(start..offset).map_or(0, |before| columns_of(before, attachments));
        // At the end of a full row the caret belongs to the next one.
        if column >= self.columns && self.lines.get(row + 1).is_some_and(|next| next.start == offset) {
            return (row + 1, 0);
        }
        (row, column.min(self.columns))
    }

    /// Returns the offset at a row and column.
    pub(super) fn offset(&self, text: &str, row: usize, column: usize, attachments: &Attachments) -> usize {
        let Some(line) = self.lines.get(row) else { return text.len() };
        let mut used = 0;
        for (at, grapheme) in text.get(line.start..line.end).unwrap_or_default().grapheme_indices(true) {
            let here = columns_of(grapheme, attachments);
            if used + here > column {
                return line.start + at;
            }
            used += here;
        }
        line.end
    }

    /// Returns a row with tokens shown by their labels.
    pub(super) fn row(
        &self,
        text: &str,
        row: usize,
        attachments: &Attachments,
        style: Style,
        token: Style,
    ) -> Row {
        let mut out = Row::new();
        let Some(line) = self.lines.get(row) else { return out };
        let mut plain = String::new();
        for c in text.get(line.start..line.end).unwrap_or_default().chars() {
            match attachments.label(c) {
                Some(label) => {
                    out.push_text(std::mem::take(&mut plain), style);
                    out.push_text(label, token);
                }
                None if is_token(c) => {}
                None => plain.push(c),
            }
        }
        out.push_text(plain, style);
        out
    }
}

fn columns_of(text: &str, attachments: &Attachments) -> usize {
    text.graphemes(true)
        .map(|grapheme| match grapheme.chars().next().and_then(|c| attachments.label(c)) {
            Some(label) => width(label),
            None => grapheme_width(grapheme),
        })
        .sum()
}

/// Wraps one line, at spaces where possible.
fn wrap(line: &str, offset: usize, columns: usize, attachments: &Attachments, out: &mut Vec<Line>) {
    let (mut start, mut used) = (0, 0);
    for (at, word) in line.split_word_bound_indices() {
        let word_columns = columns_of(word, attachments);
        if used + word_columns <= columns {
            used += word_columns;
            continue;
        }
        let is_space = word.chars().all(char::is_whitespace);
        if used > 0 && !is_space && word_columns <= columns {
            out.push(Line { start: offset + start, end: offset + at });
            (start, used) = (at, word_columns);
            continue;
        }
        // A word longer than a row, or spaces at its end.
        for (inner, grapheme) in word.grapheme_indices(true) {
            let here = columns_of(grapheme, attachments);
            if used + here > columns && used > 0 {
                out.push(Line { start: offset + start, end: offset + at + inner });
                (start, used) = (at + inner, 0);
            }
            used += here;
        }
    }
    out.push(Line { start: offset + start, end: offset + line.len() });
    // The caret after a full row needs a row of its own.
    if used >= columns {
        out.push(Line { start: offset + line.len(), end: offset + line.len() });
    }
}
