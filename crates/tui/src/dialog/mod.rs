//! Dialogs and other panels: they take the place of the composer, whose draft survives. One is shown at a time; the others
//! wait.

mod approval;
mod confirm;
mod list;
mod queue;
mod select;
mod text;

pub use approval::{ApprovalAnswer, ApprovalDialog};
pub use confirm::ConfirmDialog;
pub use list::{List, ListItem};
pub use queue::{Panels, READING_TIME};
pub use select::SelectDialog;
pub use text::TextDialog;

use std::time::{Duration, Instant};

use crate::{
    app::Effect,
    input::{Key, Mouse},
    keys::KeyBindings,
    text::{Row, Theme, Token},
};

/// Where and how a panel is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    /// Columns.
    pub columns: usize,
    /// Rows it may take.
    pub rows: usize,
    /// Colours.
    pub theme: &'a Theme,
    /// Key bindings, for hints.
    pub keys: &'a KeyBindings,
    /// The time of the frame.
    pub now: Instant,
}

/// A drawn panel.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The rows.
    pub rows: Vec<Row>,
    /// Row and column of the caret, if it has one.
    pub cursor: Option<(usize, usize)>,
}

/// Outcome of a key.
#[derive(Debug)]
pub enum Step {
    /// The key means nothing here.
    Ignored,
    /// Something may look different.
    Changed,
    /// The panel is done.
    Close,
    /// The panel stays, and something is to be done.
    Do(Effect),
    /// The panel is done, and something is to be done.
    CloseAnd(Effect),
}

/// Something that takes the place of the composer.
pub trait Panel: Send {
    /// Draws it.
    fn draw(&mut self, space: &Space<'_>) -> Drawn;

    /// Handles a key; `raw` is what the terminal sent.
    fn key(&mut self, key: &Key, raw: &[u8], keys: &KeyBindings) -> Step;

    /// Takes pasted text.
    fn paste(&mut self, _text: &str) {}

    /// Handles the mouse, in the full-screen view.
    fn mouse(&mut self, _mouse: &Mouse) -> Step {
        Step::Ignored
    }

    /// Returns whether an answer typed by accident would matter. Keys that follow typing at once are not taken as an
    /// answer.
    fn is_question(&self) -> bool {
        false
    }

    /// Returns whether it takes the whole screen where possible.
    fn is_large(&self) -> bool {
        false
    }

    /// Returns when it closes by itself; the time left is shown.
    fn closes_at(&self) -> Option<Instant> {
        None
    }
}

/// Returns the seconds left, for a title: ` (5s)`.
pub(crate) fn countdown(closes_at: Option<Instant>, now: Instant) -> String {
    closes_at.map_or_else(String::new, |at| {
        let left = at.saturating_duration_since(now) + Duration::from_millis(999);
        format!(" ({}s)", left.as_secs())
    })
}

/// Returns the row of hints below a panel: pairs of a key and its meaning.
pub(crate) fn hint_row(hints: &[(&str, &str)], columns: usize, theme: &Theme) -> Row {
    let mut row = Row::new();
    for (key, meaning) in hints.iter().filter(|(key, _)| !key.is_empty()) {
        if !row.is_empty() {
            row.push_text("  ", theme.style(Token::Dim));
        }
        row.push_text(key, theme.style(Token::Muted));
        row.push_text(format!(" {meaning}"), theme.style(Token::Dim));
    }
    row.ellipsized(columns)
}
