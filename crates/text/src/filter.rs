//! What may reach a terminal (CONTRACT 9.1). One state machine reads everything that is printed; of the sequences a terminal
//! obeys only colours (SGR) and links (OSC 8) can pass, and only from where they are expected.

use std::borrow::Cow;

/// Longer sequences are dropped.
const MAX_SEQUENCE: usize = 2048;
/// Parameters of the styles that the command line prints with.
const OWN_STYLES: &[&str] = &["0", "1", "2", "31", "32", "33", "36"];
/// Allowed link schemes.
const LINK_SCHEMES: &[&str] = &["https://", "http://", "file://", "mailto:"];

/// Which sequences pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None: text of models, tools, files and file names.
    Nothing,
    /// The colours this program uses itself.
    OwnStyles,
    /// All colours, and links: lines drawn by a renderer.
    Rendered,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// After a carriage return.
    Return,
    /// After the escape character.
    Escape,
    /// In a control sequence, with what was read of it.
    Sequence(String),
    /// In a string for the terminal, with what was read of it if it can pass, and whether the last character was an escape.
    String(Option<String>, bool),
}

/// Reads output piece by piece. A sequence that is split between pieces is still one sequence; one without an end is dropped.
#[derive(Debug)]
pub struct Filter {
    keep: Keep,
    state: State,
    /// The beginning of a character whose other bytes have not come yet.
    partial: Vec<u8>,
}

impl Filter {
    /// Creates a filter.
    pub fn new(keep: Keep) -> Self {
        Self { keep, state: State::Text, partial: Vec::new() }
    }

    /// Returns the bytes that may be written.
    pub fn pass(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut out = String::with_capacity(all.len());
        let mut rest = all.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    text.chars().for_each(|c| self.character(c, &mut out));
                    return out;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    String::from_utf8_lossy(valid).chars().for_each(|c| self.character(c, &mut out));
                    let Some(length) = error.error_len() else {
                        self.partial = after.to_vec();
                        return out;
                    };
                    self.character('\u{fffd}', &mut out);
                    rest = after.get(length..).unwrap_or_default();
                }
            }
        }
    }

    fn character(&mut self, c: char, out: &mut String) {
        match std::mem::take(&mut self.state) {
            State::Text => self.text(c, out),
            State::Return => {
                // Alone it would go back to the beginning of the line, over what is there.
                out.push('\n');
                if c != '\n' {
                    self.text(c, out);
                }
            }
            State::Escape => match c {
                '[' => self.state = State::Sequence(String::new()),
                ']' => self.state = State::String(Some(String::new()), false),
                'P' | 'X' | '^' | '_' => self.state = State::String(None, false),
                ' '..='/' => self.state = State::Escape,
                '0'..='~' => {}
                c => self.text(c, out),
            },
            State::Sequence(mut read) => match c {
                ' '..='?' => {
                    if read.len() < MAX_SEQUENCE {
                        read.push(c);
                    }
                    self.state = State::Sequence(read);
                }
                '@'..='~' => {
                    if c == 'm' && self.keeps_style(&read) {
                        out.push_str(&format!("\x1b[{read}m"));
                    }
                }
                c => self.text(c, out),
            },
            State::String(read, after_escape) => self.string(read, after_escape, c, out),
        }
    }

    fn text(&mut self, c: char, out: &mut String) {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => self.state = State::Return,
            '\x1b' => self.state = State::Escape,
            // The same introducers as one character.
            '\u{9b}' => self.state = State::Sequence("\u{9b}".to_owned()),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.state = State::String(None, false),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }

    /// A string ends with BEL or ST. One without an end stops at the line's.
    fn string(&mut self, mut read: Option<String>, after_escape: bool, c: char, out: &mut String) {
        match c {
            '\n' => out.push('\n'),
            '\x07' | '\u{9c}' => out.push_str(&self.link(read)),
            '\\' if after_escape => out.push_str(&self.link(read)),
            '\x1b' => self.state = State::String(read, true),
            // An escape that begins something else ends the string.
            _ if after_escape => {
                self.state = State::Escape;
                self.character(c, out);
            }
            c => {
                if read.as_ref().is_some_and(|read| read.len() >= MAX_SEQUENCE || c.is_control()) {
                    read = None;
                }
                if let Some(read) = &mut read {
                    read.push(c);
                }
                self.state = State::String(read, false);
            }
        }
    }

    fn keeps_style(&self, parameters: &str) -> bool {
        let is_numbers = || parameters.chars().all(|c| c.is_ascii_digit() || c == ';' || c == ':');
        match self.keep {
            Keep::Nothing => false,
            Keep::OwnStyles => OWN_STYLES.contains(&parameters),
            Keep::Rendered => is_numbers() && !conceals(parameters),
        }
    }

    /// A link whose address is plain, or the end of one.
    fn link(&self, read: Option<String>) -> String {
        let link = read.filter(|_| self.keep == Keep::Rendered);
        let address =
            link.as_deref().and_then(|read| read.strip_prefix("8;")).and_then(|read| read.split_once(';'));
        match address {
            Some((_, "")) => "\x1b]8;;\x1b\\".to_owned(),
            Some((_, address))
                if address.chars().all(|c| c.is_ascii_graphic())
                    && LINK_SCHEMES.iter().any(|scheme| address.starts_with(scheme)) =>
            {
                format!("\x1b]8;;{address}\x1b\\")
            }
            _ => String::new(),
        }
    }
}

/// Returns whether a style hides the text. Numbers that belong to a colour are not styles.
fn conceals(parameters: &str) -> bool {
    let mut numbers = parameters.split(';').map(|part| part.split(':').next().unwrap_or_default());
    while let Some(number) = numbers.next() {
        match number.trim_start_matches('0') {
            "8" => return true,
            "38" | "48" | "58" => match numbers.next() {
                Some("5") => drop(numbers.next()),
                Some("2") => drop(numbers.nth(2)),
                _ => {}
            },
            _ => {}
        }
    }
    false
}

/// Text without anything a terminal obeys, but for ends of lines and tabs.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(Filter::new(Keep::Nothing).pass(text.as_bytes()))
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
