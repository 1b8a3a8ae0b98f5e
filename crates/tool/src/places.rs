//! Where the paths of a call lead. A path is resolved before the first gate looks at the call; the gates, the approval and
//! the tool are about that place, or the call fails. A link that changes in between cannot redirect it.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// A path of a call, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The path as the arguments spell it.
    pub written: String,
    /// The absolute path without links; `None` if the path leads nowhere.
    pub leads_to: Option<PathBuf>,
}

impl Place {
    /// Creates a place.
    pub fn new(written: impl Into<String>, leads_to: Option<PathBuf>) -> Self {
        Self { written: written.into(), leads_to }
    }
}

/// The places of one call. Each path is fixed to the place where it was first seen to lead. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Places(Arc<Mutex<BTreeMap<String, Option<PathBuf>>>>);

impl Places {
    /// Fixes where a path leads, unless it is fixed already, and returns the place it is fixed to.
    pub fn pin(&self, place: Place) -> Option<PathBuf> {
        let mut pinned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pinned.entry(place.written).or_insert(place.leads_to).clone()
    }

    /// Returns other places, in which the same paths are fixed already.
    #[must_use]
    pub fn fork(&self) -> Self {
        let pinned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self(Arc::new(Mutex::new(pinned.clone())))
    }

    /// Returns where a path was fixed to; `None` if it was not.
    pub fn get(&self, written: &str) -> Option<Place> {
        let pinned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pinned.get(written).map(|leads_to| Place::new(written, leads_to.clone()))
    }

    /// Returns all paths that are fixed, in the order of their spelling.
    pub fn all(&self) -> Vec<Place> {
        let pinned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pinned.iter().map(|(written, leads_to)| Place::new(written, leads_to.clone())).collect()
    }

    /// Returns whether a path leads where it was fixed to, or was not fixed.
    pub fn agree_with(&self, now: &Place) -> bool {
        self.get(&now.written).is_none_or(|pinned| pinned == *now)
    }
}
