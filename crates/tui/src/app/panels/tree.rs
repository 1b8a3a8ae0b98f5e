//! The tree of a session: branches, labels and filters; going to another place.

use std::collections::HashSet;

use toolsmith::{agent::session::OutlineRow, tool::visible_line};

use super::choice::ChoicePanel;
use crate::{
    app::effect::Effect,
    dialog::{Drawn, List, ListItem, Panel, Space, Step, TextDialog, hint_row},
    input::Key,
    keys::{Action, KeyBindings},
    text::{Row, Token},
};

/// Which entries are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Default,
    NoTools,
    UserOnly,
    LabeledOnly,
    All,
}

impl Filter {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Default, "default"),
        (Self::NoTools, "without tools"),
        (Self::UserOnly, "prompts"),
        (Self::LabeledOnly, "labelled"),
        (Self::All, "all"),
    ];

    fn shows(self, row: &OutlineRow) -> bool {
        let is_message = matches!(
            row.kind.as_str(),
            "user" | "assistant" | "toolResult" | "compaction" | "branch_summary" | "custom_message"
        );
        let has_text = row.text.is_some();
        match self {
            Self::All => true,
            Self::Default => is_message && has_text,
            Self::NoTools => is_message && has_text && row.kind != "toolResult",
            Self::UserOnly => row.kind == "user",
            Self::LabeledOnly => row.label.is_some(),
        }
    }

    fn step(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|(filter, _)| *filter == self).unwrap_or(0);
        Self::ALL.get((at + by) % Self::ALL.len()).map_or(Self::Default, |(filter, _)| *filter)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(filter, _)| *filter == self).map_or("", |(_, name)| name)
    }
}

/// Shows the tree.
pub(in crate::app) struct TreePanel {
    rows: Vec<OutlineRow>,
    leaf: Option<String>,
    filter: Filter,
    shows_times: bool,
    folded: HashSet<usize>,
    /// Entries in the order shown, with their depth.
    shown: Vec<(usize, usize)>,
    list: List,
}

impl TreePanel {
    /// Creates a panel; the current place is selected.
    pub(in crate::app) fn new(rows: Vec<OutlineRow>, leaf: Option<String>) -> Self {
        let list = List::new(Vec::new(), true);
        let mut panel = Self {
            rows,
            leaf,
            filter: Filter::Default,
            shows_times: false,
            folded: HashSet::new(),
            shown: Vec::new(),
            list,
        };
        panel.refresh(true);
        panel
    }

    /// Lists the entries: a branch is indented one step more than the one it leaves.
    fn refresh(&mut self, selects_leaf: bool) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.rows.len()];
        let mut roots = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            match row.parent.and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(at),
                None => roots.push(at),
            }
        }
        self.shown.clear();
        let mut stack: Vec<(usize, usize)> = roots.into_iter().rev().map(|at| (at, 0)).collect();
        while let Some((at, depth)) = stack.pop() {
            if let Some(row) = self.rows.get(at)
                && self.filter.shows(row)
            {
                self.shown.push((at, depth));
            }
            if self.folded.contains(&at) {
                continue;
            }
            let below = children.get(at).cloned().unwrap_or_default();
            let deeper = depth + usize::from(below.len() > 1);
            stack.extend(below.into_iter().rev().map(|child| (child, deeper)));
        }
        let last_on_path =
            self.shown.iter().rposition(|(at, _)| self.rows.get(*at).is_some_and(|row| row.on_path));
        let items: Vec<ListItem> = self
            .shown
            .iter()
            .enumerate()
            .map(|(place, (at, depth))| self.item(*at, *depth, Some(place) == last_on_path))
            .collect();
        if selects_leaf {
            self.list = List::new(items, true);
        } else {
            self.list.set_items(items);
        }
    }

    fn item(&self, at: usize, depth: usize, is_leaf: bool) -> ListItem {
        let Some(row) = self.rows.get(at) else { return ListItem::default() };
        let sign = match row.kind.as_str() {
            "user" => "›",
            "assistant" => "●",
            "toolResult" => "⚙",
            _ => "·",
        };
        let folded = if self.folded.contains(&at) { "+" } else { " " };
        let path = if row.on_path { "│" } else { " " };
        let label = row.label.as_ref().map(|label| format!("[{}] ", visible_line(label))).unwrap_or_default();
        let time = match self.shows_times {
            true => row.timestamp.get(..16).unwrap_or_default().replace('T', " "),
            false => String::new(),
        };
        let text = format!(
            "{}{path}{folded}{sign} {label}{}",
            "  ".repeat(depth),
            visible_line(row.text.as_deref().unwrap_or(&row.kind))
        );
        ListItem::new(text, time).current(is_leaf)
    }

    fn selected(&self) -> Option<(usize, &OutlineRow)> {
        let (at, _) = self.shown.get(self.list.selected()?)?;
        self.rows.get(*at).map(|row| (*at, row))
    }

    fn go(&self) -> Step {
        let Some((_, row)) = self.selected() else { return Step::Changed };
        if Some(&row.id) == self.leaf.as_ref() {
            return Step::Close;
        }
        let id = row.id.clone();
        let items = vec![
            ListItem::new("No summary", "continue from there"),
            ListItem::new(
                "Summarise",
                "the model summarises the branch you leave and takes the summary along",
            ),
        ];
        let values = vec!["drop".to_owned(), "summarise".to_owned()];
        let panel =
            ChoicePanel::new("Go there. What about the branch you leave?", items, values, move |choice| {
                Effect::GoTo(id.clone(), choice == "summarise")
            });
        Step::CloseAnd(Effect::Open(Box::new(panel)))
    }
}

impl Panel for TreePanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let title = Row::styled("Tree", space.theme.style(Token::Accent).bold())
            .and(format!("  {}", self.filter.name()), space.theme.style(Token::Muted));
        let mut rows = vec![title.ellipsized(space.columns)];
        let list = self.list.draw(&Space { rows: space.rows.saturating_sub(2), ..*space });
        rows.extend(list.rows);
        let hint = |action| space.keys.hint(action);
        rows.push(hint_row(
            &[
                (&hint(Action::SelectConfirm), "go there"),
                (&hint(Action::TreeEditLabel), "label"),
                (&hint(Action::TreeFilterForward), "filter"),
                (&hint(Action::TreeFoldOrUp), "fold"),
                (&hint(Action::SelectCancel), "close"),
            ],
            space.columns,
            space.theme,
        ));
        Drawn { rows, cursor: list.cursor.map(|(row, column)| (row + 1, column)) }
    }

    fn key(&mut self, key: &Key, _raw: &[u8], keys: &KeyBindings) -> Step {
        const FILTERS: [(Action, Filter); 5] = [
            (Action::TreeFilterDefault, Filter::Default),
            (Action::TreeFilterNoTools, Filter::NoTools),
            (Action::TreeFilterUserOnly, Filter::UserOnly),
            (Action::TreeFilterLabeledOnly, Filter::LabeledOnly),
            (Action::TreeFilterAll, Filter::All),
        ];
        if keys.is(key, Action::SelectConfirm) {
            return self.go();
        }
        if keys.is(key, Action::SelectCancel) {
            return Step::Close;
        }
        if self.list.query().is_empty() && keys.is(key, Action::TreeEditLabel) {
            let Some((_, row)) = self.selected() else { return Step::Changed };
            let (id, old) = (row.id.clone(), row.label.clone().unwrap_or_default());
            let dialog = TextDialog::line("Label (empty removes it)", move |label| {
                label.map(|label| {
                    Effect::Label(id, Some(label.trim().to_owned()).filter(|label| !label.is_empty()))
                })
            });
            return Step::CloseAnd(Effect::Open(Box::new(dialog.prefill(&old))));
        }
        if self.list.query().is_empty() && keys.is(key, Action::TreeToggleTimestamp) {
            self.shows_times = !self.shows_times;
        } else if let Some((_, filter)) = FILTERS.iter().find(|(action, _)| keys.is(key, *action)) {
            self.filter = if self.filter == *filter { Filter::Default } else { *filter };
        } else if keys.is(key, Action::TreeFilterForward) {
            self.filter = self.filter.step(1);
        } else if keys.is(key, Action::TreeFilterBackward) {
            self.filter = self.filter.step(Filter::ALL.len() - 1);
        } else if keys.is(key, Action::TreeFoldOrUp) {
            self.folded.extend(self.selected().map(|(at, _)| at));
        } else if keys.is(key, Action::TreeUnfoldOrDown) {
            if let Some((at, _)) = self.selected() {
                self.folded.remove(&at);
            }
        } else {
            return if self.list.key(key, keys) { Step::Changed } else { Step::Ignored };
        }
        self.refresh(false);
        Step::Changed
    }

    fn paste(&mut self, text: &str) {
        self.list.paste(text);
    }
}
