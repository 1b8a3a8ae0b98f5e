//! Where the list is: in the newest result on the branch.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use toolsmith_tool::SessionView;

use super::{
    list::{List, Phase},
    tool::TODO_WRITE,
};

/// The place in a session a list was read or written at.
type Place = (String, Option<String>);

/// The list of the branch. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Todos {
    /// Results reach the session when a turn ends. What a call of the same turn left holds until then, which is as long as
    /// the leaf stays where it is.
    last: Arc<Mutex<Option<(Place, List)>>>,
}

impl Todos {
    /// The phases at the leaf of a session.
    pub fn phases(&self, session: &dyn SessionView) -> Vec<Phase> {
        self.read(session).phases
    }

    pub(super) fn read(&self, session: &dyn SessionView) -> List {
        let place = place(session);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, list)) if *known == place => list.clone(),
            _ => {
                let list = session.last_details(TODO_WRITE).and_then(from_details).unwrap_or_default();
                *last = Some((place, list.clone()));
                list
            }
        }
    }

    /// Changes the list; two calls at a time wait for each other.
    pub(super) fn change(
        &self,
        session: &dyn SessionView,
        change: impl FnOnce(&List) -> Result<List, String>,
    ) -> Result<List, String> {
        let changed = change(&self.read(session))?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((place(session), changed.clone()));
        Ok(changed)
    }

    /// Reads the branch again next time: the session may have been taken to a place it had been at before.
    pub(super) fn forget(&self, session: &dyn SessionView) {
        // Without a session there is nothing to read again.
        if session.leaf_id().is_some() {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

fn place(session: &dyn SessionView) -> Place {
    (session.session_id(), session.leaf_id())
}

/// What a result kept. Results of relatives have the same shape.
fn from_details(details: Value) -> Option<List> {
    let phases = details.get("phases")?.clone();
    let mut list = List { phases: serde_json::from_value(phases).ok()? };
    list.number();
    list.settle();
    Some(list)
}
