//! Values of settings that are not shown: keys, headers, commands that print keys, and credentials in addresses. Lists of
//! settings, warnings about files and debug output all ask here.

use serde_json::{Value, json};
use toolsmith_llm::KeySource;
use toolsmith_tool::is_secret_variable_name;

use super::{
    file,
    keys::{self, Key, KeyKind},
};

/// Stands for what is not shown.
const HIDDEN: &str = "(hidden)";
/// Stands for a part that is not shown.
const MASK: &str = "***";
/// Stands for what is not shown of a file.
const REST: &str = "…";

/// Returns whether every value of a setting is a secret.
pub(super) fn is_secret(key: &Key) -> bool {
    matches!(key.name, "providers.<name>.api_key" | "providers.<name>.headers.<header>")
}

/// The value as it may be shown. The name of a variable with a key is no secret.
pub(super) fn shown(key: &Key, value: Value) -> Value {
    match &value {
        Value::String(text) if key.name == "providers.<name>.api_key" => match KeySource::parse(text) {
            KeySource::Env(_) | KeySource::Cloud(_) => value,
            KeySource::Command(_) => json!(format!("!{HIDDEN}")),
            _ => json!(HIDDEN),
        },
        // A key in the place of the variable's name.
        Value::String(text) if key.name == "providers.<name>.api_key_env" && !is_variable(text) => {
            json!(HIDDEN)
        }
        _ if is_secret(key) => json!(HIDDEN),
        Value::String(text) if key.kind == KeyKind::Text => json!(without_credentials(text)),
        Value::Array(texts) => {
            texts.iter().map(|text| text.as_str().map_or_else(|| text.clone(), listed)).collect()
        }
        _ => value,
    }
}

/// An entry of a list. Names and paths may contain `@`, so only addresses are changed.
fn listed(text: &str) -> Value {
    json!(if text.contains("://") { without_credentials(text) } else { text.to_owned() })
}

/// Returns whether a text can be the name of a variable, as people write them.
fn is_variable(text: &str) -> bool {
    text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// An address without the credentials in it: a user, a password, and the values of its query and fragment.
pub fn without_credentials(address: &str) -> String {
    // Parsers differ in how they read unusual addresses, so nothing before an `@` is shown of those.
    if let Some((before, host)) = address.rsplit_once('@')
        && (before.matches("//").count() != 1
            || before.contains('\\')
            || before.split("//").nth(1).is_some_and(|user| user.contains('/')))
    {
        return format!("{MASK}@{}", without_credentials(host));
    }
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => authority.to_owned(),
    };
    let (path, query) = match rest.find(['?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let mut shown = format!("{scheme}{authority}{path}");
    for (number, part) in query.split_inclusive(['?', '#', '&', ';']).enumerate() {
        let separator = part.ends_with(['?', '#', '&', ';']);
        let (text, separator) = part.split_at(part.len() - usize::from(separator));
        shown.push_str(&match text.split_once('=') {
            Some((name, _)) => format!("{name}={MASK}"),
            None if text.is_empty() || number == 0 => text.to_owned(),
            None => MASK.to_owned(),
        });
        shown.push_str(separator);
    }
    shown
}

/// The text of a file for showing where something is wrong in it: only tables, names, and values of settings that hold no
/// secret. Lines and columns stay where they are.
pub(super) fn masked(text: &str) -> String {
    let mut table = Some(Vec::new());
    let lines = text.split('\n').map(|line| masked_line(line, &mut table));
    lines.collect::<Vec<_>>().join("\n")
}

fn masked_line(line: &str, table: &mut Option<Vec<String>>) -> String {
    let is_bare = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '))
    };
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return line.to_owned();
    }
    let header = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(header) = header {
        // A line that begins with a quote may be part of a list.
        let path = file::split(header);
        let is_known = header.starts_with(|c: char| c.is_ascii_alphabetic())
            && keys::keys().iter().any(|key| key.is_below(&path));
        *table = is_known.then_some(path);
        return if is_known { line.to_owned() } else { REST.to_owned() };
    }
    let found = |name: &str| {
        let path = [table.as_deref()?, &file::split(name)].concat();
        keys::find(&path)
    };
    match line.split_once('=') {
        Some((name, value)) if is_bare(name.trim()) && !matches!(value.trim(), "" | "=") => {
            match found(name.trim()) {
                // A comment behind the value is not part of it.
                Some(key) if key.kind != KeyKind::Text && !is_secret(key) && !value.contains("://") => {
                    let shown = value.split('#').next().unwrap_or_default();
                    format!("{name}={shown}")
                }
                _ => format!("{name}= {REST}"),
            }
        }
        _ => {
            let end = line
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
                .unwrap_or(line.len());
            let name = &line[..end];
            if found(name).is_some() { format!("{name} {REST}") } else { REST.to_owned() }
        }
    }
}

/// Returns the values of environment variables with secret names, which are kept out of recordings.
pub fn secret_values() -> Vec<String> {
    let texts = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.filter(|(name, _)| is_secret_variable_name(name)).map(|(_, value)| value).collect()
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
