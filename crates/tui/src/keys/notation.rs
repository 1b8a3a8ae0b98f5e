//! The notation of keys: `ctrl+shift+p`, `alt+enter`, `pageUp`.

use crate::input::{Key, KeyCode, Modifiers};

const NAMES: &[(&str, KeyCode)] = &[
    ("escape", KeyCode::Escape),
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("clear", KeyCode::Clear),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageUp", KeyCode::PageUp),
    ("pageDown", KeyCode::PageDown),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    // Accepted, never printed.
    ("esc", KeyCode::Escape),
    ("return", KeyCode::Enter),
];

/// Parses a key; `None` if it is not one. Letters are returned in lower case.
pub fn parse_key(text: &str) -> Option<Key> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = text.trim();
    while let Some((first, after)) =
        rest.split_once('+').filter(|(first, after)| !first.is_empty() && !after.is_empty())
    {
        match first.to_ascii_lowercase().as_str() {
            "ctrl" | "control" => modifiers.ctrl = true,
            "alt" | "option" | "meta" => modifiers.alt = true,
            "shift" => modifiers.shift = true,
            "super" | "cmd" | "command" => modifiers.command = true,
            _ => return None,
        }
        rest = after;
    }
    let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest)).map(|(_, code)| *code);
    let code = match (named, rest.strip_prefix(['f', 'F']).and_then(|number| number.parse::<u8>().ok())) {
        (Some(code), _) => code,
        (None, Some(number @ 1..=24)) => KeyCode::F(number),
        (None, _) => {
            let mut chars = rest.chars();
            let c = chars.next().filter(|c| !c.is_control())?;
            if chars.next().is_some() {
                return None;
            }
            KeyCode::Char(c.to_ascii_lowercase())
        }
    };
    Some(Key::new(code, modifiers))
}

/// Returns the name of a key in the notation of key bindings.
pub fn name_of(key: &Key) -> String {
    let Modifiers { ctrl, alt, shift, command } = key.modifiers;
    let mut name = String::new();
    for (is_set, word) in [(command, "super+"), (ctrl, "ctrl+"), (alt, "alt+"), (shift, "shift+")] {
        if is_set {
            name.push_str(word);
        }
    }
    match key.code {
        KeyCode::F(number) => name.push_str(&format!("f{number}")),
        code => match NAMES.iter().find(|(_, named)| *named == code) {
            Some((word, _)) => name.push_str(word),
            None => {
                if let KeyCode::Char(c) = code {
                    name.extend(c.to_lowercase());
                }
            }
        },
    }
    name
}

/// Brings a key into the form of [`parse_key`], for comparison.
pub(crate) fn normalised(key: &Key) -> Key {
    let code = match key.code {
        KeyCode::Char(c) => KeyCode::Char(c.to_lowercase().next().unwrap_or(c)),
        code => code,
    };
    Key::new(code, key.modifiers)
}
