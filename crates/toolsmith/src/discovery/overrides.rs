//! `plugin-overrides.json` of a project: which of the user's plugins it disables, and which of their features it uses. The file
//! waits for trust as a whole, because a plugin that it disables may be a guard (CONTRACT 2.8).

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::plugins::read_json_with;
use crate::{
    home::Home,
    small_file,
    trust::{TrustDecision, TrustedFiles},
};

/// Directories of a project that may have the file; the first readable one is used.
const FOLDERS: &[&str] = &[".toolsmith", ".omp", ".xcsh", ".claude", ".codex", ".gemini"];
const FILE: &str = "plugin-overrides.json";
/// Prefix of the names under which its values are listed while they wait for trust.
pub(crate) const OVERRIDES: &str = "plugin-overrides";

/// The content of the file.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Overrides {
    #[serde(default)]
    pub(super) disabled: BTreeSet<String>,
    #[serde(default)]
    pub(super) features: BTreeMap<String, Vec<String>>,
}

impl Overrides {
    /// Returns what it sets, by name.
    pub(crate) fn entries(&self) -> Vec<(&'static str, Value)> {
        let mut entries = Vec::new();
        if !self.disabled.is_empty() {
            entries.push(("disabled", json!(self.disabled)));
        }
        if !self.features.is_empty() {
            entries.push(("features", json!(self.features)));
        }
        entries
    }
}

/// The file of a project.
#[derive(Default)]
pub(crate) struct FoundOverrides {
    /// The file and its content.
    found: Option<(PathBuf, Overrides)>,
    waits: bool,
    /// Files that cannot be read, with the reason.
    pub(super) problems: Vec<(PathBuf, String)>,
}

impl FoundOverrides {
    /// Finds the file of a project and reads it.
    pub(crate) fn read(project: &Path, home: &Home, trust: &TrustDecision) -> Self {
        let mut all = Self::default();
        for folder in FOLDERS {
            let file = project.join(folder).join(FILE);
            if file.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                continue;
            }
            // Trust in the project does not cover a link that leads out of it.
            let read = match trust.allows(&file) {
                true => small_file::read(&file),
                false => small_file::read_within(&file, project),
            };
            match read_json_with::<Overrides>(&file, read) {
                Ok(Some(overrides)) => {
                    all.waits = !counts(&file, project, home, trust);
                    all.found = Some((file, overrides));
                    return all;
                }
                Ok(None) => {}
                Err(message) => all.problems.push((file, message)),
            }
        }
        all
    }

    /// Returns what counts now.
    pub(super) fn in_effect(&self) -> Overrides {
        let found = self.found.as_ref().filter(|_| !self.waits);
        found.map(|(_, overrides)| overrides.clone()).unwrap_or_default()
    }

    /// Returns what waits for trust, and its file.
    pub(crate) fn waiting(&self) -> Option<(&Path, &Overrides)> {
        let found = self.found.as_ref().filter(|_| self.waits);
        found.map(|(file, overrides)| (file.as_path(), overrides))
    }
}

/// Returns whether a file of the project may decide about plugins of the user: as for MCP servers, and if the project is the
/// home, where the file is the user's own.
pub(super) fn counts(file: &Path, project: &Path, home: &Home, trust: &TrustDecision) -> bool {
    let real_project = toolsmith_host::real_path(project).unwrap_or_else(|_| project.to_path_buf());
    let is_inside = toolsmith_host::real_path(file).is_ok_and(|real| real.starts_with(&real_project));
    match is_inside {
        true => trust.allows(project) || TrustedFiles::new(trust, home, project).allows(file),
        false => trust.allows(project) && trust.allows(file),
    }
}
