//! What tests ask of the kernel about processes: whether one is alive, waiting for its end without polling, signals.

#![expect(unsafe_code, reason = "std has no call for processes that are not children")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Whether a process with this id exists.
pub(crate) fn is_alive(pid: u32) -> bool {
    // SAFETY: signal 0 only asks.
    unsafe { libc::kill(pid.cast_signed(), 0) == 0 }
}

/// Returns when the process has ended, at once if it has already.
pub(crate) fn wait_until_gone(pid: u32) {
    // SAFETY: the descriptor, if there is one, is owned from here on and closed at the end.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        if fd < 0 {
            return;
        }
        let fd = OwnedFd::from_raw_fd(i32::try_from(fd).unwrap());
        let mut waiting = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        assert_eq!(libc::poll(&raw mut waiting, 1, 60_000), 1, "process {pid} is still there");
    }
}

/// Ends a process a test left running on purpose.
pub(crate) fn kill(pid: u32) {
    // SAFETY: the id was printed by a process of this test.
    unsafe {
        libc::kill(pid.cast_signed(), libc::SIGKILL);
    }
}

/// Returns when the process is stopped. There is no event to wait for, so it looks again and again.
pub(crate) fn wait_until_stopped(pid: u32) {
    while !std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") T ") {
        std::thread::yield_now();
    }
}

/// Has this process, and with it all it starts, ignore a signal from here on.
pub(crate) fn ignore(signal: i32) {
    // SAFETY: it touches no memory.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}
