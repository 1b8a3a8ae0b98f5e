//! One settings file: parses TOML into known values with their positions. Invalid parts are reported and omitted.

use std::{io, ops::Range, path::Path};

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};
use toolsmith_js::code_frame;
use toolsmith_llm::KeySource;
use toolsmith_tool::closest_names;

use super::{
    keys::{self, Key, KeyKind},
    secrets,
};
use crate::{small_file, warning::Warning};

/// A value of a file.
pub(super) struct FileValue {
    pub(super) path: Vec<String>,
    pub(super) key: &'static Key,
    pub(super) value: Value,
}

/// Content of a file.
#[derive(Default)]
pub(super) struct FileContents {
    pub(super) values: Vec<FileValue>,
    pub(super) warnings: Vec<Warning>,
    /// The file exists.
    pub(super) exists: bool,
    /// The file is not valid TOML or cannot be read; `values` has the rest.
    pub(super) is_broken: bool,
}

/// Reads a file. One of a project has to lie in `project`.
pub(super) fn read(file: &Path, project: Option<&Path>) -> FileContents {
    let bytes = match project {
        Some(project) => small_file::read_within(file, project),
        None => small_file::read(file),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
                && !file.is_symlink() =>
        {
            return FileContents::default();
        }
        Err(error) => {
            let what = match error.kind() {
                io::ErrorKind::IsADirectory => {
                    "is a directory, but a settings file is expected here".to_owned()
                }
                _ => format!("cannot be read: {error}"),
            };
            let warnings = vec![Warning::about(file, what)];
            return FileContents { warnings, exists: true, is_broken: true, ..FileContents::default() };
        }
    };
    let Ok(text) = String::from_utf8(bytes) else {
        let warnings = vec![Warning::about(file, "is not UTF-8 and is ignored")];
        return FileContents { warnings, exists: true, is_broken: true, ..FileContents::default() };
    };
    let mut reader = Reader {
        file,
        text: &text,
        contents: FileContents { exists: true, ..FileContents::default() },
        errors: Vec::new(),
    };
    let (table, errors) = DeTable::parse_recoverable(&text);
    reader.errors = errors.iter().filter_map(toml::de::Error::span).collect();
    if let Some(error) = errors.first() {
        // One mistake causes follow-up errors; only the first position is useful.
        reader.contents.is_broken = true;
        let message = format!("is not TOML: {}", error.message().replace('\n', "; "));
        reader.warn(error.span(), message, Some("The valid part of the file is used.".to_owned()));
    }
    reader.table(table.get_ref(), &mut Vec::new());
    // Tables come by name; people read from the top.
    reader.contents.warnings.sort_by_key(|warning| warning.place);
    reader.contents
}

/// Returns the commands in the values of a settings file (`!…`), whatever takes precedence over them, and also if the file is
/// not trusted. Nothing is run.
pub(crate) fn commands_in(file: &Path, project: Option<&Path>) -> Vec<String> {
    let values = read(file, project).values.into_iter();
    values.filter_map(|found| found.value.as_str().and_then(KeySource::command).map(str::to_owned)).collect()
}

struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    contents: FileContents,
    /// Positions of TOML errors.
    errors: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, path: &mut Vec<String>) {
        for (name, value) in table {
            path.push(name.get_ref().to_string());
            // Values at an error position are the parser's guess and are ignored.
            let span = value.span();
            let is_guess = self.errors.iter().any(|error| error.start <= span.end && span.start <= error.end);
            if !is_guess || matches!(value.get_ref(), DeValue::Table(_)) {
                self.value(name.span(), value.get_ref(), path);
            }
            path.pop();
        }
    }

    fn value(&mut self, name: Range<usize>, value: &DeValue<'_>, path: &mut Vec<String>) {
        if let Some(key) = keys::find(path) {
            match to_json(value).and_then(|value| key.kind.check(value)) {
                Ok(value) => self.contents.values.push(FileValue { path: path.clone(), key, value }),
                Err(problem) => {
                    // What is wrong with a value names the value.
                    let problem = match key.kind == KeyKind::Text || secrets::is_secret(key) {
                        true => format!("expected {}", key.kind.describe()),
                        false => problem,
                    };
                    let written = show(path);
                    match keys::strictest(key) {
                        // A misspelled restriction must not become a permission.
                        Some(strict) => {
                            let value = strict.into();
                            self.contents.values.push(FileValue { path: path.clone(), key, value });
                            let message = format!("`{written}` counts as \"{strict}\": {problem}");
                            self.warn(Some(name), message, None);
                        }
                        None => self.warn(Some(name), format!("`{written}` is ignored: {problem}"), None),
                    }
                }
            }
        } else if let DeValue::Table(inner) = value
            && keys::keys().iter().any(|key| key.is_below(path))
        {
            self.table(inner, path);
        } else if !self.contents.is_broken && keys::keys().iter().any(|key| key.is_below(path)) {
            // A table of restrictions that cannot be read must not count as none.
            self.contents.is_broken |=
                keys::keys().iter().any(|key| key.is_below(path) && keys::strictest(key).is_some());
            self.warn(Some(name), format!("`{}` is ignored: expected a table", show(path)), None);
        } else if !self.contents.is_broken {
            let written = show(path);
            let hint = closest_key(path).map(|closest| format!("Did you mean `{closest}`?"));
            self.warn(Some(name), format!("unknown setting `{written}`"), hint);
        }
    }

    fn warn(&mut self, span: Option<Range<usize>>, message: String, hint: Option<String>) {
        let place = span.map(|span| place(self.text, span.start));
        let frame = place.and_then(|(line, column)| code_frame(&secrets::masked(self.text), line, column));
        let warning = Warning { place, frame, hint, ..Warning::about(self.file, message) };
        self.contents.warnings.push(warning);
    }
}

/// Returns line and column of a byte, starting at one.
pub(super) fn place(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// Returns the setting most similar to the written one, with the user's own names in it.
pub(super) fn closest_key(path: &[String]) -> Option<String> {
    // Under the same parent only the last name differs; otherwise the whole is compared.
    if let Some((last, parent)) = path.split_last() {
        let siblings = keys::keys().iter().filter(|key| key.is_below(parent));
        let names = siblings.filter_map(|key| key.name.split('.').nth(parent.len()));
        if let Some(closest) = closest_names(last, names.filter(|name| !name.starts_with('<'))).first() {
            return Some(show(&[parent, &[(*closest).to_owned()]].concat()));
        }
    }
    closest_names(&show(path), keys::keys().iter().map(|key| key.name)).first().map(|name| (*name).to_owned())
}

/// Splits a path as written by [`show`] at dots outside quotes.
pub(super) fn split(written: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in written.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('.', None) => parts.push(String::new()),
            (c, _) => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

/// Formats a path of names.
pub(super) fn show(path: &[String]) -> String {
    let bare = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let parts = path
        .iter()
        .map(|name| if bare(name) && !name.is_empty() { name.clone() } else { format!("{name:?}") });
    parts.collect::<Vec<_>>().join(".")
}

fn to_json(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Integer(integer) => {
            let digits = integer.as_str().replace('_', "");
            let digits = digits.strip_prefix('+').unwrap_or(&digits);
            i64::from_str_radix(digits, integer.radix()).map_err(|error| error.to_string())?.into()
        }
        DeValue::Float(float) => {
            let number: f64 =
                float.as_str().replace('_', "").parse().map_err(|_| "not a number".to_owned())?;
            number.into()
        }
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| to_json(item.get_ref())).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            let mut map = Map::new();
            for (name, value) in table {
                map.insert(name.get_ref().to_string(), to_json(value.get_ref())?);
            }
            Value::Object(map)
        }
    })
}
