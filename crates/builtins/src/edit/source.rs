//! The text of a file as edits see it: without byte order mark, lines ended by bare newlines. What an edit does not touch
//! keeps its bytes.

use super::find::Place;
use crate::files::LineEnding;

const BOM: char = '\u{feff}';

pub(super) struct Source {
    original: String,
    text: String,
    /// Bytes of the byte order mark.
    skipped: usize,
    /// Where in `text` a newline had a carriage return before it.
    returns: Vec<usize>,
    ending: LineEnding,
}

impl Source {
    pub(super) fn new(original: String) -> Self {
        let skipped = if original.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        let body = &original[skipped..];
        let ending = LineEnding::of(body).unwrap_or(LineEnding::Lf);
        let mut text = String::with_capacity(body.len());
        let mut returns = Vec::new();
        let mut parts = body.split("\r\n").peekable();
        while let Some(part) = parts.next() {
            text.push_str(part);
            if parts.peek().is_some() {
                returns.push(text.len());
                text.push('\n');
            }
        }
        Self { text, original, skipped, returns, ending }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn original(&self) -> &str {
        &self.original
    }

    /// The line a place in the text is on, from one.
    pub(super) fn line_at(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// The place in the original.
    fn original_at(&self, at: usize) -> usize {
        at + self.skipped + self.returns.partition_point(|newline| *newline < at)
    }

    /// The original with every place replaced. The places are in order and do not overlap.
    pub(super) fn replace(&self, places: &[Place]) -> String {
        let mut changed = String::with_capacity(self.original.len());
        let mut from = 0;
        for place in places {
            changed.push_str(&self.original[from..self.original_at(place.start)]);
            changed.push_str(&self.ending.apply(&place.text));
            from = self.original_at(place.end);
        }
        changed.push_str(&self.original[from..]);
        changed
    }
}
