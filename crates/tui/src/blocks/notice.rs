//! Notices, warnings and errors.

use toolsmith_text::{Row, Theme, Token};

use super::{BlockOptions, marked, message, wrapped};

/// Severity of a notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// Information.
    #[default]
    Info,
    /// Something worked.
    Success,
    /// Warning.
    Warning,
    /// Error.
    Error,
}

/// A notice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeBlock {
    /// Severity.
    pub kind: NoticeKind,
    /// The text.
    pub text: String,
    /// A next step, drawn dimmed below.
    pub hint: Option<String>,
}

impl NoticeBlock {
    /// Creates a notice.
    pub fn new(kind: NoticeKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), hint: None }
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, _options: &BlockOptions) -> Vec<Row> {
        let (sign, token) = match self.kind {
            NoticeKind::Info => (" ℹ ", Token::Muted),
            NoticeKind::Success => (" ✔ ", Token::Success),
            NoticeKind::Warning => (" ⚠ ", Token::Warning),
            NoticeKind::Error => (" ✘ ", Token::Error),
        };
        let style = theme.style(token);
        let inner = columns.saturating_sub(4).max(1);
        let mut rows = wrapped(message(&self.text).trim_end(), style, inner);
        if let Some(hint) = &self.hint {
            rows.extend(wrapped(&message(hint), theme.style(Token::Dim), inner));
        }
        marked(sign, style.bold(), rows, columns)
    }
}
