//! Short busy waiting. Waking a thread costs tens of microseconds on virtual machines, several times the cost of a
//! small call, so both sides poll briefly before they sleep.

use std::time::{Duration, Instant};

/// Duration; less than waking up would cost.
const MOMENT: Duration = Duration::from_micros(50);

/// Polls until there is a value or the time is over.
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
