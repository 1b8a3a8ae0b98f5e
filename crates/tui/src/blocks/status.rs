//! The status line: model, thinking, context, cost, branch, approval mode, pending actions, entries of tools.

use toolsmith_text::{Row, Style, Theme, Token, parse_row};

use super::label;

/// Content of the status line. Empty parts are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatusLine {
    /// Model.
    pub model: String,
    /// Thinking level, if it is on.
    pub thinking: Option<String>,
    /// Tokens used and tokens that fit.
    pub context: Option<(u64, u64)>,
    /// Cost in US dollars.
    pub cost: Option<f64>,
    /// Working directory, shortened.
    pub folder: String,
    /// Git branch.
    pub branch: Option<String>,
    /// Approval mode.
    pub approval: String,
    /// Number of pending actions.
    pub pending: usize,
    /// Entries that tools set, by key. Colours in them are kept.
    pub entries: Vec<(String, String)>,
}

/// Formats a count of tokens: `950`, `12.3k`, `1.2M`.
pub(super) fn count_text(count: u64) -> String {
    match count {
        0..=999 => count.to_string(),
        1_000..=99_999 => format!("{}.{}k", count / 1000, count % 1000 / 100),
        100_000..=999_999 => format!("{}k", count / 1000),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// A part with its rank: where room is short, those with the highest rank are left out first.
type Part = (u8, Row);

impl StatusLine {
    /// Draws it: one row, and a second for entries of tools.
    pub fn rows(&self, columns: usize, theme: &Theme) -> Vec<Row> {
        let (mut left, mut right) = (self.left(theme, false), self.right(theme));
        let separator = Row::styled(" · ", theme.style(Token::StatusLineSep));
        let total = |left: &[Part], right: &[Part]| {
            left.iter().chain(right).map(|(_, row)| row.width() + 3).sum::<usize>() + 1
        };
        if total(&left, &right) > columns {
            left = self.left(theme, true);
        }
        while total(&left, &right) > columns && left.len() + right.len() > 1 {
            let least = left.iter().chain(&right).map(|(rank, _)| *rank).max();
            left.retain(|(rank, _)| Some(*rank) != least);
            right.retain(|(rank, _)| Some(*rank) != least);
        }
        let join = |parts: Vec<Part>| {
            let mut joined = Row::new();
            for (_, part) in parts {
                if !joined.is_empty() {
                    joined.append(separator.clone());
                }
                joined.append(part);
            }
            joined
        };
        let (left, right) = (join(left).indented(1), join(right));
        let mut row = left;
        let gap = columns.saturating_sub(row.width() + right.width() + 1);
        if right.width() > 0 {
            row.push_text(" ".repeat(gap.max(1)), Style::PLAIN);
            row.append(right);
        }
        let background = theme.style(Token::StatusLineBg);
        let mut rows = vec![row.ellipsized(columns).on(background)];
        if !self.entries.is_empty() {
            let mut entries = Row::plain(" ");
            for (at, (_, text)) in self.entries.iter().enumerate() {
                if at > 0 {
                    entries.push_text("  ", Style::PLAIN);
                }
                entries.append(parse_row(text).on(theme.style(Token::Dim)));
            }
            rows.push(entries.ellipsized(columns));
        }
        rows
    }

    fn left(&self, theme: &Theme, is_narrow: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.pending > 0 {
            let hint = if is_narrow { "" } else { " · /pending" };
            let text = format!("{} pending{hint}", self.pending);
            parts.push((0, Row::styled(text, theme.style(Token::Warning).bold())));
        }
        // The provider is known; where room is short, the name of the model says enough.
        let name = self.model.rsplit('/').next().filter(|_| is_narrow).unwrap_or(&self.model);
        let mut model = Row::styled(label(name), theme.style(Token::StatusLineModel));
        if let Some(level) = &self.thinking {
            model.push_text(format!(" ({level})"), thinking_style(level, theme));
        }
        if !model.is_empty() {
            parts.push((1, model));
        }
        if let Some((used, whole)) = self.context {
            let percent = used.saturating_mul(100).checked_div(whole).unwrap_or(0);
            let token = match percent {
                0..=69 => Token::StatusLineContext,
                70..=89 => Token::Warning,
                _ => Token::Error,
            };
            let text = format!("{percent}% of {}", count_text(whole));
            parts.push((2, Row::styled(text, theme.style(token))));
        }
        if let Some(cost) = self.cost.filter(|cost| *cost > 0.0) {
            let text = if cost < 0.1 { format!("${cost:.3}") } else { format!("${cost:.2}") };
            parts.push((4, Row::styled(text, theme.style(Token::StatusLineCost))));
        }
        parts
    }

    fn right(&self, theme: &Theme) -> Vec<Part> {
        let mut parts = Vec::new();
        if !self.approval.is_empty() {
            let token = if self.approval == "yolo" { Token::Warning } else { Token::StatusLineSpend };
            parts.push((3, Row::styled(&self.approval, theme.style(token))));
        }
        if let Some(branch) = &self.branch {
            parts.push((
                5,
                Row::styled(format!("⎇ {}", label(branch)), theme.style(Token::StatusLineGitClean)),
            ));
        }
        if !self.folder.is_empty() {
            parts.push((6, Row::styled(label(&self.folder), theme.style(Token::StatusLinePath))));
        }
        parts
    }
}

fn thinking_style(level: &str, theme: &Theme) -> Style {
    theme.style(match level {
        "minimal" => Token::ThinkingMinimal,
        "low" => Token::ThinkingLow,
        "medium" => Token::ThinkingMedium,
        "high" => Token::ThinkingHigh,
        "xhigh" => Token::ThinkingXhigh,
        "max" => Token::ThinkingMax,
        _ => Token::ThinkingOff,
    })
}
