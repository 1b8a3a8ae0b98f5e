//! Repair of scalar values: numbers, booleans, text and single items of another type.

use serde_json::{Number, Value};

use super::{
    super::schema::{Part, fits_types},
    has_wrong_type,
};

/// Larger integers are not exact as floating point.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// `"null"` where null is allowed and text is not.
pub(super) fn null_text(part: &Part<'_>, value: &Value) -> Option<Value> {
    let meant = value.as_str()?.trim().eq_ignore_ascii_case("null");
    (meant && has_wrong_type(part, value) && part.expected_types().contains(&"null")).then_some(Value::Null)
}

/// `"42"`, `" 3.5 "`, `"007"` where a number is expected.
pub(super) fn number_text(part: &Part<'_>, value: &Value) -> Option<Value> {
    if !has_wrong_type(part, value) {
        return None;
    }
    let number = Value::Number(read_number(value.as_str()?.trim())?);
    fits_types(&number, &part.expected_types()).then_some(number)
}

/// Parses decimal numbers, including leading zeros and a plus sign. Integers that a double cannot represent exactly are
/// left unchanged: altering their digits would be worse than an error.
fn read_number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !is_plain {
        return None;
    }
    let unsigned_plus = text.strip_prefix('+').unwrap_or(text);
    if let Ok(integer) = unsigned_plus.parse::<i64>() {
        return Some(integer.into());
    }
    if let Ok(integer) = unsigned_plus.parse::<u64>() {
        return Some(integer.into());
    }
    let float: f64 = unsigned_plus.parse().ok().filter(|float: &f64| float.is_finite())?;
    if digits.chars().all(|c| c.is_ascii_digit()) && float.abs() > MAX_EXACT {
        return None;
    }
    if float.fract() == 0.0 && float.abs() < MAX_EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53 fits")]
        return Some((float as i64).into());
    }
    Number::from_f64(float)
}

/// `"yes"`, `"off"`, `"1"` where a boolean is expected.
pub(super) fn boolean_word(part: &Part<'_>, value: &Value) -> Option<Value> {
    if !wants(part, value, "boolean") {
        return None;
    }
    match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true.into()),
        "false" | "0" | "no" | "off" => Some(false.into()),
        _ => None,
    }
}

/// `1` or `0` where a boolean is expected.
pub(super) fn boolean_number(part: &Part<'_>, value: &Value) -> Option<Value> {
    if !wants(part, value, "boolean") {
        return None;
    }
    match value.as_f64()? {
        1.0 => Some(true.into()),
        0.0 => Some(false.into()),
        _ => None,
    }
}

/// `true` or `false` where a number is expected.
pub(super) fn number_boolean(part: &Part<'_>, value: &Value) -> Option<Value> {
    let wanted = wants(part, value, "number") || wants(part, value, "integer");
    wanted.then(|| value.as_bool().map(|flag| i64::from(flag).into())).flatten()
}

/// `5` or `true` where text is expected.
pub(super) fn scalar_to_text(part: &Part<'_>, value: &Value) -> Option<Value> {
    let is_scalar = matches!(value, Value::Number(_) | Value::Bool(_));
    (is_scalar && wants(part, value, "string")).then(|| value.to_string().into())
}

/// `x` where only a list is expected.
pub(super) fn lone_item(part: &Part<'_>, value: &Value) -> Option<Value> {
    let only_list = part.expected_types() == ["array"];
    (only_list && !value.is_array() && !value.is_null()).then(|| Value::Array(vec![value.clone()]))
}

/// Text that is valid without surrounding white space: a line end after a path, or an enum value.
pub(super) fn surrounding_space(part: &Part<'_>, value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let trimmed = text.trim();
    if trimmed.len() == text.len() {
        return None;
    }
    let trimmed = Value::from(trimmed);
    part.is_valid(&trimmed).then_some(trimmed)
}

fn wants(part: &Part<'_>, value: &Value, wanted: &str) -> bool {
    has_wrong_type(part, value) && part.expected_types().contains(&wanted)
}
