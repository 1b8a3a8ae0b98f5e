//! System calls for processes that share nothing with a Rust program but its code: no allocation, no lock, no panic.

#![expect(
    unsafe_code,
    reason = "each function is one system call that the standard library does not wrap so"
)]

use std::{ffi::c_int, os::fd::RawFd};

/// Time the other side has for the rest of a message it began.
const REST_MS: c_int = 10_000;

/// Number of the last error.
pub(super) fn last_error() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// Ends this process at once, without anything a program does at its end.
pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: touches no memory.
    unsafe { libc::_exit(code) }
}

pub(super) fn close(fd: RawFd) {
    // SAFETY: the caller owns the descriptor and forgets it.
    unsafe { libc::close(fd) };
}

/// Gives `to` the meaning of `from`, also over an exec.
pub(super) fn replace(from: RawFd, to: RawFd) -> bool {
    // SAFETY: touches no memory.
    unsafe { libc::dup2(from, to) != -1 }
}

/// Copies a descriptor to a number of at least `lowest`.
pub(super) fn copy_above(fd: RawFd, lowest: RawFd) -> RawFd {
    // SAFETY: touches no memory.
    unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, lowest) }
}

pub(super) fn set_close_on_exec(fd: RawFd) {
    // SAFETY: touches no memory.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// Opens the null device.
pub(super) fn open_null() -> RawFd {
    // SAFETY: the path is a C string.
    unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) }
}

/// Writes a message that fits the socket's buffer. A closed socket is ignored: its other end is gone.
pub(super) fn send(fd: RawFd, bytes: &[u8]) {
    // SAFETY: pointer and length are of the slice.
    while unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } == -1 && last_error() == libc::EINTR
    {
    }
}

/// Waits until there is something to read; with a time, whether there was.
pub(super) fn wait_readable(fd: RawFd, milliseconds: Option<c_int>) -> bool {
    let mut waiting = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    loop {
        // SAFETY: the list is on this stack and has one entry.
        match unsafe { libc::poll(&raw mut waiting, 1, milliseconds.unwrap_or(-1)) } {
            -1 if last_error() == libc::EINTR => {}
            count => return count > 0,
        }
    }
}

/// Fills the buffer; `false` if the other side closes or takes too long.
pub(super) fn read_all(fd: RawFd, mut buffer: &mut [u8]) -> bool {
    while !buffer.is_empty() {
        if !wait_readable(fd, Some(REST_MS)) {
            return false;
        }
        // SAFETY: pointer and length are of the slice.
        match unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) } {
            -1 if last_error() == libc::EINTR => {}
            count => match usize::try_from(count).ok().and_then(|count| buffer.get_mut(count..)) {
                Some(rest) if count > 0 => buffer = rest,
                _ => return false,
            },
        }
    }
    true
}

/// Blocks every signal, so that only SIGKILL ends this process early.
pub(super) fn block_signals() {
    // SAFETY: the set is on this stack and initialised by the call.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

/// Memory of its own, filled with zeros; null if there is none.
pub(super) fn map(bytes: usize) -> *mut u8 {
    // SAFETY: a new mapping, wherever there is space.
    let place = unsafe {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0)
    };
    if place == libc::MAP_FAILED { std::ptr::null_mut() } else { place.cast() }
}

/// Returns memory of [`map`].
pub(super) fn unmap(place: *mut u8, bytes: usize) {
    // SAFETY: the caller passes on what `map` gave, and uses it no more.
    unsafe { libc::munmap(place.cast(), bytes) };
}
