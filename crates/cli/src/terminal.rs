//! The terminal: properties of the output (terminal or pipe, width, colours), and questions on standard error, so that
//! standard output stays the result's.

use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    time::Instant,
};

use anstyle::{AnsiColor, Style};
use toolsmith_tool::{visible, visible_line};
use toolsmith_tui::dialog::READING_TIME;

use crate::arguments::Color;

/// Default number of columns.
const DEFAULT_WIDTH: usize = 100;

/// Headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// Names, such as those of tools.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default().bold();
/// Less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Warnings.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Hints.
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();

/// Applies `--color`; by default NO_COLOR, CLICOLOR_FORCE and whether the streams are terminals decide.
pub(crate) fn choose_colours(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Returns whether a person can be asked: standard error and standard input are a terminal.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && is_error_terminal()
}

/// Returns whether questions are asked in lines of text: a setting, `ACCESSIBLE`, or a terminal without cursor movement.
pub(crate) fn is_plain(is_accessible: bool) -> bool {
    is_accessible
        || std::env::var_os("ACCESSIBLE").is_some_and(|value| !value.is_empty() && value != *"0")
        || std::env::var("TERM").as_deref() == Ok("dumb")
}

/// Returns the columns of standard output; `None` if it is not a terminal, where nothing is cut.
pub(crate) fn output_width() -> Option<usize> {
    is_output_terminal().then(|| {
        terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0).max(20))
    })
}

/// Returns the width of the terminal on standard error, if it has one.
pub(crate) fn error_width() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0))
}

/// Returns whether standard error shows colours.
pub(crate) fn is_error_coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}

/// Returns the rows of the terminal on standard error, if it has one.
pub(crate) fn error_rows() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stderr()).map(|(_, height)| usize::from(height.0))
}

/// Text in a style, in one line. The text may be of unknown origin: it is made harmless here.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    let text = text.to_string();
    // Tabs of code stay.
    let shown = if text.contains('\n') { visible_line(&text) } else { visible(&text) };
    format!("{style}{shown}{style:#}")
}

/// Returns whether standard output is a terminal.
pub(crate) fn is_output_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Returns whether standard error is a terminal.
pub(crate) fn is_error_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Returns whether standard input is a terminal.
pub(crate) fn is_input_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Discards what was typed and not read yet, if standard input is a terminal.
pub(crate) fn discard_typed() {
    toolsmith_tui::tty::discard_typed();
}

/// Prints how to continue a session, after the interface ended.
pub(crate) fn say_resume(id: &str) {
    use std::io::Write as _;
    let short: String = id.chars().take(13).collect();
    let mut out = crate::streams::stdout();
    // The terminal may be gone.
    let _ =
        writeln!(out, "{}", paint(DIM, format_args!("To continue this session: toolsmith --resume {short}")));
    let _ = out.flush();
}

/// Asks for a line; `None` at the end of input.
pub(crate) fn ask_line(question: &str) -> Option<String> {
    // What was typed before the question was on the screen is not an answer to it.
    discard_typed();
    let mut out = crate::streams::stderr();
    let _ = write!(out, "{question} ");
    let _ = out.flush();
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(0) | Err(_) => {
            let _ = writeln!(out);
            None
        }
        Ok(_) => Some(answer.trim_end_matches(['\r', '\n']).to_owned()),
    }
}

/// Times that a question is asked before silence counts as no answer.
const MAX_ATTEMPTS: usize = 5;

/// Asked again after an answer that came sooner than anybody can read.
pub(crate) const TOO_EARLY: &str = "That was typed before the question could be read. Answer again:";

/// Asks yes or no, and again after anything else, or after a yes that came too early. `None` when there is no answer: at the
/// end of input, or after too many attempts.
pub(crate) fn ask_yes_or_no(question: &str) -> Option<bool> {
    let mut question = format!("{question} {}", paint(NAME, "[y/n]"));
    for _ in 0..MAX_ATTEMPTS {
        let asked = Instant::now();
        let answer = ask_line(&question)?.trim().to_ascii_lowercase();
        let is_early = is_input_terminal() && asked.elapsed() < READING_TIME;
        match answer.as_str() {
            "y" | "yes" if is_early => question = format!("{TOO_EARLY} {}", paint(NAME, "[y/n]")),
            "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            _ => question = format!("Answer yes or no. {}", paint(NAME, "[y/n]")),
        }
    }
    None
}
