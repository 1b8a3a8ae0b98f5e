//! Storage of the list: the newest result on the branch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use toolsmith_tool::SessionView;

use super::{
    list::{List, Phase},
    tool::TODO_WRITE,
};

/// The position in a session at which a list was read or written.
type Place = (String, Option<String>);

/// The list of the branch. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Todos {
    /// Results reach the session when a turn ends. Until then the list of an earlier call of the same turn is used, as
    /// long as the leaf stays the same.
    last: Arc<Mutex<Option<(Place, List)>>>,
}

impl Todos {
    /// Returns the phases at the leaf of a session.
    pub fn phases(&self, session: &dyn SessionView) -> Vec<Phase> {
        self.read(session).phases
    }

    pub(super) fn read(&self, session: &dyn SessionView) -> List {
        known(&mut self.lock(), session).clone()
    }

    /// Changes the list under a lock.
    pub(super) fn change(
        &self,
        session: &dyn SessionView,
        change: impl FnOnce(&List) -> Result<List, String>,
    ) -> Result<List, String> {
        let mut last = self.lock();
        let list = known(&mut last, session);
        *list = change(list)?;
        Ok(list.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Place, List)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the branch again next time: the session may have moved to a position it had before.
    pub fn forget(&self, session: &dyn SessionView) {
        // Without a session there is nothing to read again.
        if session.leaf_id().is_some() {
            *self.lock() = None;
        }
    }
}

/// Returns the list at the leaf: the last one written there, else that of the branch.
fn known<'a>(last: &'a mut Option<(Place, List)>, session: &dyn SessionView) -> &'a mut List {
    let place = (session.session_id(), session.leaf_id());
    let known = last.take().filter(|(known, _)| *known == place);
    let (_, list) = last.insert(known.unwrap_or_else(|| {
        let list = session.last_details(TODO_WRITE).and_then(from_details).unwrap_or_default();
        (place, list)
    }));
    list
}

/// Reads the list of a result. Results of compatible agents have the same shape.
fn from_details(details: Value) -> Option<List> {
    let phases = details.get("phases")?.clone();
    let mut list = List { phases: serde_json::from_value(phases).ok()? };
    list.number();
    list.settle();
    Some(list)
}
