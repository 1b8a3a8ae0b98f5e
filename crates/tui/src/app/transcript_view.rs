//! The transcript on the whole screen: scrolling, search, expanding single items, copying.
//!
//! It is one component with two homes: opened by a key above the normal screen, or with the composer docked below it
//! (`ui.screen = "fullscreen"`). Items are drawn from the end; earlier ones when they are scrolled to.

use std::collections::HashSet;

use super::transcript::Item;
use crate::{
    blocks::BlockOptions,
    text::{Attributes, Row, Span, Style, Theme, Token},
};

/// Items that are drawn at a time.
const CHUNK: usize = 300;

/// Where the view is, and what it shows.
#[derive(Debug, Default)]
pub(super) struct TranscriptView {
    /// First item that is drawn.
    from: usize,
    /// Rows by item; `None` where they are to be drawn again.
    drawn: Vec<Option<Vec<Row>>>,
    /// Items that were final when they were drawn; others are drawn with every frame.
    final_items: HashSet<usize>,
    /// Columns and theme the rows are for.
    columns: usize,
    theme: u32,
    /// First row shown, counted from the first drawn item.
    scroll: usize,
    /// Stays at the end.
    follows: bool,
    /// The selected item.
    selected: Option<usize>,
    expanded: HashSet<usize>,
    search: Option<SearchState>,
    /// Rows shown at once.
    page: usize,
}

#[derive(Debug, Default)]
struct SearchState {
    query: String,
    /// The query is being typed.
    is_typing: bool,
    /// Item and row within it of the current match.
    at: Option<(usize, usize)>,
}

/// How items are drawn here.
#[derive(Clone, Copy)]
pub(super) struct ViewLook<'a> {
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) theme: &'a Theme,
    pub(super) theme_version: u32,
    pub(super) options: BlockOptions,
}

impl TranscriptView {
    /// Creates a view at the end of the transcript.
    pub(super) fn new(items: usize) -> Self {
        Self { from: items.saturating_sub(CHUNK), follows: true, page: 20, ..Self::default() }
    }

    /// Draws everything again.
    pub(super) fn forget(&mut self) {
        self.drawn.clear();
        self.final_items.clear();
    }

    fn update(&mut self, items: &[Item], look: &ViewLook<'_>) {
        if (self.columns, self.theme) != (look.columns, look.theme_version) {
            (self.columns, self.theme) = (look.columns, look.theme_version);
            self.drawn.clear();
        }
        self.from = self.from.min(items.len());
        self.drawn.resize_with(items.len() - self.from, || None);
        for (at, item) in items.iter().enumerate().skip(self.from) {
            let Some(slot) = self.drawn.get_mut(at - self.from) else { continue };
            if slot.is_some() && self.final_items.contains(&at) {
                continue;
            }
            if item.is_final() {
                self.final_items.insert(at);
            }
            let expanded = look.options.expanded || self.expanded.contains(&at);
            let mut rows = item.all_rows(look.columns, look.theme, &look.options.expanded(expanded));
            if !rows.is_empty() {
                rows.insert(0, Row::new());
            }
            *slot = Some(rows);
        }
    }

    fn total(&self) -> usize {
        self.drawn.iter().flatten().map(Vec::len).sum()
    }

    /// Loads earlier items when the top is reached; the rows shown stay.
    fn load_earlier(&mut self, items: &[Item], look: &ViewLook<'_>) {
        if self.from == 0 || self.scroll >= look.rows {
            return;
        }
        let before = self.total();
        let more = self.from.min(CHUNK);
        self.from -= more;
        self.drawn.splice(0..0, std::iter::repeat_with(|| None).take(more));
        self.update(items, look);
        self.scroll += self.total() - before;
    }

    /// Draws the rows that are visible.
    pub(super) fn rows(&mut self, items: &[Item], look: &ViewLook<'_>) -> Vec<Row> {
        self.page = look.rows.max(1);
        self.update(items, look);
        if !self.follows {
            self.load_earlier(items, look);
        }
        let last = self.total().saturating_sub(look.rows);
        if self.follows || self.scroll > last {
            self.scroll = last;
        }
        let mut rows = Vec::with_capacity(look.rows);
        let mut skip = self.scroll;
        for (at, drawn) in self.drawn.iter().enumerate() {
            let drawn = drawn.as_deref().unwrap_or_default();
            if skip >= drawn.len() {
                skip -= drawn.len();
                continue;
            }
            for (number, row) in drawn.iter().enumerate().skip(skip) {
                if rows.len() >= look.rows {
                    return rows;
                }
                rows.push(self.decorated(row, at + self.from, number, look.theme));
            }
            skip = 0;
        }
        rows
    }

    /// Marks the selected item and matches of the search.
    fn decorated(&self, row: &Row, item: usize, number: usize, theme: &Theme) -> Row {
        let mut row = row.clone();
        if let Some(search) = self.search.as_ref().filter(|search| !search.query.is_empty()) {
            row = highlighted(&row, &search.query, search.at == Some((item, number)));
        }
        if self.selected == Some(item) && number > 0 {
            let (_, rest) = row.split(1);
            row = Row::styled("▌", theme.style(Token::Accent));
            row.append(rest);
        }
        row
    }

    /// Returns the row of hints and the place.
    pub(super) fn status(&self, columns: usize, theme: &Theme) -> (Row, Option<usize>) {
        if let Some(search) = self.search.as_ref().filter(|search| search.is_typing) {
            let row = Row::styled("search: ", theme.style(Token::Accent))
                .and(&search.query, Style::PLAIN)
                .cut(columns.saturating_sub(1));
            let column = row.width();
            return (row, Some(column));
        }
        let total = self.total();
        let percent = ((self.scroll + self.page).min(total) * 100).checked_div(total).unwrap_or(100);
        let text =
            format!("{percent}%  q close  / search  n next  tab select  enter expand  y copy  g top  G end");
        (Row::styled(text, theme.style(Token::Dim)).ellipsized(columns), None)
    }

    /// Scrolls by rows; at the end the view follows new output again.
    pub(super) fn scroll_by(&mut self, by: isize) {
        let last = self.total().saturating_sub(self.page);
        self.scroll = self.scroll.saturating_add_signed(by).min(last);
        self.follows = by > 0 && self.scroll >= last;
    }

    pub(super) fn page(&self) -> isize {
        isize::try_from(self.page.saturating_sub(1).max(1)).unwrap_or(1)
    }

    pub(super) fn go_to_top(&mut self) {
        (self.from, self.scroll, self.follows) = (0, 0, false);
        self.drawn.clear();
    }

    pub(super) fn go_to_end(&mut self) {
        self.follows = true;
    }

    /// Row at which an item starts.
    fn start_of(&self, item: usize) -> Option<usize> {
        let at = item.checked_sub(self.from)?;
        Some(self.drawn.get(..at)?.iter().flatten().map(Vec::len).sum())
    }

    /// Selects the next or previous item that has rows.
    pub(super) fn select(&mut self, forward: bool, items: &[Item]) {
        let has_rows = |at: &usize| {
            at.checked_sub(self.from)
                .and_then(|at| self.drawn.get(at))
                .and_then(Option::as_ref)
                .is_some_and(|rows| !rows.is_empty())
        };
        let next = match (self.selected, forward) {
            (Some(at), true) => (at + 1..items.len()).find(has_rows),
            (Some(at), false) => (self.from..at).rev().find(has_rows),
            (None, _) => (self.from..items.len()).rev().find(has_rows),
        };
        if let Some(next) = next {
            self.selected = Some(next);
            self.show(next, 0);
        }
    }

    /// Goes to the next or previous prompt.
    pub(super) fn go_to_prompt(&mut self, forward: bool, items: &[Item]) {
        let starts: Vec<(usize, usize)> = (self.from..items.len())
            .filter(|at| items.get(*at).is_some_and(Item::is_prompt))
            .filter_map(|at| Some((at, self.start_of(at)?)))
            .collect();
        let found = match forward {
            true => starts.iter().find(|(_, row)| *row > self.scroll),
            false => starts.iter().rev().find(|(_, row)| *row < self.scroll),
        };
        if let Some((item, row)) = found {
            (self.selected, self.scroll, self.follows) = (Some(*item), *row, false);
        }
    }

    fn show(&mut self, item: usize, row: usize) {
        let Some(start) = self.start_of(item) else { return };
        let row = start + row;
        if row < self.scroll || row >= self.scroll + self.page {
            self.scroll = row.saturating_sub(self.page / 3);
        }
        self.follows = false;
    }

    /// Expands or collapses the selected item, else the last one.
    pub(super) fn toggle(&mut self) {
        let Some(at) = self.selected else { return };
        if !self.expanded.remove(&at) {
            self.expanded.insert(at);
        }
        if let Some(slot) = at.checked_sub(self.from).and_then(|at| self.drawn.get_mut(at)) {
            *slot = None;
        }
        self.follows = false;
    }

    /// Returns the selected item.
    pub(super) fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Starts a search over everything.
    pub(super) fn start_search(&mut self) {
        self.search = Some(SearchState { is_typing: true, ..SearchState::default() });
        if self.from > 0 {
            let kept = self.from;
            self.from = 0;
            self.drawn.splice(0..0, std::iter::repeat_with(|| None).take(kept));
        }
    }

    pub(super) fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.is_typing)
    }

    pub(super) fn has_search(&self) -> bool {
        self.search.is_some()
    }

    pub(super) fn end_search(&mut self) {
        self.search = None;
    }

    pub(super) fn change_query(&mut self, change: impl FnOnce(&mut String)) {
        if let Some(search) = &mut self.search {
            change(&mut search.query);
            search.at = None;
        }
        self.find(false);
    }

    pub(super) fn accept_query(&mut self) {
        if let Some(search) = &mut self.search {
            search.is_typing = false;
        }
        self.find(false);
    }

    /// Goes to the next match, or the previous one.
    pub(super) fn find(&mut self, forward: bool) {
        let Some(search) = &self.search else { return };
        let query = search.query.to_lowercase();
        if query.is_empty() {
            return;
        }
        let mut matches = Vec::new();
        for (at, rows) in self.drawn.iter().enumerate() {
            for (number, row) in rows.iter().flatten().enumerate() {
                if row.text().to_lowercase().contains(&query) {
                    matches.push((at + self.from, number));
                }
            }
        }
        let found = match search.at {
            None => matches.last(),
            Some(current) if forward => matches.iter().find(|place| **place > current).or(matches.first()),
            Some(current) => matches.iter().rev().find(|place| **place < current).or(matches.last()),
        };
        let found = found.copied();
        if let Some(search) = &mut self.search {
            search.at = found;
        }
        if let Some((item, row)) = found {
            self.selected = Some(item);
            self.show(item, row);
        }
    }
}

/// Shows matches inverted; the current one underlined too.
fn highlighted(row: &Row, query: &str, is_current: bool) -> Row {
    let query = query.to_lowercase();
    let mark = if is_current { Attributes::INVERSE.with(Attributes::UNDERLINE) } else { Attributes::INVERSE };
    let mut out = Row::new();
    for span in row.spans() {
        let lower = span.text().to_lowercase();
        // Case changes the length of few characters; such spans are left as they are.
        if lower.len() != span.text().len() || !lower.contains(&query) {
            out.push(span.clone());
            continue;
        }
        let mut at = 0;
        while let Some(found) = lower.get(at..).and_then(|rest| rest.find(&query)) {
            let (start, end) = (at + found, at + found + query.len());
            let (Some(before), Some(matched)) = (span.text().get(at..start), span.text().get(start..end))
            else {
                break;
            };
            out.push(Span::new(before, span.style));
            out.push(Span::new(matched, span.style.with(mark)));
            at = end;
        }
        out.push(Span::new(span.text().get(at..).unwrap_or_default(), span.style));
    }
    out
}
