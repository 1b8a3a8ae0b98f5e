//! Signals that concern a terminal program.

use std::io;

use rustix::process::{Signal as Number, kill_current_process_group};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::super::Signal;

/// The stream of signals.
#[derive(Debug)]
pub struct Signals {
    resize: Stream,
    terminate: Stream,
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
            terminate: signal(SignalKind::terminate())?,
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
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.stop.recv() => Signal::Stop,
            _ = self.go_on.recv() => Signal::Continue,
            _ = self.resize.recv() => Signal::Resize,
        }
    }
}

/// The signals that end a program.
#[derive(Debug)]
pub struct EndSignals {
    interrupt: Stream,
    terminate: Stream,
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
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.hang_up.recv() => Signal::HangUp,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
        }
    }
}

/// Stops this process and those of its group, as ctrl+z at a shell does. Returns when it continues.
pub fn stop_process_group() {
    // Without a shell that could continue it, the process does not stop.
    let _ = kill_current_process_group(Number::STOP);
}
