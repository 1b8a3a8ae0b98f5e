//! Restoring the terminal from anywhere: a normal exit, a panic of the interface, or a signal.
//!
//! The state is global because a panic hook has no other way to reach it. It is taken once, so that restoring twice does
//! nothing.

use std::{
    io::Write as _,
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::termios::{OptionalActions, Termios, tcsetattr};

use super::modes::{ALT_SCREEN_OFF, LEAVE};

/// The state before, and whether the modes of the interface were turned on.
static ORIGINAL: Mutex<Option<(Termios, bool)>> = Mutex::new(None);
static IN_ALT_SCREEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Notes whether the alternate screen is shown, so that it is left on the way out.
pub fn set_alt_screen(is_on: bool) {
    IN_ALT_SCREEN.store(is_on, Ordering::SeqCst);
}

pub(super) fn remember(original: Termios) {
    remember_with(original, true);
}

/// Remembers the state before keys are read one by one, without other modes of the interface.
pub(super) fn remember_keyboard(original: Termios) {
    remember_with(original, false);
}

fn remember_with(original: Termios, has_modes: bool) {
    *ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner) = Some((original, has_modes));
    let owner = std::thread::current().id();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == owner {
                restore_now();
            } else if is_in_use() {
                // Panics of other threads are caught where they matter, and the interface goes on: the message would be
                // printed over it.
                return tracing::error!(panic = %info, "A background task panicked");
            }
            previous(info);
        }));
    });
}

fn is_in_use() -> bool {
    ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Restores the terminal if it is in use. Safe to call at any time, from any thread.
pub fn restore_now() {
    let original = match ORIGINAL.try_lock() {
        Ok(mut original) => original.take(),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
        // Another thread is restoring.
        Err(std::sync::TryLockError::WouldBlock) => None,
    };
    let Some((original, has_modes)) = original else { return };
    if !has_modes {
        // Standard output may be a file.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &original);
        return;
    }
    let mut out = std::io::stdout();
    if IN_ALT_SCREEN.swap(false, Ordering::SeqCst) {
        let _ = out.write_all(ALT_SCREEN_OFF.as_bytes());
    }
    // Nothing helps if the terminal is gone.
    let _ = out.write_all(LEAVE.as_bytes());
    let _ = out.flush();
    let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &original);
}
