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
