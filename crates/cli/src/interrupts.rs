//! Signals that end the program: Ctrl-C and SIGTERM ask first and force the second time, SIGHUP forces at once: nobody is
//! left to wait. A reader of standard output who goes away asks too. Children go with what started them.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use toolsmith_tui::tty::{EndSignals, Signal};

/// Time to end after a request to stop: longer than tools and previews have.
const GRACEFUL_EXIT: Duration = Duration::from_secs(20);
/// Time to end after a forced stop.
const FORCED_EXIT: Duration = Duration::from_secs(3);

/// Time to restore the terminal before that.
const RESTORING: Duration = Duration::from_millis(500);

/// The signal that ends programs whose output nobody reads. This program ignores it and stops by itself.
pub(crate) const SIGPIPE: u8 = 13;

/// The exit code of the signal that was received, if any.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<AtomicU8>);

impl Interrupts {
    /// Returns the exit code: 128 plus the signal number, as in shells.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        Some(self.0.load(Ordering::SeqCst)).filter(|code| *code != 0)
    }
}

/// Exits if the program has not ended by itself. Its processes end with it.
fn exit_after(time: Duration, code: u8) {
    // Without a thread there is nothing else to try.
    let _ = std::thread::Builder::new().name("exit".to_owned()).spawn(move || {
        std::thread::sleep(time);
        // A terminal that nobody reads may not take the sequences that restore it.
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let restoring = std::thread::Builder::new().spawn(move || {
            toolsmith_tui::tty::restore_now();
            drop(sender);
        });
        if restoring.is_ok() {
            let _ = receiver.recv_timeout(RESTORING);
        }
        #[expect(clippy::exit, reason = "whatever is still running did not stop when asked")]
        std::process::exit(i32::from(code));
    });
}

/// Exits some time after a signal that asks for it, for a program that handles signals itself and may be blocked in a write to a
/// terminal that nobody reads. Needs a tokio runtime. With `keeps_interrupts`, Ctrl-C is none of these signals.
pub(crate) fn exit_if_blocked(keeps_interrupts: bool) {
    let Ok(mut signals) = EndSignals::listen() else { return };
    tokio::spawn(async move {
        let mut time = GRACEFUL_EXIT;
        loop {
            let code = match signals.next().await {
                Signal::Interrupt if keeps_interrupts => continue,
                Signal::Interrupt => 128 + 2,
                Signal::HangUp => 128 + 1,
                _ => 128 + 15,
            };
            exit_after(time, code);
            time = FORCED_EXIT;
        }
    });
}

/// Listens from now on. `stop` receives the reason and whether to force it. Needs a tokio runtime.
pub(crate) fn listen(stop: impl Fn(&str, bool) + Send + 'static) -> Interrupts {
    listen_with(128 + SIGPIPE, stop)
}

/// The same with another exit code for the case that nobody reads standard output any more.
pub(crate) fn listen_with(unread: u8, stop: impl Fn(&str, bool) + Send + 'static) -> Interrupts {
    let came = Interrupts::default();
    let own = came.clone();
    // Installed before returning, so that no signal can end the program uncleanly.
    let Ok(mut signals) = EndSignals::listen() else { return came };
    tokio::spawn(async move {
        let mut again = false;
        let mut is_closed = false;
        let mut closed = pin!(toolsmith_host::output_closed());
        loop {
            let (code, reason, force) = tokio::select! {
                signal = signals.next() => match signal {
                    Signal::Interrupt => (128 + 2, "cancelled by Ctrl-C", again),
                    Signal::HangUp => (128 + 1, "the terminal is gone", true),
                    _ => (128 + 15, "the program was terminated", again),
                },
                () = &mut closed, if !is_closed => {
                    is_closed = true;
                    (unread, "nobody reads the output", false)
                }
            };
            own.0.store(code, Ordering::SeqCst);
            stop(reason, force);
            // The program may be blocked in a write that nobody reads.
            exit_after(if force { FORCED_EXIT } else { GRACEFUL_EXIT }, code);
            again = true;
        }
    });
    came
}
