//! The approval question (CONTRACT 5.4, 5.8): everything the call will do, then the choice. Nothing can be allowed before
//! all of the text was on the screen.

use tokio::sync::oneshot;
use toolsmith_agent::{ApprovalRequest, Decision};
use toolsmith_tool::BlockLimits;

use super::{Drawn, Panel, Space, Step, hint_row};
use crate::{
    composer::{Composer, ComposerEvent, History},
    input::{Key, KeyCode},
    keys::{Action, KeyBindings},
    review::visible_diffs,
    text::{Row, Style, Token, diff_rows},
};

/// The answer: a decision, and whether it becomes a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAnswer {
    /// The decision.
    pub decision: Decision,
    /// Calls of this tool are to be allowed from now on, in every session.
    pub is_permanent: bool,
}

const CHOICES: [(char, &str); 5] = [
    ('y', "Allow once"),
    ('s', "Allow in this session"),
    ('a', "Always allow this tool (writes your settings)"),
    ('n', "No"),
    ('e', "No, and tell the model why"),
];

/// Asks whether a call may run.
pub struct ApprovalDialog {
    request: ApprovalRequest,
    answer: Option<oneshot::Sender<ApprovalAnswer>>,
    selected: usize,
    scroll: usize,
    /// Rows that were on the screen, from the first one on without a gap.
    read: usize,
    /// All rows were on the screen.
    is_read: bool,
    /// Rows of text, and how many fit, as last drawn.
    extent: (usize, usize),
    /// The message for the model, while it is written.
    note: Option<Composer>,
}

impl std::fmt::Debug for ApprovalDialog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApprovalDialog").field("tool", &self.request.tool_name).finish_non_exhaustive()
    }
}

impl ApprovalDialog {
    /// Creates a dialog.
    pub fn new(request: ApprovalRequest, answer: oneshot::Sender<ApprovalAnswer>) -> Self {
        Self {
            request,
            answer: Some(answer),
            selected: 0,
            scroll: 0,
            read: 0,
            is_read: false,
            extent: (0, 1),
            note: None,
        }
    }

    fn finish(&mut self, decision: Decision, is_permanent: bool) -> Step {
        if let Some(answer) = self.answer.take() {
            let _ = answer.send(ApprovalAnswer { decision, is_permanent });
        }
        Step::Close
    }

    fn choose(&mut self, choice: char) -> Step {
        let allows = matches!(choice, 'y' | 's' | 'a');
        if allows && !self.is_read {
            // Shows what follows first.
            self.scroll = self.read;
            return Step::Changed;
        }
        match choice {
            'y' => self.finish(Decision::Allow, false),
            's' => self.finish(Decision::AllowForSession, false),
            'a' => self.finish(Decision::AllowForSession, true),
            'e' => {
                self.note = Some(Composer::new(History::default()));
                Step::Changed
            }
            _ => self.finish(Decision::Deny { note: None }, false),
        }
    }

    /// The text of the question: escaped values, and diffs in colour.
    fn text(&self, space: &Space<'_>) -> Vec<Row> {
        let columns = space.columns.saturating_sub(2).max(1);
        // Signs and a free column are part of each row.
        let text = self.request.text(BlockLimits::whole(columns.saturating_sub(4).max(8)));
        let theme = space.theme;
        let diffs = visible_diffs(&self.request.details.join("\n"));
        let mut rows = Vec::new();
        for line in &text.lines {
            let is_title = line.ends_with(':') && !line.starts_with(' ');
            let style = if is_title { theme.style(Token::Muted) } else { Style::PLAIN };
            rows.extend(Row::styled(line, style).wrap(columns));
        }
        // A diff is shown a second time, with numbers and colours; the escaped text above stays complete.
        if diffs.iter().any(|diff| !diff.hunks.is_empty()) {
            rows.push(Row::new());
            for diff in &diffs {
                rows.push(Row::styled(&diff.path, theme.style(Token::Accent)).ellipsized(columns));
                rows.extend(diff_rows(diff, columns, theme));
            }
        }
        rows
    }
}

impl Panel for ApprovalDialog {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let theme = space.theme;
        let heading = self.request.text(BlockLimits::whole(space.columns.max(8))).heading;
        let mut rows = Row::styled(heading, theme.style(Token::Warning).bold()).wrap(space.columns);
        rows.truncate(3);
        let bottom = if self.note.is_some() { 3 } else { CHOICES.len() + 1 };
        let text = self.text(space);
        let room = space.rows.saturating_sub(rows.len() + bottom + 1).max(1);
        // In another size the text may not be readable any more.
        if self.extent != (text.len(), room) {
            (self.read, self.is_read) = (0, false);
        }
        self.extent = (text.len(), room);
        let last = text.len().saturating_sub(room);
        self.scroll = self.scroll.min(last);
        if self.scroll <= self.read {
            self.read = self.read.max(self.scroll + room);
        }
        self.is_read |= self.read >= text.len();
        let more = last.saturating_sub(self.scroll);
        rows.extend(
            text.into_iter().skip(self.scroll).take(room).map(|row| row.indented(2).cut(space.columns)),
        );
        if last > 0 {
            let place = match more {
                0 => "  end of the text (pageUp to go back)".to_owned(),
                more => {
                    format!("  {more} more rows: pageDown or y to read all of it, before it can be allowed")
                }
            };
            rows.push(Row::styled(place, theme.style(Token::Warning)).ellipsized(space.columns));
        }
        if let Some(note) = &mut self.note {
            rows.push(
                Row::styled("Tell the model why, or what to do instead:", theme.style(Token::Muted))
                    .ellipsized(space.columns),
            );
            let top = rows.len();
            let (text, cursor) = note.rows(space.columns.saturating_sub(2), 3, theme);
            rows.extend(text.into_iter().map(|row| row.indented(2)));
            rows.push(hint_row(&[("enter", "send"), ("escape", "back")], space.columns, theme));
            return Drawn { rows, cursor: Some((top + cursor.0, 2 + cursor.1)) };
        }
        for (at, (key, label)) in CHOICES.iter().enumerate() {
            let is_selected = at == self.selected;
            let is_blocked = matches!(key, 'y' | 's' | 'a') && !self.is_read;
            let style = match (is_selected, is_blocked) {
                (_, true) => theme.style(Token::Dim),
                (true, _) => theme.style(Token::Accent).bold(),
                _ => Style::PLAIN,
            };
            let mark = if is_selected { "› " } else { "  " };
            let row =
                Row::styled(mark, style).and(format!("{key} "), theme.style(Token::Muted)).and(*label, style);
            rows.push(row.ellipsized(space.columns));
        }
        rows.push(hint_row(&[("↑↓ enter", "choose"), ("escape", "no")], space.columns, theme));
        Drawn { rows, cursor: None }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        if let Some(note) = &mut self.note {
            if key.code == KeyCode::Escape {
                self.note = None;
                return Step::Changed;
            }
            return match note.key(key, keys) {
                ComposerEvent::Ignored => Step::Ignored,
                ComposerEvent::Changed => Step::Changed,
                ComposerEvent::Submit(sent) | ComposerEvent::FollowUp(sent) => {
                    let note = Some(sent.text).filter(|text| !text.trim().is_empty());
                    self.finish(Decision::Deny { note }, false)
                }
            };
        }
        let page = self.extent.1.max(1);
        match key.code {
            KeyCode::Char(c) if key.text().is_some() && CHOICES.iter().any(|(choice, _)| *choice == c) => {
                return self.choose(c);
            }
            KeyCode::Home => self.scroll = 0,
            KeyCode::End => self.scroll = usize::MAX,
            _ if keys.is(key, Action::SelectPageDown) => self.scroll = self.scroll.saturating_add(page),
            _ if keys.is(key, Action::SelectPageUp) => self.scroll = self.scroll.saturating_sub(page),
            _ if keys.is(key, Action::SelectUp) => {
                self.selected = self.selected.checked_sub(1).unwrap_or(CHOICES.len() - 1)
            }
            _ if keys.is(key, Action::SelectDown) => self.selected = (self.selected + 1) % CHOICES.len(),
            _ if keys.is(key, Action::SelectConfirm) => {
                let choice = CHOICES.get(self.selected).map_or('n', |(choice, _)| *choice);
                return self.choose(choice);
            }
            _ if keys.is(key, Action::SelectCancel) => return self.choose('n'),
            _ => return Step::Ignored,
        }
        Step::Changed
    }

    fn paste(&mut self, text: &str) {
        if let Some(note) = &mut self.note {
            note.paste(text);
        }
    }

    fn is_question(&self) -> bool {
        true
    }
}
