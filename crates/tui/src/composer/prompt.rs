//! The composer's state: text, menu, history, tokens; and how it is drawn.

use super::{
    attachments::{Attachment, Attachments, Image, without_tokens},
    buffer::Buffer,
    completion::{Candidate, Menu, Trigger},
    history::{History, Search},
    layout::Layout,
};
use crate::{
    text::{Row, Style, Theme, Token},
    tool_text,
};

/// A prompt that is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// The text, with pasted text put back.
    pub text: String,
    /// Images, in order.
    pub images: Vec<Image>,
}

/// Outcome of a key or paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComposerEvent {
    /// The key means nothing to the composer.
    Ignored,
    /// Something may look different.
    Changed,
    /// The prompt was sent; the composer is empty.
    Submit(Submission),
    /// The prompt was sent for the end of the run.
    FollowUp(Submission),
}

/// The prompt being written.
#[derive(Clone, Debug, Default)]
pub struct Composer {
    pub(super) buffer: Buffer,
    pub(super) attachments: Attachments,
    pub(super) history: History,
    pub(super) menu: Option<Menu>,
    /// The person closed the menu for this word.
    pub(super) menu_is_closed: bool,
    pub(super) search: Option<Search>,
    /// The next character is the target of a jump: forward or backward.
    pub(super) jump: Option<bool>,
    /// Column that vertical movement keeps.
    pub(super) column: Option<usize>,
    /// Columns of the last drawing, for vertical movement.
    pub(super) columns: usize,
    /// First row shown, when there are more than fit.
    scroll: usize,
    /// Counts changes of the text.
    pub(super) revision: u64,
}

impl Composer {
    /// Creates an empty composer.
    pub fn new(history: History) -> Self {
        Self { history, columns: 80, ..Self::default() }
    }

    /// Returns the text as it would be sent.
    pub fn text(&self) -> String {
        self.attachments.expand(self.buffer.text())
    }

    /// Returns a number that changes with the text.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns whether the text is a shell command.
    pub(crate) fn is_shell(&self) -> bool {
        self.attachments.starts_with(self.buffer.text(), '!')
    }

    /// Returns the bytes that are kept for the prompt, with everything that was pasted into it.
    pub(crate) fn size(&self) -> usize {
        self.buffer.text().len() + self.attachments.size()
    }

    /// Returns the text with tokens, and the cursor in it.
    pub(crate) fn raw(&self) -> (&str, usize) {
        (self.buffer.text(), self.buffer.cursor())
    }

    /// Returns whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Replaces the text.
    pub fn set_text(&mut self, text: &str) {
        self.buffer.set(without_tokens(text));
        self.changed();
    }

    /// Inserts text at the cursor.
    pub fn insert(&mut self, text: &str) {
        self.buffer.insert(&without_tokens(text));
        self.changed();
    }

    /// Puts text before what is written, as messages taken back from a queue.
    pub fn prepend(&mut self, text: &str) {
        let text = match self.buffer.is_empty() {
            true => without_tokens(text),
            false => format!("{}\n{}", without_tokens(text), self.buffer.text()),
        };
        self.buffer.set(text);
        self.changed();
    }

    /// Takes pasted text; long text becomes a token.
    pub fn paste(&mut self, text: &str) {
        if let Some(search) = &mut self.search {
            search.query.push_str(tool_text::line(text));
            search.update(self.history.prompts(), false);
            return;
        }
        let text = without_tokens(text);
        match Attachments::is_long(&text) {
            true => {
                if let Some(token) = self.attachments.add(Attachment::Text(text)) {
                    self.buffer.insert(&token.to_string());
                }
            }
            false => self.buffer.insert(&text),
        }
        self.changed();
    }

    /// Attaches an image at the cursor.
    pub fn attach(&mut self, image: Image) {
        if let Some(token) = self.attachments.add(Attachment::Image(image)) {
            self.buffer.insert(&token.to_string());
            self.changed();
        }
    }

    /// Returns the history.
    pub fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Clears the text; it can be brought back with undo.
    pub fn clear(&mut self) {
        self.buffer.set("");
        self.search = None;
        self.history.leave();
        self.changed();
    }

    /// Takes what is written, and adds it to the history.
    pub fn submit(&mut self) -> Submission {
        let text = self.attachments.expand(self.buffer.text());
        let images = self.attachments.images(self.buffer.text());
        self.history.add(&text);
        // A new buffer: undo does not bring back what was sent.
        self.buffer = Buffer::default();
        self.attachments = Attachments::default();
        self.changed();
        Submission { text, images }
    }

    /// Returns what can be completed now, unless the person closed the menu.
    pub fn trigger(&self) -> Option<Trigger> {
        match self.menu_is_closed || self.search.is_some() || self.history.is_browsing() {
            true => None,
            false => Trigger::find(self.buffer.before()),
        }
    }

    /// Offers candidates for a range of the text.
    pub fn offer(&mut self, candidates: Vec<Candidate>, range: std::ops::Range<usize>) {
        // The text may have changed since they were asked for.
        self.menu = self.buffer.text().get(range.clone()).and_then(|_| Menu::new(candidates, range));
    }

    /// Returns whether a menu is open.
    pub fn has_menu(&self) -> bool {
        self.menu.is_some()
    }

    /// Returns whether a search or menu takes the escape key.
    pub fn takes_escape(&self) -> bool {
        self.menu.is_some() || self.search.is_some() || self.jump.is_some()
    }

    /// Notes a change: the menu belongs to the old text.
    pub(super) fn changed(&mut self) {
        self.menu = None;
        self.column = None;
        self.revision += 1;
    }

    pub(super) fn layout(&self) -> Layout {
        Layout::around(self.buffer.text(), self.buffer.cursor(), self.columns, &self.attachments)
    }

    pub(super) fn place(&self, layout: &Layout) -> (usize, usize) {
        layout.place(self.buffer.text(), self.buffer.cursor(), &self.attachments)
    }

    pub(super) fn offset(&self, layout: &Layout, row: usize, column: usize) -> usize {
        layout.offset(self.buffer.text(), row, column, &self.attachments)
    }

    /// Draws the text in at most `max_rows` rows. Returns the rows and the caret.
    pub fn rows(&mut self, columns: usize, max_rows: usize, theme: &Theme) -> (Vec<Row>, (usize, usize)) {
        // One column stays free for the caret after a full row.
        self.columns = columns.saturating_sub(1).max(1);
        if let Some(search) = &self.search {
            return self.search_rows(search, columns, theme);
        }
        let layout = self.layout();
        let (row, column) = self.place(&layout);
        let shown = max_rows.max(1).min(layout.rows());
        self.scroll = self.scroll.clamp((row + 1).saturating_sub(shown), row).min(layout.rows() - shown);
        let style = theme.style(Token::Text);
        let token = theme.style(Token::Accent);
        let rows = (self.scroll..self.scroll + shown)
            .map(|at| layout.row(self.buffer.text(), at, &self.attachments, style, token))
            .collect();
        (rows, (row - self.scroll, column))
    }

    fn search_rows(&self, search: &Search, columns: usize, theme: &Theme) -> (Vec<Row>, (usize, usize)) {
        let found = search.prompt(self.history.prompts());
        let label = if found.is_none() && !search.query.is_empty() { "no match: " } else { "search: " };
        let row = Row::styled(label, theme.style(Token::Accent))
            .and(&search.query, Style::PLAIN)
            .cut(columns.saturating_sub(1));
        let cursor = (0, row.width());
        let found = found.map(|prompt| {
            Row::styled(tool_text::line(prompt), theme.style(Token::Muted)).ellipsized(columns)
        });
        (std::iter::once(row).chain(found).collect(), cursor)
    }

    /// Returns the rows of the menu; none if it is closed.
    pub fn menu_rows(&self, columns: usize, theme: &Theme) -> Vec<Row> {
        self.menu.as_ref().map(|menu| menu.rows(columns, theme)).unwrap_or_default()
    }
}
