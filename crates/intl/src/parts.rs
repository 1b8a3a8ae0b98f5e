//! Formatted text in parts, as `formatToParts` returns it.

use serde_json::{Value, json};

/// A piece of formatted text and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The type, such as `integer` or `literal`.
    pub kind: &'static str,
    /// The text.
    pub text: String,
    /// The unit of a number in a relative time.
    pub unit: Option<&'static str>,
    /// The side of a range it belongs to.
    pub source: Option<&'static str>,
}

impl Part {
    pub(crate) fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), unit: None, source: None }
    }

    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self::new("literal", text)
    }
}

/// Joins parts to the formatted text.
pub fn joined(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

/// Parts as JSON, with the members JavaScript expects.
pub fn parts_json(parts: &[Part]) -> Value {
    let one = |part: &Part| {
        let mut value = json!({ "type": part.kind, "value": part.text });
        if let Some(unit) = part.unit {
            value["unit"] = unit.into();
        }
        if let Some(source) = part.source {
            value["source"] = source.into();
        }
        value
    };
    parts.iter().map(one).collect()
}

/// Drops empty parts and joins neighbouring literals.
pub(crate) fn tidy(parts: Vec<Part>) -> Vec<Part> {
    let mut tidied: Vec<Part> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.text.is_empty()) {
        match tidied.last_mut() {
            Some(last) if last.kind == "literal" && part.kind == "literal" && last.source == part.source => {
                last.text.push_str(&part.text);
            }
            _ => tidied.push(part),
        }
    }
    tidied
}

/// Replaces `{0}`, `{1}` … in a pattern by parts; what is between them gets `kind`.
pub(crate) fn fill(pattern: &str, kind: &'static str, values: &[Vec<Part>]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        affix(&rest[..start], kind, &mut parts);
        let index = rest[start + 1..start + length].parse::<usize>().unwrap_or(usize::MAX);
        parts.extend(values.get(index).cloned().unwrap_or_default());
        rest = &rest[start + length + 1..];
    }
    affix(rest, kind, &mut parts);
    tidy(parts)
}

/// Text beside a number: the spaces around it are literals, as ICU marks its fields.
pub(crate) fn affix(text: &str, kind: &'static str, parts: &mut Vec<Part>) {
    let blank = |character: char| {
        character.is_whitespace()
            || matches!(character, '\u{a0}' | '\u{202f}' | '\u{200f}' | '\u{200e}' | '\u{61c}')
    };
    let core = text.trim_matches(blank);
    if core.is_empty() || kind == "literal" {
        parts.push(Part::literal(text));
        return;
    }
    let start = text.find(core).unwrap_or(0);
    parts.push(Part::literal(&text[..start]));
    parts.push(Part::new(kind, core));
    parts.push(Part::literal(&text[start + core.len()..]));
}
