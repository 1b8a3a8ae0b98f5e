//! The list of sessions: search, rename, delete, and continue one.

use std::{path::PathBuf, time::SystemTime};

use toolsmith::agent::session::SessionSummary;

use crate::{
    app::effect::Effect,
    dialog::{Drawn, List, ListItem, Panel, Space, Step, TextDialog, hint_row},
    input::Key,
    keys::{Action, KeyBindings},
    text::{Row, Token},
};

/// Chooses a session.
pub(in crate::app) struct SessionsPanel {
    here: Vec<SessionSummary>,
    all: Vec<SessionSummary>,
    current: Option<PathBuf>,
    shows_all: bool,
    is_named_only: bool,
    is_by_name: bool,
    shown: Vec<SessionSummary>,
    list: List,
    /// The session to delete, after the first press.
    deleting: Option<PathBuf>,
}

impl SessionsPanel {
    /// Creates a panel with the sessions of the directory and of all directories.
    pub(in crate::app) fn new(
        here: Vec<SessionSummary>,
        all: Vec<SessionSummary>,
        current: Option<PathBuf>,
    ) -> Self {
        let shows_all = here.is_empty();
        let mut panel = Self {
            here,
            all,
            current,
            shows_all,
            is_named_only: false,
            is_by_name: false,
            shown: Vec::new(),
            list: List::new(Vec::new(), true),
            deleting: None,
        };
        panel.refresh();
        panel
    }

    fn refresh(&mut self) {
        let from = if self.shows_all { &self.all } else { &self.here };
        self.shown =
            from.iter().filter(|session| !self.is_named_only || session.name.is_some()).cloned().collect();
        if self.is_by_name {
            self.shown.sort_by_key(title);
        }
        let items = self.shown.iter().map(|session| {
            let folder =
                if self.shows_all { format!("{} · ", session.cwd.display()) } else { String::new() };
            let detail = format!("{folder}{} · {}", age(session.modified), size(session.bytes));
            ListItem::new(title(session), detail).current(Some(&session.path) == self.current.as_ref())
        });
        self.list.set_items(items.collect());
    }

    fn selected(&self) -> Option<&SessionSummary> {
        self.list.selected().and_then(|at| self.shown.get(at))
    }

    fn delete(&mut self) -> Step {
        let Some(path) = self.selected().map(|session| session.path.clone()) else { return Step::Changed };
        if self.deleting.as_ref() != Some(&path) {
            self.deleting = Some(path);
            return Step::Changed;
        }
        self.deleting = None;
        if Some(&path) != self.current.as_ref() {
            self.here.retain(|session| session.path != path);
            self.all.retain(|session| session.path != path);
            self.refresh();
        }
        Step::Do(Effect::Delete(path))
    }
}

fn title(session: &SessionSummary) -> String {
    let named = session.name.clone().or_else(|| session.first_message.clone());
    named.unwrap_or_else(|| format!("(empty) {}", session.id.chars().take(8).collect::<String>()))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes / 1024),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}

fn age(time: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(time).map_or(0, |age| age.as_secs());
    match seconds {
        0..60 => "now".to_owned(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

impl Panel for SessionsPanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let theme = space.theme;
        let place = if self.shows_all { "all directories" } else { "this directory" };
        let order = if self.is_by_name { "by name" } else { "newest first" };
        let named = if self.is_named_only { ", named only" } else { "" };
        let title = Row::styled("Sessions", theme.style(Token::Accent).bold())
            .and(format!("  {place}, {order}{named}"), theme.style(Token::Muted));
        let mut rows = vec![title.ellipsized(space.columns)];
        let list = self.list.draw(&Space { rows: space.rows.saturating_sub(3), ..*space });
        rows.extend(list.rows);
        let hint = |action| space.keys.hint(action);
        if self.deleting.is_some() {
            let text = format!("Press {} again to delete this session for good", hint(Action::SessionDelete));
            rows.push(Row::styled(text, theme.style(Token::Error)).ellipsized(space.columns));
        }
        rows.push(hint_row(
            &[
                (&hint(Action::SelectConfirm), "continue"),
                (&hint(Action::SessionRename), "rename"),
                (&hint(Action::SessionDelete), "delete"),
                (&hint(Action::SessionTogglePath), "all directories"),
                (&hint(Action::SessionToggleSort), "sort"),
                (&hint(Action::SessionToggleNamed), "named"),
            ],
            space.columns,
            theme,
        ));
        Drawn { rows, cursor: list.cursor.map(|(row, column)| (row + 1, column)) }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        let is_delete = keys.is(key, Action::SessionDelete)
            || (self.list.query().is_empty() && keys.is(key, Action::SessionDeleteNoninvasive));
        if is_delete {
            return self.delete();
        }
        self.deleting = None;
        if keys.is(key, Action::SelectConfirm) {
            return match self.selected() {
                Some(session) => Step::CloseAnd(Effect::Switch(session.path.clone())),
                None => Step::Changed,
            };
        }
        if keys.is(key, Action::SelectCancel) {
            return Step::Close;
        }
        if keys.is(key, Action::SessionRename) {
            let Some(session) = self.selected() else { return Step::Changed };
            let path = session.path.clone();
            let old = session.name.clone().unwrap_or_default();
            let dialog = TextDialog::line("Name of the session", move |name| {
                name.map(|name| Effect::Rename(path, name))
            });
            return Step::CloseAnd(Effect::Open(Box::new(dialog.prefill(&old))));
        }
        if keys.is(key, Action::SessionTogglePath) {
            self.shows_all = !self.shows_all;
        } else if keys.is(key, Action::SessionToggleSort) {
            self.is_by_name = !self.is_by_name;
        } else if keys.is(key, Action::SessionToggleNamed) {
            self.is_named_only = !self.is_named_only;
        } else {
            return if self.list.key(key, keys) { Step::Changed } else { Step::Ignored };
        }
        self.refresh();
        Step::Changed
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }
}
