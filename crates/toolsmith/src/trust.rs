//! Whether code of the working folder may run in this process (CONTRACT 2.8): the user's list, or a word for one run.

use std::path::{Path, PathBuf};

use toolsmith_agent::git_root;
use toolsmith_host::{
    exec,
    trust::{TrustError, TrustStore, Trusted},
};
use toolsmith_js::ImportGate;

use crate::{home::Home, project_root::find_project};

/// The trust decision. The default trusts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustDecision {
    /// `--trust` or `TOOLSMITH_TRUST=1`: everything, for this run.
    everything: bool,
    list: Trusted,
    /// Where the list is read again.
    store: Option<TrustStore>,
}

impl TrustDecision {
    /// Everything, for this run.
    pub fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// Uses the user's list as it is now, whatever becomes of it.
    pub fn from_list(list: Trusted) -> Self {
        Self { list, ..Self::default() }
    }

    /// Uses the user's list. A session or server reads it again before it loads or calls a module, so that trust which is
    /// removed ends.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn from_store(store: TrustStore) -> Result<Self, TrustError> {
        Ok(Self { list: store.load()?, store: Some(store), ..Self::default() })
    }

    /// Returns the decision by the list as it is now. A list that cannot be read trusts nothing.
    #[must_use]
    pub fn renewed(&self) -> Self {
        let list = self.store.as_ref().map(|store| store.load().unwrap_or_default());
        Self { list: list.unwrap_or_else(|| self.list.clone()), ..self.clone() }
    }

    /// Returns whether code of a directory or file may run by the list as it is now.
    pub(crate) fn allows_now(&self, path: &Path) -> bool {
        match &self.store {
            Some(store) if !self.everything => store.load().unwrap_or_default().covers(path),
            _ => self.allows(path),
        }
    }

    /// Returns the file of the list, if it is read again.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.store.as_ref().map(TrustStore::file)
    }

    /// Returns whether code of a directory or file may run.
    pub fn allows(&self, path: &Path) -> bool {
        self.everything || self.list.covers(path)
    }

    /// Returns whether the user declined to trust a directory.
    pub fn was_declined(&self, folder: &Path) -> bool {
        self.list.was_declined(folder)
    }

    /// Returns whether everything is trusted for this run.
    pub fn is_for_this_run(&self) -> bool {
        self.everything
    }
}

/// The files whose code may run while the working folder as a whole is not trusted: those with an entry of their own, those
/// in trusted folders, and those in the user's own folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedFiles {
    trust: TrustDecision,
    /// The user's own folders, without symbolic links.
    own: Vec<PathBuf>,
    /// The working folder, without symbolic links.
    cwd: PathBuf,
}

impl TrustedFiles {
    /// The files that `trust` allows, and those of `home`.
    pub fn new(trust: &TrustDecision, home: &Home, cwd: &Path) -> Self {
        let own = home.own_folders().filter_map(|folder| toolsmith_host::real_path(folder).ok()).collect();
        let cwd = toolsmith_host::real_path(cwd).unwrap_or_else(|_| cwd.to_path_buf());
        Self { trust: trust.clone(), own, cwd }
    }

    /// Returns whether the code of a file may run. Symbolic links are followed first.
    pub fn allows(&self, file: &Path) -> bool {
        let Ok(real) = toolsmith_host::real_path(file) else { return false };
        // A project may lie in a folder of an agent, such as a worktree. Then that folder says nothing about its files.
        let is_project_below = |folder: &Path| self.cwd != folder && self.cwd.starts_with(folder);
        self.trust.allows(&real)
            || self.own.iter().any(|folder| real.starts_with(folder) && !is_project_below(folder))
    }

    /// A gate for the engine that lets modules import these files only.
    pub fn gate(&self) -> ImportGate {
        let files = self.clone();
        ImportGate::new(move |file| files.allows(file))
    }

    /// Returns whether a path without symbolic links lies in the user's own folders.
    pub(crate) fn is_own(&self, real: &Path) -> bool {
        self.own.iter().any(|folder| real.starts_with(folder))
    }
}

/// Has programs of the project of `cwd` found by name only while the project is trusted, in this whole process. In a repository
/// the project is all of it here: directories beside a package have programs too. A session does this by itself; commands that
/// start servers or other programs without one have to call it first.
pub fn guard_programs(trust: &TrustDecision, cwd: &Path, home: &Home) {
    let real = |path: &Path| toolsmith_host::real_path(path).unwrap_or_else(|_| path.to_path_buf());
    let project = find_project(cwd, home);
    // A repository of settings files in the home is not a project.
    let repository = git_root(cwd).filter(|root| !real(home.user()).starts_with(real(root)));
    let around = repository.unwrap_or(&project).to_path_buf();
    let trust = trust.clone();
    exec::guard_programs(&around, move |path| trust.allows_now(&project) || trust.allows_now(path));
}

/// The user's list of what they trust.
pub fn trust_store(home: &Home) -> TrustStore {
    TrustStore::at(home.toolsmith().join("trust.json"))
}
