//! The menu of candidates below the composer.

use std::ops::Range;

use crate::text::{Row, Style, Theme, Token};

/// Candidates shown at once.
const SHOWN: usize = 8;

/// One candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Shown first.
    pub label: String,
    /// Shown after it, dimmed.
    pub detail: String,
    /// Text to insert.
    pub text: String,
    /// Accepting it with enter also submits the prompt.
    pub submits: bool,
}

/// An open menu.
#[derive(Clone, Debug, Default)]
pub struct Menu {
    candidates: Vec<Candidate>,
    selected: usize,
    range: Range<usize>,
}

impl Menu {
    /// Creates a menu whose choice replaces a range of the text; `None` without candidates.
    pub fn new(candidates: Vec<Candidate>, range: Range<usize>) -> Option<Self> {
        (!candidates.is_empty()).then_some(Self { candidates, selected: 0, range })
    }

    /// Returns the selected candidate and the range it replaces.
    pub fn selected(&self) -> Option<(&Candidate, Range<usize>)> {
        self.candidates.get(self.selected).map(|candidate| (candidate, self.range.clone()))
    }

    /// Selects the next or previous candidate, around the ends.
    pub fn step(&mut self, by: isize) {
        let count = self.candidates.len().max(1);
        let by = by.rem_euclid(isize::try_from(count).unwrap_or(1));
        self.selected = (self.selected + usize::try_from(by).unwrap_or(0)) % count;
    }

    /// Returns the rows.
    pub fn rows(&self, columns: usize, theme: &Theme) -> Vec<Row> {
        let first =
            (self.selected + 1).saturating_sub(SHOWN).min(self.candidates.len().saturating_sub(SHOWN));
        let shown = self.candidates.iter().enumerate().skip(first).take(SHOWN);
        let label_width = self.candidates.iter().map(|candidate| crate::text::width(&candidate.label)).max();
        let label_width = label_width.unwrap_or(0).min(columns / 2).min(40);
        let mut rows: Vec<Row> = shown
            .map(|(at, candidate)| {
                let is_selected = at == self.selected;
                let style = if is_selected { theme.style(Token::Accent).bold() } else { Style::PLAIN };
                let mut row = Row::styled(if is_selected { "› " } else { "  " }, style);
                row.append(
                    Row::styled(&candidate.label, style)
                        .ellipsized(label_width)
                        .padded(label_width + 2, style),
                );
                row.push_text(&candidate.detail, theme.style(Token::Muted));
                row.ellipsized(columns)
            })
            .collect();
        if self.candidates.len() > SHOWN {
            let place = format!("  {}/{}", self.selected + 1, self.candidates.len());
            rows.push(Row::styled(place, theme.style(Token::Dim)).cut(columns));
        }
        rows
    }
}
