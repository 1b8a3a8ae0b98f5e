//! How deep a line may nest. What cannot be read back must not be written.

use serde_json::Value;

/// Readers of JSON give up at 128 levels, ours included.
const MAX_DEPTH: usize = 100;

/// Turns whatever lies deeper into its own JSON text, so that it stays readable.
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
