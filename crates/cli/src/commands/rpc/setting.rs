//! What requests need of the program around the session: its folders, settings and providers.

use std::path::PathBuf;

use toolsmith::{Home, providers, settings::Settings};
use toolsmith_agent::session::Sessions;
use toolsmith_llm::{Environment, Providers};

/// The surroundings of the session.
pub(super) struct Setting {
    pub(super) cwd: PathBuf,
    pub(super) home: Home,
    pub(super) settings: Settings,
}

impl Setting {
    /// The sessions that are kept.
    pub(super) fn sessions(&self) -> Sessions {
        Sessions::at(self.home.toolsmith())
    }

    /// The providers that are known.
    pub(super) fn providers(&self) -> Result<Providers, String> {
        providers(&self.settings, Environment::process()).map_err(|error| error.to_string())
    }
}
