//! Thinking of the model.

use toolsmith_text::{MarkdownOptions, Row, Theme, Token, markdown_rows};

use super::{BlockOptions, spinner};

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
