//! A prompt.

use toolsmith_text::{Row, Theme, Token};

use super::{BlockOptions, boxed, marked, wrapped};

/// Longer prompts are cut in the middle unless they are expanded.
const MAX_ROWS: usize = 40;

/// A prompt of the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserBlock {
    /// The text.
    pub text: String,
    /// Number of attached images.
    pub images: usize,
}

impl UserBlock {
    /// Creates a block.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), images: 0 }
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        let style = theme.style(Token::UserMessageText);
        let inner = columns.saturating_sub(4).max(1);
        let mut rows = wrapped(self.text.trim_end(), style, inner);
        if rows.len() > MAX_ROWS && !options.expanded {
            let hidden = rows.len() - MAX_ROWS;
            let tail = rows.split_off(rows.len() - MAX_ROWS / 2);
            rows.truncate(MAX_ROWS / 2);
            rows.push(super::more_lines(hidden, theme));
            rows.extend(tail);
        }
        if self.images > 0 {
            let images = if self.images == 1 { "image" } else { "images" };
            rows.push(Row::styled(format!("[{} {images}]", self.images), theme.style(Token::Muted)));
        }
        let rows = marked("❯ ", theme.style(Token::Accent).bold(), rows, columns.saturating_sub(2).max(1));
        boxed(rows, columns, theme.style(Token::UserMessageBg), false)
    }
}
