//! Stopping an engine from outside: the flags checked by its interrupt handler and allocator.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Shared by a runtime's thread and its handles.
#[derive(Debug, Default)]
pub(crate) struct StopFlags {
    /// The runtime is to stop: everything it does fails from now on.
    forced: AtomicBool,
    /// Deadline of the current code in nanoseconds since [`epoch`]; 0 for none. Only the current code is stopped: the
    /// runtime continues.
    until: AtomicU64,
    /// The last code was stopped by its deadline.
    expired: AtomicBool,
    /// The engine was told to stop and unwinds. Raising an uncatchable error needs memory; if that fails, the
    /// replacement can be caught and the loop would continue.
    unwinding: AtomicBool,
    /// The compiler runs. It must neither be interrupted nor run out of memory, because it would crash the process.
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
    /// Stops the runtime.
    pub(crate) fn force(&self) {
        self.forced.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.forced.load(Ordering::Relaxed)
    }

    /// Sets a deadline for the next code, until [`StopFlags::take_expired`].
    pub(crate) fn limit(&self, time: Duration) {
        self.expired.store(false, Ordering::Relaxed);
        self.until.store(nanoseconds(Instant::now() + time).max(1), Ordering::Relaxed);
    }

    /// Clears the deadline; returns whether it was exceeded.
    pub(crate) fn take_expired(&self) -> bool {
        self.until.store(0, Ordering::Relaxed);
        self.expired.swap(false, Ordering::Relaxed)
    }

    /// Called by the engine every few thousand steps.
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

    /// Returns whether the current code must stop; checked by native code that waits.
    pub(crate) fn is_over(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        self.is_forced() || (until != 0 && nanoseconds(Instant::now()) > until)
    }

    /// Sets whether the compiler runs; returns the previous value.
    pub(crate) fn set_compiling(&self, compiling: bool) -> bool {
        self.compiling.swap(compiling, Ordering::SeqCst)
    }

    pub(crate) fn is_compiling(&self) -> bool {
        self.compiling.load(Ordering::Relaxed)
    }

    /// Returns whether memory is refused, to end a loop of library calls.
    pub(crate) fn refuses_memory(&self) -> bool {
        self.is_forced() && !self.unwinding.load(Ordering::Relaxed)
    }

    /// Runs something that compiles, without limits.
    pub(crate) fn while_compiling<R>(&self, compile: impl FnOnce() -> R) -> R {
        let before = self.set_compiling(true);
        let outcome = compile();
        self.set_compiling(before);
        outcome
    }
}
