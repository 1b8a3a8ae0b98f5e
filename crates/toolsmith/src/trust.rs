//! Whether code of the working folder may run in this process (CONTRACT 2.8): the user's list, or a word for one run.

use std::path::Path;

use toolsmith_host::trust::{TrustStore, Trusted};

use crate::home::Home;

/// What may run. The default trusts nothing.
#[derive(Clone, Debug, Default)]
pub struct TrustDecision {
    /// `--trust` or `TOOLSMITH_TRUST=1`: everything, for this run.
    everything: bool,
    list: Trusted,
}

impl TrustDecision {
    /// Everything, for this run.
    pub fn everything() -> Self {
        Self { everything: true, list: Trusted::default() }
    }

    /// What the user's list says.
    pub fn from_list(list: Trusted) -> Self {
        Self { everything: false, list }
    }

    /// Whether a folder or file may be run from.
    pub fn allows(&self, path: &Path) -> bool {
        self.everything || self.list.covers(path)
    }

    /// Whether the user was asked about a folder and said no.
    pub fn was_declined(&self, folder: &Path) -> bool {
        self.list.was_declined(folder)
    }

    /// Whether this run was told to trust everything.
    pub fn is_for_this_run(&self) -> bool {
        self.everything
    }
}

/// The user's list of what they trust.
pub fn trust_store(home: &Home) -> TrustStore {
    TrustStore::at(home.toolsmith().join("trust.json"))
}
