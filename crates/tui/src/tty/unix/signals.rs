//! Signals that concern a terminal program.

use std::{future::poll_fn, io, task::Poll};

use rustix::process::{Signal as Number, kill_current_process_group};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::super::Signal;

/// The stream of signals.
#[derive(Debug)]
pub struct Signals {
    resize: Stream,
    terminate: Terminating,
    interrupt: Stream,
    hang_up: Stream,
    stop: Stream,
    go_on: Stream,
}

impl Signals {
    /// Listens from now on. Needs a tokio runtime.
    ///
    /// # Errors
    /// Fails if a handler cannot be installed.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            resize: signal(SignalKind::window_change())?,
            terminate: Terminating::listen()?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(Number::TSTP.as_raw()))?,
            go_on: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.hang_up.recv() => Signal::HangUp,
            () = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.stop.recv() => Signal::Stop,
            _ = self.go_on.recv() => Signal::Continue,
            _ = self.resize.recv() => Signal::Resize,
        }
    }
}

/// The signals that ask a program to end, and those that would end it without restoring the terminal.
#[derive(Debug)]
struct Terminating(Vec<Stream>);

impl Terminating {
    fn listen() -> io::Result<Self> {
        let numbers = [
            Number::TERM,
            Number::QUIT,
            Number::USR1,
            Number::USR2,
            Number::ALARM,
            Number::VTALARM,
            Number::PROF,
            Number::XCPU,
            Number::IO,
        ];
        let streams = numbers.into_iter().map(|number| signal(SignalKind::from_raw(number.as_raw())));
        Ok(Self(streams.collect::<io::Result<_>>()?))
    }

    async fn recv(&mut self) {
        poll_fn(|context| {
            let is_ready = self.0.iter_mut().any(|stream| stream.poll_recv(context).is_ready());
            if is_ready { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Has a write beyond the limit of file sizes fail instead of ending the program. Needs a tokio runtime.
pub fn survive_file_limit() {
    // A handler is enough, and programs that are started do not inherit it.
    let _ = signal(SignalKind::from_raw(Number::XFSZ.as_raw()));
}

/// The signals that end a program.
#[derive(Debug)]
pub struct EndSignals {
    interrupt: Stream,
    terminate: Terminating,
    hang_up: Stream,
}

impl EndSignals {
    /// Listens from now on. Needs a tokio runtime.
    ///
    /// # Errors
    /// Fails if a handler cannot be installed.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: Terminating::listen()?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.hang_up.recv() => Signal::HangUp,
            () = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
        }
    }
}

/// Stops this process and those of its group, as ctrl+z at a shell does. Returns when it continues.
pub fn stop_process_group() {
    // Without a shell that could continue it, the process does not stop.
    let _ = kill_current_process_group(Number::STOP);
}
