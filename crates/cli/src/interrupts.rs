//! Signals that end the program: Ctrl-C and SIGTERM ask first and force the second time, SIGHUP forces at once: nobody is
//! left to wait. A reader of standard output who goes away asks too. Children go with what started them.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use tokio::signal::unix::{SignalKind, signal};

/// The signal that ends programs whose output nobody reads. This program ignores it and stops by itself.
pub(crate) const SIGPIPE: u8 = 13;

/// What came, if anything.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<AtomicU8>);

impl Interrupts {
    /// The exit code for what came: 128 and the signal's number, as shells have it.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            number => Some(128 + number),
        }
    }
}

/// Listens from now on. `stop` is told why, and whether by force. Needs a tokio runtime.
pub(crate) fn listen(stop: impl Fn(&str, bool) + Send + 'static) -> Interrupts {
    let came = Interrupts::default();
    let own = came.clone();
    // Set up before returning: a signal that comes now must not end the program the hard way.
    let signals =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = signals else {
        return came;
    };
    tokio::spawn(async move {
        let mut again = false;
        let mut is_closed = false;
        let mut closed = pin!(toolsmith_host::output_closed());
        loop {
            let (number, reason, force) = tokio::select! {
                _ = interrupt.recv() => (2, "cancelled by Ctrl-C", again),
                _ = terminate.recv() => (15, "the program was told to end", again),
                _ = hangup.recv() => (1, "the terminal is gone", true),
                () = &mut closed, if !is_closed => {
                    is_closed = true;
                    (SIGPIPE, "nobody reads the output", false)
                }
            };
            own.0.store(number, Ordering::SeqCst);
            stop(reason, force);
            again = true;
        }
    });
    came
}
