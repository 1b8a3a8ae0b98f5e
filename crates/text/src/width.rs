//! Columns of text, by grapheme cluster.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Columns that replace a tab.
pub(crate) const TAB: &str = "   ";

/// Returns the columns of one grapheme cluster. Control characters have none.
pub fn grapheme_width(grapheme: &str) -> usize {
    match grapheme {
        // Half-width sound marks combine in theory and take a column in terminals.
        "\u{ff9e}" | "\u{ff9f}" => 1,
        "\t" => TAB.len(),
        text if text.chars().all(char::is_control) => 0,
        // Terminals draw a cluster in one cell or two.
        text => text.width().min(2),
    }
}

/// Returns the columns of a text without escape sequences.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Returns whether a character must not be in a row: a terminal would obey it, or it would reorder its neighbours.
pub(crate) fn is_forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Finds where a row that is filled piece by piece is full.
pub(crate) struct Breaks {
    columns: usize,
    used: usize,
}

impl Breaks {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: columns.max(1), used: 0 }
    }

    /// Returns the bytes of the next piece at which rows begin. A character that is wider than a row has a row of its own.
    pub(crate) fn of(&mut self, piece: &str) -> Vec<usize> {
        let mut breaks = Vec::new();
        if piece.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            let mut at = self.columns - self.used.min(self.columns);
            while at < piece.len() {
                breaks.push(at);
                at += self.columns;
            }
            self.used = piece.len() + self.used - breaks.last().map_or(0, |last| last + self.used);
            return breaks;
        }
        for (at, grapheme) in piece.grapheme_indices(true) {
            let columns = grapheme_width(grapheme);
            if self.used > 0 && self.used + columns > self.columns {
                breaks.push(at);
                self.used = 0;
            }
            self.used += columns;
        }
        breaks
    }
}

/// Returns the bytes at which the rows of a text begin: after every line end, and where a row of `columns` is full.
pub fn row_starts(text: &str, columns: usize) -> Vec<usize> {
    let (mut starts, mut begin) = (Vec::new(), 0);
    for line in text.split('\n') {
        starts.push(begin);
        starts.extend(Breaks::new(columns).of(line).into_iter().map(|at| begin + at));
        begin += line.len() + 1;
    }
    starts
}
