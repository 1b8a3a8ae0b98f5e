//! Short busy waiting. Waking a thread costs tens of microseconds on virtual machines, several times the cost of a
//! small call, so both sides poll briefly before they sleep.

use std::{
    sync::LazyLock,
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// Duration; less than waking up would cost.
const MOMENT: Duration = Duration::from_micros(50);

/// On a single core the other side cannot make progress meanwhile.
static HAS_OTHER_CORES: LazyLock<bool> =
    LazyLock::new(|| available_parallelism().is_ok_and(|cores| cores.get() > 1));

/// Polls until there is a value or the time is over; once on a single core.
pub(crate) fn for_a_moment<T>(mut poll: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = poll() {
            return Some(found);
        }
        if !*HAS_OTHER_CORES || start.elapsed() > MOMENT {
            return None;
        }
        std::hint::spin_loop();
    }
}
