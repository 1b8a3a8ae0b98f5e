//! Signals to one process.

#![expect(unsafe_code, reason = "std has no call for processes that are not children")]

use std::{
    os::fd::{AsRawFd, OwnedFd},
    sync::Arc,
};

use super::system;

/// Sends signals to one program, from any thread and at once. A program that has ended gets none.
#[derive(Clone, Debug)]
pub struct Signaller {
    pid: u32,
    process: Option<Arc<OwnedFd>>,
}

impl Signaller {
    pub(super) fn new(pid: u32) -> Self {
        Self { pid, process: system::process_handle(pid).map(Arc::new) }
    }

    /// Sends a signal; gives whether the program was still there.
    pub fn send(&self, number: i32) -> bool {
        match &self.process {
            Some(process) => system::signal_handle(process.as_raw_fd(), number),
            None => signal(self.pid, number),
        }
    }
}

/// Sends a signal to one process.
pub(super) fn signal(pid: u32, signal: i32) -> bool {
    let Ok(pid) = libc::pid_t::try_from(pid) else {
        return false;
    };
    // SAFETY: touches no memory. Ids come from the process tree; one that ended meanwhile gives an error.
    unsafe { libc::kill(pid, signal) == 0 }
}
