//! A list from which one value is chosen.

use crate::{
    app::effect::Effect,
    dialog::{Drawn, List, ListItem, Panel, Space, Step, hint_row},
    input::Key,
    keys::{Action, KeyBindings},
    text::{Row, Token},
};

/// Chooses one of several values.
pub(in crate::app) struct ChoicePanel {
    title: String,
    list: List,
    values: Vec<String>,
    effect: Box<dyn Fn(String) -> Effect + Send>,
}

impl ChoicePanel {
    /// Creates a panel; `effect` is done with the value that was chosen.
    pub(in crate::app) fn new(
        title: &str,
        items: Vec<ListItem>,
        values: Vec<String>,
        effect: impl Fn(String) -> Effect + Send + 'static,
    ) -> Self {
        Self { title: title.to_owned(), list: List::new(items, true), values, effect: Box::new(effect) }
    }
}

impl Panel for ChoicePanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let mut rows =
            vec![Row::styled(&self.title, space.theme.style(Token::Accent).bold()).ellipsized(space.columns)];
        let list = self.list.draw(&Space { rows: space.rows.saturating_sub(2).min(14), ..*space });
        rows.extend(list.rows);
        let (enter, cancel) = (space.keys.hint(Action::SelectConfirm), space.keys.hint(Action::SelectCancel));
        rows.push(hint_row(
            &[("↑↓", "move"), (&enter, "choose"), (&cancel, "close")],
            space.columns,
            space.theme,
        ));
        Drawn { rows, cursor: list.cursor.map(|(row, column)| (row + 1, column)) }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        if keys.is(key, Action::SelectConfirm) {
            return match self.list.selected().and_then(|at| self.values.get(at)) {
                Some(value) => Step::CloseAnd((self.effect)(value.clone())),
                None => Step::Changed,
            };
        }
        if keys.is(key, Action::SelectCancel) {
            return Step::Close;
        }
        if self.list.key(key, keys) { Step::Changed } else { Step::Ignored }
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }
}
