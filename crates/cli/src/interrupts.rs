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

/// The signal that was received, if any.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<AtomicU8>);

impl Interrupts {
    /// Returns the exit code: 128 plus the signal number, as in shells.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            number => Some(128 + number),
        }
    }
}

/// Listens from now on. `stop` receives the reason and whether to force it. Needs a tokio runtime.
pub(crate) fn listen(stop: impl Fn(&str, bool) + Send + 'static) -> Interrupts {
    let came = Interrupts::default();
    let own = came.clone();
    // Installed before returning, so that no signal can end the program uncleanly.
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
                _ = terminate.recv() => (15, "the program was terminated", again),
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
