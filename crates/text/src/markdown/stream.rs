//! Markdown that is still growing: finished blocks can be taken as rows that never change, the rest is the tail.

use pulldown_cmark::{Event, Parser, Tag};

use super::{
    layout::{MarkdownOptions, markdown_rows},
    tree::options,
};
use crate::{row::Row, theme::Theme};

/// Bytes that are taken at once. A longer block without an end is split, so that no frame depends on how fast text arrives.
const WINDOW: usize = 64 << 10;
/// Bytes of the tail that are drawn.
const MAX_TAIL: usize = 256 << 10;

/// A growing text. Rows are taken once and in order; together they are the rows of the whole text.
#[derive(Clone, Debug, Default)]
pub struct MarkdownStream {
    /// Text that was not taken as finished blocks.
    text: String,
    /// Set if rows were taken, so that the next block needs an empty row before it.
    has_taken: bool,
    /// Visible characters of the tail that were taken with [`MarkdownStream::take_rows`].
    taken_chars: usize,
    /// Set if the tail starts with an item of a list whose earlier items were taken.
    continues_list: bool,
    options: MarkdownOptions,
}

impl MarkdownStream {
    /// Creates an empty stream.
    pub fn new(options: MarkdownOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Appends text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns whether nothing is left to take.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns whether more text waits than is taken at once.
    pub fn has_backlog(&self) -> bool {
        self.text.len() > WINDOW
    }

    /// Drops all waiting text but the end of it; returns the number of dropped bytes.
    pub fn drop_backlog(&mut self) -> usize {
        let from = last_part(&self.text, WINDOW);
        self.text.drain(..from);
        self.taken_chars = if from > 0 { 0 } else { self.taken_chars };
        from
    }

    /// Returns the rows that were not taken yet; of a very long text the last ones.
    pub fn tail(&self, columns: usize, theme: &Theme) -> Vec<Row> {
        let from = last_part(&self.text, MAX_TAIL);
        if from > 0 {
            let mut rows = vec![Row::plain("…")];
            rows.extend(markdown_rows(
                self.text.get(from..).unwrap_or_default(),
                columns,
                theme,
                self.options,
            ));
            return rows;
        }
        let rows = markdown_rows(&self.text, columns, theme, self.options);
        let rest = skip_chars(rows, self.taken_chars);
        self.spaced(rest, self.continues())
    }

    /// Takes the blocks that no later text can change: every top-level block but the last, and of a list every item but
    /// the last. Of much text only the first part is taken.
    pub fn take_finished(&mut self, columns: usize, theme: &Theme) -> Vec<Row> {
        let head = first_part(&self.text, WINDOW);
        let Finished { mut end, splits_list } = finished(head);
        if end == 0 && self.has_backlog() {
            end = head.len();
        }
        if end == 0 {
            return Vec::new();
        }
        let rest = self.text.split_off(end);
        let done = std::mem::replace(&mut self.text, rest);
        let rows = markdown_rows(&done, columns, theme, self.options);
        let continues = self.continues();
        let rows = skip_chars(rows, std::mem::take(&mut self.taken_chars));
        let rows = self.taken(rows, continues);
        self.continues_list = splits_list;
        rows
    }

    /// Takes the first rows of an unfinished block that is taller than the screen. They are drawn as they are now.
    pub fn take_rows(&mut self, count: usize, columns: usize, theme: &Theme) -> Vec<Row> {
        let mut rows = skip_chars(markdown_rows(&self.text, columns, theme, self.options), self.taken_chars);
        rows.truncate(count);
        let continues = self.continues();
        self.taken_chars += rows.iter().map(visible_chars).sum::<usize>();
        self.taken(rows, continues)
    }

    /// Takes everything, at the end of the message.
    pub fn finish(&mut self, columns: usize, theme: &Theme) -> Vec<Row> {
        let text = std::mem::take(&mut self.text);
        let rows = markdown_rows(&text, columns, theme, self.options);
        let continues = self.continues();
        let rows = skip_chars(rows, std::mem::take(&mut self.taken_chars));
        self.taken(rows, continues)
    }

    /// Returns whether the tail starts in the middle of a block.
    fn continues(&self) -> bool {
        self.continues_list || self.taken_chars > 0
    }

    fn taken(&mut self, rows: Vec<Row>, continues: bool) -> Vec<Row> {
        let rows = self.spaced(rows, continues);
        self.has_taken |= !rows.is_empty();
        self.continues_list = false;
        rows
    }

    /// Puts an empty row before the first block after those already taken.
    fn spaced(&self, mut rows: Vec<Row>, continues: bool) -> Vec<Row> {
        if self.has_taken && !continues && !rows.is_empty() {
            rows.insert(0, Row::new());
        }
        rows
    }
}

/// Returns the first bytes of a text, to the end of a line or at least of a word if it is longer.
fn first_part(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let part = text.get(..text.floor_char_boundary(bytes)).unwrap_or_default();
    let end = part.rfind('\n').or_else(|| part.rfind(' ')).map_or(part.len(), |at| at + 1);
    part.get(..end).unwrap_or(part)
}

/// Returns where the last bytes of a text begin, at the start of a line if there is one.
fn last_part(text: &str, bytes: usize) -> usize {
    let Some(from) = text.len().checked_sub(bytes).filter(|from| *from > 0) else { return 0 };
    let from = text.ceil_char_boundary(from);
    let line = text.get(from..).and_then(|rest| rest.find('\n')).map(|at| from + at + 1);
    line.filter(|line| *line < text.len()).unwrap_or(from)
}

fn visible_chars(row: &Row) -> usize {
    row.spans().iter().flat_map(|span| span.text().chars()).filter(|c| !c.is_whitespace()).count()
}

/// Drops the rows that hold the first `count` visible characters. Counting characters instead of rows stays right when the
/// width changes.
fn skip_chars(rows: Vec<Row>, count: usize) -> Vec<Row> {
    if count == 0 {
        return rows;
    }
    let mut left = count;
    let mut rest = Vec::new();
    for row in rows {
        let chars = visible_chars(&row);
        if left == 0 {
            rest.push(row);
        } else if chars <= left {
            left -= chars;
        } else {
            // The rows were wrapped differently: a part of this one was taken.
            left = 0;
            rest.push(row);
        }
    }
    rest
}

/// The part of a text that later text cannot change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Finished {
    end: usize,
    /// The text that follows is the last item of the list that the part ends with.
    splits_list: bool,
}

fn finished(text: &str) -> Finished {
    // A line that is still growing can change what the lines before it are.
    let text = text.get(..text.rfind('\n').map_or(0, |newline| newline + 1)).unwrap_or_default();
    // The last block, and the last item if it is a bullet list. The items of a numbered list cannot be split off, because
    // their numbers come from the first.
    let (mut block, mut item) = (0, None);
    let (mut depth, mut is_bullets, mut items) = (0_usize, false, 0_usize);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    (block, item, items) = (range.start, None, 0);
                    is_bullets = matches!(tag, Tag::List(None));
                } else if depth == 1 && is_bullets && matches!(tag, Tag::Item) {
                    items += 1;
                    item = (items > 1).then_some(range.start);
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => (block, item) = (range.start, None),
            _ => {}
        }
    }
    // A block can only be split off at the start of a line.
    match item {
        Some(start) => Finished { end: line_start(text, start), splits_list: true },
        None => Finished { end: line_start(text, block), splits_list: false },
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}
