//! Summaries: of a compacted conversation, or of a branch that was left.

use toolsmith_text::{MarkdownOptions, Row, Theme, Token, markdown_rows};

use super::{BlockOptions, boxed};

/// Kind of summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SummaryKind {
    /// Earlier messages.
    #[default]
    Compaction,
    /// A branch of the session.
    Branch,
}

/// A summary that replaces messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryBlock {
    /// Kind of summary.
    pub kind: SummaryKind,
    /// The summary.
    pub text: String,
    /// Tokens before.
    pub tokens_before: Option<u64>,
}

impl SummaryBlock {
    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        let label = match self.kind {
            SummaryKind::Compaction => "[compaction]",
            SummaryKind::Branch => "[branch summary]",
        };
        let inner = columns.saturating_sub(2).max(1);
        let mut title = Row::styled(label, theme.style(Token::CustomMessageLabel).bold());
        if let Some(tokens) = self.tokens_before {
            title.push_text(
                format!(" {} tokens summarised", super::status::count_text(tokens)),
                theme.style(Token::Muted),
            );
        }
        let mut rows = vec![];
        if options.expanded {
            rows.push(title.ellipsized(inner));
            let text = MarkdownOptions::default().text(theme.style(Token::CustomMessageText));
            rows.push(Row::new());
            rows.extend(markdown_rows(&self.text, inner, theme, text));
        } else {
            title.push_text(" (ctrl+o to show)", theme.style(Token::Dim));
            rows.push(title.ellipsized(inner));
        }
        boxed(rows, columns, theme.style(Token::CustomMessageBg), false)
    }
}
