//! Text with escape sequences in it, as tools hold it: width, truncation and wrapping.
//!
//! Only colour sequences (SGR) and links pass; all others are dropped, because a tool's output must stay in its box
//! (CONTRACT 6.3).

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::{
    ansi::CURSOR_MARKER,
    width::{TAB, grapheme_width, width as text_width},
};

const RESET: &str = "\u{1b}[0m";

/// A part of a text: visible, or a sequence that changes the style of what follows.
enum Piece<'t> {
    Text(&'t str),
    Colour(&'t str),
}

/// Splits a text. Sequences that are neither colours nor links are dropped.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let (length, is_kept) = sequence(&rest[at..]);
        if is_kept {
            pieces.push(Piece::Colour(&rest[at..at + length]));
        }
        rest = &rest[at + length..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// Returns the length of the sequence at the start, and whether it is kept.
fn sequence(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'[') => {
            let end = bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte));
            match end {
                Some(end) => (end + 3, bytes[end + 2] == b'm'),
                None => (text.len(), false),
            }
        }
        // An operating system command; only links (8) are kept.
        Some(b']') => {
            let by_bell = text.find('\u{7}').map(|at| at + 1);
            let by_string = text.get(2..).and_then(|rest| rest.find("\u{1b}\\")).map(|at| at + 4);
            let length = by_bell.into_iter().chain(by_string).min().unwrap_or(text.len());
            (length, text.starts_with("\u{1b}]8;"))
        }
        // Strings for the terminal. The cursor marker is kept for the UI, which removes it.
        Some(b'P' | b'X' | b'^' | b'_') => {
            if text.starts_with(CURSOR_MARKER) {
                return (CURSOR_MARKER.len(), true);
            }
            let by_bell = text.find('\u{7}').map(|at| at + 1);
            let by_string = text.get(2..).and_then(|rest| rest.find("\u{1b}\\")).map(|at| at + 4);
            (by_bell.into_iter().chain(by_string).min().unwrap_or(text.len()), false)
        }
        Some(byte) if byte.is_ascii() => (2, false),
        _ => (1, false),
    }
}

/// Returns the visible form of a grapheme: nothing for a control character, three spaces for a tab.
fn shown(grapheme: &str) -> &str {
    match grapheme {
        "\t" => TAB,
        text if text.chars().all(char::is_control) => "",
        text => text,
    }
}

/// Returns the width of a text in columns.
pub fn visible_width(text: &str) -> usize {
    let width = |text: &str| text.graphemes(true).map(grapheme_width).sum::<usize>();
    pieces(text).into_iter().map(|piece| if let Piece::Text(text) = piece { width(text) } else { 0 }).sum()
}

/// Truncates a line to `width` columns, including `ellipsis` if something was cut. Styles that are active at the end
/// are reset.
pub fn cut_to_width(text: &str, width: usize, ellipsis: &str) -> String {
    let fits = visible_width(text) <= width;
    let room = if fits { width } else { width.saturating_sub(text_width(ellipsis)) };
    let mut out = String::with_capacity(text.len());
    let (mut used, mut full) = (0, false);
    let mut style = Style::default();
    for piece in pieces(text) {
        match piece {
            Piece::Colour(colour) => {
                if !full {
                    style.apply(colour);
                    out.push_str(colour);
                }
            }
            Piece::Text(text) => {
                for grapheme in text.graphemes(true).map(shown) {
                    full |= used + text_width(grapheme) > room;
                    if full {
                        break;
                    }
                    used += text_width(grapheme);
                    out.push_str(grapheme);
                }
            }
        }
    }
    if !fits && text_width(ellipsis) <= width {
        out.push_str(ellipsis);
    }
    if style.is_on() {
        out.push_str(RESET);
    }
    out
}

/// Active styles, by attribute.
#[derive(Default)]
struct Style {
    on: BTreeMap<u8, String>,
}

impl Style {
    const FOREGROUND: u8 = 30;
    const BACKGROUND: u8 = 40;

    fn apply(&mut self, sequence: &str) {
        let Some(parameters) = sequence.strip_prefix("\u{1b}[").and_then(|rest| rest.strip_suffix('m'))
        else {
            return;
        };
        let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u8>().unwrap_or(0));
        while let Some(number) = numbers.next() {
            match number {
                0 => self.on.clear(),
                1..=9 => {
                    self.on.insert(number, number.to_string());
                }
                // Bold and dim are reset together.
                22 => self.on.retain(|slot, _| !matches!(slot, 1 | 2)),
                23..=29 => {
                    self.on.remove(&(number - 20));
                }
                39 => {
                    self.on.remove(&Self::FOREGROUND);
                }
                49 => {
                    self.on.remove(&Self::BACKGROUND);
                }
                38 | 48 => {
                    // A palette or RGB colour consumes the following parameters.
                    let rest: Vec<u8> = match numbers.next() {
                        Some(5) => [5].into_iter().chain(numbers.by_ref().take(1)).collect(),
                        Some(2) => [2].into_iter().chain(numbers.by_ref().take(3)).collect(),
                        _ => Vec::new(),
                    };
                    let slot = if number == 38 { Self::FOREGROUND } else { Self::BACKGROUND };
                    let text = rest.iter().fold(number.to_string(), |text, part| format!("{text};{part}"));
                    self.on.insert(slot, text);
                }
                30..=37 | 90..=97 => {
                    self.on.insert(Self::FOREGROUND, number.to_string());
                }
                40..=47 | 100..=107 => {
                    self.on.insert(Self::BACKGROUND, number.to_string());
                }
                _ => {}
            }
        }
    }

    fn is_on(&self) -> bool {
        !self.on.is_empty()
    }

    /// Returns the sequence that restores the active styles; empty if there are none.
    fn sequence(&self) -> String {
        if self.on.is_empty() {
            return String::new();
        }
        format!("\u{1b}[{}m", self.on.values().cloned().collect::<Vec<_>>().join(";"))
    }
}

/// Wraps a text to lines of at most `width` columns, at spaces where possible. Styles continue on the next line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    text.split('\n').flat_map(|line| wrap_line(line.trim_end_matches('\r'), width)).collect()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let mut wrapper =
        Wrapper { width, lines: Vec::new(), line: String::new(), used: 0, style: Style::default() };
    for piece in pieces(line) {
        match piece {
            Piece::Colour(colour) => wrapper.colour(colour),
            Piece::Text(text) => {
                for word in text.split_word_bounds() {
                    wrapper.word(word);
                }
            }
        }
    }
    wrapper.end_line();
    wrapper.lines
}

struct Wrapper {
    width: usize,
    lines: Vec<String>,
    line: String,
    used: usize,
    /// Active styles, restored on the next line.
    style: Style,
}

impl Wrapper {
    fn colour(&mut self, colour: &str) {
        self.style.apply(colour);
        self.line.push_str(colour);
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        // Trailing spaces at a line break are dropped.
        let end = line.trim_end_matches(' ').len();
        line.truncate(end);
        if self.style.is_on() {
            line.push_str(RESET);
        }
        self.lines.push(line);
        self.line.push_str(&self.style.sequence());
        self.used = 0;
    }

    fn word(&mut self, word: &str) {
        let is_space = word.chars().all(char::is_whitespace);
        let columns: usize = text_width(word);
        if self.used + columns > self.width && self.used > 0 {
            self.end_line();
            if is_space {
                return;
            }
        }
        for grapheme in word.graphemes(true).map(shown) {
            let columns = text_width(grapheme);
            if columns > self.width {
                continue;
            }
            if self.used + columns > self.width {
                self.end_line();
            }
            self.line.push_str(grapheme);
            self.used += columns;
        }
    }
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
