//! A started process: its pipes, its end, and the steps that stop it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    time::{Instant, timeout, timeout_at},
};
use toolsmith_tool::{Figure, Meter};

use super::{
    error::ExecError,
    request::Request,
    search,
    system::{self, Control, Detacher, Input, Output, Signaller},
};

/// How long a killed process may take to disappear before we go on without it. Only one that hangs in the kernel
/// takes any time at all.
const FORCE_WAIT: Duration = Duration::from_secs(2);

/// Time between two looks at the memory of a process with a limit.
const LOOK_AT_MEMORY: Duration = Duration::from_millis(50);

/// How often, during the grace time, processes that were started meanwhile are asked too.
pub(super) const ASK_AGAIN: Duration = Duration::from_millis(50);

/// Use of a process, together with those of its descendants that it waited for or that ended before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessUsage {
    /// CPU time, summed.
    pub cpu: Duration,
    /// Peak resident memory in bytes of the largest of them. At least that of the supervisor, which the process is a copy of
    /// before it becomes the program.
    pub peak_memory: u64,
}

/// Asks a program to exit. Windows has no signals, but tools name them by these numbers everywhere.
pub(super) const SIGTERM: i32 = 15;
/// Kills a program.
pub(super) const SIGKILL: i32 = 9;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// Its exit code, or 128 and the signal's number.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Its use; `None` if its supervisor was killed.
    pub usage: Option<ProcessUsage>,
}

impl Exit {
    pub(super) fn by_signal(signal: i32) -> Self {
        Self { code: 128 + signal, signal: Some(signal), usage: None }
    }
}

/// One output stream of a process.
#[derive(Debug)]
pub struct OutputPipe(Output);

impl OutputPipe {
    /// Reads what there is, waiting for something; 0 at the end.
    ///
    /// # Errors
    /// When the pipe breaks.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).await
    }
}

impl AsyncRead for OutputPipe {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().0).poll_read(cx, buffer)
    }
}

/// Standard input of a process. Dropping it closes the input.
#[derive(Debug)]
pub struct InputPipe(Input);

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
    control: Control,
    pid: u32,
    /// The meter that its usage is added to at its end, once.
    meter: Option<Meter>,
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
    let resolved = search::resolve(request)?;
    if !request.meter.add_process() {
        return Err(ExecError::TooMany { program: request.program.clone() });
    }
    let started = system::start(request, &resolved).map_err(|source| {
        request.meter.remove_process();
        ExecError::from_spawn(&request.program, request.cwd.as_ref(), source)
    })?;
    if request.detached {
        started.control.detacher().detach();
    }
    Ok(Process {
        stdin: started.stdin.map(InputPipe),
        stdout: started.stdout.map(OutputPipe),
        stderr: started.stderr.map(OutputPipe),
        control: started.control,
        pid: started.pid,
        meter: Some(request.meter.clone()),
    })
}

impl Process {
    /// The program's process id.
    pub fn id(&self) -> u32 {
        self.pid
    }

    /// Notes the memory of the program and its descendants in the meter of its request, as long as that has a limit. Never
    /// ends; where the system does not tell, or without a limit, it does nothing.
    pub fn watch_memory(&self) -> impl Future<Output = ()> + Send + use<> {
        let meter = self.meter.clone().filter(|meter| meter.memory_limit().is_some());
        let watched = self.control.memory_reader();
        async move {
            let Some(meter) = meter else { return std::future::pending().await };
            loop {
                tokio::time::sleep(LOOK_AT_MEMORY).await;
                if let Some(bytes) = watched() {
                    meter.note_memory(bytes);
                }
            }
        }
    }

    /// Ends when the program alone, without its descendants, has more resident memory than `limit` bytes. Never ends where
    /// the system does not tell.
    pub fn over_memory(&self, limit: u64) -> impl Future<Output = ()> + Send + use<> {
        let read = self.control.own_memory_reader(self.pid);
        async move {
            while read().is_none_or(|bytes| bytes <= limit) {
                tokio::time::sleep(LOOK_AT_MEMORY).await;
            }
        }
    }

    /// Waits for the program to end. What it left running goes on, unless the end was forced. Can be called again.
    pub async fn wait(&mut self) -> Exit {
        let exit = self.control.wait().await;
        if let Some(meter) = self.meter.take() {
            match exit.usage {
                Some(usage) => {
                    meter.add_cpu(usage.cpu);
                    meter.note_memory(usage.peak_memory);
                }
                None => {
                    meter.forget(Figure::Cpu);
                    meter.forget(Figure::Memory);
                }
            }
        }
        exit
    }

    /// A way to let the program outlive this handle later, as [`Request::detached`] does from the start.
    pub fn detacher(&self) -> Detacher {
        self.control.detacher()
    }

    /// A way to send the program signals without holding it.
    pub fn signaller(&self) -> Signaller {
        self.control.signaller(self.pid)
    }

    /// Sends a signal to the program alone, as `kill` would.
    pub fn signal(&self, number: i32) {
        self.control.signal(self.pid, number);
    }

    /// Asks the program and all its descendants to end. From here on [`Process::wait`] waits for all of them. Asking
    /// again reaches those that were started meanwhile.
    pub fn ask_to_end(&mut self) {
        self.control.ask_to_end();
    }

    /// Keeps everything the program starts until this handle ends it: nothing is left running when the program exits by
    /// itself. [`Process::wait`] then waits for all of it.
    pub fn keep_descendants(&mut self) {
        self.control.announce_end();
    }

    /// Kills the program and all its descendants. [`Process::wait`] then returns as soon as they are gone.
    pub fn force_end(&mut self) {
        self.control.kill();
    }

    /// Takes all steps: asks, waits for `grace`, kills, waits until all of it is gone.
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
        timeout(FORCE_WAIT, self.wait()).await.unwrap_or(Exit::by_signal(SIGKILL))
    }
}
