//! The user's decisions about hooks of a project.

use std::path::{Path, PathBuf};

use toolsmith_host::confirmed::{Confirmation, ConfirmedError, ConfirmedStore};

use super::found::{FoundHook, FoundHooks, HookStatus};
use crate::home::Home;

/// Returns the list of confirmed hooks, which no tool may write.
pub fn hook_confirmations(home: &Home) -> ConfirmedStore {
    ConfirmedStore::at(home.toolsmith().join("confirmed-hooks.json"))
}

/// Decisions about the hooks of one project.
#[derive(Clone, Debug, Default)]
pub(super) struct HookConfirmations {
    decisions: Vec<Confirmation>,
    /// Reason why the list could not be read. Nothing is confirmed then.
    pub(super) problem: Option<String>,
}

impl HookConfirmations {
    pub(super) fn load(home: &Home, project: &Path) -> Self {
        match hook_confirmations(home).load() {
            Ok(list) => Self { decisions: list.of(project).to_vec(), problem: None },
            Err(error) => Self { decisions: Vec::new(), problem: Some(error.to_string()) },
        }
    }

    /// Returns whether a hook in this place was confirmed.
    pub(super) fn has(&self, place: &str) -> bool {
        self.decisions.iter().any(|decision| decision.place == place && !decision.declined)
    }

    pub(super) fn status(&self, place: &str, hash: Option<&str>) -> HookStatus {
        let decision = self
            .decisions
            .iter()
            .find(|decision| decision.place == place && Some(decision.hash.as_str()) == hash);
        match decision {
            Some(decision) if decision.declined => HookStatus::Declined,
            Some(_) => HookStatus::Confirmed,
            None => HookStatus::New,
        }
    }

    /// Returns the confirmed hooks that are not among those present.
    pub(super) fn missing(&self, present: &[(String, String)]) -> Vec<Confirmation> {
        let is_gone = |decision: &&Confirmation| {
            !decision.declined
                && !present.iter().any(|(place, hash)| *place == decision.place && *hash == decision.hash)
        };
        self.decisions.iter().filter(is_gone).cloned().collect()
    }
}

impl FoundHooks {
    /// Stores the user's decision about hooks of the project as they are now. Decisions about hooks that are gone are dropped.
    /// The hooks have to be discovered again.
    ///
    /// # Errors
    /// Fails if the list cannot be changed.
    pub fn decide(&self, home: &Home, chosen: &[&FoundHook], confirm: bool) -> Result<(), ConfirmedError> {
        let entry = |found: &FoundHook| {
            let hash = found.hash.clone()?;
            Some(Confirmation {
                place: found.place.clone(),
                hash,
                what: found.what(),
                matcher: Some(found.hook.matcher.as_text()),
                declined: !confirm,
            })
        };
        let decided: Vec<Confirmation> = chosen.iter().filter_map(|found| entry(found)).collect();
        let is_present = |decision: &Confirmation| {
            self.hooks
                .iter()
                .any(|found| found.place == decision.place && found.hash.as_ref() == Some(&decision.hash))
        };
        hook_confirmations(home).change(&self.project, |decisions| {
            decisions.retain(|old| {
                let is_replaced = decided.iter().any(|new| new.place == old.place && new.hash == old.hash);
                // One that is gone from a place that was not decided about may come back.
                let is_over =
                    !is_present(old) && (confirm || decided.iter().any(|new| new.place == old.place));
                !is_replaced && !is_over
            });
            decisions.extend(decided);
        })
    }

    /// Forgets all decisions about hooks of the project.
    ///
    /// # Errors
    /// Fails if the list cannot be changed.
    pub fn forget(&self, home: &Home) -> Result<(), ConfirmedError> {
        hook_confirmations(home).change(&self.project, Vec::clear)
    }

    /// Returns the real path of the project.
    pub fn project(&self) -> &PathBuf {
        &self.project
    }
}
