//! A message of an extension: drawn by the extension, or as Markdown under its label.

use toolsmith_text::{MarkdownOptions, Row, Theme, Token, markdown_rows};

use super::{BlockOptions, boxed};

/// A message of an extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomBlock {
    /// The type that the extension gave it.
    pub label: String,
    /// Its text.
    pub text: String,
    /// Rows drawn by the extension's renderer.
    pub drawn: Option<Vec<Row>>,
}

impl CustomBlock {
    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, _options: &BlockOptions) -> Vec<Row> {
        if let Some(drawn) = &self.drawn {
            return drawn.iter().map(|row| row.clone().cut(columns)).collect();
        }
        let inner = columns.saturating_sub(2).max(1);
        let label = theme.style(Token::CustomMessageLabel).bold();
        let mut rows = vec![Row::styled(format!("[{}]", self.label), label).cut(inner)];
        let text = MarkdownOptions::default().text(theme.style(Token::CustomMessageText));
        rows.extend(markdown_rows(&self.text, inner, theme, text));
        boxed(rows, columns, theme.style(Token::CustomMessageBg), false)
    }
}
