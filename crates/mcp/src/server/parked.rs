//! Calls that wait for their client to come back with an answer: few, for a limited time, and each continued once.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{dialogs::Question, running_call::RunningCall};

/// Most calls that wait.
const MAX_PARKED: usize = 16;
/// Maximum time a call is parked.
pub(super) const MAX_TIME: Duration = Duration::from_secs(600);

/// A call and the question it waits for.
pub(super) struct ParkedCall {
    pub(super) call: RunningCall,
    pub(super) question: Question,
    since: Instant,
}

/// All waiting calls by their handles.
#[derive(Default)]
pub(super) struct ParkedCalls {
    calls: Mutex<HashMap<String, ParkedCall>>,
}

impl ParkedCalls {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, ParkedCall>> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropping a call cancels it.
        calls.retain(|_, parked| parked.since.elapsed() < MAX_TIME);
        calls
    }

    /// Parks a call.
    ///
    /// # Errors
    /// Gives it back if too many wait.
    pub(super) fn park(
        &self,
        handle: String,
        call: RunningCall,
        question: Question,
    ) -> Result<(), Box<(RunningCall, Question)>> {
        let mut calls = self.lock();
        if calls.len() >= MAX_PARKED {
            return Err(Box::new((call, question)));
        }
        calls.insert(handle, ParkedCall { call, question, since: Instant::now() });
        Ok(())
    }

    /// Takes a call; each handle works once.
    pub(super) fn take(&self, handle: &str) -> Option<ParkedCall> {
        self.lock().remove(handle)
    }

    /// Cancels all of them.
    pub(super) fn cancel_all(&self) {
        self.lock().clear();
    }
}
