//! Signals that stop the program: the first Ctrl-C or SIGTERM requests a stop and the second forces it; SIGHUP forces
//! it at once, because nobody is left to wait. Child processes end with their parent.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use tokio::signal::unix::{SignalKind, signal};

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
        loop {
            let (number, reason, force) = tokio::select! {
                _ = interrupt.recv() => (2, "cancelled by Ctrl-C", again),
                _ = terminate.recv() => (15, "the program was terminated", again),
                _ = hangup.recv() => (1, "the terminal is gone", true),
            };
            own.0.store(number, Ordering::SeqCst);
            stop(reason, force);
            again = true;
        }
    });
    came
}
