//! Messages that wait for the model.

use toolsmith_text::{Row, Theme, Token};

use super::BlockOptions;

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
