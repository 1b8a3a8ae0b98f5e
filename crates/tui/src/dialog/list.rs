//! A list with a search field and a selection, the base of every picker.

use super::{Drawn, Space};
use crate::{
    composer::completion::fuzzy_score,
    input::Key,
    keys::{Action, KeyBindings},
    text::{Row, Style, Token, width},
};

/// Bytes of a label, a detail or the search that are shown and compared. The widest screens show fewer columns.
const MAX_TEXT: usize = 1000;

/// One entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListItem {
    /// Shown first.
    pub label: String,
    /// Shown after it, dimmed.
    pub detail: String,
    /// Marks the current choice.
    pub is_current: bool,
}

impl ListItem {
    /// Creates an entry.
    pub fn new(label: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { label: label.into(), detail: detail.into(), is_current: false }
    }

    /// Marks the current choice.
    #[must_use]
    pub fn current(mut self, is_current: bool) -> Self {
        self.is_current = is_current;
        self
    }
}

/// A list. A frame draws the rows on the screen only; what depends on all items is computed when they or the search change.
#[derive(Clone, Debug)]
pub struct List {
    items: Vec<ListItem>,
    /// Columns of the labels.
    widths: Vec<usize>,
    /// Columns of the widest label that is shown.
    label_width: usize,
    /// Indices of the items that match, in the order shown.
    shown: Vec<usize>,
    query: String,
    selected: usize,
    scroll: usize,
    has_search: bool,
    page: usize,
}

impl List {
    /// Creates a list; the current item is selected.
    pub fn new(items: Vec<ListItem>, has_search: bool) -> Self {
        let selected = items.iter().position(|item| item.is_current).unwrap_or(0);
        let mut list = Self {
            items: Vec::new(),
            widths: Vec::new(),
            label_width: 0,
            shown: Vec::new(),
            query: String::new(),
            selected: 0,
            scroll: 0,
            has_search,
            page: 10,
        };
        list.set_items(items);
        list.selected = selected;
        list
    }

    /// Replaces the items and keeps the search.
    pub fn set_items(&mut self, mut items: Vec<ListItem>) {
        let at = self.selected;
        for item in &mut items {
            item.label.truncate(item.label.floor_char_boundary(MAX_TEXT));
            item.detail.truncate(item.detail.floor_char_boundary(MAX_TEXT));
        }
        self.widths = items.iter().map(|item| width(&item.label)).collect();
        self.items = items;
        self.search_all();
        self.selected = at.min(self.shown.len().saturating_sub(1));
    }

    /// Returns the index of the selected item.
    pub fn selected(&self) -> Option<usize> {
        self.shown.get(self.selected).copied()
    }

    /// Selects the shown item at a position, if there is one.
    pub fn select(&mut self, at: usize) {
        if at < self.shown.len() {
            self.selected = at;
        }
    }

    /// Returns the search text.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Handles a key; returns whether it meant something.
    pub fn key(&mut self, key: &Key, keys: &KeyBindings) -> bool {
        let last = self.shown.len().saturating_sub(1);
        if keys.is(key, Action::SelectUp) {
            self.selected = if self.selected == 0 { last } else { self.selected - 1 };
        } else if keys.is(key, Action::SelectDown) {
            self.selected = if self.selected >= last { 0 } else { self.selected + 1 };
        } else if keys.is(key, Action::SelectPageUp) {
            self.selected = self.selected.saturating_sub(self.page);
        } else if keys.is(key, Action::SelectPageDown) {
            self.selected = (self.selected + self.page).min(last);
        } else if self.has_search && keys.is(key, Action::DeleteCharBackward) {
            self.query.pop();
            self.search_all();
        } else if self.has_search && keys.is(key, Action::DeleteWordBackward) {
            self.query.clear();
            self.search_all();
        } else if let (true, Some(c)) = (self.has_search, key.text()) {
            self.extend(c.encode_utf8(&mut [0; 4]));
        } else {
            return false;
        }
        true
    }

    /// Adds pasted text to the search.
    pub fn paste(&mut self, text: &str) {
        if self.has_search {
            self.extend(text.lines().next().unwrap_or_default());
        }
    }

    /// Adds to the search. What did not match before does not match now, so only the items that are shown are compared.
    fn extend(&mut self, text: &str) {
        let room = MAX_TEXT.saturating_sub(self.query.len());
        self.query.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
        self.search();
    }

    fn search_all(&mut self) {
        self.shown = (0..self.items.len()).collect();
        self.search();
    }

    /// Removes the items that do not match from those that are shown, and sorts the others.
    fn search(&mut self) {
        self.selected = 0;
        // Every word has to match, in the label or the detail.
        let words: Vec<&str> = self.query.split_whitespace().collect();
        if !words.is_empty() {
            let items = &self.items;
            let mut found: Vec<(i64, usize)> =
                self.shown.iter().filter_map(|at| Some((score(&words, items.get(*at)?)?, *at))).collect();
            found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
            self.shown = found.into_iter().map(|(_, at)| at).collect();
        }
        let widths = self.shown.iter().filter_map(|at| self.widths.get(*at));
        self.label_width = widths.max().copied().unwrap_or(0);
    }

    /// Draws it in at most `space.rows` rows.
    pub fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let (theme, columns) = (space.theme, space.columns);
        let mut rows = Vec::new();
        let mut cursor = None;
        if self.has_search {
            let row = Row::styled("⌕ ", theme.style(Token::Accent)).and(&self.query, Style::PLAIN);
            let row = row.cut(columns.saturating_sub(1));
            cursor = Some((0, row.width()));
            rows.push(row);
        }
        let room = space.rows.saturating_sub(rows.len() + 1).max(1);
        self.page = room;
        self.scroll = self.scroll.clamp((self.selected + 1).saturating_sub(room), self.selected);
        self.scroll = self.scroll.min(self.shown.len().saturating_sub(room));
        let label_width = self.label_width.min(columns * 6 / 10);
        for (at, index) in self.shown.iter().enumerate().skip(self.scroll).take(room) {
            let Some(item) = self.items.get(*index) else { continue };
            let is_selected = at == self.selected;
            let style = if is_selected { theme.style(Token::Accent).bold() } else { Style::PLAIN };
            let mut row = Row::styled(if is_selected { "› " } else { "  " }, style);
            row.append(Row::styled(&item.label, style).ellipsized(label_width));
            if item.is_current {
                row.push_text(" ✓", theme.style(Token::Success));
            }
            if !item.detail.is_empty() {
                row = row.padded(label_width + 4, Style::PLAIN);
                row.push_text(&item.detail, theme.style(Token::Muted));
            }
            rows.push(row.ellipsized(columns));
        }
        if self.shown.is_empty() {
            rows.push(Row::styled("  No matches", theme.style(Token::Muted)));
        } else if self.shown.len() > room {
            let place = format!("  {}/{}", self.selected + 1, self.shown.len());
            rows.push(Row::styled(place, theme.style(Token::Dim)));
        }
        Drawn { rows, cursor }
    }
}

fn score(words: &[&str], item: &ListItem) -> Option<i64> {
    words
        .iter()
        .map(|word| {
            fuzzy_score(word, &item.label)
                .map(|score| score + 200)
                .or_else(|| fuzzy_score(word, &format!("{} {}", item.label, item.detail)))
        })
        .sum()
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
