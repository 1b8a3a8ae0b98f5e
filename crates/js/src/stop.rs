//! Stopping an engine from outside: the flags its interrupt handler and allocator look at.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Shared between a runtime's thread and those who may stop it.
#[derive(Debug, Default)]
pub(crate) struct StopFlags {
    /// The runtime is to end: everything it does fails from now on.
    forced: AtomicBool,
    /// When what runs now has to give up, in nanoseconds since [`epoch`]; 0 for never. Only what runs now: the runtime
    /// goes on.
    until: AtomicU64,
    /// What ran last was made to give up.
    expired: AtomicBool,
    /// The engine was told to stop and unwinds. Raising an error that nothing can catch takes memory; if that fails, what
    /// is raised in its place can be caught, and the loop goes on.
    unwinding: AtomicBool,
    /// The compiler runs. It must neither be interrupted nor run out of memory: it would take the process down.
    compiling: AtomicBool,
}

fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

fn nanoseconds(time: Instant) -> u64 {
    u64::try_from(time.saturating_duration_since(epoch()).as_nanos()).unwrap_or(u64::MAX)
}

impl StopFlags {
    /// Ends the runtime.
    pub(crate) fn force(&self) {
        self.forced.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.forced.load(Ordering::Relaxed)
    }

    /// Gives what runs next a time limit, until [`StopFlags::take_expired`].
    pub(crate) fn limit(&self, time: Duration) {
        self.expired.store(false, Ordering::Relaxed);
        self.until.store(nanoseconds(Instant::now() + time).max(1), Ordering::Relaxed);
    }

    /// Ends the time limit; gives whether it was exceeded.
    pub(crate) fn take_expired(&self) -> bool {
        self.until.store(0, Ordering::Relaxed);
        self.expired.swap(false, Ordering::Relaxed)
    }

    /// What the engine asks every few thousand steps.
    pub(crate) fn should_interrupt(&self) -> bool {
        if self.is_forced() {
            self.unwinding.store(true, Ordering::Relaxed);
            return true;
        }
        let until = self.until.load(Ordering::Relaxed);
        let expired = until != 0 && nanoseconds(Instant::now()) > until;
        if expired {
            self.expired.store(true, Ordering::Relaxed);
        }
        expired
    }

    /// Whether what runs now has to give up: asked by what waits outside the engine.
    pub(crate) fn is_over(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        self.is_forced() || (until != 0 && nanoseconds(Instant::now()) > until)
    }

    /// Says that the compiler runs, or no longer does; gives what was said before.
    pub(crate) fn set_compiling(&self, compiling: bool) -> bool {
        self.compiling.swap(compiling, Ordering::SeqCst)
    }

    pub(crate) fn is_compiling(&self) -> bool {
        self.compiling.load(Ordering::Relaxed)
    }

    /// Whether memory is refused, to bring a loop of library calls to an end.
    pub(crate) fn refuses_memory(&self) -> bool {
        self.is_forced() && !self.unwinding.load(Ordering::Relaxed)
    }

    /// Runs something that compiles, with limits lifted.
    pub(crate) fn while_compiling<R>(&self, compile: impl FnOnce() -> R) -> R {
        let before = self.set_compiling(true);
        let outcome = compile();
        self.set_compiling(before);
        outcome
    }
}
