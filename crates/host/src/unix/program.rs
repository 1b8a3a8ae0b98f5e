//! This program as Unix sees it: its threads' CPU time, its standard output, its limits.

#![expect(unsafe_code, reason = "std offers neither the clock of a thread nor an exit without memory")]

use std::{ffi::OsString, fs::File, io, os::fd::AsFd as _, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Resource, getrlimit},
};

/// Returns the CPU time that the current thread has used; `None` where the system does not tell.
pub(crate) fn thread_cpu_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is on this stack.
    let outcome = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    if outcome != 0 {
        return None;
    }
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

/// Prints a message and exits, without allocating and without cleaning up.
pub(crate) fn exit_with(message: &'static [u8]) -> ! {
    // SAFETY: the message is there for ever.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::_exit(1)
    }
}

/// Waits until the reader of standard output is gone. An error where that cannot be seen.
pub(crate) fn wait_for_closed_output() -> io::Result<()> {
    let output = io::stdout();
    loop {
        // Asked for nothing: errors and hang-ups are told anyway.
        let mut watched = [PollFd::from_borrowed_fd(output.as_fd(), PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let [watched] = watched;
        let events = watched.revents();
        if events.contains(PollFlags::NVAL) {
            return Err(io::ErrorKind::NotConnected.into());
        }
        if events.intersects(PollFlags::ERR | PollFlags::HUP) {
            return Ok(());
        }
    }
}

/// Returns the limit on open files.
pub(crate) fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns the limit on the stack of the first thread.
pub(crate) fn stack_limit() -> Option<u64> {
    getrlimit(Resource::Stack).current
}

/// Returns the limit on address space and what of it is used.
pub(crate) fn address_space() -> Option<(u64, u64)> {
    let limit = getrlimit(Resource::As).current?;
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Some((limit, pages.unwrap_or(0).saturating_mul(rustix::param::page_size() as u64)))
}

/// Opens a file that always exists.
pub(crate) fn open_nothing() -> io::Result<File> {
    File::open("/dev/null")
}

/// Stops the terminal from showing what is typed, until the guard is dropped.
#[derive(Debug)]
pub struct HiddenInput(rustix::termios::Termios);

impl HiddenInput {
    /// Starts to hide.
    ///
    /// # Errors
    /// Fails if standard input is not a terminal.
    pub fn start() -> io::Result<Self> {
        let stdin = io::stdin();
        let original = rustix::termios::tcgetattr(&stdin)?;
        let mut hidden = original.clone();
        hidden.local_modes.remove(rustix::termios::LocalModes::ECHO);
        rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, &hidden)?;
        Ok(Self(original))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing.
        let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, &self.0);
    }
}

/// Returns the size of a block of `malloc`.
///
/// # Safety
/// `malloc` gave the block, and it was not freed.
pub(crate) unsafe fn block_size(memory: *mut std::ffi::c_void) -> usize {
    #[cfg(target_os = "macos")]
    use libc::malloc_size as size;
    #[cfg(not(target_os = "macos"))]
    use libc::malloc_usable_size as size;
    // SAFETY: the caller's promise.
    unsafe { size(memory) }
}

/// Returns the variable that names the home folder, and its value.
pub(crate) fn home_variable() -> (&'static str, Option<OsString>) {
    ("HOME", std::env::var_os("HOME"))
}
