//! Text of the model: complete, or while it streams; and its thinking.

use toolsmith_text::{MarkdownOptions, MarkdownStream, Row, Theme, Token, markdown_rows};

use super::{BlockOptions, spinner};

/// Columns before the text.
const INDENT: usize = 1;

fn inner(columns: usize) -> usize {
    columns.saturating_sub(2 * INDENT).max(1)
}

fn indented(rows: Vec<Row>, columns: usize) -> Vec<Row> {
    let indent = if columns > 4 { INDENT } else { 0 };
    rows.into_iter().map(|row| if row.is_empty() { row } else { row.indented(indent).cut(columns) }).collect()
}

fn options(theme: &Theme) -> MarkdownOptions {
    MarkdownOptions::default().text(theme.style(Token::Text))
}

/// A complete text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssistantBlock {
    /// The Markdown.
    pub text: String,
}

impl AssistantBlock {
    /// Creates a block.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, _options: &BlockOptions) -> Vec<Row> {
        indented(markdown_rows(&self.text, inner(columns), theme, options(theme)), columns)
    }
}

/// A text that is still growing. Finished blocks are taken as rows that never change; the rest is drawn again with each
/// frame. All rows together are those of [`AssistantBlock`].
#[derive(Clone, Debug)]
pub struct AssistantStream {
    stream: MarkdownStream,
    text: String,
}

impl AssistantStream {
    /// Creates an empty text.
    pub fn new(theme: &Theme) -> Self {
        Self { stream: MarkdownStream::new(options(theme)), text: String::new() }
    }

    /// Appends text.
    pub fn push(&mut self, text: &str) {
        self.stream.push(text);
        self.text.push_str(text);
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether every row was taken.
    pub fn is_empty(&self) -> bool {
        self.stream.is_empty()
    }

    /// Returns whether more text waits than is taken at once.
    pub fn has_backlog(&self) -> bool {
        self.stream.has_backlog()
    }

    /// Drops all waiting text but the end of it; returns the number of dropped bytes.
    pub fn drop_backlog(&mut self) -> usize {
        self.stream.drop_backlog()
    }

    /// Takes the rows that no later text can change.
    pub fn take_finished(&mut self, columns: usize, theme: &Theme) -> Vec<Row> {
        indented(self.stream.take_finished(inner(columns), theme), columns)
    }

    /// Takes the first rows of an unfinished block that is taller than the screen.
    pub fn take_rows(&mut self, count: usize, columns: usize, theme: &Theme) -> Vec<Row> {
        indented(self.stream.take_rows(count, inner(columns), theme), columns)
    }

    /// Takes all remaining rows.
    pub fn finish(&mut self, columns: usize, theme: &Theme) -> Vec<Row> {
        indented(self.stream.finish(inner(columns), theme), columns)
    }

    /// Returns the rows that were not taken.
    pub fn tail(&self, columns: usize, theme: &Theme) -> Vec<Row> {
        indented(self.stream.tail(inner(columns), theme), columns)
    }
}

/// Thinking, shown or as a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingBlock {
    /// The text; empty if the provider keeps it.
    pub text: String,
    /// It is still growing.
    pub is_live: bool,
    /// Label in the place of hidden thinking, if a tool set one.
    pub label: Option<String>,
}

impl ThinkingBlock {
    /// Creates a finished block.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        let style = theme.style(Token::ThinkingText).italic();
        if !options.shows_thinking || self.text.trim().is_empty() {
            let label = self.label.as_deref().unwrap_or(if self.is_live { "Thinking…" } else { "Thought" });
            let sign = if self.is_live { spinner(options) } else { "·" };
            let mut row = Row::styled(format!(" {sign} {label}"), style);
            if !self.text.trim().is_empty() {
                row.push_text(" (ctrl+t to show)", theme.style(Token::Dim));
            }
            return vec![row.ellipsized(columns)];
        }
        let inner = columns.saturating_sub(3).max(1);
        let rows = markdown_rows(self.text.trim(), inner, theme, MarkdownOptions::default().text(style));
        let bar = theme.style(Token::Dim);
        rows.into_iter()
            .map(|row| {
                let mut whole = Row::styled(" ┊ ", bar);
                whole.append(row);
                whole.cut(columns)
            })
            .collect()
    }
}
