//! The decoder: bytes in, [`Input`] out. It keeps incomplete sequences and resolves them when told that no more follows.
//!
//! Some sequences start like a key: ESC alone, `ESC [` (alt+[), `ESC ]` (alt+]), `ESC P` (alt+shift+p), `ESC O`. They become
//! keys when nothing follows within [`Parser::timeout`]. A longer sequence that never ends is dropped, so that it cannot
//! swallow what is typed later.

use std::time::Duration;

use super::{
    Input,
    csi::{self, Csi},
    key::{Key, KeyCode, Modifiers},
    reply::{self, Reply},
};

const ESC: u8 = 0x1b;
/// Time after which an incomplete sequence that may be a key is one.
const KEY_TIME: Duration = Duration::from_millis(30);
/// Time after which the rest of a reply no longer arrives.
const REPLY_TIME: Duration = Duration::from_millis(500);
/// Longer control sequences are dropped.
const MAX_SEQUENCE: usize = 256;
/// Longer replies are dropped.
const MAX_STRING: usize = 64 << 10;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Decodes the bytes of a terminal.
#[derive(Debug, Default)]
pub struct Parser {
    buffer: Vec<u8>,
    /// Bytes of a paste so far, and where to look for its end.
    paste: Option<(Vec<u8>, usize)>,
}

enum Step {
    /// Takes this many bytes, which mean this.
    Take(usize, Option<Input>),
    StartPaste(usize),
    Incomplete,
}

impl Parser {
    /// Decodes more bytes.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Input>) {
        self.buffer.extend_from_slice(bytes);
        self.run(false, out);
    }

    /// Resolves what is incomplete: no more bytes arrived within [`Parser::timeout`].
    pub fn flush(&mut self, out: &mut Vec<Input>) {
        self.run(true, out);
    }

    /// Returns how long to wait for the rest of a sequence; `None` if nothing is incomplete. A paste may take any time.
    pub fn timeout(&self) -> Option<Duration> {
        if self.paste.is_some() || self.buffer.is_empty() {
            return None;
        }
        Some(if self.buffer.len() <= 3 { KEY_TIME } else { REPLY_TIME })
    }

    fn run(&mut self, is_over: bool, out: &mut Vec<Input>) {
        let mut at = 0;
        loop {
            if self.paste.is_some() {
                let rest = self.buffer.split_off(at);
                self.buffer.clear();
                at = 0;
                let (text, scanned) = self.paste.get_or_insert_default();
                text.extend_from_slice(&rest);
                // The end may be split across reads.
                let from = scanned.saturating_sub(PASTE_END.len());
                let Some(end) = text.get(from..).and_then(find_paste_end).map(|end| from + end) else {
                    *scanned = text.len();
                    break;
                };
                let after = text.split_off(end);
                let pasted = std::mem::take(text);
                self.paste = None;
                self.buffer = after.get(PASTE_END.len()..).unwrap_or_default().to_vec();
                out.push(Input::Paste(normalised(&pasted)));
                continue;
            }
            let Some(rest) = self.buffer.get(at..).filter(|rest| !rest.is_empty()) else { break };
            match step(rest, is_over) {
                Step::Take(count, input) => {
                    out.extend(input);
                    at += count.max(1);
                }
                Step::StartPaste(count) => {
                    self.paste = Some((Vec::new(), 0));
                    at += count;
                }
                Step::Incomplete => break,
            }
        }
        self.buffer.drain(..at.min(self.buffer.len()));
    }
}

fn find_paste_end(text: &[u8]) -> Option<usize> {
    text.windows(PASTE_END.len()).position(|window| window == PASTE_END)
}

/// Line ends of a paste are CR in many terminals. Other control characters but tab are dropped.
fn normalised(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    if !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return text;
    }
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

fn take(count: usize, bytes: &[u8], key: Key) -> Step {
    Step::Take(count, Some(Input::Key { key, raw: bytes.get(..count).unwrap_or_default().to_vec() }))
}

fn step(bytes: &[u8], is_over: bool) -> Step {
    match bytes {
        [ESC, ..] => escape(bytes, is_over),
        [byte @ (..0x20 | 0x7f), ..] => take(1, bytes, control(*byte)),
        _ => character(bytes, is_over),
    }
}

/// A control character as a key.
fn control(byte: u8) -> Key {
    match byte {
        0 => Key::ctrl(' '),
        b'\t' => Key::plain(KeyCode::Tab),
        b'\r' => Key::plain(KeyCode::Enter),
        8 | 0x7f => Key::plain(KeyCode::Backspace),
        1..=26 => Key::ctrl(char::from(byte - 1 + b'a')),
        ESC => Key::plain(KeyCode::Escape),
        0x1c => Key::ctrl('\\'),
        0x1d => Key::ctrl(']'),
        0x1e => Key::ctrl('^'),
        // ctrl+- and ctrl+/ send the same byte.
        _ => Key::ctrl('-'),
    }
}

fn character(bytes: &[u8], is_over: bool) -> Step {
    let length = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    match bytes.get(..length).map(std::str::from_utf8) {
        Some(Ok(text)) => match text.chars().next() {
            // C1 controls are not typed.
            Some(c) if !c.is_control() => take(length, bytes, Key::char(c)),
            _ => Step::Take(length, None),
        },
        None if !is_over
            && bytes.get(1..).is_some_and(|rest| rest.iter().all(|byte| byte & 0xc0 == 0x80)) =>
        {
            Step::Incomplete
        }
        _ => Step::Take(1, None),
    }
}

fn escape(bytes: &[u8], is_over: bool) -> Step {
    let lone = || take(1, bytes, Key::plain(KeyCode::Escape));
    match bytes {
        [_] => {
            if is_over {
                lone()
            } else {
                Step::Incomplete
            }
        }
        [_, ESC, b'[' | b'O', ..] => match escape(&bytes[1..], is_over) {
            // Alt with a key that is a sequence itself.
            Step::Take(count, Some(Input::Key { key, .. })) => take(count + 1, bytes, key.with_alt()),
            Step::Incomplete => Step::Incomplete,
            // Escape, and an answer of the terminal or a paste right behind it.
            _ => lone(),
        },
        [_, ESC] if !is_over => Step::Incomplete,
        [_, ESC, ..] => lone(),
        [_, b'[', ..] => control_sequence(bytes, is_over),
        [_, b'O', ..] => single_shift(bytes, is_over),
        [_, b']', b'0'..=b'9', ..] | [_, b'_', b'G', ..] => string(bytes, is_over),
        [_, b'P', b'0'..=b'9' | b'>' | b'!', ..] => string(bytes, is_over),
        [_, b']' | b'P' | b'_'] if !is_over => Step::Incomplete,
        [_, byte @ (..0x20 | 0x7f), ..] => take(2, bytes, control(*byte).with_alt()),
        _ => match character(&bytes[1..], is_over) {
            Step::Take(count, Some(Input::Key { key, .. })) => take(count + 1, bytes, key.with_alt()),
            Step::Incomplete => Step::Incomplete,
            _ => lone(),
        },
    }
}

fn control_sequence(bytes: &[u8], is_over: bool) -> Step {
    let body = bytes.get(2..).unwrap_or_default();
    match body.iter().position(|byte| !(0x20..0x40).contains(byte)) {
        Some(at) if body.get(at).is_some_and(|byte| (0x40..0x7f).contains(byte)) => {
            let count = at + 3;
            let Some(csi) = bytes.get(..count).and_then(Csi::new) else { return Step::Take(count, None) };
            match csi.starts_paste() {
                true => Step::StartPaste(count),
                false => Step::Take(count, csi.decode()),
            }
        }
        // Not a sequence after all: another one starts, or garbage follows.
        Some(0) => take(2, bytes, Key::char('[').with_alt()),
        Some(at) => Step::Take(at + 2, None),
        None if body.len() > MAX_SEQUENCE => Step::Take(bytes.len(), None),
        None if !is_over => Step::Incomplete,
        None if body.is_empty() => take(2, bytes, Key::char('[').with_alt()),
        None => Step::Take(bytes.len(), None),
    }
}

fn single_shift(bytes: &[u8], is_over: bool) -> Step {
    match bytes.get(2) {
        Some(letter) => match csi::letter(*letter) {
            Some(code) => take(3, bytes, Key::plain(code)),
            None => take(
                2,
                bytes,
                Key::new(KeyCode::Char('O'), Modifiers { shift: true, alt: true, ..Modifiers::NONE }),
            ),
        },
        None if is_over => take(
            2,
            bytes,
            Key::new(KeyCode::Char('O'), Modifiers { shift: true, alt: true, ..Modifiers::NONE }),
        ),
        None => Step::Incomplete,
    }
}

/// A string that BEL or ST ends: OSC, DCS or APC.
fn string(bytes: &[u8], is_over: bool) -> Step {
    let body = bytes.get(2..).unwrap_or_default();
    let end = body.iter().position(|byte| matches!(*byte, 7 | ESC));
    match end {
        Some(at) if body.get(at) == Some(&7) => Step::Take(at + 3, decode_string(bytes, at)),
        Some(at) => match body.get(at + 1) {
            Some(b'\\') => Step::Take(at + 4, decode_string(bytes, at)),
            // A new sequence starts: this one was cut off.
            Some(_) => Step::Take(at + 2, None),
            None if is_over => Step::Take(at + 2, None),
            None => Step::Incomplete,
        },
        None if is_over || body.len() > MAX_STRING => Step::Take(bytes.len(), None),
        None => Step::Incomplete,
    }
}

fn decode_string(bytes: &[u8], length: usize) -> Option<Input> {
    let body = String::from_utf8_lossy(bytes.get(2..2 + length)?);
    let reply = match bytes.get(1)? {
        b']' => reply::osc(&body),
        b'P' => reply::dcs(&body),
        _ => body.strip_prefix('G').map(|answer| Reply::Graphics(answer.to_owned())),
    };
    reply.map(Input::Reply)
}
