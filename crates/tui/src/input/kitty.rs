//! Key codes of the kitty keyboard protocol and of xterm's modifyOtherKeys.

use super::key::{Key, KeyCode, KeyKind, Modifiers};

/// Decodes a Unicode key code with its modifiers. `None` for keys that mean nothing here, such as a modifier alone.
pub(super) fn key(code: u32, shifted: Option<u32>, modifiers: Modifiers, kind: KeyKind) -> Option<Key> {
    let code = match code {
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Escape,
        8 | 127 => KeyCode::Backspace,
        57399..=57408 => KeyCode::Char(char::from_u32(code - 57399 + u32::from(b'0'))?),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        57427 => KeyCode::Clear,
        57376..=57398 => KeyCode::F(u8::try_from(code - 57376 + 13).ok()?),
        // Lock, media and modifier keys.
        57344..=57375 | 57428..=63743 => return None,
        code => KeyCode::Char(typed(code, shifted, modifiers)?),
    };
    Some(Key { code, modifiers, kind })
}

/// The character of a key. With shift alone it is the shifted one.
fn typed(code: u32, shifted: Option<u32>, modifiers: Modifiers) -> Option<char> {
    let c = char::from_u32(code).filter(|c| !c.is_control())?;
    if !modifiers.shift || modifiers.ctrl || modifiers.alt || modifiers.command {
        return Some(c);
    }
    if let Some(shifted) = shifted.and_then(char::from_u32).filter(|c| !c.is_control()) {
        return Some(shifted);
    }
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => Some(one),
        _ => Some(c),
    }
}
