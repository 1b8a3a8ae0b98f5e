//! Standard output and standard error. Every command writes through here, so that nothing a terminal would obey gets out
//! (CONTRACT 9.1), whoever prints it; `cargo xtask tidy` refuses other ways.

use std::io::{self, IsTerminal, StderrLock, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use serde_json::Value;

use toolsmith_text::{Filter, Keep, Row};

use crate::tool_view;

/// Terminal controls this program itself uses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Control {
    /// Goes to the beginning of the line.
    LineStart,
    /// Clears from here to the end of the line.
    ClearLine,
    /// Goes to the beginning of the line above and clears it.
    ClearLineAbove,
    /// Clears the screen and what was scrolled away.
    ClearScreen,
}

impl Control {
    fn sequence(self) -> &'static str {
        match self {
            Self::LineStart => "\r",
            Self::ClearLine => "\x1b[K",
            Self::ClearLineAbove => "\x1b[1A\r\x1b[2K",
            Self::ClearScreen => "\x1b[2J\x1b[3J\x1b[H",
        }
    }
}

/// A stream that lets through text and our own styles.
pub(crate) struct Stream<W> {
    inner: W,
    filter: Filter,
    is_coloured: bool,
    is_terminal: bool,
}

/// Standard output.
pub(crate) fn stdout() -> Stream<StdoutLock<'static>> {
    let stream = io::stdout();
    let choice = AutoStream::choice(&stream);
    Stream::new(stream.lock(), choice)
}

/// Standard error.
pub(crate) fn stderr() -> Stream<StderrLock<'static>> {
    let stream = io::stderr();
    let choice = AutoStream::choice(&stream);
    Stream::new(stream.lock(), choice)
}

impl<W: Write + IsTerminal> Stream<W> {
    fn new(inner: W, choice: ColorChoice) -> Self {
        let is_coloured = choice != ColorChoice::Never;
        let keep = if is_coloured { Keep::OwnStyles } else { Keep::Nothing };
        let is_terminal = inner.is_terminal();
        Self { inner, filter: Filter::new(keep), is_coloured, is_terminal }
    }

    /// Writes a line that a renderer drew: with all its colours, and links.
    pub(crate) fn rendered(&mut self, line: &str) -> io::Result<()> {
        let keep = if self.is_coloured { Keep::Rendered } else { Keep::Nothing };
        let shown = Filter::new(keep).pass(line.as_bytes());
        let end = if self.is_coloured && shown.contains('\x1b') { "\x1b]8;;\x1b\\\x1b[0m\n" } else { "\n" };
        let end = if shown.contains("\x1b]8;") { end } else { end.trim_start_matches("\x1b]8;;\x1b\\") };
        self.inner.write_all(shown.as_bytes())?;
        self.inner.write_all(end.as_bytes())
    }

    /// Writes a row of a view.
    pub(crate) fn row(&mut self, row: &Row) -> io::Result<()> {
        self.rendered(&row.to_ansi(tool_view::depth()))
    }

    /// Does something to the terminal; nothing where there is none.
    pub(crate) fn control(&mut self, control: Control) -> io::Result<()> {
        if self.is_terminal { self.inner.write_all(control.sequence().as_bytes()) } else { Ok(()) }
    }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown = self.filter.pass(bytes);
        self.inner.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// JSON with every hidden character escaped. Such characters occur in strings only, where an escape means the same.
pub(crate) fn safe_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && toolsmith_tool::is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Prints a value for machines, as one line.
pub(crate) fn print_json_line(value: &Value) -> io::Result<()> {
    let mut out = stdout();
    writeln!(out, "{}", safe_json(&value.to_string()))?;
    out.flush()
}
