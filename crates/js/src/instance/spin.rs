//! Waiting a moment without sleeping. Waking a thread costs tens of microseconds on virtual machines, several times what a
//! small call takes, so both sides of a crossing look for a moment before they go to sleep.

use std::time::{Duration, Instant};

/// How long; less than waking up would cost.
const MOMENT: Duration = Duration::from_micros(50);

/// Polls until there is something or the moment is over.
pub(crate) fn for_a_moment<T>(mut poll: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = poll() {
            return Some(found);
        }
        if start.elapsed() > MOMENT {
            return None;
        }
        std::hint::spin_loop();
    }
}
