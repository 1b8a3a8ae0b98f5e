//! The launcher as this program sees it: starting it at the first process, passing requests on, replacing it.
//!
//! The launcher is this program, executed again with [`MARKER`] in its environment. A function that the loader calls
//! before `main` notices the marker and never returns, so it works in every program that contains this library, test
//! binaries included. Where that is impossible (the library is part of a plugin, or the program's file cannot be executed),
//! the launcher is a fork of this program.

#![expect(unsafe_code, reason = "enters before main, and forks")]

use std::{
    ffi::{CStr, c_int},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Child, Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, sendmsg};

use super::{
    launcher_loop,
    message::{HEADER, MOST, READY},
    raw, system,
};

/// Variable that makes this program the launcher. Programs never receive it: their environment is part of a request.
const MARKER: &CStr = c"TOOLSMITH_LAUNCHER";
/// Its value. A file of another version must not be taken for this program.
const VERSION: &CStr = c"1";

/// Time the launcher has to start, and to take a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The function that is called before `main`.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static BEFORE_MAIN: extern "C" fn() = enter_if_marked;

/// Set if [`enter_if_marked`] is called before `main` of this program. Otherwise executing it again would run it twice.
static HOOKED: AtomicBool = AtomicBool::new(false);

extern "C" fn enter_if_marked() {
    HOOKED.store(true, Ordering::Relaxed);
    // SAFETY: the name is a C string; no other thread runs before `main`.
    let value = unsafe { libc::getenv(MARKER.as_ptr()) };
    if value.is_null() || !is_socket(0) {
        return;
    }
    // SAFETY: variables end with a NUL byte.
    if unsafe { CStr::from_ptr(value) } == VERSION {
        launcher_loop::run(0);
    }
    raw::exit(1);
}

fn is_socket(fd: c_int) -> bool {
    // SAFETY: the result is on this stack and read only if the call filled it.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        libc::fstat(fd, &raw mut about) == 0 && about.st_mode & libc::S_IFMT == libc::S_IFSOCK
    }
}

/// A running launcher.
#[derive(Debug)]
struct Launcher {
    socket: UnixStream,
    process: Running,
    state: State,
}

#[derive(Debug)]
enum Running {
    Executed(Child),
    Forked(libc::pid_t),
}

impl Drop for Running {
    /// The launcher ends when its socket is closed; a forked process of the program must leave that to the program.
    fn drop(&mut self) {
        match self {
            Self::Executed(child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            // SAFETY: the process is a child that nobody else waits for.
            Self::Forked(pid) => unsafe {
                libc::kill(*pid, libc::SIGKILL);
                libc::waitpid(*pid, std::ptr::null_mut(), 0);
            },
        }
    }
}

/// Properties of this process that the launcher inherited. If one changes, programs must be started by a new launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    process: u32,
    users: [libc::uid_t; 2],
    groups: [libc::gid_t; 2],
    restrictions: [i64; 2],
}

impl State {
    fn now() -> Self {
        // SAFETY: touch no memory.
        let (users, groups) =
            unsafe { ([libc::getuid(), libc::geteuid()], [libc::getgid(), libc::getegid()]) };
        Self { process: std::process::id(), users, groups, restrictions: system::restrictions() }
    }
}

/// Passes a request on to the launcher, starting it if needed.
pub(super) fn send(header: &[u8; HEADER], body: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    static LAUNCHER: Mutex<Option<Launcher>> = Mutex::new(None);
    let mut launcher = LAUNCHER.lock().unwrap_or_else(PoisonError::into_inner);
    let state = State::now();
    if let Some(old) = launcher.take_if(|running| running.state != state)
        && old.state.process != state.process
    {
        // This program is a fork of the one that started it.
        std::mem::forget(old.process);
    }
    if let Some(running) = &mut *launcher {
        // It fails if somebody killed the launcher.
        if running.send(header, body, descriptors).is_ok() {
            return Ok(());
        }
        *launcher = None;
    }
    launcher.insert(Launcher::start(state)?).send(header, body, descriptors)
}

impl Launcher {
    fn start(state: State) -> io::Result<Self> {
        if HOOKED.load(Ordering::Relaxed) && system::is_main_program(BEFORE_MAIN as usize) {
            if let Ok(launcher) = Self::execute(state) {
                return Ok(launcher);
            }
            tracing::warn!(
                "this program could not be executed again as the launcher of processes; forking it"
            );
        }
        Self::fork(state)
    }

    fn execute(state: State) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        #[expect(clippy::disallowed_methods, reason = "this is the one place that starts processes")]
        let mut command = Command::new(system::this_program()?);
        command.env(&*MARKER.to_string_lossy(), &*VERSION.to_string_lossy());
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Running::Executed(command.spawn()?);
        // It holds the other end.
        drop(command);
        Self { socket: ours, process, state }.ready()
    }

    fn fork(state: State) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        // SAFETY: the child makes system calls only, allocates nothing and never returns.
        match unsafe { libc::fork() } {
            0 => launcher_loop::run(theirs.as_raw_fd()),
            -1 => Err(io::Error::last_os_error()),
            pid => {
                drop(theirs);
                Self { socket: ours, process: Running::Forked(pid), state }.ready()
            }
        }
    }

    fn ready(mut self) -> io::Result<Self> {
        self.socket.set_read_timeout(Some(TIMEOUT))?;
        self.socket.set_write_timeout(Some(TIMEOUT))?;
        let mut answer = [0];
        self.socket.read_exact(&mut answer)?;
        if answer == [READY] { Ok(self) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    fn send(&mut self, header: &[u8; HEADER], body: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        let parts = [io::IoSlice::new(header), io::IoSlice::new(body)];
        let sent = sendmsg(self.socket.as_fd(), &parts, &mut ancillary, system::SEND_FLAGS)?;
        let (head, rest) = (header.get(sent..), body.get(sent.saturating_sub(HEADER)..));
        self.socket.write_all(head.unwrap_or_default())?;
        self.socket.write_all(rest.unwrap_or_default())
    }
}

#[cfg(test)]
#[path = "launcher_tests.rs"]
mod tests;
