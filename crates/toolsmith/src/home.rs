//! The user's folders. Everything that looks for them asks here, so that one variable moves all of them.

use std::path::{Path, PathBuf};

/// Where the user's files are.
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

    /// A home at `user`, with our own folder in it.
    pub fn at(user: impl Into<PathBuf>) -> Self {
        let user = user.into();
        Self { toolsmith: user.join(".toolsmith"), user }
    }

    /// The user's home folder, where the folders of other agents are.
    pub fn user(&self) -> &Path {
        &self.user
    }

    /// The folders whose code is the user's own: ours and those of compatible agents.
    pub(crate) fn own_folders(&self) -> impl Iterator<Item = PathBuf> {
        let others = [".omp", ".xcsh", ".claude", ".codex"].map(|name| self.user.join(name));
        std::iter::once(self.toolsmith.clone()).chain(others)
    }

    /// Our own folder: `~/.toolsmith`.
    pub fn toolsmith(&self) -> &Path {
        &self.toolsmith
    }
}
