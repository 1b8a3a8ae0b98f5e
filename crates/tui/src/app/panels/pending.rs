//! The review of pending changes: each action with the differences of its files.

use std::path::PathBuf;

use toolsmith::agent::{PendingChoice, PendingView};
use toolsmith_host::changes::FilePreview;

use crate::{
    app::effect::Effect,
    dialog::{Drawn, Panel, Space, Step, hint_row},
    input::{Key, KeyCode},
    keys::{Action, KeyBindings},
    text::{FileDiff, Row, Style, Token, diff_rows},
};

/// One action, and its files or the reason why they are not known.
type Shown = (PendingView, Result<Vec<FilePreview>, String>);

/// Reviews pending actions.
pub(in crate::app) struct PendingPanel {
    actions: Vec<Shown>,
    at: usize,
    /// Selected file, and files that are left out.
    file: usize,
    left_out: Vec<PathBuf>,
    scroll: usize,
    page: usize,
}

impl PendingPanel {
    /// Creates a panel, newest action first.
    pub(in crate::app) fn new(actions: Vec<Shown>) -> Self {
        Self { actions, at: 0, file: 0, left_out: Vec::new(), scroll: 0, page: 10 }
    }

    fn files(&self) -> &[FilePreview] {
        self.actions.get(self.at).and_then(|(_, files)| files.as_deref().ok()).unwrap_or_default()
    }

    fn apply(&self) -> Step {
        let Some((action, _)) = self.actions.get(self.at) else { return Step::Close };
        let files = (!self.left_out.is_empty()).then(|| {
            let kept = self.files().iter().map(|file| file.path.clone());
            kept.filter(|path| !self.left_out.contains(path)).collect::<Vec<_>>()
        });
        if files.as_ref().is_some_and(Vec::is_empty) {
            return Step::Changed;
        }
        Step::CloseAnd(Effect::Apply(PendingChoice::Id(action.id), files))
    }
}

impl Panel for PendingPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let theme = space.theme;
        let Some((action, files)) = self.actions.get(self.at) else { return Drawn::default() };
        let count = self.actions.len();
        let place = if count > 1 { format!("  {} of {count}", self.at + 1) } else { String::new() };
        let title = Row::styled(&action.label, theme.style(Token::Accent).bold()).and(
            format!("  {} · {}{place}", action.source_tool_name, action.tier.as_str()),
            theme.style(Token::Muted),
        );
        let mut rows = vec![title.ellipsized(space.columns)];
        let mut body = Vec::new();
        match files {
            Err(error) => body.extend(Row::styled(error, theme.style(Token::Error)).wrap(space.columns)),
            Ok(files) if files.is_empty() => body.push(Row::styled(
                "This action does not say which files it changes.",
                theme.style(Token::Muted),
            )),
            Ok(files) => {
                for (at, file) in files.iter().enumerate() {
                    let is_selected = at == self.file;
                    let is_out = self.left_out.contains(&file.path);
                    let style = if is_selected { theme.style(Token::Accent).bold() } else { Style::PLAIN };
                    let mark = if is_out { "[ ] " } else { "[x] " };
                    let row = Row::styled(if is_selected { "› " } else { "  " }, style)
                        .and(mark, theme.style(Token::Muted))
                        .and(file.path.display().to_string(), style)
                        .and(format!(" +{}", file.added), theme.style(Token::ToolDiffAdded))
                        .and(format!(" -{}", file.removed), theme.style(Token::ToolDiffRemoved));
                    rows.push(row.ellipsized(space.columns));
                }
                if let Some(file) = files.get(self.file) {
                    for diff in FileDiff::parse(&String::from_utf8_lossy(&file.diff)) {
                        body.extend(diff_rows(&diff, space.columns, theme));
                    }
                }
            }
        }
        let room = space.rows.saturating_sub(rows.len() + 1).max(1);
        self.page = room;
        self.scroll = self.scroll.min(body.len().saturating_sub(room));
        rows.extend(body.into_iter().skip(self.scroll).take(room));
        rows.push(hint_row(
            &[
                ("a", "apply"),
                ("d", "discard"),
                ("space", "choose file"),
                ("↑↓", "file"),
                ("pageDown", "scroll"),
                ("tab", "next"),
                ("escape", "keep for later"),
            ],
            space.columns,
            theme,
        ));
        Drawn { rows, cursor: None }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        let last = self.files().len().saturating_sub(1);
        match key.code {
            KeyCode::Char('a') if key.text().is_some() => return self.apply(),
            KeyCode::Char('d') if key.text().is_some() => {
                return match self.actions.get(self.at) {
                    Some((action, _)) => Step::CloseAnd(Effect::Discard(PendingChoice::Id(action.id))),
                    None => Step::Close,
                };
            }
            KeyCode::Char(' ') => {
                if let Some(path) = self.files().get(self.file).map(|file| file.path.clone()) {
                    match self.left_out.iter().position(|out| *out == path) {
                        Some(at) => drop(self.left_out.remove(at)),
                        None => self.left_out.push(path),
                    }
                }
            }
            KeyCode::Tab => {
                self.at = (self.at + 1) % self.actions.len().max(1);
                (self.file, self.scroll) = (0, 0);
                self.left_out.clear();
            }
            _ if keys.is(key, Action::SelectUp) => {
                (self.file, self.scroll) = (self.file.saturating_sub(1), 0)
            }
            _ if keys.is(key, Action::SelectDown) => {
                (self.file, self.scroll) = ((self.file + 1).min(last), 0)
            }
            _ if keys.is(key, Action::SelectPageDown) => self.scroll += self.page,
            _ if keys.is(key, Action::SelectPageUp) => self.scroll = self.scroll.saturating_sub(self.page),
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
