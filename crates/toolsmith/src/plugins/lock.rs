//! The lock file of our plugins: where each came from, exactly what was installed, and which parts are disabled.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::PluginError;
use crate::small_file;

/// The lock file. Fields of other versions are kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginLock {
    /// Plugins by name.
    pub plugins: BTreeMap<String, LockedPlugin>,
    /// Known marketplaces by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub marketplaces: BTreeMap<String, LockedMarketplace>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// An installed plugin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LockedPlugin {
    /// Version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Source as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Commit of a git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Hash of an npm package or of a copied directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrity: Option<String>,
    /// `false` if it is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Disabled parts, such as `skills/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<String>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A known marketplace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LockedMarketplace {
    /// Source as written.
    pub source: String,
    /// Names and descriptions of its plugins when it was last read.
    pub plugins: BTreeMap<String, String>,
}

/// Reads the lock file; a missing one is empty.
pub(super) fn read(file: &Path) -> Result<PluginLock, PluginError> {
    let damaged = |reason: String| PluginError::Lock { file: file.to_path_buf(), reason };
    match small_file::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PluginLock::default()),
        Err(error) => Err(damaged(error.to_string())),
    }
}

/// Reads, changes and replaces the lock file while no other process does.
pub(super) fn change<T>(file: &Path, edit: impl FnOnce(&mut PluginLock) -> T) -> Result<T, PluginError> {
    let folder = file.parent().map(PathBuf::from).unwrap_or_default();
    fs::create_dir_all(&folder).map_err(PluginError::io(&folder))?;
    let guard = folder.join(".lock");
    let held = File::options().create(true).truncate(false).write(true).open(&guard);
    let held = held.map_err(PluginError::io(&guard))?;
    held.lock().map_err(PluginError::io(&guard))?;
    let mut lock = read(file)?;
    let outcome = edit(&mut lock);
    let written = serde_json::to_string_pretty(&lock).map_err(io::Error::other).and_then(|text| {
        let mut fresh = tempfile::NamedTempFile::new_in(&folder)?;
        fresh.write_all(text.as_bytes())?;
        fresh.write_all(b"\n")?;
        fresh.as_file().sync_all()?;
        fresh.persist(file).map_err(|error| error.error)?;
        Ok(())
    });
    written.map_err(PluginError::io(file))?;
    Ok(outcome)
}
