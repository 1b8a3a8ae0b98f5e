//! What undoing a change would do, before it is done.

use toolsmith_host::changes::{FilePreview, PastChange};
use toolsmith_tool::visible_line;

use crate::{
    app::effect::Effect,
    dialog::{Drawn, Panel, Space, Step, hint_row},
    input::{Key, KeyCode},
    keys::{Action, KeyBindings},
    review::visible_diffs,
    text::{Row, Token, diff_rows},
};

/// Shows an undo and asks.
pub(in crate::app) struct UndoPanel {
    change: PastChange,
    files: Result<Vec<FilePreview>, String>,
    scroll: usize,
    page: usize,
}

impl UndoPanel {
    /// Creates a panel for one change.
    pub(in crate::app) fn new(change: PastChange, files: Result<Vec<FilePreview>, String>) -> Self {
        Self { change, files, scroll: 0, page: 10 }
    }
}

impl Panel for UndoPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let theme = space.theme;
        let title = Row::styled(
            format!("Undo: {}", visible_line(&self.change.entry.label)),
            theme.style(Token::Accent).bold(),
        )
        .and(format!("  {}", visible_line(&self.change.entry.tool)), theme.style(Token::Muted));
        let mut rows = vec![title.ellipsized(space.columns)];
        let mut body = Vec::new();
        match &self.files {
            Err(error) => body.extend(Row::styled(error, theme.style(Token::Error)).wrap(space.columns)),
            Ok(files) => {
                for file in files {
                    let what = match (file.is_new, file.is_deleted) {
                        (true, _) => " (comes back)",
                        (_, true) => " (is deleted)",
                        _ => "",
                    };
                    let path = file.path.display().to_string();
                    body.push(
                        Row::styled(format!("{}{what}", visible_line(&path)), theme.style(Token::Accent))
                            .ellipsized(space.columns),
                    );
                    for diff in visible_diffs(&String::from_utf8_lossy(&file.diff)) {
                        body.extend(diff_rows(&diff, space.columns, theme));
                    }
                }
            }
        }
        let room = space.rows.saturating_sub(2).max(1);
        self.page = room;
        self.scroll = self.scroll.min(body.len().saturating_sub(room));
        rows.extend(body.into_iter().skip(self.scroll).take(room));
        rows.push(hint_row(
            &[("y", "undo"), ("pageDown", "scroll"), ("escape", "close")],
            space.columns,
            theme,
        ));
        Drawn { rows, cursor: None }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        match key.code {
            KeyCode::Char('y' | 'u') if key.text().is_some() && self.files.is_ok() => {
                return Step::CloseAnd(Effect::Undo(Some(self.change.entry.id.clone())));
            }
            KeyCode::Char('n') if key.text().is_some() => return Step::Close,
            _ if keys.is(key, Action::SelectPageDown) => self.scroll += self.page,
            _ if keys.is(key, Action::SelectPageUp) => self.scroll = self.scroll.saturating_sub(self.page),
            _ if keys.is(key, Action::SelectDown) => self.scroll += 1,
            _ if keys.is(key, Action::SelectUp) => self.scroll = self.scroll.saturating_sub(1),
            _ if keys.is(key, Action::SelectCancel) => return Step::Close,
            _ => return Step::Ignored,
        }
        Step::Changed
    }

    fn is_question(&self) -> bool {
        true
    }

    fn is_large(&self) -> bool {
        true
    }
}
