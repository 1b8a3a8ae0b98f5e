//! Repair of placeholder values: `null`, `"null"` and `""` for properties that could have been omitted.

use serde_json::{Map, Value};

use super::super::schema::Part;

/// Removes optional properties whose value is a placeholder, unless that value is valid.
pub(super) fn drop_placeholders(part: &Part<'_>, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    let kept: Map<String, Value> = map
        .iter()
        .filter(|(key, value)| {
            let Some(property) = part.property(key) else {
                // An undeclared key in a closed object: null means that it is absent.
                return !(part.is_closed() && is_nothing(value));
            };
            part.requires(key) || !is_placeholder(value) || property.is_valid(value)
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (kept.len() < map.len()).then_some(kept)
}

/// Sets required properties that are missing or placeholders to their default.
pub(super) fn required_defaults(part: &Part<'_>, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut out = map.clone();
    let mut changed = false;
    for name in part.property_names().filter(|name| part.requires(name)) {
        let Some(property) = part.property(name) else {
            continue;
        };
        let Some(default) = property.keyword("default") else {
            continue;
        };
        let replace = match map.get(name) {
            None => true,
            Some(value) => is_nothing(value) && !property.is_valid(value),
        };
        if replace {
            out.insert(name.to_owned(), default.clone());
            changed = true;
        }
    }
    changed.then_some(out)
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case("null"))
}

fn is_placeholder(value: &Value) -> bool {
    is_nothing(value) || value.as_str().is_some_and(|text| text.trim().is_empty())
}
