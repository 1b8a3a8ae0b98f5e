//! Changing a setting in the user's file. Comments and everything else in it stay as they are.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::Value;
use thiserror::Error;
use toml_edit::{DocumentMut, Item, Table, TomlError};

use super::keys;
use crate::home::Home;

/// The setting was not changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SettingsWriteError {
    /// There is no such setting.
    #[error("unknown setting `{0}`")]
    Unknown(String),
    /// The value has the wrong kind.
    #[error("`{key}`: {problem}")]
    Value {
        /// The setting.
        key: String,
        /// Error message.
        problem: String,
    },
    /// The file is not valid TOML.
    #[error("{} is not valid TOML and was not changed: {source}", .path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<TomlError>,
    },
    /// The file cannot be read or written.
    #[error("{} was not changed: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Sets a setting of the user, given by its path (`["ui", "theme"]`), and returns the file.
///
/// # Errors
/// Fails without changes if the setting is unknown, the value does not fit, or the file cannot be used.
pub fn set_user_setting(home: &Home, path: &[&str], value: &str) -> Result<PathBuf, SettingsWriteError> {
    let name = path.join(".");
    let owned: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
    let key = keys::find(&owned).ok_or_else(|| SettingsWriteError::Unknown(name.clone()))?;
    let value = key.kind.parse(value).map_err(|problem| SettingsWriteError::Value { key: name, problem })?;
    let file = home.toolsmith().join("config.toml");
    let failed = |source| SettingsWriteError::Io { path: file.clone(), source };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let mut document: DocumentMut = text
        .parse()
        .map_err(|source| SettingsWriteError::Toml { path: file.clone(), source: Box::new(source) })?;
    insert(document.as_table_mut(), path, &value);
    save(&file, &document.to_string()).map_err(failed)?;
    Ok(file)
}

fn insert(table: &mut Table, path: &[&str], value: &Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last, item(value));
        }
        [first, rest @ ..] => {
            let inner = table.entry(first).or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            match inner.as_table_mut() {
                Some(inner) => insert(inner, rest, value),
                // An inline table is written out.
                None => {
                    let mut replaced = inner
                        .as_inline_table()
                        .cloned()
                        .map(toml_edit::InlineTable::into_table)
                        .unwrap_or_default();
                    insert(&mut replaced, rest, value);
                    *inner = Item::Table(replaced);
                }
            }
        }
    }
}

fn item(value: &Value) -> Item {
    match value {
        Value::Bool(value) => toml_edit::value(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => toml_edit::value(number),
            (None, number) => toml_edit::value(number.unwrap_or_default()),
        },
        Value::Array(items) => {
            toml_edit::value(items.iter().filter_map(Value::as_str).collect::<toml_edit::Array>())
        }
        other => toml_edit::value(other.as_str().unwrap_or_default()),
    }
}

/// Replaces the file at once; one that is a link stays one.
fn save(file: &Path, text: &str) -> io::Result<()> {
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    if let Ok(metadata) = std::fs::metadata(&target) {
        new.as_file().set_permissions(metadata.permissions())?;
    }
    new.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
