//! The user's directories. All code that needs them uses this type, so that one variable moves all of them.

use std::path::{Path, PathBuf};

/// The user's directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    user: PathBuf,
    toolsmith: PathBuf,
}

impl Home {
    /// The home of this process: `TOOLSMITH_HOME` for our own folder, else `.toolsmith` in `HOME`.
    pub fn from_environment() -> Self {
        let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = given("HOME").unwrap_or_else(|| PathBuf::from("/"));
        let toolsmith = given("TOOLSMITH_HOME").unwrap_or_else(|| user.join(".toolsmith"));
        Self { user, toolsmith }
    }

    /// Uses `user` as the home, with our own directory in it.
    pub fn at(user: impl Into<PathBuf>) -> Self {
        let user = user.into();
        Self { toolsmith: user.join(".toolsmith"), user }
    }

    /// Returns the user's home directory, which contains the directories of other agents.
    pub fn user(&self) -> &Path {
        &self.user
    }

    /// Returns our own directory: `~/.toolsmith`.
    pub fn toolsmith(&self) -> &Path {
        &self.toolsmith
    }
}
