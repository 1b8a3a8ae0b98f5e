//! `ui.confirm`: yes or no.

use std::time::Instant;

use tokio::sync::oneshot;

use super::{Drawn, Panel, Space, Step, countdown, hint_row};
use crate::{
    input::{Key, KeyCode},
    keys::{Action, KeyBindings},
    text::{Row, Style, Token},
};

/// Asks a yes-or-no question.
#[derive(Debug)]
pub struct ConfirmDialog {
    title: String,
    message: String,
    /// The selected answer; `None` until one is selected.
    chosen: Option<bool>,
    /// Only an answer decides; closing it does not.
    is_explicit: bool,
    answer: Option<oneshot::Sender<bool>>,
    closes_at: Option<Instant>,
}

impl ConfirmDialog {
    /// Creates a dialog.
    pub fn new(
        title: &str,
        message: &str,
        answer: oneshot::Sender<bool>,
        closes_at: Option<Instant>,
    ) -> Self {
        let (title, message) = (title.to_owned(), message.to_owned());
        Self { title, message, chosen: Some(true), is_explicit: false, answer: Some(answer), closes_at }
    }

    /// Selects no answer in advance: enter alone decides nothing.
    #[must_use]
    pub fn explicit(mut self) -> Self {
        (self.chosen, self.is_explicit) = (None, true);
        self
    }

    fn finish(&mut self, is_yes: bool) -> Step {
        if let Some(answer) = self.answer.take() {
            let _ = answer.send(is_yes);
        }
        Step::Close
    }
}

impl Panel for ConfirmDialog {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let theme = space.theme;
        let title = format!("{}{}", self.title, countdown(self.closes_at, space.now));
        let mut rows = Row::styled(title, theme.style(Token::Accent).bold()).wrap(space.columns);
        let message = Row::lines(&self.message, Style::PLAIN);
        rows.extend(message.iter().filter(|row| !row.is_empty()).flat_map(|row| row.wrap(space.columns)));
        rows.truncate(space.rows.saturating_sub(2).max(1));
        let mark = |is_chosen: bool| match is_chosen {
            true => ("› ", theme.style(Token::Accent).bold()),
            false => ("  ", theme.style(Token::Muted)),
        };
        let ((yes_mark, yes), (no_mark, no)) =
            (mark(self.chosen == Some(true)), mark(self.chosen == Some(false)));
        rows.push(
            Row::styled(format!("{yes_mark}Yes"), yes)
                .and("   ", Style::PLAIN)
                .and(format!("{no_mark}No"), no),
        );
        rows.push(hint_row(&[("y", "yes"), ("n", "no"), ("←→ enter", "choose")], space.columns, theme));
        Drawn { rows, cursor: None }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        match key.code {
            KeyCode::Char('y' | 'Y') if key.text().is_some() => return self.finish(true),
            KeyCode::Char('n' | 'N') if key.text().is_some() => return self.finish(false),
            KeyCode::Left | KeyCode::Right | KeyCode::Up | KeyCode::Down | KeyCode::Tab => {
                self.chosen = Some(!self.chosen.unwrap_or(true));
            }
            _ if keys.is(key, Action::SelectConfirm) => match self.chosen {
                Some(is_yes) => return self.finish(is_yes),
                None => return Step::Ignored,
            },
            _ if keys.is(key, Action::SelectCancel) && self.is_explicit => {
                // Not an answer: the question is asked again the next time.
                self.answer = None;
                return Step::Close;
            }
            _ if keys.is(key, Action::SelectCancel) => return self.finish(false),
            _ => return Step::Ignored,
        }
        Step::Changed
    }

    fn is_question(&self) -> bool {
        true
    }

    fn closes_at(&self) -> Option<Instant> {
        self.closes_at
    }
}
