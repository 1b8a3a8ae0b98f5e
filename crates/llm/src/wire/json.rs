//! Lenient JSON access: missing values and values of another type read as empty.

use serde_json::Value;

use crate::{error::LlmError, sse::SseEvent};

/// Maximum number of characters of invalid data in an error.
const SHOWN_CHARS: usize = 200;

/// Parses an event's data as JSON.
pub(super) fn parse(event: &SseEvent) -> Result<Value, LlmError> {
    serde_json::from_str(&event.data).map_err(|error| {
        let shown: String = event.data.chars().take(SHOWN_CHARS).collect();
        LlmError::invalid(format!("an event is not JSON ({error}): {shown}"))
    })
}

/// Returns a text, or the empty string.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a count, or zero. Some servers write counts as floats.
pub(super) fn count(value: &Value) -> u64 {
    match value.as_u64() {
        Some(count) => count,
        None => {
            value.as_f64().filter(|count| count.is_finite() && *count > 0.0).map_or(0, |count| count as u64)
        }
    }
}

/// Returns the items of a list, or none.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
