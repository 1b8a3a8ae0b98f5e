//! What is at the other end: a terminal or a pipe, how wide, and whether it wants colours.

use std::io::IsTerminal as _;

use anstyle::{AnsiColor, Style};

use crate::arguments::Color;

/// Columns when nobody says.
const DEFAULT_WIDTH: usize = 100;

/// Headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// Names of tools and the like.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default().bold();
/// What matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Doubts.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What to do.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();

/// Applies `--color`; without it the streams decide, by NO_COLOR, CLICOLOR_FORCE and whether they are terminals.
pub(crate) fn choose_colours(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Whether a person can be asked: they see standard error and can answer.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && is_error_terminal()
}

/// Columns of standard output; `None` when it is no terminal, where nothing is cut.
pub(crate) fn output_width() -> Option<usize> {
    is_output_terminal().then(|| {
        terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(20))
    })
}

/// Text in a style. The text may be of unknown origin: it is made harmless here.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{}{style:#}", toolsmith_tool::visible(&text.to_string()))
}

/// Whether standard output is a terminal.
pub(crate) fn is_output_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn is_error_terminal() -> bool {
    std::io::stderr().is_terminal()
}
