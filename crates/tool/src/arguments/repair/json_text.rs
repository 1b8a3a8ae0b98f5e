//! Repair of JSON that arrived inside a string, complete or slightly malformed, and the reverse.

use serde_json::Value;

use super::{
    super::schema::{Part, fits_types},
    has_wrong_type,
};

/// Maximum number of nested encodings.
const MAX_LAYERS: usize = 3;
/// Longer texts are parsed, but not searched for a misplaced bracket.
const MAX_HEALED_BYTES: usize = 256 * 1024;
/// How far from the end a misplaced bracket is searched for.
const TAIL_CHARS: usize = 7;

/// `"[1,2]"`, `"{…}"`, `"true"` where the decoded value, not text, is expected. Numbers have their own, stricter rule.
pub(super) fn json_text(part: &Part<'_>, value: &Value) -> Option<Value> {
    if !has_wrong_type(part, value) {
        return None;
    }
    let types = part.expected_types();
    let mut text = value.as_str()?.to_owned();
    for _ in 0..MAX_LAYERS {
        match read_json(&text)? {
            parsed if fits_types(&parsed, &types) => return Some(parsed),
            Value::String(inner) => text = inner,
            _ => return None,
        }
    }
    None
}

/// An object or list where only text is expected: serialised to JSON.
pub(super) fn container_to_text(part: &Part<'_>, value: &Value) -> Option<Value> {
    let is_container = value.is_array() || value.is_object();
    let wanted = has_wrong_type(part, value) && part.expected_types().contains(&"string");
    (is_container && wanted).then(|| value.to_string().into())
}

fn read_json(text: &str) -> Option<Value> {
    let text = text.trim();
    let first = text.chars().next()?;
    let looks_like_json = matches!(first, '{' | '[' | '"') || matches!(text, "true" | "false" | "null");
    if !looks_like_json {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| read_broken_json(text))
}

/// Parses an object or list with one of the mistakes models make. Truncated text is not completed, because the missing
/// part may matter.
pub(in super::super) fn read_broken_json(text: &str) -> Option<Value> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let parse = |candidate: &str| serde_json::from_str::<Value>(candidate).ok();
    parse(&escape_controls_in_strings(text))
        .or_else(|| parse(&drop_escapes_between_tokens(text)))
        .or_else(|| balanced_prefix(text).and_then(parse))
        .or_else(|| heal_tail(text))
}

/// Calls `each` for every character, with whether it is inside a string literal (quotes count as inside).
fn scan_strings(text: &str, mut each: impl FnMut(usize, char, bool)) {
    let (mut inside, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        let was_inside = inside;
        if inside {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => inside = false,
                _ => {}
            }
        } else if c == '"' {
            inside = true;
        }
        each(at, c, was_inside || inside);
    }
}

/// Escapes raw line ends and tabs inside string literals.
fn escape_controls_in_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    scan_strings(text, |_, c, inside| match c {
        '\n' if inside => out.push_str("\\n"),
        '\r' if inside => out.push_str("\\r"),
        '\t' if inside => out.push_str("\\t"),
        c if inside && c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push(c),
    });
    out
}

/// Replaces `\n` and `\t` written out between tokens, where only white space is allowed, with spaces.
fn drop_escapes_between_tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pending_backslash = false;
    scan_strings(text, |_, c, inside| match c {
        _ if inside => out.push(c),
        '\\' => pending_backslash = true,
        'n' | 't' | 'r' if pending_backslash => {
            pending_backslash = false;
            out.push(' ');
        }
        c => {
            if pending_backslash {
                out.push('\\');
                pending_backslash = false;
            }
            out.push(c);
        }
    });
    out
}

/// Returns the first complete object or list if something else follows it.
fn balanced_prefix(text: &str) -> Option<&str> {
    let (mut depth, mut end) = (0_usize, None);
    scan_strings(text, |at, c, inside| {
        if inside || end.is_some() {
            return;
        }
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    end = Some(at + c.len_utf8());
                }
            }
            _ => {}
        }
    });
    end.filter(|end| *end < text.len()).map(|end| &text[..end])
}

/// Removes or corrects one bracket near the end.
fn heal_tail(text: &str) -> Option<Value> {
    if text.len() > MAX_HEALED_BYTES {
        return None;
    }
    let tail: Vec<(usize, char)> = text.char_indices().rev().take(TAIL_CHARS).collect();
    let with = |at: usize, old: char, new: &str| {
        let candidate = format!("{}{new}{}", &text[..at], &text[at + old.len_utf8()..]);
        serde_json::from_str::<Value>(&candidate).ok()
    };
    let brackets = tail.iter().filter(|(_, c)| matches!(c, '{' | '}' | '[' | ']'));
    brackets
        .clone()
        .find_map(|&(at, c)| with(at, c, ""))
        .or_else(|| brackets.clone().find_map(|&(at, c)| ["]", "}"].iter().find_map(|new| with(at, c, new))))
}
