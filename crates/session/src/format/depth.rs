//! Maximum nesting of a line. What cannot be read back must not be written.

use serde_json::Value;

/// JSON readers, including ours, stop at 128 levels.
const MAX_DEPTH: usize = 100;

/// Converts deeper values to their JSON text, so that they stay readable.
pub(super) fn limit(value: &mut Value) {
    limit_below(value, MAX_DEPTH);
}

fn limit_below(value: &mut Value, levels: usize) {
    if levels == 0 {
        if value.is_object() || value.is_array() {
            *value = Value::String(value.to_string());
        }
        return;
    }
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| limit_below(field, levels - 1)),
        Value::Array(items) => items.iter_mut().for_each(|item| limit_below(item, levels - 1)),
        _ => {}
    }
}
