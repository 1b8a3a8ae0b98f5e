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
    /// Only an answer decides; closing it does not. Everything has to be read before yes.
    is_explicit: bool,
    scroll: usize,
    /// Rows of the message that were on the screen, from the first one on.
    read: usize,
    /// Rows of the message, and of them on the screen.
    extent: (usize, usize),
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
        Self {
            title,
            message,
            chosen: Some(true),
            is_explicit: false,
            scroll: 0,
            read: 0,
            extent: (0, 1),
            answer: Some(answer),
            closes_at,
        }
    }

    /// Selects no answer in advance: enter alone decides nothing. A message that is longer than the screen has to be read to its
    /// end before yes.
    #[must_use]
    pub fn explicit(mut self) -> Self {
        (self.chosen, self.is_explicit) = (None, true);
        self
    }

    fn finish(&mut self, is_yes: bool) -> Step {
        if is_yes && self.is_explicit && self.read < self.extent.0 {
            // Shows what follows first.
            self.scroll = self.read;
            return Step::Changed;
        }
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
        let message: Vec<Row> =
            message.iter().filter(|row| !row.is_empty()).flat_map(|row| row.wrap(space.columns)).collect();
        // Answers and hints, and what is left to read.
        let room = space.rows.saturating_sub(rows.len() + 3).max(1);
        if self.extent != (message.len(), room) {
            // In another size the text may not be readable any more.
            self.read = 0;
        }
        self.extent = (message.len(), room);
        let last = message.len().saturating_sub(room);
        self.scroll = self.scroll.min(last);
        if self.scroll <= self.read {
            self.read = self.read.max(self.scroll + room);
        }
        rows.extend(message.into_iter().skip(self.scroll).take(room));
        if last > 0 && self.is_explicit {
            let place = match last - self.scroll {
                0 => "end of the text (pageUp to go back)".to_owned(),
                more => format!(
                    "{more} more rows: pageDown or y to read all of it, before it can be answered with yes"
                ),
            };
            rows.push(Row::styled(place, theme.style(Token::Warning)).ellipsized(space.columns));
        }
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
            KeyCode::PageDown => self.scroll += self.extent.1,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(self.extent.1),
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

#[cfg(test)]
#[path = "confirm_tests.rs"]
mod tests;
