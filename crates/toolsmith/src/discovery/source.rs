//! Origin of a module, for display.

use std::fmt;

/// Scope of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// The project.
    Project,
    /// The user's own directories.
    User,
    /// Given on the command line or by the embedding program.
    Given,
}

impl Scope {
    /// Returns the name of the scope.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Given => "given",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Origin of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolSource {
    /// Id of the provider: a capability provider, `plugin` or `config`.
    pub provider: String,
    /// Display name of the provider.
    pub provider_name: String,
    /// Scope.
    pub scope: Scope,
    /// Plugin, settings file or flag, if there is one.
    pub detail: Option<String>,
}

impl ToolSource {
    pub(crate) fn new(provider: &str, provider_name: &str, scope: Scope) -> Self {
        Self { provider: provider.to_owned(), provider_name: provider_name.to_owned(), scope, detail: None }
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Returns whether settings or a command line name the path.
    pub(crate) fn is_configured(&self) -> bool {
        self.provider == "config"
    }

    /// Returns whether it is a directory that only the user writes, and not a plugin.
    pub(crate) fn is_users_own(&self) -> bool {
        self.scope == Scope::User && !matches!(self.provider.as_str(), "plugin" | "claude-plugins" | "config")
    }

    /// Returns the plugin it belongs to.
    pub(crate) fn plugin_name(&self) -> Option<&str> {
        let is_plugin = matches!(self.provider.as_str(), "plugin" | "claude-plugins");
        self.detail.as_deref().filter(|_| is_plugin)
    }

    pub(crate) fn plugin(name: &str) -> Self {
        Self::new("plugin", "Plugin", Scope::User).detail(name)
    }
}

impl fmt::Display for ToolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{} {detail}, {}", self.provider_name, self.scope),
            None => write!(f, "{}, {}", self.provider_name, self.scope),
        }
    }
}
