//! What keys do in the composer.

use super::{
    history::Search,
    prompt::{Composer, ComposerEvent},
};
use crate::{
    input::{Key, KeyCode, KeyKind},
    keys::{Action, KeyBindings},
};

/// Actions of the composer, in the order they are tried.
const ACTIONS: &[Action] = &[
    Action::NewLine,
    Action::FollowUp,
    Action::Submit,
    Action::Tab,
    Action::HistorySearch,
    Action::HistoryPrevious,
    Action::HistoryNext,
    Action::CursorUp,
    Action::CursorDown,
    Action::CursorLeft,
    Action::CursorRight,
    Action::CursorWordLeft,
    Action::CursorWordRight,
    Action::CursorLineStart,
    Action::CursorLineEnd,
    Action::JumpForward,
    Action::JumpBackward,
    Action::EditorPageUp,
    Action::EditorPageDown,
    Action::DeleteCharBackward,
    Action::DeleteCharForward,
    Action::DeleteWordBackward,
    Action::DeleteWordForward,
    Action::DeleteToLineStart,
    Action::DeleteToLineEnd,
    Action::Yank,
    Action::YankPop,
    Action::Undo,
];

/// Rows of a page.
const PAGE: usize = 10;

impl Composer {
    /// Handles a key.
    pub fn key(&mut self, key: &Key, keys: &KeyBindings) -> ComposerEvent {
        if key.kind == KeyKind::Release {
            return ComposerEvent::Ignored;
        }
        if let Some(forward) = self.jump.take() {
            if let Some(c) = key.text() {
                self.buffer.jump(c, forward);
            }
            return ComposerEvent::Changed;
        }
        if self.search.is_some() {
            return self.search_key(key, keys);
        }
        if let Some(event) = self.menu_key(key, keys) {
            return event;
        }
        if let Some(c) = key.text() {
            let mut bytes = [0; 4];
            self.typed(c.encode_utf8(&mut bytes));
            return ComposerEvent::Changed;
        }
        match keys.first(key, ACTIONS) {
            Some(action) => self.act(action),
            None => ComposerEvent::Ignored,
        }
    }

    fn typed(&mut self, text: &str) {
        self.buffer.insert(text);
        self.history.leave();
        // A new word may open the menu again.
        if text.chars().all(|c| c.is_whitespace() || matches!(c, '@' | '/')) {
            self.menu_is_closed = false;
        }
        self.changed();
    }

    fn act(&mut self, action: Action) -> ComposerEvent {
        let text_before = (self.buffer.text().len(), self.buffer.cursor());
        match action {
            Action::NewLine => self.typed("\n"),
            Action::Submit => {
                // A backslash before enter is a line break, where no other key is available for it.
                if self.buffer.before().ends_with('\\') && self.buffer.after().is_empty() {
                    let end = self.buffer.cursor();
                    self.buffer.replace(end - 1..end, "\n");
                    self.changed();
                    return ComposerEvent::Changed;
                }
                self.menu_is_closed = false;
                return ComposerEvent::Submit(self.submit());
            }
            Action::FollowUp => {
                self.menu_is_closed = false;
                return ComposerEvent::FollowUp(self.submit());
            }
            // Nothing to complete; the menu is opened by typing.
            Action::Tab => self.menu_is_closed = false,
            Action::HistorySearch => self.search = Some(Search::default()),
            Action::HistoryPrevious => self.recall_previous(),
            Action::HistoryNext => self.recall_next(),
            Action::CursorUp => return self.vertical(-1),
            Action::CursorDown => return self.vertical(1),
            Action::EditorPageUp | Action::EditorPageDown => {
                let layout = self.layout();
                let (row, column) = self.place(&layout);
                let row = match action {
                    Action::EditorPageUp => row.saturating_sub(PAGE),
                    _ => (row + PAGE).min(layout.rows().saturating_sub(1)),
                };
                let offset = self.offset(&layout, row, column);
                self.buffer.move_to(offset);
            }
            Action::CursorLeft => self.buffer.left(),
            Action::CursorRight => self.buffer.right(),
            Action::CursorWordLeft => self.buffer.word_left(),
            Action::CursorWordRight => self.buffer.word_right(),
            Action::CursorLineStart => self.buffer.move_to(self.buffer.line_start()),
            Action::CursorLineEnd => self.buffer.move_to(self.buffer.line_end()),
            Action::JumpForward => self.jump = Some(true),
            Action::JumpBackward => self.jump = Some(false),
            Action::DeleteCharBackward => self.buffer.backspace(),
            Action::DeleteCharForward => self.buffer.delete_forward(),
            Action::DeleteWordBackward => self.buffer.kill_word_backward(),
            Action::DeleteWordForward => self.buffer.kill_word_forward(),
            Action::DeleteToLineStart => self.buffer.kill_to_line_start(),
            Action::DeleteToLineEnd => self.buffer.kill_to_line_end(),
            Action::Yank => self.buffer.yank(),
            Action::YankPop => self.buffer.yank_pop(),
            Action::Undo => self.buffer.undo(),
            _ => return ComposerEvent::Ignored,
        }
        if text_before != (self.buffer.text().len(), self.buffer.cursor()) {
            self.changed();
        }
        if self.buffer.is_empty() {
            self.menu_is_closed = false;
        }
        ComposerEvent::Changed
    }

    /// Moves a row up or down; beyond the first and last row, through the history.
    fn vertical(&mut self, by: isize) -> ComposerEvent {
        let layout = self.layout();
        let (row, column) = self.place(&layout);
        let column = *self.column.get_or_insert(column);
        match row.checked_add_signed(by).filter(|row| *row < layout.rows()) {
            Some(row) if !self.history.is_browsing() || layout.rows() > 1 => {
                let offset = self.offset(&layout, row, column);
                self.buffer.move_to(offset);
                self.menu = None;
            }
            _ if by < 0 => {
                // First to the beginning, then to the previous prompt.
                if self.buffer.cursor() > 0 && !self.history.is_browsing() && !self.buffer.is_empty() {
                    self.buffer.move_to(0);
                } else {
                    self.recall_previous();
                }
            }
            _ => match self.history.is_browsing() {
                true => self.recall_next(),
                false => self.buffer.move_to(self.buffer.text().len()),
            },
        }
        ComposerEvent::Changed
    }

    fn recall_previous(&mut self) {
        if let Some(prompt) = self.history.previous(self.buffer.text()) {
            self.buffer.set(prompt);
            self.menu = None;
            self.revision += 1;
        }
    }

    fn recall_next(&mut self) {
        if let Some(prompt) = self.history.following() {
            self.buffer.set(prompt);
            self.menu = None;
            self.revision += 1;
        }
    }

    fn menu_key(&mut self, key: &Key, keys: &KeyBindings) -> Option<ComposerEvent> {
        let menu = self.menu.as_mut()?;
        if keys.is(key, Action::SelectUp) {
            menu.step(-1);
        } else if keys.is(key, Action::SelectDown) {
            menu.step(1);
        } else if key.code == KeyCode::Escape {
            (self.menu, self.menu_is_closed) = (None, true);
        } else if keys.is(key, Action::Tab) || keys.is(key, Action::Submit) {
            let (candidate, range) = menu.selected()?;
            let (text, submits) = (candidate.text.clone(), candidate.submits);
            // A command that is typed out needs no completion.
            let is_complete =
                self.buffer.text().get(range.clone()).is_some_and(|typed| typed == text.trim_end());
            let is_enter = keys.is(key, Action::Submit);
            if is_enter && is_complete {
                self.menu = None;
                return Some(self.act(Action::Submit));
            }
            self.buffer.replace(range, &text);
            self.changed();
            if is_enter && submits {
                return Some(self.act(Action::Submit));
            }
        } else {
            return None;
        }
        Some(ComposerEvent::Changed)
    }

    fn search_key(&mut self, key: &Key, keys: &KeyBindings) -> ComposerEvent {
        let Some(search) = &mut self.search else { return ComposerEvent::Ignored };
        let prompts = self.history.prompts();
        if keys.is(key, Action::HistorySearch) || keys.is(key, Action::SelectUp) {
            search.update(prompts, true);
        } else if keys.is(key, Action::SelectCancel) {
            self.search = None;
        } else if keys.is(key, Action::DeleteCharBackward) {
            search.query.pop();
            search.found = None;
            search.update(prompts, false);
        } else if let Some(c) = key.text() {
            search.query.push(c);
            search.update(prompts, false);
        } else {
            // Enter and every other key take what was found.
            let found = search.prompt(prompts).map(str::to_owned);
            self.search = None;
            if let Some(found) = found {
                self.buffer.set(found);
                self.changed();
            }
        }
        ComposerEvent::Changed
    }
}
