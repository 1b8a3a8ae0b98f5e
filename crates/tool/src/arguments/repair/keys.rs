//! Repair of object keys: doubly encoded names, paths in place of nesting, a single argument under a wrong name, and
//! undeclared keys.

use serde_json::{Map, Value};

use super::super::schema::Part;

/// Maximum number of nested encodings of a key.
const MAX_LAYERS: usize = 3;
/// Maximum index accepted in a flattened key.
const MAX_INDEX: usize = 10_000;

/// `{"\"path\"": …}` for `{"path": …}`, if `path` is declared and missing.
pub(super) fn quoted_keys(part: &Part<'_>, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    let decoded = |key: &str| {
        let mut name = key.to_owned();
        for _ in 0..MAX_LAYERS {
            match serde_json::from_str::<String>(name.trim()) {
                Ok(inner) => name = inner,
                Err(_) => break,
            }
        }
        (name != key && part.property(&name).is_some() && !map.contains_key(&name)).then_some(name)
    };
    rename(map, decoded)
}

/// `{"items[0].name": …}` for `{"items": [{"name": …}]}`, if `items` is declared and missing. If one key does not fit
/// the others, none is changed.
pub(super) fn flattened_keys(part: &Part<'_>, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut out = Map::new();
    let mut changed = false;
    for (key, value) in map {
        match parse_flattened(key) {
            Some((name, steps)) if part.property(name).is_some() && !map.contains_key(name) => {
                let slot = out.entry(name.to_owned()).or_insert(Value::Null);
                place(slot, &steps, value)?;
                changed = true;
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    // A gap in the indexes would create an item that the model did not write.
    (changed && !out.values().any(|value| value.as_array().is_some_and(|items| items.contains(&Value::Null))))
        .then_some(out)
}

enum Step<'k> {
    Index(usize),
    Name(&'k str),
}

/// Splits `a[0].b` into `a` and its steps; `None` for anything without an index.
fn parse_flattened(key: &str) -> Option<(&str, Vec<Step<'_>>)> {
    let start = key.find('[').filter(|at| *at > 0)?;
    let (name, mut rest) = key.split_at(start);
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-'))
    };
    if !is_name(name) {
        return None;
    }
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let (digits, after) = after.split_once(']')?;
            steps.push(Step::Index(digits.parse().ok().filter(|index| *index <= MAX_INDEX)?));
            rest = after;
        } else {
            let after = rest.strip_prefix('.')?;
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (step, after) = after.split_at(end);
            if !is_name(step) {
                return None;
            }
            steps.push(Step::Name(step));
            rest = after;
        }
    }
    Some((name, steps))
}

/// Stores `value` at the end of `steps`, creating missing containers; `None` if the shapes conflict.
fn place(slot: &mut Value, steps: &[Step<'_>], value: &Value) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        return slot.is_null().then(|| *slot = value.clone());
    };
    match step {
        Step::Index(index) => {
            if slot.is_null() {
                *slot = Value::Array(Vec::new());
            }
            let items = slot.as_array_mut()?;
            if items.len() <= *index {
                items.resize(index + 1, Value::Null);
            }
            place(&mut items[*index], rest, value)
        }
        Step::Name(name) => {
            if slot.is_null() {
                *slot = Value::Object(Map::new());
            }
            place(slot.as_object_mut()?.entry((*name).to_owned()).or_insert(Value::Null), rest, value)
        }
    }
}

/// Renames the only argument if the schema declares a single property, a required text.
pub(super) fn lone_text(part: &Part<'_>, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut names = part.property_names();
    let (Some(name), None) = (names.next(), names.next()) else {
        return None;
    };
    let wants_text = part.property(name)?.expected_types() == ["string"];
    if !wants_text || !part.requires(name) || map.contains_key(name) {
        return None;
    }
    let (given, _) = map.iter().find(|(_, value)| value.is_string())?;
    rename(map, |key| (key == given).then(|| name.to_owned()))
}

/// Removes keys that a closed object does not declare.
pub(super) fn unknown_keys(part: &Part<'_>, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    if !part.is_closed() {
        return None;
    }
    let kept: Map<String, Value> = map
        .iter()
        .filter(|(key, _)| part.property(key).is_some())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (kept.len() < map.len()).then_some(kept)
}

/// Renames keys in place; `None` if no key changes.
fn rename(map: &Map<String, Value>, new_name: impl Fn(&str) -> Option<String>) -> Option<Map<String, Value>> {
    let mut changed = false;
    let mut out = Map::with_capacity(map.len());
    for (key, value) in map {
        let name = match new_name(key) {
            Some(name) if !out.contains_key(&name) => {
                changed = true;
                name
            }
            _ => key.clone(),
        };
        out.insert(name, value.clone());
    }
    changed.then_some(out)
}
