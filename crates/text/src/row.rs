//! One line of a screen: spans of text, each with a style and an optional link.
//!
//! The text of a span never contains a control character, whatever it is made from. Widths count grapheme clusters.

use std::{borrow::Cow, sync::Arc};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::{
    style::{ColorDepth, Style},
    width::{Breaks, TAB, grapheme_width, is_forbidden, width},
};

/// Text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    text: String,
    /// The style.
    pub style: Style,
    /// Address of a link.
    pub link: Option<Arc<str>>,
}

impl Span {
    /// Creates a span. Tabs become spaces; other control characters are dropped.
    pub fn new(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: clean(text.as_ref()).into_owned(), style, link: None }
    }

    /// Sets the address of the link. Only addresses of visible ASCII characters are accepted.
    #[must_use]
    pub fn link(mut self, address: &str) -> Self {
        let is_plain = !address.is_empty() && address.chars().all(|c| c.is_ascii_graphic());
        self.link = is_plain.then(|| address.into());
        self
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn with_text(&self, text: String) -> Self {
        Self { text, style: self.style, link: self.link.clone() }
    }
}

/// Returns the text without the characters that a row cannot have.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_forbidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str(TAB),
            c if is_forbidden(c) => {}
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// A line of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    spans: Vec<Span>,
}

impl Row {
    /// Creates an empty row.
    pub const fn new() -> Self {
        Self { spans: Vec::new() }
    }

    /// Creates a row without a style.
    pub fn plain(text: impl AsRef<str>) -> Self {
        Self::styled(text, Style::PLAIN)
    }

    /// Creates a row in one style.
    pub fn styled(text: impl AsRef<str>, style: Style) -> Self {
        let mut row = Self::new();
        row.push(Span::new(text, style));
        row
    }

    /// Returns one row per line of a text.
    pub fn lines(text: &str, style: Style) -> Vec<Self> {
        text.split('\n').map(|line| Self::styled(line.trim_end_matches('\r'), style)).collect()
    }

    /// Appends a span; one of the same style joins the last.
    pub fn push(&mut self, span: Span) {
        if span.text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style == span.style && last.link == span.link => {
                last.text.push_str(&span.text)
            }
            _ => self.spans.push(span),
        }
    }

    /// Appends a text.
    pub fn push_text(&mut self, text: impl AsRef<str>, style: Style) {
        self.push(Span::new(text, style));
    }

    /// Returns the row with a text appended.
    #[must_use]
    pub fn and(mut self, text: impl AsRef<str>, style: Style) -> Self {
        self.push_text(text, style);
        self
    }

    /// Appends the spans of another row.
    pub fn append(&mut self, other: Self) {
        for span in other.spans {
            self.push(span);
        }
    }

    /// Returns the spans.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns whether nothing is visible: no text but spaces, and no background.
    pub fn is_blank(&self) -> bool {
        self.spans.iter().all(|span| {
            span.text.trim().is_empty()
                && span.style.bg == crate::Color::Default
                && !span.style.attributes.has(crate::Attributes::INVERSE)
        })
    }

    /// Returns the text without styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(Span::text).collect()
    }

    /// Returns the columns it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width(&span.text)).sum()
    }

    /// Returns the row cut to `columns`. Half of a wide character is left out.
    #[must_use]
    pub fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        self.split(columns).0
    }

    /// Returns the row cut to `columns` with `…` in the place of what is missing.
    #[must_use]
    pub fn ellipsized(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let Some(room) = columns.checked_sub(1) else {
            return Self::new();
        };
        let style = self.spans.last().map_or(Style::PLAIN, |span| span.style);
        self.split(room).0.and("…", style)
    }

    /// Splits at a column.
    pub fn split(self, columns: usize) -> (Self, Self) {
        let (mut before, mut after) = (Self::new(), Self::new());
        let (mut used, mut is_full) = (0, false);
        for span in self.spans {
            if is_full {
                after.spans.push(span);
                continue;
            }
            let mut at = 0;
            for grapheme in span.text.graphemes(true) {
                let columns_here = grapheme_width(grapheme);
                if used + columns_here > columns {
                    is_full = true;
                    break;
                }
                used += columns_here;
                at += grapheme.len();
            }
            let rest = span.text.get(at..).unwrap_or_default().to_owned();
            let kept = span.text.get(..at).unwrap_or_default().to_owned();
            after.push(span.with_text(rest));
            before.push(span.with_text(kept));
        }
        (before, after)
    }

    /// Breaks at the column, not at words: spaces are part of code.
    pub(crate) fn hard_wrap(self, columns: usize) -> Vec<Self> {
        let (mut rows, mut row) = (Vec::new(), Self::new());
        let mut breaks = Breaks::new(columns);
        for span in self.spans {
            let mut begin = 0;
            for end in breaks.of(&span.text) {
                row.push(span.with_text(span.text.get(begin..end).unwrap_or_default().to_owned()));
                rows.push(std::mem::take(&mut row));
                begin = end;
            }
            row.push(span.with_text(span.text.get(begin..).unwrap_or_default().to_owned()));
        }
        rows.push(row);
        rows
    }

    /// Returns the row filled with spaces up to `columns`.
    #[must_use]
    pub fn padded(mut self, columns: usize, style: Style) -> Self {
        let missing = columns.saturating_sub(self.width());
        self.push_text(" ".repeat(missing), style);
        self
    }

    /// Returns the row with spaces before it.
    #[must_use]
    pub fn indented(self, columns: usize) -> Self {
        let mut row = Self::plain(" ".repeat(columns));
        row.append(self);
        row
    }

    /// Returns the row on a style: what has no colour of its own gets this one.
    #[must_use]
    pub fn on(mut self, base: Style) -> Self {
        for span in &mut self.spans {
            span.style = span.style.over(base);
        }
        self
    }

    /// Wraps to rows of at most `columns`, at spaces where possible. A row has at least one.
    pub fn wrap(&self, columns: usize) -> Vec<Self> {
        let columns = columns.max(1);
        if self.width() <= columns {
            return vec![self.clone()];
        }
        let mut wrapper = Wrapper { columns, rows: Vec::new(), row: Self::new(), used: 0 };
        for span in &self.spans {
            for word in span.text.split_word_bounds() {
                wrapper.word(word, span);
            }
        }
        wrapper.end_row();
        wrapper.rows
    }

    /// Returns the row with escape sequences for a terminal of this depth. The style is reset at the end.
    pub fn to_ansi(&self, depth: ColorDepth) -> String {
        let mut out = String::new();
        let (mut style, mut link): (Style, Option<&Arc<str>>) = (Style::PLAIN, None);
        for span in &self.spans {
            if span.link.as_ref() != link {
                link = span.link.as_ref();
                out.push_str(&format!("\x1b]8;;{}\x1b\\", link.map_or("", |address| address)));
            }
            let wanted = span.style.reduced(depth);
            if wanted != style {
                out.push_str(&wanted.sequence(depth));
                style = wanted;
            }
            out.push_str(&span.text);
        }
        if link.is_some() {
            out.push_str("\x1b]8;;\x1b\\");
        }
        if style != Style::PLAIN {
            out.push_str("\x1b[0m");
        }
        out
    }
}

impl From<Vec<Span>> for Row {
    fn from(spans: Vec<Span>) -> Self {
        let mut row = Self::new();
        spans.into_iter().for_each(|span| row.push(span));
        row
    }
}

impl From<&str> for Row {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

struct Wrapper {
    columns: usize,
    rows: Vec<Row>,
    row: Row,
    used: usize,
}

impl Wrapper {
    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        // Spaces at a break are dropped.
        while let Some(last) = row.spans.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
            if !last.text.is_empty() {
                break;
            }
            row.spans.pop();
        }
        self.rows.push(row);
        self.used = 0;
    }

    fn word(&mut self, word: &str, span: &Span) {
        let columns = width(word);
        let is_space = word.chars().all(char::is_whitespace);
        if self.used > 0 && self.used + columns > self.columns {
            self.end_row();
            if is_space {
                return;
            }
        }
        if columns <= self.columns {
            self.used += columns;
            return self.row.push(span.with_text(word.to_owned()));
        }
        for grapheme in word.graphemes(true) {
            let columns = grapheme_width(grapheme);
            // A wide character in a single column cannot be drawn.
            if columns > self.columns {
                continue;
            }
            if self.used + columns > self.columns {
                self.end_row();
            }
            self.used += columns;
            self.row.push(span.with_text(grapheme.to_owned()));
        }
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
