//! Changing a setting in a file. Comments and everything else in it stay as they are.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::Value;
use thiserror::Error;
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError};

use super::{file::place, keys};
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
    /// The file is not valid TOML. Its text is not part of the error, because it may contain keys.
    #[error("{}:{line}:{column} is not valid TOML, and the file was not changed: {problem}", .path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Line, starting at one.
        line: u32,
        /// Column, starting at one.
        column: u32,
        /// Error message.
        problem: String,
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
    let file = home.toolsmith().join("config.toml");
    set_setting(&file, path, value)?;
    Ok(file)
}

/// Sets a setting in a file, given by its path.
///
/// # Errors
/// Fails without changes if the setting is unknown, the value does not fit, or the file cannot be used.
pub fn set_setting(file: &Path, path: &[&str], value: &str) -> Result<(), SettingsWriteError> {
    let key = known(path)?;
    let problem = |problem| SettingsWriteError::Value { key: path.join("."), problem };
    let value = key.kind.parse(value).map_err(problem)?;
    let mut document = read(file)?;
    insert(document.as_table_mut(), path, &value);
    save(file, &document.to_string())
        .map_err(|source| SettingsWriteError::Io { path: file.to_path_buf(), source })
}

/// Removes a setting from a file; returns whether it was there.
///
/// # Errors
/// Fails without changes if the setting is unknown or the file cannot be used.
pub fn unset_setting(file: &Path, path: &[&str]) -> Result<bool, SettingsWriteError> {
    known(path)?;
    let mut document = read(file)?;
    if !remove(document.as_table_mut(), path) {
        return Ok(false);
    }
    save(file, &document.to_string())
        .map_err(|source| SettingsWriteError::Io { path: file.to_path_buf(), source })?;
    Ok(true)
}

fn known(path: &[&str]) -> Result<&'static keys::Key, SettingsWriteError> {
    let owned: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
    keys::find(&owned).ok_or_else(|| SettingsWriteError::Unknown(path.join(".")))
}

fn read(file: &Path) -> Result<DocumentMut, SettingsWriteError> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(SettingsWriteError::Io { path: file.to_path_buf(), source }),
    };
    text.parse().map_err(|error: TomlError| {
        let (line, column) = place(&text, error.span().map_or(0, |span| span.start));
        let problem = error.message().replace('\n', "; ");
        SettingsWriteError::Toml { path: file.to_path_buf(), line, column, problem }
    })
}

/// Removes the value; a table that becomes empty goes with it.
fn remove(table: &mut dyn TableLike, path: &[&str]) -> bool {
    match path {
        [] => false,
        [last] => table.remove(last).is_some(),
        [first, rest @ ..] => {
            let Some(inner) = table.get_mut(first).and_then(Item::as_table_like_mut) else { return false };
            let is_removed = remove(inner, rest);
            if is_removed && inner.is_empty() {
                table.remove(first);
            }
            is_removed
        }
    }
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
    let target = toolsmith_host::real_path(file).unwrap_or_else(|_| file.to_path_buf());
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
