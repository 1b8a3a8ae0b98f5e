//! Repair of arguments that ran into one another. Some models write calls as
//! `<arg_key>…</arg_key><arg_value>…</arg_value>`; if they get a closing tag wrong, the server passes all following
//! arguments inside one string.

use serde_json::{Map, Value};

const KEY_OPEN: &str = "<arg_key>";
const KEY_CLOSE: &str = "</arg_key>";
const VALUE_OPEN: &str = "<arg_value>";
const VALUE_CLOSE: &str = "</arg_value>";
const CALL_CLOSE: &str = "</tool_call>";

/// Extracts the embedded arguments from the string. Existing arguments keep their value.
pub(super) fn unspill(value: &Value) -> Option<Value> {
    let map = value.as_object()?;
    let mut out = Map::new();
    let mut found = Vec::new();
    for (key, value) in map {
        match value.as_str().and_then(split) {
            Some((own, pairs)) => {
                out.insert(key.clone(), own.into());
                found.extend(pairs);
            }
            None => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    if found.is_empty() {
        return None;
    }
    for (key, text) in found {
        if !out.contains_key(&key) {
            out.insert(key, text.into());
        }
    }
    Some(Value::Object(out))
}

type Pairs = Vec<(String, String)>;

/// Splits a string into its own text and the pairs after it.
fn split(text: &str) -> Option<(String, Pairs)> {
    let start = text.find(KEY_OPEN)?;
    let mut own = text[..start].trim_end();
    for closer in [KEY_CLOSE, VALUE_CLOSE] {
        own = own.strip_suffix(closer).unwrap_or(own);
    }
    Some((own.to_owned(), read_pairs(&text[start..])?))
}

/// Parses only pairs; any other text means that the string is intended.
fn read_pairs(mut rest: &str) -> Option<Pairs> {
    let mut pairs = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || rest == CALL_CLOSE {
            return (!pairs.is_empty()).then_some(pairs);
        }
        let (key, after) = rest.strip_prefix(KEY_OPEN)?.split_once(KEY_CLOSE)?;
        if key.is_empty()
            || !key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$'))
        {
            return None;
        }
        let body = after.trim_start().strip_prefix(VALUE_OPEN)?;
        // The value ends at its closing tag, at a wrong one, at the next pair, or at the end of the text.
        let end =
            [VALUE_CLOSE, KEY_CLOSE, KEY_OPEN, CALL_CLOSE].iter().filter_map(|tag| body.find(tag)).min();
        let end = end.unwrap_or(body.len());
        pairs.push((key.to_owned(), body[..end].to_owned()));
        let after = &body[end..];
        rest = after.strip_prefix(VALUE_CLOSE).or_else(|| after.strip_prefix(KEY_CLOSE)).unwrap_or(after);
    }
}
