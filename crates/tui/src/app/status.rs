//! The status line and the row that shows work in progress.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use toolsmith::llm::Usage;

use crate::{
    blocks::label,
    text::{Row, Style, Theme, Token},
};

/// Frames of the spinner.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Time of one frame.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// Content of the status line.
#[derive(Clone, Debug, Default)]
pub(super) struct Status {
    pub(super) model: String,
    pub(super) thinking: String,
    pub(super) has_thinking: bool,
    pub(super) context_window: u64,
    pub(super) context_used: u64,
    pub(super) cost: f64,
    pub(super) branch: Option<String>,
    pub(super) approval: String,
    pub(super) pending: usize,
    pub(super) session_name: Option<String>,
    /// Entries of tools, by key.
    pub(super) entries: BTreeMap<String, Row>,
    /// Replaces the text beside the spinner.
    pub(super) working: Option<String>,
    /// Replaces the frames of the spinner.
    pub(super) indicator: Option<toolsmith_tool::WorkingIndicator>,
    /// A tool hides the row.
    pub(super) is_hidden: bool,
}

/// Returns the frame of the spinner at a time.
pub(super) fn spinner_frame(since: Instant, now: Instant) -> usize {
    usize::try_from(now.saturating_duration_since(since).as_millis() / TICK.as_millis()).unwrap_or(0)
}

pub(super) fn spinner(frame: usize) -> &'static str {
    SPINNER.get(frame % SPINNER.len()).copied().unwrap_or("*")
}

/// Returns a duration for people: `850ms`, `12s`, `3m 5s`.
pub(super) fn show_duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{}ms", duration.as_millis()),
        seconds @ 1..60 => format!("{seconds}s"),
        seconds => format!("{}m {}s", seconds / 60, seconds % 60),
    }
}

/// Returns a number of tokens for people: `850`, `12k`, `1.2M`.
pub(super) fn show_tokens(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        1000..1_000_000 => format!("{}k", tokens / 1000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens / 100_000 % 10),
    }
}

impl Status {
    pub(super) fn note_usage(&mut self, usage: &Usage) {
        if usage.total_tokens > 0 {
            self.context_used = usage.prompt_tokens().saturating_add(usage.output);
        }
        self.cost += usage.cost.total;
    }

    /// Returns the status line. Parts that do not fit are left out from the end.
    pub(super) fn row(&self, folder: &str, columns: usize, theme: &Theme) -> Row {
        let (dim, muted) = (theme.style(Token::Dim), theme.style(Token::Muted));
        let mut parts: Vec<Row> = Vec::new();
        let model = if self.model.is_empty() { "starting…" } else { &self.model };
        let mut first = Row::styled(label(model), muted);
        if self.has_thinking {
            first.push_text(format!(" {}", self.thinking), theme.style(Token::ThinkingText));
        }
        parts.push(first);
        if let Some(used) = self.context_used.saturating_mul(100).checked_div(self.context_window)
            && self.context_used > 0
        {
            let style = match used {
                90.. => theme.style(Token::Error),
                70.. => theme.style(Token::Warning),
                _ => dim,
            };
            parts.push(Row::styled(format!("{used}% of {}", show_tokens(self.context_window)), style));
        }
        if self.cost > 0.0 {
            parts.push(Row::styled(format!("${:.3}", self.cost), dim));
        }
        parts.push(Row::styled(label(folder), dim));
        if let Some(branch) = &self.branch {
            parts.push(Row::styled(format!("⎇ {}", label(branch)), dim));
        }
        let style = if self.approval == "yolo" { theme.style(Token::Warning) } else { dim };
        if !self.approval.is_empty() {
            parts.push(Row::styled(format!("approve: {}", self.approval), style));
        }
        if let Some(name) = &self.session_name {
            parts.push(Row::styled(label(name), dim));
        }
        parts.extend(self.entries.values().cloned());
        let mut row = Row::new();
        for part in parts {
            let separator = if row.is_empty() { 0 } else { 3 };
            if row.width() + separator + part.width() > columns && !row.is_empty() {
                break;
            }
            if separator > 0 {
                row.push_text(" · ", dim);
            }
            row.append(part);
        }
        row.ellipsized(columns)
    }

    /// Returns the row of a run in progress.
    pub(super) fn working_row(
        &self,
        since: Instant,
        now: Instant,
        interrupt: &str,
        has_motion: bool,
        columns: usize,
        theme: &Theme,
    ) -> Row {
        let at = spinner_frame(since, now);
        let own =
            self.indicator.as_ref().map(|indicator| &indicator.frames).filter(|frames| !frames.is_empty());
        let frame = match own {
            Some(frames) => frames.get(at % frames.len()).map_or("", String::as_str),
            None if has_motion => spinner(at),
            None => "*",
        };
        let text = self.working.as_deref().unwrap_or("Working");
        let elapsed = now.saturating_duration_since(since).as_secs();
        let mut row = Row::styled(frame, theme.style(Token::Accent));
        row.push_text(format!(" {text}…"), Style::PLAIN);
        let mut detail = String::new();
        if has_motion && elapsed > 0 {
            detail.push_str(&format!(" {}", show_duration(Duration::from_secs(elapsed))));
        }
        if !interrupt.is_empty() {
            detail.push_str(&format!(" ({interrupt} to interrupt)"));
        }
        row.push_text(detail, theme.style(Token::Dim));
        row.ellipsized(columns)
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
