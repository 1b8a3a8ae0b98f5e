//! Events of the console that concern a terminal program. Windows gives a program a few seconds after the last three.

use std::io;

use tokio::{
    signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff,
        ctrl_shutdown,
    },
    sync::Notify,
};

use super::super::Signal;

static RESIZED: Notify = Notify::const_new();

/// Called by the reader of the console, which receives the event among the keys.
pub(super) fn note_resize() {
    RESIZED.notify_one();
}

/// The signals that end a program.
#[derive(Debug)]
pub struct EndSignals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
    close: CtrlClose,
    log_off: CtrlLogoff,
    shut_down: CtrlShutdown,
}

impl EndSignals {
    /// Listens from now on. Needs a tokio runtime.
    ///
    /// # Errors
    /// Fails if a handler cannot be installed.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: ctrl_c()?,
            terminate: ctrl_break()?,
            close: ctrl_close()?,
            log_off: ctrl_logoff()?,
            shut_down: ctrl_shutdown()?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.close.recv() => Signal::HangUp,
            _ = self.log_off.recv() => Signal::HangUp,
            _ = self.shut_down.recv() => Signal::HangUp,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
        }
    }
}

/// The stream of signals.
#[derive(Debug)]
pub struct Signals(EndSignals);

impl Signals {
    /// Listens from now on. Needs a tokio runtime.
    ///
    /// # Errors
    /// Fails if a handler cannot be installed.
    pub fn listen() -> io::Result<Self> {
        EndSignals::listen().map(Self)
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            signal = self.0.next() => signal,
            () = RESIZED.notified() => Signal::Resize,
        }
    }
}

/// Windows has no stopped processes.
pub fn stop_process_group() {}

/// Windows has no limit of file sizes that ends a program.
pub fn survive_file_limit() {}
