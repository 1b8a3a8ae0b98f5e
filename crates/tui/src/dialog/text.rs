//! `ui.input` and `ui.editor`: a line or a longer text. Also used where the interface itself asks for text.

use std::time::Instant;

use super::{Drawn, Panel, Space, Step, countdown, hint_row};
use crate::{
    composer::{Composer, ComposerEvent, History},
    input::Key,
    keys::{Action, KeyBindings},
    text::{Row, Style, Token},
};

type Done = Box<dyn FnOnce(Option<String>) -> Option<crate::app::Effect> + Send>;

/// Asks for text.
pub struct TextDialog {
    title: String,
    placeholder: String,
    is_multi_line: bool,
    is_secret: bool,
    composer: Composer,
    done: Option<Done>,
    closes_at: Option<Instant>,
}

impl std::fmt::Debug for TextDialog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextDialog").field("title", &self.title).finish_non_exhaustive()
    }
}

impl TextDialog {
    /// Creates a dialog for one line. `done` receives the text, or nothing if it was closed.
    pub fn line(
        title: &str,
        done: impl FnOnce(Option<String>) -> Option<crate::app::Effect> + Send + 'static,
    ) -> Self {
        Self {
            title: title.to_owned(),
            placeholder: String::new(),
            is_multi_line: false,
            is_secret: false,
            composer: Composer::new(History::default()),
            done: Some(Box::new(done)),
            closes_at: None,
        }
    }

    /// Creates a dialog for a longer text.
    pub fn editor(
        title: &str,
        done: impl FnOnce(Option<String>) -> Option<crate::app::Effect> + Send + 'static,
    ) -> Self {
        let mut dialog = Self::line(title, done);
        dialog.is_multi_line = true;
        dialog
    }

    /// Shows a hint while nothing is written.
    #[must_use]
    pub fn placeholder(mut self, text: &str) -> Self {
        self.placeholder = text.to_owned();
        self
    }

    /// Starts with a text.
    #[must_use]
    pub fn prefill(mut self, text: &str) -> Self {
        self.composer.set_text(text);
        self
    }

    /// Hides what is written, as for a key.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// Closes by itself.
    #[must_use]
    pub fn closes_at(mut self, at: Option<Instant>) -> Self {
        self.closes_at = at;
        self
    }

    fn finish(&mut self, text: Option<String>) -> Step {
        match self.done.take().and_then(|done| done(text)) {
            Some(effect) => Step::CloseAnd(effect),
            None => Step::Close,
        }
    }
}

impl Panel for TextDialog {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let theme = space.theme;
        let title = format!("{}{}", self.title, countdown(self.closes_at, space.now));
        let style = theme.style(Token::Accent).bold();
        let mut rows: Vec<Row> =
            Row::lines(&title, style).iter().flat_map(|row| row.wrap(space.columns)).collect();
        rows.truncate((space.rows / 2).max(1));
        let top = rows.len();
        let indent = usize::from(space.columns > 4) * 2;
        let room = space.rows.saturating_sub(top + 1).max(1);
        let cursor = if self.composer.is_empty() && !self.placeholder.is_empty() {
            let hint = Row::styled(&self.placeholder, theme.style(Token::Dim)).indented(indent);
            rows.push(hint.ellipsized(space.columns));
            (0, 0)
        } else if self.is_secret {
            let dots = "•"
                .repeat(self.composer.text().chars().count().min(space.columns.saturating_sub(indent + 1)));
            let column = dots.chars().count();
            rows.push(Row::styled(dots, Style::PLAIN).indented(indent));
            (0, column)
        } else {
            let (text, cursor) = self.composer.rows(space.columns.saturating_sub(indent), room, theme);
            rows.extend(text.into_iter().map(|row| row.indented(indent)));
            cursor
        };
        let (enter, cancel) = (space.keys.hint(Action::Submit), space.keys.hint(Action::SelectCancel));
        let line_break = space.keys.hint(Action::NewLine);
        let mut hints = vec![(enter.as_str(), "done"), (cancel.as_str(), "cancel")];
        if self.is_multi_line {
            hints.insert(1, (line_break.as_str(), "new line"));
        }
        rows.push(hint_row(&hints, space.columns, theme));
        Drawn { rows, cursor: Some((top + cursor.0, indent + cursor.1)) }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        if keys.is(key, Action::SelectCancel) {
            return self.finish(None);
        }
        if !self.is_multi_line && keys.is(key, Action::NewLine) {
            return Step::Ignored;
        }
        match self.composer.key(key, keys) {
            ComposerEvent::Ignored => Step::Ignored,
            ComposerEvent::Changed => Step::Changed,
            ComposerEvent::Submit(sent) | ComposerEvent::FollowUp(sent) => self.finish(Some(sent.text)),
        }
    }

    fn paste(&mut self, text: &str) {
        match self.is_multi_line {
            true => self.composer.paste(text),
            false => self.composer.insert(&text.replace('\n', " ")),
        }
    }

    fn closes_at(&self) -> Option<Instant> {
        self.closes_at
    }
}

impl Drop for TextDialog {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            done(None);
        }
    }
}
