//! Messages besides those of the model: prompts, messages that wait for the model, and messages of extensions.

use toolsmith_text::{MarkdownOptions, Row, Theme, Token, markdown_rows};

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

/// When a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueuedKind {
    /// With the next request.
    Steer,
    /// After the run.
    FollowUp,
}

/// Queued messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueBlock {
    /// Messages in the order they will be sent.
    pub messages: Vec<(QueuedKind, String)>,
}

impl QueueBlock {
    /// Draws it: one row per message.
    pub fn rows(&self, columns: usize, theme: &Theme, _options: &BlockOptions) -> Vec<Row> {
        let mut rows: Vec<Row> = self
            .messages
            .iter()
            .map(|(kind, text)| {
                let (sign, token) = match kind {
                    QueuedKind::Steer => (" › ", Token::Accent),
                    QueuedKind::FollowUp => (" » ", Token::Muted),
                };
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                Row::styled(sign, theme.style(token)).and(line, theme.style(Token::Muted)).ellipsized(columns)
            })
            .collect();
        if !rows.is_empty() {
            rows.push(Row::styled("   alt+up to edit", theme.style(Token::Dim)).cut(columns));
        }
        rows
    }
}

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
