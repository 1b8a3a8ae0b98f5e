//! What requests need from the program around the session: directories, settings and providers.

use std::path::PathBuf;

use toolsmith::{Home, providers, settings::Settings};
use toolsmith_agent::session::Sessions;
use toolsmith_llm::{Environment, Providers};

/// The environment of the session.
pub(super) struct Setting {
    pub(super) cwd: PathBuf,
    pub(super) home: Home,
    pub(super) settings: Settings,
}

impl Setting {
    /// Returns the stored sessions.
    pub(super) fn sessions(&self) -> Sessions {
        Sessions::at(self.home.toolsmith())
    }

    /// Returns the known providers.
    pub(super) fn providers(&self) -> Result<Providers, String> {
        providers(&self.settings, Environment::process()).map_err(|error| error.to_string())
    }
}
