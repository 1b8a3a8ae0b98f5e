//! The rows of a review.

use toolsmith_text::{Row, Style, Theme, Token};

use super::{
    Review, ReviewAction, ReviewFile,
    lines::{Line, Part},
};

/// The rows on the screen of the hunk that was drawn last. A long line is drawn once for all its rows.
#[derive(Default)]
struct Drawn {
    hunk: Option<(usize, usize)>,
    first: usize,
    rows: Vec<Row>,
}

/// Columns of a difference.
pub(super) fn diff_columns(columns: usize) -> usize {
    columns.saturating_sub(6).max(1)
}

/// Columns of details: all but those of the cursor.
pub(super) fn detail_columns(columns: usize) -> usize {
    columns.saturating_sub(2).max(1)
}

impl Review {
    /// Draws the review in the size set with [`Review::resize`].
    pub fn rows(&self, theme: &Theme) -> Vec<Row> {
        let Some(action) = self.action() else {
            return vec![Row::styled(" Nothing is pending.", theme.style(Token::Muted)).cut(self.columns)];
        };
        let mut rows = self.title(action, theme);
        let rule = Row::styled("─".repeat(self.columns), theme.style(Token::BorderMuted));
        rows.push(rule.clone());
        let lines = self.lines();
        let shown = lines.from(self.scroll).take(self.height);
        let mut drawn = Drawn::default();
        rows.extend(shown.map(|line| self.line(action, line, &mut drawn, theme)));
        if lines.len() == 0 {
            let text = " The tool does not say which files it changes.";
            rows.push(Row::styled(text, theme.style(Token::Muted)).cut(self.columns));
        }
        rows.push(self.lower_rule(lines.len(), rule, theme));
        rows.push(self.keys(action, theme));
        rows
    }

    fn title(&self, action: &ReviewAction, theme: &Theme) -> Vec<Row> {
        let title = Row::styled(" Pending ", theme.style(Token::Warning).bold())
            .and(&action.label, theme.style(Token::Text).bold());
        let count = match self.actions.len() {
            1 => Row::new(),
            count => Row::styled(format!("{} of {count} ", self.at + 1), theme.style(Token::Muted)),
        };
        let sum = |count: fn(&ReviewFile) -> usize| action.files.iter().map(count).sum::<usize>();
        let mut source =
            Row::styled(format!(" staged by {} · {}", action.source, action.tier), theme.style(Token::Muted));
        match action.files.len() {
            0 => {}
            1 => source.push_text(" · 1 file ", theme.style(Token::Muted)),
            files => source.push_text(format!(" · {files} files "), theme.style(Token::Muted)),
        }
        if !action.files.is_empty() {
            source
                .push_text(format!(" +{}", sum(|file| file.diff.added())), theme.style(Token::ToolDiffAdded));
            source.push_text(
                format!(" -{}", sum(|file| file.diff.removed())),
                theme.style(Token::ToolDiffRemoved),
            );
        }
        vec![spread(title, count, self.columns), source.ellipsized(self.columns)]
    }

    fn lower_rule(&self, lines: usize, rule: Row, theme: &Theme) -> Row {
        let below = lines.saturating_sub(self.scroll + self.height);
        if below == 0 && self.scroll == 0 {
            return rule;
        }
        let text = format!("─ {} of {lines} lines ", (self.scroll + self.height).min(lines));
        let style = theme.style(Token::BorderMuted);
        let row = Row::styled(text, style);
        let missing = self.columns.saturating_sub(row.width());
        row.and("─".repeat(missing), style).cut(self.columns)
    }

    fn line(&self, action: &ReviewAction, line: Line, drawn: &mut Drawn, theme: &Theme) -> Row {
        let is_current = line.item == Some(self.item);
        let cursor = if is_current { "❯ " } else { "  " };
        let accent = theme.style(Token::Accent).bold();
        let file = |at: usize| action.files.get(at);
        let row = match line.part {
            Part::File(at) => file(at).map(|file| file_row(file, action.can_split, theme)),
            Part::Hunk(at, hunk) => file(at).map(|file| hunk_row(file, hunk, theme)),
            Part::Diff(at, hunk, number) => file(at).and_then(|file| {
                let is_chosen = file.is_hunk_chosen(hunk) || !action.can_split;
                if drawn.hunk != Some((at, hunk)) {
                    let range = number..number + self.height;
                    let rows = file.layouts.get(hunk)?.rows(file.diff.hunks.get(hunk)?, range, theme);
                    *drawn = Drawn { hunk: Some((at, hunk)), first: number, rows };
                }
                let row = drawn.rows.get(number - drawn.first)?.clone().indented(4);
                // What is left out is dimmed, so that the chosen part stands out.
                Some(if is_chosen { row } else { Row::styled(row.text(), theme.style(Token::Dim).dim()) })
            }),
            Part::Detail(at) => {
                let text = action.details.as_ref().map(|details| details.row(at)).unwrap_or_default();
                Some(Row::styled(text, theme.style(Token::ToolOutput)))
            }
        };
        let mut whole = Row::styled(cursor, accent);
        whole.append(row.unwrap_or_default());
        let whole = whole.ellipsized(self.columns);
        if is_current {
            let selected = theme.style(Token::SelectedBg);
            return whole.on(selected).padded(self.columns, selected);
        }
        whole
    }

    fn keys(&self, action: &ReviewAction, theme: &Theme) -> Row {
        if let Some(message) = &self.message {
            return Row::styled(format!(" {message}"), theme.style(Token::Warning)).ellipsized(self.columns);
        }
        let mut hints: Vec<(&str, String)> =
            vec![("a", self.apply_text(action)), ("d", "discard".to_owned()), ("esc", "keep".to_owned())];
        if action.can_split {
            hints.push(("space", "choose".to_owned()));
        }
        if !action.files.is_empty() {
            hints.push(("enter", "fold".to_owned()));
        }
        if self.actions.len() > 1 {
            hints.push(("tab", "next action".to_owned()));
        }
        let mut row = Row::plain(" ");
        for (at, (key, text)) in hints.iter().enumerate() {
            let mut hint = Row::new();
            if at > 0 {
                hint.push_text(" · ", theme.style(Token::Dim));
            }
            hint.push_text(key, theme.style(Token::Accent).bold());
            hint.push_text(format!(" {text}"), theme.style(Token::Muted));
            // Hints that do not fit are left out, the least important last.
            if row.width() + hint.width() > self.columns {
                break;
            }
            row.append(hint);
        }
        row.cut(self.columns)
    }

    fn apply_text(&self, action: &ReviewAction) -> String {
        if action.void.is_some() {
            return "apply (void)".to_owned();
        }
        match action.chosen() {
            None => "apply".to_owned(),
            Some(parts) => {
                let hunks: usize = parts.iter().filter_map(|part| part.hunks.as_ref()).map(Vec::len).sum();
                let whole = parts.iter().filter(|part| part.hunks.is_none()).count();
                let count = |number: usize, what: &str| {
                    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
                };
                match (whole, hunks) {
                    (whole, 0) => format!("apply {whole} of {}", count(action.files.len(), "file")),
                    (0, hunks) => format!("apply {}", count(hunks, "hunk")),
                    (whole, hunks) => format!("apply {} and {}", count(whole, "file"), count(hunks, "hunk")),
                }
            }
        }
    }
}

fn spread(left: Row, right: Row, columns: usize) -> Row {
    let needed = right.width();
    if needed == 0 || needed + 10 > columns {
        return left.ellipsized(columns);
    }
    let mut row = left.ellipsized(columns - needed - 1).padded(columns - needed, Style::PLAIN);
    row.append(right);
    row
}

fn choice_sign(chosen: bool, left_out: bool) -> &'static str {
    match (chosen, left_out) {
        (true, _) => "[x] ",
        (false, true) => "[ ] ",
        (false, false) => "[~] ",
    }
}

fn file_row(file: &ReviewFile, can_split: bool, theme: &Theme) -> Row {
    let mut row = Row::new();
    if can_split {
        let token = if file.is_left_out() { Token::Dim } else { Token::Success };
        row.push_text(choice_sign(file.is_chosen(), file.is_left_out()), theme.style(token));
    }
    let (verb, token) = match (file.diff.is_new, file.diff.is_deleted) {
        (true, _) => ("new ", Token::ToolDiffAdded),
        (_, true) => ("deleted ", Token::ToolDiffRemoved),
        _ => ("", Token::Text),
    };
    row.push_text(verb, theme.style(token));
    // Names are shown with every hidden character made visible: they decide what is changed.
    row.push_text(toolsmith_tool::visible_line(&file.shown), theme.style(Token::Text).bold());
    if file.is_binary {
        row.push_text(" binary", theme.style(Token::Muted));
    } else {
        row.push_text(format!(" +{}", file.diff.added()), theme.style(Token::ToolDiffAdded));
        row.push_text(format!(" -{}", file.diff.removed()), theme.style(Token::ToolDiffRemoved));
        row.push_text(if file.is_open { " ▾" } else { " ▸" }, theme.style(Token::Dim));
    }
    row
}

fn hunk_row(file: &ReviewFile, hunk: usize, theme: &Theme) -> Row {
    let is_chosen = file.is_hunk_chosen(hunk);
    let token = if is_chosen { Token::Success } else { Token::Dim };
    let header = file.diff.hunks.get(hunk).map(|hunk| hunk.header.as_str()).unwrap_or_default();
    Row::plain("  ")
        .and(choice_sign(is_chosen, !is_chosen), theme.style(token))
        .and(header, theme.style(Token::Muted))
}
