//! CPU time of the current thread, for the meters of calls.

use std::{
    thread::{self, ThreadId},
    time::Duration,
};

use toolsmith_tool::{Figure, Meter};

use crate::system::program;

/// Returns the CPU time that the current thread has used; `None` where the system does not tell.
pub fn thread_cpu_time() -> Option<Duration> {
    program::thread_cpu_time()
}

/// Adds the CPU time of the current thread to a meter, from its creation to its end. If it ends on another thread, which has
/// another clock, the CPU time of the call is not known.
#[derive(Debug)]
pub struct CpuTimer {
    meter: Meter,
    since: Option<Duration>,
    thread: ThreadId,
}

impl CpuTimer {
    /// Starts to count for `meter`.
    pub fn start(meter: &Meter) -> Self {
        Self { meter: meter.clone(), since: thread_cpu_time(), thread: thread::current().id() }
    }
}

impl Drop for CpuTimer {
    fn drop(&mut self) {
        match (self.since, thread_cpu_time()) {
            (Some(since), Some(now)) if thread::current().id() == self.thread => {
                self.meter.add_cpu(now.saturating_sub(since));
            }
            _ => self.meter.forget(Figure::Cpu),
        }
    }
}
