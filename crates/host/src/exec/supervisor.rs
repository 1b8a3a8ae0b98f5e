//! The supervisor on a process: starting its supervisor (`supervisor/main.rs`, which says how it works) and holding this
//! program's end of it.
//!
//! Alternatives that were rejected: killing the process group (a `setsid` escapes); making this program itself the
//! subreaper (it would inherit, and have to reap, orphans of everything else in it); a marker in the environment
//! (lost by `env -i`); forking the supervisor off this program without executing anything (a fork costs in proportion
//! to this program's memory: 64 MB made every start three times as long).

#![expect(unsafe_code, reason = "descriptors are passed on and signals sent by calls that std does not wrap")]

use std::{
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use tokio::process::{Child, Command};

/// The supervisor, compiled by `build.rs`.
const SUPERVISOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/toolsmith-supervisor"));

/// Sent to say that the program was asked to end: from now on the supervisor waits for all of it.
const ENDING: u8 = b'E';
/// Sent to say that the program may go on when this program's end is closed.
const RELEASED: u8 = b'R';
/// Sent to say that the program is to be killed with all it started, released or not.
const KILL: u8 = b'K';

/// The supervisor's answer when the program runs; any other comes with an error number.
const STARTED: u8 = b'P';

/// Time a supervisor has to start the program.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// This program's end. Dropping it kills everything at the other end.
#[derive(Debug)]
pub(super) struct Supervisor {
    socket: UnixStream,
}

/// A program that was started on a supervisor.
#[derive(Debug)]
pub(super) struct Supervised {
    pub(super) control: Supervisor,
    /// Ends the way the program ends.
    pub(super) supervisor: Child,
    /// The program's own process id.
    pub(super) pid: u32,
}

/// Starts `program` on a supervisor, under the name `arg0`. `configure` sets folder, environment and standard streams, which it inherits.
pub(super) fn start(
    program: &str,
    arg0: &str,
    arguments: &[String],
    configure: impl Fn(&mut Command) -> io::Result<()>,
) -> io::Result<Supervised> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let mut supervisor = {
        // One at a time: between these lines the other end would be inherited by whatever else is started.
        static STARTING: Mutex<()> = Mutex::new(());
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        make_inherited(theirs.as_raw_fd())?;
        let spawn = |path: &PathBuf| {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that starts processes")]
            let mut command = Command::new(path);
            command.arg0("toolsmith-supervisor").arg(theirs.as_raw_fd().to_string());
            command.arg(arg0).arg(program).args(arguments);
            configure(&mut command)?;
            command.spawn()
        };
        match spawn(supervisor_in_memory()?) {
            // Some systems do not execute what has no file.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => spawn(supervisor_on_disk()?)?,
            outcome => outcome?,
        }
    };
    drop(theirs);
    // Normally it answers within a millisecond. A supervisor that was stopped must not stop this program too.
    ours.set_read_timeout(Some(START_TIMEOUT))?;
    let mut answer = [0; 5];
    let answered = ours.read_exact(&mut answer);
    let [kind, number @ ..] = answer;
    let number = u32::from_ne_bytes(number);
    match (answered, kind) {
        (Ok(()), STARTED) => Ok(Supervised { control: Supervisor { socket: ours }, supervisor, pid: number }),
        (answered, _) => {
            // Dropping the child lets the runtime reap it.
            let _ = supervisor.start_kill();
            answered?;
            Err(io::Error::from_raw_os_error(number.cast_signed()))
        }
    }
}

impl Supervisor {
    /// Tells the supervisor not to end with the program, but with the last of its descendants.
    pub(super) fn announce_end(&mut self) {
        // It fails only when the supervisor has ended, and then everything has.
        let _ = self.socket.write_all(&[ENDING]);
    }

    /// Kills the program and everything it started.
    pub(super) fn kill(mut self) {
        // Closing the socket says the same of a program that was not released.
        let _ = self.socket.write_all(&[KILL]);
    }

    /// Lets the program outlive this end.
    pub(super) fn release(&mut self) {
        let _ = self.socket.write_all(&[RELEASED]);
    }
}

/// The supervisor in a file that has no name, made once.
fn supervisor_in_memory() -> io::Result<&'static PathBuf> {
    static PLACE: OnceLock<Option<(OwnedFd, PathBuf)>> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        // SAFETY: the name is a C string; a descriptor that is given is new and owned from here on.
        let fd = unsafe {
            match libc::memfd_create(c"toolsmith-supervisor".as_ptr(), libc::MFD_CLOEXEC) {
                -1 => return None,
                fd => OwnedFd::from_raw_fd(fd),
            }
        };
        let mut file = std::fs::File::from(fd);
        file.write_all(SUPERVISOR).ok()?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        Some((file.into(), path))
    });
    match place {
        Some((_, path)) => Ok(path),
        None => supervisor_on_disk(),
    }
}

/// The supervisor in a file of its own, made once, for systems that execute nothing else.
fn supervisor_on_disk() -> io::Result<&'static PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    static PLACE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    if let Some((_, path)) = PLACE.get() {
        return Ok(path);
    }
    let folder = tempfile::Builder::new().prefix("toolsmith-supervisor-").tempdir()?;
    let path = folder.path().join("toolsmith-supervisor");
    std::fs::write(&path, SUPERVISOR)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
    Ok(&PLACE.get_or_init(|| (folder, path)).1)
}

fn make_inherited(fd: RawFd) -> io::Result<()> {
    // SAFETY: touches no memory.
    match unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Sends signals to one program, from any thread and at once. A program that has ended gets none.
#[derive(Clone, Debug)]
pub struct Signaller {
    pid: u32,
    /// Names the process itself, so that another one with the same id is never meant; none on old systems.
    process: Option<Arc<OwnedFd>>,
}

impl Signaller {
    pub(super) fn new(pid: u32) -> Self {
        // SAFETY: touches no memory; a descriptor that is given is new and owned from here on.
        let process = unsafe {
            match libc::syscall(libc::SYS_pidfd_open, pid, 0) {
                -1 => None,
                fd => RawFd::try_from(fd).ok().map(|fd| Arc::new(OwnedFd::from_raw_fd(fd))),
            }
        };
        Self { pid, process }
    }

    /// Sends a signal; gives whether the program was still there.
    pub fn send(&self, number: i32) -> bool {
        let Some(process) = &self.process else {
            signal(self.pid, number);
            return true;
        };
        let (fd, nothing) = (process.as_raw_fd(), std::ptr::null::<libc::siginfo_t>());
        // SAFETY: the descriptor is open; no information is passed along.
        unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, number, nothing, 0) == 0 }
    }
}

/// Sends a signal to one process.
pub(super) fn signal(pid: u32, signal: i32) {
    let Ok(pid) = libc::pid_t::try_from(pid) else {
        return;
    };
    // SAFETY: touches no memory. Ids come from the process tree; one that ended meanwhile gives an error.
    unsafe {
        libc::kill(pid, signal);
    }
}
