//! Running a command to its end: input written, output read and kept, time and cancel watched.

use std::{future::pending, time::Duration};

use tokio::time::{Instant, sleep_until};
use toolsmith_tool::{CancelToken, Meter};

use super::{
    error::ExecError,
    process::{ASK_AGAIN, Exit, InputPipe, OutputPipe, Process, SIGTERM, spawn},
    request::{Request, Stdin},
};
use crate::output::{Output, OutputBuffer, TextDecoder};

/// How long output is still read after the program ended: something it left running may hold the pipe for ever.
const DRAIN: Duration = Duration::from_millis(250);
const READ_BYTES: usize = 64 * 1024;

/// One of the two streams a process writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// A piece of output as it came. Characters are whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Which stream.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// How a command ended and what it printed (CONTRACT 3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// The exit code; 128 and the signal's number where a signal ended it, also when that was our doing.
    pub code: i32,
    /// We ended it, because of its timeout or a cancel. What was read so far is there.
    pub killed: bool,
}

/// Runs a command to its end, or to the end of its time. `on_chunk` gets output as it comes and must not block.
///
/// Dropping the future kills the command with everything it started.
///
/// # Errors
/// When nothing could be started. A command that ran always has an outcome.
pub async fn run(
    request: &Request,
    cancel: &CancelToken,
    mut on_chunk: impl FnMut(Chunk) + Send,
) -> Result<Outcome, ExecError> {
    if cancel.is_cancelled() {
        return Ok(Outcome {
            stdout: Output::default(),
            stderr: Output::default(),
            code: Exit::by_signal(SIGTERM).code,
            killed: true,
        });
    }
    let mut process = spawn(request)?;
    let memory = process.watch_memory();
    tokio::pin!(memory);
    let mut out = Reader::new(Stream::Out, process.stdout.take(), request);
    let mut err = Reader::new(Stream::Err, process.stderr.take(), request);
    let mut input = Input::new(process.stdin.take(), request);
    let mut phase = Phase::Running { until: request.timeout.map(|timeout| Instant::now() + timeout) };
    let mut exit: Option<Exit> = None;

    while exit.is_none() || out.is_open() || err.is_open() {
        tokio::select! {
            chunk = out.read(), if out.is_open() => chunk.into_iter().for_each(&mut on_chunk),
            chunk = err.read(), if err.is_open() => chunk.into_iter().for_each(&mut on_chunk),
            () = input.write(), if input.is_open() => {}
            () = &mut memory => {}
            ended = process.wait(), if exit.is_none() => {
                exit = Some(ended);
                phase = Phase::Ended { killed: phase.is_killing(), until: Instant::now() + DRAIN };
            }
            () = phase.due(cancel) => match phase.next(&mut process, request.grace, cancel) {
                Some(next) => phase = next,
                None => break,
            },
        }
    }
    let killed = phase.is_killing();
    let exit = match exit {
        Some(exit) => exit,
        None => process.wait_forced().await,
    };
    Ok(Outcome {
        stdout: out.finish(&mut on_chunk),
        stderr: err.finish(&mut on_chunk),
        code: exit.code,
        killed,
    })
}

/// Where a command is on its way to the end.
#[derive(Clone, Copy)]
enum Phase {
    Running {
        until: Option<Instant>,
    },
    /// It was asked to end.
    Asked {
        until: Instant,
    },
    /// It was killed; the wait is for the kernel.
    Forced {
        until: Instant,
    },
    /// It ended; the wait is for the rest of its output.
    Ended {
        killed: bool,
        until: Instant,
    },
}

impl Phase {
    fn is_killing(self) -> bool {
        match self {
            Self::Running { .. } => false,
            Self::Asked { .. } | Self::Forced { .. } => true,
            Self::Ended { killed, .. } => killed,
        }
    }

    /// Waits until this phase is over.
    async fn due(self, cancel: &CancelToken) {
        match self {
            Self::Running { until } => tokio::select! {
                () = at(until) => {}
                () = cancel.cancelled() => {}
            },
            Self::Asked { until } => tokio::select! {
                () = sleep_until(until.min(Instant::now() + ASK_AGAIN)) => {}
                () = cancel.forced() => {}
            },
            Self::Forced { until } | Self::Ended { until, .. } => sleep_until(until).await,
        }
    }

    /// Does what comes next; `None` when there is nothing left to wait for.
    fn next(self, process: &mut Process, grace: Duration, cancel: &CancelToken) -> Option<Self> {
        match self {
            Self::Running { .. } if !cancel.is_forced() && !grace.is_zero() => {
                process.ask_to_end();
                Some(Self::Asked { until: Instant::now() + grace })
            }
            Self::Asked { until } if !cancel.is_forced() && Instant::now() < until => {
                process.ask_to_end();
                Some(self)
            }
            Self::Running { .. } | Self::Asked { .. } => {
                process.force_end();
                Some(Self::Forced { until: Instant::now() + DRAIN })
            }
            Self::Forced { .. } | Self::Ended { .. } => None,
        }
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

/// One output stream: its pipe, what is kept of it, and its text so far.
struct Reader {
    stream: Stream,
    pipe: Option<OutputPipe>,
    kept: OutputBuffer,
    decoder: TextDecoder,
    bytes: Vec<u8>,
    meter: Meter,
}

impl Reader {
    fn new(stream: Stream, pipe: Option<OutputPipe>, request: &Request) -> Self {
        Self {
            stream,
            pipe,
            kept: OutputBuffer::new(request.output.clone()),
            decoder: TextDecoder::default(),
            bytes: vec![0; READ_BYTES],
            meter: request.meter.clone(),
        }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    async fn read(&mut self) -> Option<Chunk> {
        match self.pipe.as_mut()?.read(&mut self.bytes).await {
            Ok(count @ 1..) => {
                let bytes = &self.bytes[..count];
                self.meter.add_read(count);
                self.kept.push(bytes);
                let text = self.decoder.push(bytes);
                (!text.is_empty()).then_some(Chunk { stream: self.stream, text })
            }
            // The end, or a broken pipe, which is one.
            Ok(0) | Err(_) => {
                self.pipe = None;
                None
            }
        }
    }

    fn finish(self, on_chunk: &mut impl FnMut(Chunk)) -> Output {
        let text = self.decoder.finish();
        if !text.is_empty() {
            on_chunk(Chunk { stream: self.stream, text });
        }
        self.kept.finish()
    }
}

/// The input still to be written. A program that does not read it is its own affair.
struct Input {
    pipe: Option<InputPipe>,
    bytes: Vec<u8>,
    meter: Meter,
}

impl Input {
    fn new(pipe: Option<InputPipe>, request: &Request) -> Self {
        match &request.stdin {
            Stdin::Bytes(bytes) => Self { pipe, bytes: bytes.clone(), meter: request.meter.clone() },
            // Nobody can write to it here, so it ends at once.
            Stdin::Empty | Stdin::Piped => Self { pipe: None, bytes: Vec::new(), meter: Meter::default() },
        }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    async fn write(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let written = pipe.write(&self.bytes).await;
        self.meter.add_written(*written.as_ref().unwrap_or(&0));
        match written {
            Ok(count @ 1..) if count < self.bytes.len() => {
                self.bytes.drain(..count);
            }
            _ => self.pipe = None,
        }
    }
}
