//! Changes to a configuration file: `toolsmith mcp add` and `remove`. Everything else in the file is kept.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use thiserror::Error;
use toolsmith_host::regular_file;

const MAX_BYTES: u64 = 32 << 20;

/// Errors of a change.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EditError {
    /// The file cannot be read or written.
    #[error("{} cannot be changed: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a JSON object with a table of servers. It is not overwritten.
    #[error("{} is not a JSON object; correct it first", file.display())]
    NotJson {
        /// The file.
        file: PathBuf,
    },
    /// The name is taken.
    #[error("\"{name}\" is already configured in {}; remove it first, or add --force", file.display())]
    Exists {
        /// The name.
        name: String,
        /// The file.
        file: PathBuf,
    },
}

/// Adds an entry below `key`, which is `mcpServers` in most files.
///
/// # Errors
/// Fails if the name is taken and `replace` is off, or the file cannot be changed.
pub fn add_server(file: &Path, key: &str, name: &str, entry: Value, replace: bool) -> Result<(), EditError> {
    let mut root = read(file)?;
    let table = table(&mut root, key, file)?;
    if table.contains_key(name) && !replace {
        return Err(EditError::Exists { name: name.to_owned(), file: file.to_path_buf() });
    }
    table.insert(name.to_owned(), entry);
    write(file, &root)
}

/// Removes an entry; `false` if there is none.
///
/// # Errors
/// Fails if the file cannot be changed.
pub fn remove_server(file: &Path, key: &str, name: &str) -> Result<bool, EditError> {
    if !file.exists() {
        return Ok(false);
    }
    let mut root = read(file)?;
    if table(&mut root, key, file)?.shift_remove(name).is_none() {
        return Ok(false);
    }
    write(file, &root)?;
    Ok(true)
}

fn read(file: &Path) -> Result<Map<String, Value>, EditError> {
    let failed = |source| EditError::File { file: file.to_path_buf(), source };
    let bytes = match regular_file::read_regular(file, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(failed(error)),
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    serde_json::from_slice(&bytes).map_err(|_| EditError::NotJson { file: file.to_path_buf() })
}

fn table<'a>(
    root: &'a mut Map<String, Value>,
    key: &str,
    file: &Path,
) -> Result<&'a mut Map<String, Value>, EditError> {
    root.entry(key)
        .or_insert_with(|| json!({}))
        .as_object_mut()
        .ok_or_else(|| EditError::NotJson { file: file.to_path_buf() })
}

/// Replaces the file in one step, keeping its permissions. A link is followed, so that it stays one.
fn write(file: &Path, root: &Map<String, Value>) -> Result<(), EditError> {
    let failed = |source| EditError::File { file: file.to_path_buf(), source };
    let real = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let folder = real.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut text = serde_json::to_string_pretty(root).map_err(|error| failed(error.into()))?;
    text.push('\n');
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(text.as_bytes()).and_then(|()| new.as_file().sync_all()).map_err(failed)?;
    if let Ok(old) = fs::metadata(&real) {
        fs::set_permissions(new.path(), old.permissions()).map_err(failed)?;
    }
    new.persist(&real).map_err(|error| failed(error.error))?;
    Ok(())
}
