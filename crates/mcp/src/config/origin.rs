//! Origin of a configured server. It decides whether the server's hints count (CONTRACT 12.1).

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Scope of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigScope {
    /// A file of the user.
    User,
    /// A file of the project.
    Project,
    /// The manifest or `.mcp.json` of an installed plugin.
    Plugin,
    /// Given by the embedding program or by a client.
    Given,
}

impl ConfigScope {
    /// Returns the name of the scope.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Plugin => "plugin",
            Self::Given => "given",
        }
    }
}

/// Origin of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConfigOrigin {
    /// Agent whose format the file has, such as `toolsmith` or `codex`.
    pub provider: &'static str,
    /// Scope.
    pub scope: ConfigScope,
    /// The file; empty if the entry is not from a file.
    pub file: PathBuf,
}

impl ConfigOrigin {
    /// Creates the origin of an entry in a file.
    pub fn file(provider: &'static str, scope: ConfigScope, file: &Path) -> Self {
        Self { provider, scope, file: file.to_path_buf() }
    }

    /// Creates the origin of an entry that the embedding program gives.
    pub fn given() -> Self {
        Self { provider: "program", scope: ConfigScope::Given, file: PathBuf::new() }
    }

    /// Returns whether the user wrote the entry, so that the server's hints count.
    pub fn is_user(&self) -> bool {
        self.scope == ConfigScope::User
    }

    /// Returns whether `approval` in the entry may let calls run that would be asked about without it. Whoever wrote the server
    /// must not decide that: an entry of a project or a plugin only makes approval stricter.
    pub fn may_loosen_approval(&self) -> bool {
        matches!(self.scope, ConfigScope::User | ConfigScope::Given)
    }
}

impl fmt::Display for ConfigOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.as_os_str().is_empty() {
            true => write!(f, "{}, {}", self.provider, self.scope.as_str()),
            false => write!(f, "{}, {}: {}", self.provider, self.scope.as_str(), self.file.display()),
        }
    }
}
