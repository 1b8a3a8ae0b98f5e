//! Control sequences (CSI): keys with modifiers, mouse, focus and replies.

use super::{
    Input, Mouse, MouseAction,
    key::{Key, KeyCode, KeyKind, Modifiers},
    kitty,
    reply::{ModeState, Reply},
};

/// A control sequence split into its parts.
pub(super) struct Csi<'a> {
    /// Private marker: `<`, `=`, `>` or `?`.
    marker: Option<u8>,
    /// Parameters with their sub-parameters.
    parameters: Vec<Vec<Option<u32>>>,
    intermediate: Option<u8>,
    last: u8,
    raw: &'a [u8],
}

/// Most parameters any sequence we know has.
const MAX_PARAMETERS: usize = 32;

impl<'a> Csi<'a> {
    /// Splits a whole sequence, `ESC [` included.
    pub(super) fn new(raw: &'a [u8]) -> Option<Self> {
        let body = raw.get(2..)?;
        let (&last, body) = body.split_last()?;
        let (marker, body) = match body.split_first() {
            Some((&first @ b'<'..=b'?', rest)) => (Some(first), rest),
            _ => (None, body),
        };
        let digits = body.iter().take_while(|byte| matches!(byte, b'0'..=b';')).count();
        let intermediate = body.get(digits).copied();
        let text = std::str::from_utf8(body.get(..digits)?).ok()?;
        let parameters = text
            .split(';')
            .take(MAX_PARAMETERS)
            .map(|part| part.split(':').take(MAX_PARAMETERS).map(|number| number.parse().ok()).collect())
            .collect();
        Some(Self { marker, parameters, intermediate, last, raw })
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.sub(at, 0)
    }

    fn sub(&self, at: usize, sub: usize) -> Option<u32> {
        self.parameters.get(at)?.get(sub).copied().flatten()
    }

    /// Returns whether it starts a paste.
    pub(super) fn starts_paste(&self) -> bool {
        self.marker.is_none() && self.last == b'~' && self.number(0) == Some(200)
    }

    /// Decodes it. `None` for sequences that mean nothing here; they are dropped.
    pub(super) fn decode(&self) -> Option<Input> {
        match (self.marker, self.intermediate, self.last) {
            (Some(b'<'), None, b'M' | b'm') => self.mouse().map(Input::Mouse),
            (Some(b'?'), Some(b'$'), b'y') => {
                let state = match self.number(1)? {
                    1 => ModeState::Set,
                    2 => ModeState::Reset,
                    3 | 4 => ModeState::Fixed,
                    _ => ModeState::Unknown,
                };
                Some(Input::Reply(Reply::Mode { mode: self.number(0)?, state }))
            }
            (Some(b'?'), None, b'c') => {
                let all = self.parameters.iter().filter_map(|part| part.first().copied().flatten());
                Some(Input::Reply(Reply::Attributes(all.collect())))
            }
            (Some(b'?'), None, b'u') => Some(Input::Reply(Reply::KeyboardFlags(self.number(0)?))),
            (Some(b'?'), None, b'n') if self.number(0) == Some(997) => {
                Some(Input::Reply(Reply::Scheme(self.number(1)? == 1)))
            }
            (None, None, last) => self.plain(last),
            _ => None,
        }
    }

    fn plain(&self, last: u8) -> Option<Input> {
        let position = |at| self.number(at).unwrap_or(1).max(1) as usize;
        match last {
            b'I' => Some(Input::Focus(true)),
            b'O' => Some(Input::Focus(false)),
            b'R' if self.parameters.len() == 2 => {
                Some(Input::Reply(Reply::Cursor { row: position(0) - 1, column: position(1) - 1 }))
            }
            // In band (mode 2048), or as an answer.
            b't' if matches!(self.number(0), Some(8 | 48)) => Some(Input::Reply(Reply::Size {
                rows: self.number(1)? as usize,
                columns: self.number(2)? as usize,
            })),
            b'u' => {
                let (modifiers, kind) = self.modifiers(1);
                self.key(kitty::key(self.number(0)?, self.sub(0, 1), modifiers, kind)?)
            }
            b'~' if self.number(0) == Some(27) && self.parameters.len() == 3 => {
                let (modifiers, kind) = self.modifiers(1);
                self.key(kitty::key(self.number(2)?, None, modifiers, kind)?)
            }
            b'~' => {
                let (modifiers, kind) = self.modifiers(1);
                self.key(Key { code: tilde(self.number(0)?)?, modifiers, kind })
            }
            b'Z' => self.key(Key::new(KeyCode::Tab, Modifiers { shift: true, ..Modifiers::NONE })),
            letter => {
                let (modifiers, kind) = self.modifiers(1);
                self.key(Key { code: self::letter(letter)?, modifiers, kind })
            }
        }
    }

    fn modifiers(&self, at: usize) -> (Modifiers, KeyKind) {
        let kind = match self.sub(at, 1) {
            Some(2) => KeyKind::Repeat,
            Some(3) => KeyKind::Release,
            _ => KeyKind::Press,
        };
        (Modifiers::from_parameter(self.number(at).unwrap_or(1)), kind)
    }

    fn key(&self, key: Key) -> Option<Input> {
        Some(Input::Key { key, raw: self.raw.to_vec() })
    }

    fn mouse(&self) -> Option<Mouse> {
        let bits = self.number(0)?;
        let button = u8::try_from(bits & 3).ok()?;
        let action = match (bits & 64 != 0, bits & 32 != 0, self.last) {
            (true, _, b'M') if button == 0 => MouseAction::WheelUp,
            (true, _, b'M') if button == 1 => MouseAction::WheelDown,
            (true, ..) => return None,
            (false, true, _) if button == 3 => return None,
            (false, true, _) => MouseAction::Drag(button),
            (false, false, b'M') => MouseAction::Press(button),
            _ => MouseAction::Release(button),
        };
        let place = |at| self.number(at).map(|number| number.saturating_sub(1) as usize);
        Some(Mouse { action, column: place(1)?, row: place(2)? })
    }
}

/// Keys whose sequence ends with a letter.
pub(super) fn letter(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::Clear,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        b'R' => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        _ => return None,
    })
}

/// Keys whose sequence is a number and a tilde.
fn tilde(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(u8::try_from(number - 10).ok()?),
        17..=21 => KeyCode::F(u8::try_from(number - 11).ok()?),
        23..=26 => KeyCode::F(u8::try_from(number - 12).ok()?),
        28..=29 => KeyCode::F(u8::try_from(number - 13).ok()?),
        31..=34 => KeyCode::F(u8::try_from(number - 14).ok()?),
        57427 => KeyCode::Clear,
        _ => return None,
    })
}
