//! `ui.select`: one of several options.

use std::time::Instant;

use tokio::sync::oneshot;

use super::{Drawn, List, ListItem, Panel, Space, Step, countdown, hint_row};
use crate::{
    input::Key,
    keys::{Action, KeyBindings},
    text::{Row, Token},
};

/// More options get a search field.
const MANY: usize = 8;

/// Asks for one of several options.
#[derive(Debug)]
pub struct SelectDialog {
    title: String,
    options: Vec<String>,
    list: List,
    answer: Option<oneshot::Sender<Option<String>>>,
    closes_at: Option<Instant>,
}

impl SelectDialog {
    /// Creates a dialog with descriptions for some options.
    pub fn new(
        title: &str,
        options: Vec<String>,
        descriptions: &[String],
        answer: oneshot::Sender<Option<String>>,
        closes_at: Option<Instant>,
    ) -> Self {
        let items = options.iter().enumerate().map(|(at, option)| {
            ListItem::new(option, descriptions.get(at).map(String::as_str).unwrap_or_default())
        });
        let list = List::new(items.collect(), options.len() > MANY);
        Self { title: title.to_owned(), options, list, answer: Some(answer), closes_at }
    }

    fn finish(&mut self, chosen: Option<String>) -> Step {
        if let Some(answer) = self.answer.take() {
            // The tool may have given up.
            let _ = answer.send(chosen);
        }
        Step::Close
    }
}

impl Panel for SelectDialog {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let title = format!("{}{}", self.title, countdown(self.closes_at, space.now));
        let style = space.theme.style(Token::Accent).bold();
        let mut rows: Vec<Row> =
            Row::lines(&title, style).iter().flat_map(|row| row.wrap(space.columns)).collect();
        rows.truncate((space.rows / 2).max(1));
        let top = rows.len();
        let list = self.list.draw(&Space { rows: space.rows.saturating_sub(top + 1), ..*space });
        rows.extend(list.rows);
        let (up, enter) = (space.keys.hint(Action::SelectUp), space.keys.hint(Action::SelectConfirm));
        let cancel = space.keys.hint(Action::SelectCancel);
        rows.push(hint_row(
            &[(&up, "move"), (&enter, "choose"), (&cancel, "none")],
            space.columns,
            space.theme,
        ));
        Drawn { rows, cursor: list.cursor.map(|(row, column)| (row + top, column)) }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        if keys.is(key, Action::SelectConfirm) {
            let chosen = self.list.selected().and_then(|at| self.options.get(at)).cloned();
            return self.finish(chosen);
        }
        if keys.is(key, Action::SelectCancel) {
            return self.finish(None);
        }
        if self.list.key(key, keys) { Step::Changed } else { Step::Ignored }
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }

    fn is_question(&self) -> bool {
        true
    }

    fn closes_at(&self) -> Option<Instant> {
        self.closes_at
    }
}
