//! Starting a program through the launcher, and holding this program's end of its supervisor.

use std::{
    collections::{BTreeMap, HashSet},
    ffi::{OsStr, OsString},
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::{net::UnixStream as StdStream, process::ExitStatusExt},
    },
    path::Path,
    process::ExitStatus,
    sync::Arc,
    time::Duration,
};

use rustix::fs::{Mode, OFlags, open};
use tokio::net::{
    UnixStream,
    unix::pipe::{Receiver, Sender},
};

use super::{
    super::{
        process::{Exit, ProcessUsage},
        request::{Destination, Request, Stdin},
        search::Resolved,
    },
    detached::Detacher,
    launcher,
    message::{ANSWER, Body, ENDING, EXITED, FAILED, HEADER, KILL, LIMITS, STARTED, read_answer},
    signaller::{Signaller, signal},
    system,
};

/// Time a supervisor has to start the program.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// A program that was started on a supervisor.
#[derive(Debug)]
pub(in super::super) struct Started {
    pub(in super::super) stdin: Option<Input>,
    pub(in super::super) stdout: Option<Output>,
    pub(in super::super) stderr: Option<Output>,
    pub(in super::super) control: Control,
    /// The program's own process id.
    pub(in super::super) pid: u32,
}

/// Starts a program. Needs a tokio runtime with its IO driver around it.
pub(in super::super) fn start(request: &Request, resolved: &Resolved) -> io::Result<Started> {
    start_by(request, resolved, launcher::send)
}

/// Starts a program by a launcher that `send` passes the request on to.
pub(super) fn start_by(
    request: &Request,
    resolved: &Resolved,
    send: impl FnOnce(&[u8; HEADER], &[u8], &[BorrowedFd<'_>]) -> io::Result<()>,
) -> io::Result<Started> {
    let directory = request.cwd.as_deref().unwrap_or(Path::new("."));
    let directory = open(directory, system::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let (mut ours, theirs) = StdStream::pair()?;
    let stdin = if request.stdin == Stdin::Empty { None } else { Some(io::pipe()?) };
    let (stdin_theirs, stdin) = stdin.map_or((None, None), |(read, write)| (Some(read), Some(write)));
    let (stdout_theirs, stdout) = open_output(&request.stdout)?;
    let (stderr_theirs, stderr) = open_output(&request.stderr)?;
    let streams = [
        stdin_theirs.as_ref().map(AsFd::as_fd),
        stdout_theirs.as_ref().map(Stream::as_fd),
        stderr_theirs.as_ref().map(Stream::as_fd),
    ];
    let given = (0..).zip(&streams).map(|(place, stream)| u32::from(stream.is_some()) << place).sum();
    let (header, body) = encode(request, resolved)?.finish(given)?;
    let descriptors: Vec<BorrowedFd<'_>> =
        [theirs.as_fd(), directory.as_fd()].into_iter().chain(streams.into_iter().flatten()).collect();
    send(&header, &body, &descriptors)?;
    drop((theirs, stdin_theirs, stdout_theirs, stderr_theirs));

    // Normally it answers within a millisecond. A supervisor that was stopped must not stop this program too.
    ours.set_read_timeout(Some(START_TIMEOUT))?;
    let mut answer = [0; ANSWER];
    ours.read_exact(&mut answer)?;
    let (pid, supervisor) = match read_answer(answer) {
        (STARTED, pid, supervisor, _) => (pid, supervisor),
        (FAILED, error, ..) => return Err(io::Error::from_raw_os_error(error.cast_signed())),
        _ => return Err(io::ErrorKind::InvalidData.into()),
    };
    ours.set_nonblocking(true)?;
    let socket = UnixStream::from_std(ours)?;
    Ok(Started {
        stdin: stdin.map(|pipe| Sender::from_owned_fd(pipe.into())).transpose()?,
        stdout: stdout.map(Receiver::from_owned_fd).transpose()?,
        stderr: stderr.map(Receiver::from_owned_fd).transpose()?,
        control: Control {
            detacher: Detacher::new(&socket),
            socket,
            supervisor,
            asked: HashSet::new(),
            answer: Vec::new(),
            exit: None,
        },
        pid,
    })
}

/// The program's end of an output stream.
enum Stream {
    Pipe(io::PipeWriter),
    File(Arc<std::fs::File>),
}

impl Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Pipe(pipe) => pipe.as_fd(),
            Self::File(file) => file.as_fd(),
        }
    }
}

fn open_output(to: &Destination) -> io::Result<(Option<Stream>, Option<OwnedFd>)> {
    Ok(match to {
        Destination::Piped => {
            let (read, write) = io::pipe()?;
            (Some(Stream::Pipe(write)), Some(read.into()))
        }
        Destination::Discarded => (None, None),
        Destination::File(file) => (Some(Stream::File(Arc::clone(file))), None),
    })
}

fn encode(request: &Request, resolved: &Resolved) -> io::Result<Body> {
    let mut environment: BTreeMap<OsString, OsString> =
        if request.clear_env { BTreeMap::new() } else { std::env::vars_os().collect() };
    for (key, value) in &request.env {
        match value {
            Some(value) => environment.insert(key.into(), value.into()),
            None => environment.remove(OsStr::new(key)),
        };
    }
    if let Some(path) = &resolved.path {
        environment.insert("PATH".into(), path.clone());
    }
    let mut body = Body::new(&limits(), (request.args.len() + 1, environment.len()))?;
    body.push(&[&resolved.program]);
    body.push(&[request.arg0.as_ref().unwrap_or(&request.program).as_ref()]);
    for argument in &request.args {
        body.push(&[argument.as_ref()]);
    }
    for (key, value) in &environment {
        body.push(&[key, "=".as_ref(), value]);
    }
    Ok(body)
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit { code, signal: None, usage: None },
        (None, signal) => Exit::by_signal(signal.unwrap_or(libc::SIGKILL)),
    }
}

/// This end. Dropping it kills everything at the other end, unless the program is detached.
#[derive(Debug)]
pub(in super::super) struct Control {
    detacher: Detacher,
    socket: UnixStream,
    supervisor: u32,
    /// Processes that were asked to exit; a second signal would interrupt their cleanup.
    asked: HashSet<u32>,
    /// The start of the supervisor's last answer.
    answer: Vec<u8>,
    exit: Option<Exit>,
}

impl Drop for Control {
    fn drop(&mut self) {
        self.detacher.close();
    }
}

impl Control {
    /// Returns the way to let the program outlive this end.
    pub(in super::super) fn detacher(&self) -> Detacher {
        self.detacher.clone()
    }

    /// Waits for the program to end; or for everything it started, if its end was announced. Can be called again.
    pub(in super::super) async fn wait(&mut self) -> Exit {
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            let mut bytes = [0; ANSWER];
            let missing = ANSWER.saturating_sub(self.answer.len());
            match self.socket.try_read(&mut bytes[..missing]) {
                Ok(count @ 1..) => self.answer.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // An error here is found again by reading.
                    let _ = self.socket.readable().await;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Somebody killed the supervisor, and the program with it.
                Ok(0) | Err(_) => self.exit = Some(Exit::by_signal(libc::SIGKILL)),
            }
            if let Ok(answer) = <[u8; ANSWER]>::try_from(self.answer.as_slice())
                && let (EXITED, status, _, used) = read_answer(answer)
            {
                let cpu = Duration::from_micros(used.cpu_us);
                let usage = Some(ProcessUsage { cpu, peak_memory: used.memory });
                self.exit = Some(Exit { usage, ..exit(ExitStatus::from_raw(status.cast_signed())) });
            }
        }
    }

    /// Returns a way to send the program signals.
    pub(in super::super) fn signaller(&self, pid: u32) -> Signaller {
        Signaller::new(pid)
    }

    /// Returns whether the end of the program has not been seen yet.
    pub(in super::super) fn is_running(&self) -> bool {
        self.exit.is_none()
    }

    /// Returns a function that reads the memory of the program and its descendants.
    pub(in super::super) fn memory_reader(&self) -> impl Fn() -> Option<u64> + Send + use<> {
        let supervisor = self.supervisor;
        move || system::memory_below(supervisor)
    }

    /// Returns a function that reads the memory of the program alone.
    pub(in super::super) fn own_memory_reader(&self, pid: u32) -> impl Fn() -> Option<u64> + Send + use<> {
        move || system::memory_of(pid)
    }

    /// Sends a signal to the program.
    pub(in super::super) fn signal(&self, pid: u32, number: i32) {
        // The supervisor lives as long as the program, so the id is still the program's.
        if self.is_running() {
            signal(pid, number);
        }
    }

    /// Asks the program and all its descendants to exit. Asking again reaches those that were started meanwhile.
    pub(in super::super) fn ask_to_end(&mut self) {
        if !self.is_running() {
            return;
        }
        self.announce_end();
        for pid in system::descendants(self.supervisor) {
            if self.asked.insert(pid) {
                signal(pid, libc::SIGTERM);
                // One that is stopped has to wake up to receive it.
                signal(pid, libc::SIGCONT);
            }
        }
    }

    /// Tells the supervisor not to end with the program, but with the last of its descendants.
    pub(in super::super) fn announce_end(&mut self) {
        self.send(ENDING);
    }

    /// Kills the program and everything it started.
    pub(in super::super) fn kill(&mut self) {
        self.send(KILL);
    }

    /// Fails only when the supervisor has ended, and then everything has: so few bytes always fit the socket.
    fn send(&self, message: u8) {
        let _ = rustix::net::send(self.socket.as_fd(), &[message], system::SEND_FLAGS);
    }
}

/// Standard input of a process.
pub(in super::super) type Input = Sender;
/// An output stream of a process.
pub(in super::super) type Output = Receiver;

#[expect(unsafe_code, reason = "no wrapper takes the number of a limit")]
fn limits() -> Vec<(u64, u64)> {
    (0..LIMITS)
        .map(|resource| {
            let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
            // SAFETY: the limit is on this stack.
            unsafe { libc::getrlimit(resource.into(), &raw mut limit) };
            (limit.rlim_cur, limit.rlim_max)
        })
        .collect()
}
