//! Changes to a configuration file: `toolsmith mcp add` and `remove`. Everything else in the file is kept.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use thiserror::Error;
use toolsmith_host::{location::Location, regular_file};

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

/// A configuration file, and the table of servers in it.
#[derive(Clone, Copy, Debug)]
pub struct ConfigFile<'a> {
    path: &'a Path,
    key: &'a str,
    within: Option<&'a Path>,
}

impl<'a> ConfigFile<'a> {
    /// A file of the user with the table `key`, which is `mcpServers` in most files. A link is followed.
    pub fn of_user(path: &'a Path, key: &'a str) -> Self {
        Self { path, key, within: None }
    }

    /// A file in a project, which must not lead out of it.
    pub fn in_project(path: &'a Path, key: &'a str, project: &'a Path) -> Self {
        Self { path, key, within: Some(project) }
    }
}

/// Adds an entry.
///
/// # Errors
/// Fails if the name is taken and `replace` is off, or the file cannot be changed.
pub fn add_server(file: ConfigFile<'_>, name: &str, entry: Value, replace: bool) -> Result<(), EditError> {
    let mut root = read(file)?;
    let table = table(&mut root, file)?;
    if table.contains_key(name) && !replace {
        return Err(EditError::Exists { name: name.to_owned(), file: file.path.to_path_buf() });
    }
    table.insert(name.to_owned(), entry);
    write(file.path, file.within, &root)
}

/// Removes an entry; `false` if there is none.
///
/// # Errors
/// Fails if the file cannot be changed.
pub fn remove_server(file: ConfigFile<'_>, name: &str) -> Result<bool, EditError> {
    if !file.path.exists() {
        return Ok(false);
    }
    let mut root = read(file)?;
    if table(&mut root, file)?.shift_remove(name).is_none() {
        return Ok(false);
    }
    write(file.path, file.within, &root)?;
    Ok(true)
}

fn read(file: ConfigFile<'_>) -> Result<Map<String, Value>, EditError> {
    let (path, within) = (file.path, file.within);
    let failed = |source| EditError::File { file: path.to_path_buf(), source };
    // What is not the project's must not be copied into its file either.
    if let Some(within) = within {
        Location::resolve(path).and_then(|place| place.require_within(within)).map_err(failed)?;
    }
    let bytes = match regular_file::read_regular(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(failed(error)),
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    serde_json::from_slice(&bytes).map_err(|_| EditError::NotJson { file: path.to_path_buf() })
}

fn table<'a>(
    root: &'a mut Map<String, Value>,
    file: ConfigFile<'_>,
) -> Result<&'a mut Map<String, Value>, EditError> {
    root.entry(file.key)
        .or_insert_with(|| json!({}))
        .as_object_mut()
        .ok_or_else(|| EditError::NotJson { file: file.path.to_path_buf() })
}

/// Replaces the file in one step, keeping its permissions, at the place that the path leads to. In a project that must be in
/// the project: a clone may contain links to anything.
fn write(file: &Path, within: Option<&Path>, root: &Map<String, Value>) -> Result<(), EditError> {
    let failed = |source| EditError::File { file: file.to_path_buf(), source };
    let mut text = serde_json::to_string_pretty(root).map_err(|error| failed(error.into()))?;
    text.push('\n');
    let mut place = Location::resolve(file).map_err(failed)?;
    if let Some(within) = within {
        place.require_within(within).map_err(failed)?;
    }
    place.save(text.as_bytes(), None, None).map_err(failed)
}
