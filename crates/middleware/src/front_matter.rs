//! The front matter of Markdown files that people write for agents: rules, skills and commands.

use serde_json::{Map, Value};
use thiserror::Error;

/// The fields of a front matter.
pub type Fields = Map<String, Value>;

/// Errors of a front matter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct FrontMatterError {
    message: String,
}

impl FrontMatterError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Splits a file into front matter and text. The fields are `None` if there is no front matter.
///
/// # Errors
/// Fails if the front matter is not closed, or is not YAML with names and values. Patterns and values with colons that lack
/// quotes are accepted.
pub fn split(text: &str) -> Result<(Option<Fields>, &str), FrontMatterError> {
    match parts(text) {
        Parts::None(text) => Ok((None, text)),
        Parts::Both(yaml, body) => Ok((Some(read(yaml)?), body)),
        Parts::Open => Err(FrontMatterError::new("the front matter starts with --- but has no closing ---")),
    }
}

/// Returns the text below the front matter, whatever the front matter is.
pub fn body(text: &str) -> &str {
    match parts(text) {
        Parts::None(body) | Parts::Both(_, body) => body,
        Parts::Open => text,
    }
}

enum Parts<'a> {
    /// There is no front matter.
    None(&'a str),
    /// The front matter and the text.
    Both(&'a str, &'a str),
    /// The front matter is not closed.
    Open,
}

fn parts(text: &str) -> Parts<'_> {
    let text = text.trim_start_matches('\u{feff}');
    let Some(rest) = text
        .strip_prefix("---")
        .and_then(|rest| rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n'))
    else {
        return Parts::None(text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Parts::Both(&rest[..at], &rest[at + line.len()..]);
        }
        at += line.len();
    }
    Parts::Open
}

fn read(yaml: &str) -> Result<Fields, FrontMatterError> {
    let value = parse_yaml(yaml).or_else(|error| {
        let quoted = quote(yaml, starts_alias);
        let repaired = if quoted == yaml { Err(error.clone()) } else { parse_yaml(&quoted) };
        repaired.or_else(|_| {
            match quote(&quoted, |value| starts_alias(value) || has_colon(value) || is_hint(value)) {
                quoted if quoted != yaml => parse_yaml(&quoted).map_err(|_| error),
                _ => Err(error),
            }
        })
    })?;
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Fields::new()),
        _ => Err(FrontMatterError::new("the front matter does not consist of `name: value` lines")),
    }
}

/// Parses YAML as it is written.
///
/// # Errors
/// Fails if it is not valid.
pub fn parse_yaml(yaml: &str) -> Result<Value, FrontMatterError> {
    if yaml.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_saphyr::from_str(yaml).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        FrontMatterError::new(format!(
            "the front matter is not valid YAML: {}. Put patterns and texts with special characters in single quotes",
            line.trim().trim_end_matches('.')
        ))
    })
}

/// `globs: *.ts` is not valid YAML, because `*` starts an alias; editors write it nevertheless.
fn starts_alias(value: &str) -> bool {
    value.starts_with('*')
}

/// `description: Use this: it helps` is not valid YAML, because the second colon starts another mapping.
fn has_colon(value: &str) -> bool {
    let is_plain = !value.starts_with(['"', '\'', '|', '>', '[', '{', '&', '!']);
    is_plain && (value.contains(": ") || value.ends_with(':') || value.contains(" #"))
}

/// `argument-hint: [file] [focus]` starts like a list, but is a text.
fn is_hint(value: &str) -> bool {
    value.starts_with('[') && value.find(']').is_some_and(|end| end + 1 < value.len())
}

/// Puts the values for which `needs_quotes` holds in quotes.
fn quote(yaml: &str, needs_quotes: fn(&str) -> bool) -> String {
    let quoted = yaml.split_inclusive('\n').map(|line| {
        let name = line.len() - line.trim_start().len();
        let value = match line.find(": ") {
            Some(colon) if line[name..colon].chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') => {
                colon + 2
            }
            _ if line.trim_start().starts_with("- ") => name + 2,
            _ => return line.to_owned(),
        };
        let (before, value) = line.split_at(value);
        let end = value.trim_end();
        if !needs_quotes(end.trim_start()) {
            return line.to_owned();
        }
        format!("{before}'{}'{}", end.trim_start().replace('\'', "''"), &value[end.len()..])
    });
    quoted.collect()
}

/// Reads a field that is a text or a list of texts, by any of its names.
///
/// # Errors
/// Fails if it is something else.
pub fn texts(fields: &Fields, names: &[&str]) -> Result<Vec<String>, FrontMatterError> {
    let mut all = Vec::new();
    for name in names {
        let wrong = || FrontMatterError::new(format!("`{name}` must be a text or a list of texts"));
        match fields.get(*name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => all.push(text.clone()),
            Some(Value::Array(items)) => {
                for item in items {
                    all.push(item.as_str().ok_or_else(wrong)?.to_owned());
                }
            }
            Some(_) => return Err(wrong()),
        }
    }
    all.retain(|text| !text.trim().is_empty());
    Ok(all)
}

/// Reads the same, where a text may contain several separated by commas.
///
/// # Errors
/// Fails if it is something else.
pub fn lists(fields: &Fields, names: &[&str]) -> Result<Vec<String>, FrontMatterError> {
    Ok(texts(fields, names)?.iter().flat_map(|text| split_list(text)).collect())
}

/// Splits at commas outside brackets.
fn split_list(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Reads a boolean field.
///
/// # Errors
/// Fails if it is something else.
pub fn flag(fields: &Fields, name: &str) -> Result<Option<bool>, FrontMatterError> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(Value::String(text)) if text == "true" => Ok(Some(true)),
        Some(Value::String(text)) if text == "false" => Ok(Some(false)),
        Some(other) => Err(FrontMatterError::new(format!("`{name}` must be true or false, not {other}"))),
    }
}
