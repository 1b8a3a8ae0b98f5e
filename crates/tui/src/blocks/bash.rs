//! A shell command of the person: `!command`, or `!!command`, which the model does not see.

use std::time::Duration;

use toolsmith_text::{Row, Style, Theme, Token, parse_text};

use super::{BlockOptions, duration_text, marked, more_lines, spinner, spread, wrapped};

/// Rows of output without expansion.
const COLLAPSED_ROWS: usize = 20;

/// A shell command and its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BashBlock {
    /// The command.
    pub command: String,
    /// The output so far. Colours in it are kept.
    pub output: String,
    /// Exit code; `None` while it runs.
    pub exit_code: Option<i32>,
    /// It was stopped.
    pub is_cancelled: bool,
    /// The model does not receive it.
    pub is_private: bool,
    /// Running time.
    pub elapsed: Option<Duration>,
}

impl BashBlock {
    /// Creates a running command.
    pub fn new(command: impl Into<String>, is_private: bool) -> Self {
        Self { command: command.into(), is_private, ..Self::default() }
    }

    /// Draws it.
    pub fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        let mode = theme.style(if self.is_private { Token::Dim } else { Token::BashMode });
        let inner = columns.saturating_sub(3).max(1);
        let sign = if self.is_private { " !! " } else { " ! " };
        let title = marked(sign, mode.bold(), wrapped(&self.command, Style::PLAIN.bold(), inner), columns);
        let mut rows = title;
        let output = self.output.trim_end_matches('\n');
        if !output.is_empty() {
            let style = theme.style(Token::ToolOutput);
            let mut lines: Vec<Row> =
                parse_text(output).into_iter().flat_map(|row| row.on(style).wrap(inner)).collect();
            // The end of an output says how it went.
            if lines.len() > COLLAPSED_ROWS && !options.expanded {
                let hidden = lines.len() - COLLAPSED_ROWS;
                rows.push(more_lines(hidden, theme).indented(3).cut(columns));
                lines = lines.split_off(hidden);
            }
            rows.extend(lines.into_iter().map(|row| row.indented(3).cut(columns)));
        }
        rows.push(self.status(columns, theme, options));
        rows
    }

    fn status(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Row {
        let time = self.elapsed.map(|elapsed| Row::styled(duration_text(elapsed), theme.style(Token::Dim)));
        let left = match (self.is_cancelled, self.exit_code) {
            (true, _) => Row::styled("   cancelled", theme.style(Token::Warning)),
            (false, None) => {
                Row::styled(format!("   {} running", spinner(options)), theme.style(Token::Muted))
            }
            (false, Some(0)) => Row::styled("   ✔", theme.style(Token::Success)),
            (false, Some(code)) => Row::styled(format!("   exit code {code}"), theme.style(Token::Error)),
        };
        let note = if self.is_private { " · not sent to the model" } else { "" };
        spread(left.and(note, theme.style(Token::Dim)), time.unwrap_or_default(), columns)
    }
}
