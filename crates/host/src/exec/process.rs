//! A started process: its pipes, its end, and the ladder that brings the end about.

use std::{
    collections::HashSet,
    io,
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::{Instant, timeout, timeout_at},
};

use super::{
    error::ExecError,
    request::{Request, Stdin},
    supervisor::{self, Signaller, Supervised, Supervisor},
    tree::descendants,
};

/// How long a killed process may take to disappear before we go on without it. Only one that hangs in the kernel
/// takes any time at all.
const FORCE_WAIT: Duration = Duration::from_secs(2);

/// How often, during the grace time, processes that were started meanwhile are asked too.
pub(super) const ASK_AGAIN: Duration = Duration::from_millis(50);

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// Its exit code, or 128 and the signal's number.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    pub(super) fn by_signal(signal: i32) -> Self {
        Self { code: 128 + signal, signal: Some(signal) }
    }
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt;
        match (status.code(), status.signal()) {
            (Some(code), _) => Self { code, signal: None },
            (None, signal) => Self::by_signal(signal.unwrap_or(libc::SIGKILL)),
        }
    }
}

/// One output stream of a process.
#[derive(Debug)]
pub struct OutputPipe(Pipe);

#[derive(Debug)]
enum Pipe {
    Out(ChildStdout),
    Err(ChildStderr),
}

impl OutputPipe {
    /// Reads what there is, waiting for something; 0 at the end.
    ///
    /// # Errors
    /// When the pipe breaks.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Pipe::Out(pipe) => pipe.read(buffer).await,
            Pipe::Err(pipe) => pipe.read(buffer).await,
        }
    }
}

impl AsyncRead for OutputPipe {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Pipe::Out(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            Pipe::Err(pipe) => Pin::new(pipe).poll_read(cx, buffer),
        }
    }
}

/// Standard input of a process. Dropping it closes the input.
#[derive(Debug)]
pub struct InputPipe(ChildStdin);

impl InputPipe {
    /// Writes what the pipe takes now; gives how much that was.
    ///
    /// # Errors
    /// When the process no longer reads.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).await
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// When the process no longer reads.
    pub async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await?;
        self.0.flush().await
    }
}

impl AsyncWrite for InputPipe {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().0).poll_write(cx, bytes)
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_flush(cx)
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_shutdown(cx)
    }
}

/// A running process. Dropping it kills it with everything it started, unless it is detached.
#[derive(Debug)]
pub struct Process {
    supervisor: Child,
    control: Option<Supervisor>,
    pid: u32,
    /// Processes that were asked to exit; a second signal would interrupt their cleanup.
    asked: HashSet<u32>,
    /// Present when the request asked for a pipe or gave bytes.
    pub stdin: Option<InputPipe>,
    /// Standard output; take it to read it elsewhere.
    pub stdout: Option<OutputPipe>,
    /// Standard error; take it to read it elsewhere.
    pub stderr: Option<OutputPipe>,
}

/// Starts a process. Needs a tokio runtime with its IO driver around it.
///
/// # Errors
/// When nothing could be started; see [`ExecError`].
pub fn spawn(request: &Request) -> Result<Process, ExecError> {
    request.check()?;
    let configure = |command: &mut Command| {
        command.stdout(request.stdout.to_stdio()?).stderr(request.stderr.to_stdio()?);
        command.stdin(if request.stdin == Stdin::Empty { Stdio::null() } else { Stdio::piped() });
        if let Some(cwd) = &request.cwd {
            command.current_dir(cwd);
        }
        if request.clear_env {
            command.env_clear();
        }
        for (key, value) in &request.env {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
        Ok(())
    };
    let arg0 = request.arg0.as_deref().unwrap_or(&request.program);
    let started = supervisor::start(&request.program, arg0, &request.args, configure);
    let Supervised { mut control, mut supervisor, pid } =
        started.map_err(|source| ExecError::from_spawn(&request.program, request.cwd.as_ref(), source))?;
    if request.detached {
        control.release();
    }
    Ok(Process {
        stdin: supervisor.stdin.take().map(InputPipe),
        stdout: supervisor.stdout.take().map(|pipe| OutputPipe(Pipe::Out(pipe))),
        stderr: supervisor.stderr.take().map(|pipe| OutputPipe(Pipe::Err(pipe))),
        supervisor,
        control: Some(control),
        pid,
        asked: HashSet::new(),
    })
}

impl Process {
    /// The program's process id.
    pub fn id(&self) -> u32 {
        self.pid
    }

    /// Waits for the program to end. What it left running goes on, unless the end was forced. Can be called again.
    pub async fn wait(&mut self) -> Exit {
        match self.supervisor.wait().await {
            Ok(status) => status.into(),
            // Somebody else reaped it; that it ended is all there is to know.
            Err(_) => Exit::by_signal(libc::SIGKILL),
        }
    }

    /// A way to send the program signals without holding it.
    pub fn signaller(&self) -> Signaller {
        Signaller::new(self.pid)
    }

    /// Sends a signal to the program alone, as `kill` would.
    pub fn signal(&self, number: i32) {
        // The supervisor lives exactly as long as the program, so the id is still the program's.
        if self.supervisor.id().is_some() {
            supervisor::signal(self.pid, number);
        }
    }

    /// Asks the program and all its descendants to end. From here on [`Process::wait`] waits for all of them. Asking
    /// again reaches those that were started meanwhile.
    pub fn ask_to_end(&mut self) {
        let (Some(control), Some(supervisor)) = (&mut self.control, self.supervisor.id()) else {
            return;
        };
        control.announce_end();
        for pid in descendants(supervisor) {
            if self.asked.insert(pid) {
                supervisor::signal(pid, libc::SIGTERM);
                // One that is stopped has to wake up to hear it.
                supervisor::signal(pid, libc::SIGCONT);
            }
        }
    }

    /// Keeps everything the program starts until this handle ends it: nothing is left running when the program exits by
    /// itself. [`Process::wait`] then waits for all of it.
    pub fn keep_descendants(&mut self) {
        if let Some(control) = &mut self.control {
            control.announce_end();
        }
    }

    /// Kills the program and all its descendants. [`Process::wait`] then returns as soon as they are gone.
    pub fn force_end(&mut self) {
        if let Some(control) = self.control.take() {
            control.kill();
        }
    }

    /// The whole ladder: ask, wait for `grace`, kill, wait until all of it is gone.
    pub async fn end(&mut self, grace: Duration) -> Exit {
        let until = Instant::now() + grace;
        while Instant::now() < until {
            self.ask_to_end();
            if let Ok(exit) = timeout_at(until.min(Instant::now() + ASK_AGAIN), self.wait()).await {
                return exit;
            }
        }
        self.force_end();
        self.wait_forced().await
    }

    /// Waits for the end after [`Process::force_end`], but not for a process the kernel will not let go.
    pub(super) async fn wait_forced(&mut self) -> Exit {
        timeout(FORCE_WAIT, self.wait()).await.unwrap_or(Exit::by_signal(libc::SIGKILL))
    }
}
