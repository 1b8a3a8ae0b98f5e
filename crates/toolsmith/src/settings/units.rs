//! Durations and sizes as people write them.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use super::keys::KeyKind;

/// Parses `500ms`, `30s`, `5m`, `1h`; a bare number is in seconds.
///
/// # Errors
/// Fails with a sentence about what was expected.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected_duration(text)),
    };
    let seconds = number.parse::<f64>().map_err(|_| expected_duration(text))? * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| expected_duration(text))
}

fn expected_duration(text: &str) -> String {
    format!("expected a duration such as \"30s\", \"500ms\" or \"5m\", got \"{text}\"")
}

/// Parses `512`, `50KB`, `256MB`, `1GB`; the units are powers of 1024.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let expected = || format!("expected a size such as \"256MB\" or a number of bytes, got \"{text}\"");
    let (number, unit) = split(text);
    let factor: usize = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return Err(expected()),
    };
    let number: usize = number.parse().map_err(|_| expected())?;
    number.checked_mul(factor).filter(|bytes| *bytes > 0).ok_or_else(expected)
}

/// Returns the value of a setting as a number, to compare it with another one of the same kind.
pub(super) fn amount(kind: KeyKind, value: &Value) -> Option<f64> {
    match kind {
        KeyKind::Duration => parse_duration(&text_of(value)).ok().map(|time| time.as_secs_f64()),
        KeyKind::Size => size(&text_of(value)).ok().map(|bytes| bytes as f64),
        KeyKind::Count | KeyKind::Number => value.as_f64(),
        _ => None,
    }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    (number, unit.trim())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn read_duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    parse_duration(&text_of(&Value::deserialize(from)?)).map_err(D::Error::custom)
}

pub(super) fn read_duration_option<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    read_duration(from).map(Some)
}

pub(super) fn read_size<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    size(&text_of(&Value::deserialize(from)?)).map_err(D::Error::custom)
}

pub(super) fn read_size_option<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    read_size(from).map(Some)
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
