//! The supervisor: the supervisor between Toolsmith and one program it starts. `build.rs` compiles it and the host crate
//! carries it along; it is run as `toolsmith-supervisor <socket> <name> <program> <arguments…>`.
//!
//! A program can leave its group, its session and its parent; what it cannot leave is the reach of a *child subreaper*.
//! The supervisor is one, so whatever its descendants abandon becomes its child. It waits at its end of a socket. When the
//! other end closes, because the handle was dropped or Toolsmith died, even by SIGKILL, it kills everything below it.
//!
//! It uses the standard library only, because it is compiled without cargo.
#![allow(unsafe_code, reason = "supervising needs system calls that the standard library does not wrap")]
#![allow(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "a program of its own, whose purpose is to start and to end"
)]

use std::{
    env, fs, io,
    io::{Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::{
            net::UnixStream,
            process::{CommandExt, ExitStatusExt},
        },
    },
    process::{Command, ExitStatus, exit},
};

/// Message from the host: the program was asked to exit. From then on the supervisor waits for all its descendants.
const ENDING: u8 = b'E';
/// Message from the host: the program may outlive it, so a closed socket means nothing.
const RELEASED: u8 = b'R';
/// Message from the host: kill everything, released or not.
const KILL: u8 = b'K';

/// The supervisor's answer: the program's process id, or the error number of its start.
const STARTED: u8 = b'P';
const FAILED: u8 = b'F';

fn main() {
    let mut arguments = env::args_os().skip(1);
    let socket = arguments.next().and_then(|number| number.to_str()?.parse().ok());
    let (Some(socket), Some(name), Some(program)) = (socket, arguments.next(), arguments.next()) else {
        exit(2)
    };
    // SAFETY: the host passes the number of a socket that this process inherited and nothing else here knows.
    let mut socket = unsafe { UnixStream::from_raw_fd(socket) };
    system::close_on_exec(&socket);
    system::become_subreaper();

    let mut command = Command::new(program);
    command.arg0(name).args(arguments);
    // SAFETY: the function makes system calls only.
    unsafe { command.pre_exec(system::begin_afresh) };
    let program = match command.spawn() {
        Ok(child) => child.id(),
        Err(error) => {
            answer(&mut socket, FAILED, error.raw_os_error().unwrap_or(0).cast_unsigned());
            exit(127)
        }
    };
    answer(&mut socket, STARTED, program);
    let_go_of_pipes();
    Supervisor {
        program: program.cast_signed(),
        socket: Some(socket),
        ended: system::watch_children(),
        status: None,
        ending: false,
        released: false,
    }
    .run()
}

fn answer(socket: &mut UnixStream, kind: u8, number: u32) {
    let [a, b, c, d] = number.to_ne_bytes();
    let _ = socket.write_all(&[kind, a, b, c, d]);
}

/// The program has its own copies; a pipe must end when the program closes it.
fn let_go_of_pipes() {
    if let Ok(nothing) = fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        for stream in 0..3 {
            system::replace(stream, &nothing);
        }
    }
}

struct Supervisor {
    program: i32,
    /// The host's end; none when it is closed and that means nothing.
    socket: Option<UnixStream>,
    /// Readable when a child ended.
    ended: OwnedFd,
    status: Option<ExitStatus>,
    ending: bool,
    released: bool,
}

impl Supervisor {
    fn run(mut self) -> ! {
        if let Some(socket) = &self.socket {
            let _ = socket.set_nonblocking(true);
        }
        loop {
            let any_left = self.reap();
            // The host says that it is ending things before it does so. Reading after reaping means that a program
            // that ended because of it is never taken for one that ended by itself.
            self.listen();
            if let Some(status) = self.status
                && !(self.ending && any_left)
            {
                // What the program left running on purpose goes on without a supervisor.
                end_like(status);
            }
            match &self.socket {
                Some(socket) => system::wait_for_either(socket, &self.ended),
                None => system::wait_for_either(&self.ended, &self.ended),
            }
        }
    }

    /// Takes note of ended children; gives whether any is left.
    fn reap(&mut self) -> bool {
        system::read_all(&self.ended);
        loop {
            match system::reap_one(false) {
                Some((pid, status)) if pid == self.program => self.status = Some(status),
                Some((0, _)) => return true,
                Some(_) => {}
                None => return false,
            }
        }
    }

    fn listen(&mut self) {
        let mut byte = [0];
        while let Some(socket) = &mut self.socket {
            match socket.read(&mut byte) {
                Ok(1) if byte[0] == KILL => self.kill_all(),
                Ok(1) => {
                    self.ending |= byte[0] == ENDING;
                    self.released |= byte[0] == RELEASED;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Closed: nobody holds the supervisor.
                _ if self.released => self.socket = None,
                _ => self.kill_all(),
            }
        }
    }

    /// Kills every child until there is none: those of a killed process become ours and are next.
    fn kill_all(&mut self) -> ! {
        system::kill(-self.program);
        loop {
            let children = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
            for child in children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()) {
                system::kill(child);
            }
            match system::reap_one(true) {
                Some((pid, status)) if pid == self.program => self.status = Some(status),
                Some(_) => {}
                None => end_like(self.status.unwrap_or_else(|| ExitStatus::from_raw(9))),
            }
        }
    }
}

/// Ends the supervisor the way the program ended, so that whoever waits for it sees that.
fn end_like(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        system::die_by(signal);
    }
    exit(status.code().unwrap_or(1))
}

/// The system calls that the standard library does not offer.
mod system {
    use std::ffi::{c_int, c_short, c_ulong};

    use super::{AsRawFd, ExitStatus, ExitStatusExt, FromRawFd, OwnedFd, exit, io};

    const F_SETFD: c_int = 2;
    const FD_CLOEXEC: c_int = 1;
    const POLLIN: c_short = 1;
    const PR_SET_CHILD_SUBREAPER: c_int = 36;
    const PR_SET_PDEATHSIG: c_int = 1;
    const RLIMIT_CORE: c_int = 4;
    const SFD_NONBLOCK: c_int = 0o4000;
    const SIG_BLOCK: c_int = 0;
    const SIG_UNBLOCK: c_int = 1;
    const SIGCHLD: c_int = 17;
    const SIGKILL: c_int = 9;
    /// The classic signals and the number after them.
    const SIGNALS: c_int = 32;
    const WNOHANG: c_int = 1;

    /// As large as any C library's set of signals.
    #[repr(C, align(16))]
    struct SignalSet([u8; 128]);

    #[repr(C)]
    struct Poll {
        fd: c_int,
        events: c_short,
        returned: c_short,
    }

    unsafe extern "C" {
        fn dup2(from: c_int, to: c_int) -> c_int;
        fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
        #[link_name = "kill"]
        fn c_kill(pid: c_int, signal: c_int) -> c_int;
        fn poll(list: *mut Poll, count: c_ulong, timeout: c_int) -> c_int;
        fn prctl(option: c_int, ...) -> c_int;
        fn raise(signal: c_int) -> c_int;
        fn read(fd: c_int, buffer: *mut u8, count: usize) -> isize;
        fn setsid() -> c_int;
        fn setrlimit(resource: c_int, limit: *const [c_ulong; 2]) -> c_int;
        fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
        fn sigemptyset(set: *mut SignalSet) -> c_int;
        fn sigfillset(set: *mut SignalSet) -> c_int;
        fn signal(signal: c_int, handler: usize) -> usize;
        fn signalfd(fd: c_int, set: *const SignalSet, flags: c_int) -> c_int;
        fn sigprocmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
        fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    }

    pub(crate) fn close_on_exec(fd: &impl AsRawFd) {
        // SAFETY: touches no memory.
        unsafe { fcntl(fd.as_raw_fd(), F_SETFD, FD_CLOEXEC) };
    }

    pub(crate) fn become_subreaper() {
        // SAFETY: touches no memory. It fails on kernels before 3.4 only; groups are still killed there.
        unsafe { prctl(PR_SET_CHILD_SUBREAPER, 1 as c_ulong, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong) };
    }

    /// The first steps of the program's process.
    pub(crate) fn begin_afresh() -> io::Result<()> {
        // SAFETY: touches no memory; signals that cannot be set refuse it.
        unsafe {
            // A shell has what it starts in the background ignore Ctrl-C, and that is inherited for ever after: a program
            // that is told to end by such a signal has to hear it.
            for number in 1..SIGNALS {
                signal(number, 0);
            }
            // A session of its own: a terminal's Ctrl-C reaches the host alone, and the program cannot open the terminal
            // to write past the host's filter or to read what is typed (CONTRACT 9.1).
            setsid();
            // Should somebody kill the supervisor, the program goes with it.
            prctl(PR_SET_PDEATHSIG, SIGKILL as c_ulong, 0 as c_ulong, 0 as c_ulong, 0 as c_ulong);
        }
        Ok(())
    }

    pub(crate) fn replace(fd: c_int, with: &impl AsRawFd) {
        // SAFETY: touches no memory; the descriptor is one of the three standard streams.
        unsafe { dup2(with.as_raw_fd(), fd) };
    }

    /// Blocks every signal, so that only SIGKILL ends the supervisor early, and gives a descriptor for ended children.
    pub(crate) fn watch_children() -> OwnedFd {
        let (mut all, mut ended) = (SignalSet([0; 128]), SignalSet([0; 128]));
        // SAFETY: the sets are on this stack and large enough; the descriptor is new.
        unsafe {
            sigfillset(&raw mut all);
            sigprocmask(SIG_BLOCK, &raw const all, std::ptr::null_mut());
            sigemptyset(&raw mut ended);
            sigaddset(&raw mut ended, SIGCHLD);
            match signalfd(-1, &raw const ended, SFD_NONBLOCK) {
                -1 => exit(1),
                fd => OwnedFd::from_raw_fd(fd),
            }
        }
    }

    pub(crate) fn read_all(fd: &OwnedFd) {
        let mut buffer = [0; 1024];
        // SAFETY: the buffer is on this stack and its length is given.
        while unsafe { read(fd.as_raw_fd(), buffer.as_mut_ptr(), buffer.len()) } > 0 {}
    }

    pub(crate) fn wait_for_either(one: &impl AsRawFd, other: &impl AsRawFd) {
        let mut list =
            [one.as_raw_fd(), other.as_raw_fd()].map(|fd| Poll { fd, events: POLLIN, returned: 0 });
        // SAFETY: the list is on this stack and its length is given.
        unsafe { poll(list.as_mut_ptr(), 2, -1) };
    }

    /// Takes one ended child: `(0, _)` when none has ended, `None` when there is none.
    pub(crate) fn reap_one(wait: bool) -> Option<(c_int, ExitStatus)> {
        let mut status = 0;
        // SAFETY: the pointer is to this stack.
        match unsafe { waitpid(-1, &raw mut status, if wait { 0 } else { WNOHANG }) } {
            -1 => None,
            pid => Some((pid, ExitStatus::from_raw(status))),
        }
    }

    pub(crate) fn kill(pid: c_int) {
        // SAFETY: touches no memory.
        unsafe { c_kill(pid, SIGKILL) };
    }

    /// Ends this process by a signal, without a core file of its own.
    pub(crate) fn die_by(number: c_int) {
        let (mut only, no_core) = (SignalSet([0; 128]), [0, 0]);
        // SAFETY: set and limit are on this stack.
        unsafe {
            setrlimit(RLIMIT_CORE, &raw const no_core);
            signal(number, 0);
            raise(number);
            sigemptyset(&raw mut only);
            sigaddset(&raw mut only, number);
            sigprocmask(SIG_UNBLOCK, &raw const only, std::ptr::null_mut());
        }
    }
}
