//! Text of the model: complete, or while it streams.

use toolsmith_text::{MarkdownOptions, MarkdownStream, Row, Theme, Token, markdown_rows};

use super::BlockOptions;

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
