//! Texts of tools, cut where they arrive to what can be shown. A tool can send megabytes many times a second; what waits for
//! the screen, and what a frame costs, must not depend on that (CONTRACT 9.2).

use std::time::{Duration, Instant};

use crate::text::{DrawnRow, Row, parse_drawn, parse_row};

/// Bytes of a line. Escape sequences count too, so it is far more than the widest screen shows.
const MAX_LINE: usize = 4 << 10;
/// Columns of a line that are kept.
const MAX_COLUMNS: usize = 1000;
/// Characters of a text of several lines, such as the message of a dialog: a large screen, filled.
const MAX_TEXT: usize = 8000;
/// Bytes of a key that names a status or a widget.
const MAX_KEY: usize = 256;
/// Rows of a widget. A third of the screen is available to all of them.
pub(crate) const MAX_WIDGET_ROWS: usize = 100;
/// Keys of statuses, and of widgets, that are kept.
pub(crate) const MAX_KEYS: usize = 64;
/// Bytes that tools can put into the prompt.
pub(crate) const MAX_PROMPT: usize = 1 << 20;
/// Characters of the notices of a second. A notice has at least [`MIN_NOTICE`].
const MAX_NOTICE: usize = 4000;
const MIN_NOTICE: usize = 200;
/// Notices in a second.
const MAX_NOTICES: usize = 20;

/// Returns the beginning of a text, at most this many bytes.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

/// Returns the first line of a text as far as it can be shown.
pub(crate) fn line(text: &str) -> &str {
    beginning(text, MAX_LINE).lines().next().unwrap_or_default()
}

/// Returns a text of several lines as far as it can be shown; `…` takes the place of the rest.
pub(crate) fn shown(text: &str) -> String {
    shortened(text, MAX_TEXT)
}

/// Returns a key of a status or widget.
pub(crate) fn key(text: &str) -> String {
    beginning(text, MAX_KEY).to_owned()
}

/// Returns a line that a tool drew as a row.
pub(crate) fn row(text: &str) -> Row {
    parse_row(beginning(text, MAX_LINE)).cut(MAX_COLUMNS)
}

/// Returns a line that a component drew for a width.
pub(crate) fn drawn(text: &str, columns: usize) -> DrawnRow {
    let DrawnRow { row, cursor } = parse_drawn(beginning(text, MAX_LINE));
    DrawnRow { row: row.cut(columns), cursor }
}

/// Returns the rows of lines that a tool drew, at most `max`.
pub(crate) fn rows(lines: &[String], max: usize) -> Vec<Row> {
    lines.iter().take(max).map(|line| row(line)).collect()
}

fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", beginning(text, end)),
        None => text.to_owned(),
    }
}

/// Limits notices. All of them stay in the transcript, so a loop must not fill it.
#[derive(Debug, Default)]
pub(crate) struct NoticeLimit {
    since: Option<Instant>,
    count: usize,
    chars: usize,
}

/// The shown part of a notice.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The text, shortened.
    Text(String),
    /// A warning that further ones are left out.
    Last(&'static str),
    /// The notice is left out.
    None,
}

impl NoticeLimit {
    /// Counts a notice, and returns what is shown of it.
    pub(crate) fn pass(&mut self, text: &str, now: Instant) -> Notice {
        if self.since.is_none_or(|since| now.duration_since(since) >= Duration::from_secs(1)) {
            (self.since, self.count, self.chars) = (Some(now), 0, 0);
        }
        self.count += 1;
        match self.count {
            ..=MAX_NOTICES => {
                let text = shortened(text, MAX_NOTICE.saturating_sub(self.chars).max(MIN_NOTICE));
                self.chars += text.chars().count();
                Notice::Text(text)
            }
            count if count == MAX_NOTICES + 1 => {
                Notice::Last("Notices come too fast; those of the next second are left out.")
            }
            _ => Notice::None,
        }
    }
}

#[cfg(test)]
#[path = "tool_text_tests.rs"]
mod tests;
