//! CPU time and memory of a runtime's thread, divided among the calls it runs.
//!
//! A runtime runs one call at a time, but several may be in progress. With one in progress, everything the thread does is its
//! own. With more, the clock is also read when code of another call takes over. What belongs to no call, such as a timer that
//! was started while the module was loaded, then counts for none.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
    time::Duration,
};

use toolsmith_host::cpu_clock::thread_cpu_time;
use toolsmith_tool::{Figure, Meter};

use crate::allocator::MemoryUse;

/// The calls in progress with their meters. Belongs to the thread of the runtime.
pub(crate) struct CpuShares {
    memory: Arc<MemoryUse>,
    calls: RefCell<Vec<(u32, Meter)>>,
    /// The clock when the share of the running code began; `None` between commands.
    since: Cell<Option<Duration>>,
}

impl CpuShares {
    pub(crate) fn new(memory: Arc<MemoryUse>) -> Self {
        Self { memory, calls: RefCell::default(), since: Cell::new(None) }
    }

    /// Adds a call. Everything it uses passes through this thread or through host functions, so all figures are known.
    pub(crate) fn begin(&self, call: u32, meter: &Meter) {
        meter.knows(&Figure::ALL);
        let mut calls = self.calls.borrow_mut();
        if calls.is_empty() {
            self.memory.start_peak(meter.memory_limit());
        }
        calls.push((call, meter.clone()));
        drop(calls);
        if self.since.get().is_none() {
            self.since.set(thread_cpu_time());
        }
    }

    /// The thread starts to work on a command.
    pub(crate) fn resume(&self) {
        if !self.calls.borrow().is_empty() {
            self.since.set(thread_cpu_time());
        }
    }

    /// The thread stops working; what it did since last counts for the code that ran.
    pub(crate) fn pause(&self, running: u32) {
        if self.since.get().is_some() {
            self.charge(running);
            self.since.set(None);
            let peak = self.memory.peak();
            for (_, meter) in self.calls.borrow().iter() {
                meter.note_memory(peak);
            }
        }
    }

    /// Code of another call than `running` takes over.
    pub(crate) fn switch(&self, running: u32) {
        if self.calls.borrow().len() > 1 {
            self.charge(running);
        }
    }

    /// Ends a call, before its result is handed on.
    pub(crate) fn end(&self, call: u32) {
        if !self.calls.borrow().iter().any(|(number, _)| *number == call) {
            return;
        }
        self.charge(call);
        let mut calls = self.calls.borrow_mut();
        if let Some(at) = calls.iter().position(|(number, _)| *number == call) {
            let (_, meter) = calls.swap_remove(at);
            meter.note_memory(self.memory.peak());
        }
        if calls.is_empty() {
            self.memory.end_peak();
        }
    }

    fn charge(&self, running: u32) {
        let (Some(since), Some(now)) = (self.since.get(), thread_cpu_time()) else { return };
        self.since.set(Some(now));
        let calls = self.calls.borrow();
        let own = match calls.as_slice() {
            [(_, only)] => Some(only),
            calls => calls.iter().find(|(number, _)| *number == running).map(|(_, meter)| meter),
        };
        if let Some(meter) = own {
            meter.add_cpu(now.saturating_sub(since));
        }
    }
}
