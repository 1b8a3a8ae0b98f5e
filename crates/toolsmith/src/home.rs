//! The user's directories. All code that needs them uses this type, so that one variable moves all of them.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use thiserror::Error;

/// Errors in finding the user's directories. A relative path would turn directories of the project into the user's own,
/// whose code needs no trust.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HomeError {
    /// A variable is not an absolute path.
    #[error("{variable} must be an absolute path, but it is {value:?}")]
    NotAbsolute {
        /// `HOME` or `TOOLSMITH_HOME`.
        variable: &'static str,
        /// Its value.
        value: OsString,
    },
    /// There is no variable, and the system knows no home folder.
    #[error("the home folder is not known; set HOME or TOOLSMITH_HOME to an absolute path")]
    Unknown,
}

/// The user's directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    user: PathBuf,
    toolsmith: PathBuf,
}

impl Home {
    /// The home of this process: `TOOLSMITH_HOME` for our own folder, else `.toolsmith` in `HOME`. Without `HOME` the home
    /// folder is the one the system has on record for the user.
    ///
    /// # Errors
    /// When a variable is not an absolute path, or nothing says where the home is.
    pub fn from_environment() -> Result<Self, HomeError> {
        let toolsmith = match std::env::var_os("TOOLSMITH_HOME").filter(|value| !value.is_empty()) {
            Some(value) => Some(absolute("TOOLSMITH_HOME", value)?),
            None => None,
        };
        let (name, value) = toolsmith_host::home_variable();
        let user = match value {
            Some(value) => absolute(name, value)?,
            // Somebody who has no home folder has no tools of other agents in it.
            None => on_record().or_else(|| toolsmith.clone()).ok_or(HomeError::Unknown)?,
        };
        Ok(Self { toolsmith: toolsmith.unwrap_or_else(|| user.join(".toolsmith")), user })
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

    /// The folders whose code is the user's own: ours and those of compatible agents.
    pub(crate) fn own_folders(&self) -> impl Iterator<Item = PathBuf> {
        let others = [".omp", ".pi", ".xcsh", ".claude", ".codex", ".config/opencode"]
            .map(|name| self.user.join(name));
        std::iter::once(self.toolsmith.clone()).chain(others)
    }

    /// Our own folder: `~/.toolsmith`.
    pub fn toolsmith(&self) -> &Path {
        &self.toolsmith
    }
}

fn absolute(variable: &'static str, value: OsString) -> Result<PathBuf, HomeError> {
    let path = PathBuf::from(&value);
    if path.is_absolute() { Ok(path) } else { Err(HomeError::NotAbsolute { variable, value }) }
}

/// The home folder in the system's list of users. Accounts of services have `/` there, which is nobody's.
fn on_record() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute() && home.parent().is_some())
}
