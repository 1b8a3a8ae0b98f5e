//! This program as Windows sees it: its threads' CPU time, its standard output, its console.

#![expect(unsafe_code, reason = "std wraps neither the clock of a thread nor the console")]

use std::{
    ffi::OsString,
    fs::File,
    io::{self, IsTerminal as _},
    os::windows::io::AsRawHandle as _,
    ptr,
    time::Duration,
};

use windows_sys::Win32::{
    Foundation::{ERROR_BROKEN_PIPE, ERROR_NO_DATA, ERROR_PIPE_NOT_CONNECTED, FILETIME},
    Storage::FileSystem::{FILE_TYPE_PIPE, GetFileType, WriteFile},
    System::{
        Console::{ENABLE_ECHO_INPUT, GetConsoleMode, GetStdHandle, STD_ERROR_HANDLE, SetConsoleMode},
        Threading::{ExitProcess, GetCurrentThread, GetThreadTimes},
    },
};

/// Time between two looks at a pipe: Windows has no call that waits for its reader to go away.
const LOOK_AT_OUTPUT: Duration = Duration::from_millis(100);

/// Returns the CPU time that the current thread has used. Windows counts it in steps of about 16 milliseconds.
pub(crate) fn thread_cpu_time() -> Option<Duration> {
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut created, mut ended, mut kernel, mut user) = (zero, zero, zero, zero);
    // SAFETY: the times are on this stack.
    let known = unsafe {
        GetThreadTimes(GetCurrentThread(), &raw mut created, &raw mut ended, &raw mut kernel, &raw mut user)
    };
    if known == 0 {
        return None;
    }
    let ticks = |time: FILETIME| (u64::from(time.dwHighDateTime) << 32) | u64::from(time.dwLowDateTime);
    // A tick is 100 nanoseconds.
    Some(Duration::from_nanos(ticks(kernel).saturating_add(ticks(user)).saturating_mul(100)))
}

/// Prints a message and exits, without allocating and without cleaning up.
pub(crate) fn exit_with(message: &'static [u8]) -> ! {
    let length = u32::try_from(message.len()).unwrap_or(0);
    let mut written = 0;
    // SAFETY: the message is there for ever.
    unsafe {
        WriteFile(
            GetStdHandle(STD_ERROR_HANDLE),
            message.as_ptr(),
            length,
            &raw mut written,
            ptr::null_mut(),
        );
        ExitProcess(1)
    }
}

/// Waits until the reader of standard output is gone. An error where that cannot be seen.
pub(crate) fn wait_for_closed_output() -> io::Result<()> {
    let output = io::stdout();
    // SAFETY: the handle is that of the program, which is open or answers with an error.
    if unsafe { GetFileType(output.as_raw_handle()) } != FILE_TYPE_PIPE {
        return Err(io::ErrorKind::NotConnected.into());
    }
    loop {
        let mut written = 0;
        // SAFETY: nothing is written, so nothing is read from the pointer.
        let ok =
            unsafe { WriteFile(output.as_raw_handle(), ptr::null(), 0, &raw mut written, ptr::null_mut()) };
        if ok == 0 {
            let error = io::Error::last_os_error();
            let code = error.raw_os_error().map(i32::cast_unsigned);
            return match code {
                Some(ERROR_BROKEN_PIPE | ERROR_NO_DATA | ERROR_PIPE_NOT_CONNECTED) => Ok(()),
                _ => Err(error),
            };
        }
        std::thread::sleep(LOOK_AT_OUTPUT);
    }
}

/// There is no limit.
pub(crate) fn open_files_limit() -> Option<u64> {
    None
}

/// The size is part of the program.
pub(crate) fn stack_limit() -> Option<u64> {
    None
}

/// There is no limit.
pub(crate) fn address_space() -> Option<(u64, u64)> {
    None
}

/// Opens a file that always exists.
pub(crate) fn open_nothing() -> io::Result<File> {
    File::open("NUL")
}

/// Stops the console from showing what is typed, until the guard is dropped.
#[derive(Debug)]
pub struct HiddenInput(u32);

impl HiddenInput {
    /// Starts to hide.
    ///
    /// # Errors
    /// Fails if standard input is not a terminal.
    pub fn start() -> io::Result<Self> {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let mut mode = 0;
        // SAFETY: the mode is on this stack.
        if unsafe { GetConsoleMode(stdin.as_raw_handle(), &raw mut mode) } == 0
            // SAFETY: touches no memory.
            || unsafe { SetConsoleMode(stdin.as_raw_handle(), mode & !ENABLE_ECHO_INPUT) } == 0
        {
            return Err(io::Error::last_os_error());
        }
        Ok(Self(mode))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        // SAFETY: touches no memory. A console that is gone shows nothing.
        unsafe { SetConsoleMode(io::stdin().as_raw_handle(), self.0) };
    }
}

/// Returns the size of a block of `malloc`.
///
/// # Safety
/// `malloc` gave the block, and it was not freed.
pub(crate) unsafe fn block_size(memory: *mut std::ffi::c_void) -> usize {
    // SAFETY: the caller's promise.
    unsafe { libc::_msize(memory) }
}

/// Returns the variable that names the home folder, and its value. `HOME` is set by Git Bash, to the same folder in a form that
/// other programs do not understand, so it does not count.
pub(crate) fn home_variable() -> (&'static str, Option<OsString>) {
    ("USERPROFILE", std::env::var_os("USERPROFILE"))
}
